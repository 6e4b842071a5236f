"""Makes the model that ships with Highwater, from the text to the program and its card."""

import argparse
import os

# Threads that wait by spinning make a run crawl as soon as another program wants a core. OpenMP
# reads this when torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, summary in (
        ("all", "all of the following"),
        ("train", "get the text, train the tokenizer and the model; goes on where it stopped"),
        ("export", "make the program from the checkpoint"),
        ("logits", "note what torch says on the held-out chapter, which ./demo compares with"),
        ("evaluate", "measure the model, and write its card"),
    ):
        command = commands.add_parser(name, help=summary, description=summary)
        if name in ("all", "train"):
            command.add_argument(
                "--minutes", type=float, default=50, help="how long to train (default: 50)"
            )
            command.add_argument(
                "--threads", type=int, default=2, help="threads of torch (default: 2)"
            )
    return parser.parse_args()


def main() -> None:
    options = parse()
    if options.command in ("all", "train"):
        from training.train import train

        train(options.minutes, options.threads)
    if options.command in ("all", "export"):
        from training.export import export

        export()
    if options.command in ("all", "logits"):
        from training import logits

        logits.write()
    if options.command in ("all", "evaluate"):
        from training.card import write_card
        from training.evaluate import evaluate

        evaluate()
        write_card()


if __name__ == "__main__":
    main()
