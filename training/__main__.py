"""The command line: what to do to get from a text to a program."""

import argparse
import os

# Threads that wait by spinning make a run crawl as soon as another program wants a core. OpenMP
# reads this when torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="text, tokenizer, checkpoint")
    train.add_argument("--minutes", type=float, default=50, help="time to train (default: 50)")
    train.add_argument("--threads", type=int, default=2, help="threads of torch (default: 2)")
    options = parser.parse_args()
    if options.command == "train":
        from training.train import train as run

        run(options.minutes, options.threads)


if __name__ == "__main__":
    main()
