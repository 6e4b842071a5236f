"""A small language model on WebGPU: one loaded program writes, and answers at every length.

Run it by `./demo`, which sets everything up first.
"""

import argparse
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import highwater
import numpy as np
from highwater.cli.terminal import Progress, paint, say, say_text, table
from highwater.shipped import find_model

ROOT = Path(__file__).resolve().parents[1]
LOGITS = ROOT / "models" / "kjv" / "logits.npz"  # what torch says: training/logits.py wrote it
PROMPT = "In the beginning"
CLOSE_ENOUGH = 1e-3  # of the largest logit


def load() -> highwater.Model:
    with Progress() as progress:
        progress.step("loading the model that ships with Highwater")
        return highwater.load(find_model("kjv"))


def write(model: highwater.Model, prompt: str, tokens: int, seed: int) -> None:
    say(f"\n{paint(prompt, 'strong')}", end="")
    generation = model.generate(prompt, max_new_tokens=tokens, temperature=0.8, top_k=40, seed=seed)
    for piece in generation:
        say_text(piece)
        sys.stdout.flush()
    s = generation.statistics
    say(
        paint(
            f"\n\nread {s.prompt_tokens} tokens at {s.prefill_rate:.0f}/s, wrote {s.new_tokens} at "
            f"{s.decode_rate:.0f}/s, waited for the device {s.waits + 1} times",
            "faint",
        )
    )


def told_by_torch() -> Mapping[str, np.ndarray]:
    """What torch says, made anew."""
    with Progress() as progress:
        progress.step("asking the same model in torch")
        sys.path.insert(0, str(ROOT))
        from training import logits

        kept = os.dup(2)  # ExecuTorch's CPU ops, which the model in torch uses, say much there
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        try:
            return logits.make()
        finally:
            os.dup2(kept, 2)


def compare(model: highwater.Model, reference: Mapping[str, np.ndarray]) -> bool:
    """Every length from the one loaded program, each answer against torch's."""
    place, rows, worst = 0, [], 0.0
    for length, want in zip(reference["lengths"], reference["logits"], strict=True):
        tokens, position = reference["tokens"][None, place : place + length], np.array([place])
        start = time.perf_counter()
        logits = model.forward(tokens, position)
        seconds = time.perf_counter() - start
        error = np.abs(logits.flatten() - want).max() / np.abs(want).max()
        worst = max(worst, error)
        run = model.last_run
        rows.append(
            [
                f"{length} at {place}",
                f"{seconds * 1e3:.1f} ms",
                f"{error:.1e}",
                *(str(run[key]) for key in ("dispatches", "passes", "submits", "gpu_objects")),
            ]
        )
        place += length
    say("\nOne graph, the same buffers, bind groups and weights, at every length:\n")
    header = ["tokens", "time", "error", "dispatches", "passes", "submits", "objects made"]
    say(table(header, rows))
    good = worst < CLOSE_ENOUGH
    verdict = f"The largest error against torch is {worst:.1e} of the largest logit."
    say("\n" + paint(verdict, "good" if good else "bad"))
    return good


def main() -> int:
    parser = argparse.ArgumentParser(prog="./demo", description=__doc__.splitlines()[0])
    parser.add_argument("prompt", nargs="*", help=f"what to go on with [{PROMPT}]")
    parser.add_argument("--tokens", type=int, default=96, help="how many to write [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="another one writes another text")
    parser.add_argument(
        "--torch",
        action="store_true",
        help="compare with logits that torch computes now, not with those that ship with the model",
    )
    arguments = parser.parse_args()
    with load() as model:
        say(f"{model.path.parent.name}, on {model.adapter}")
        try:
            write(model, " ".join(arguments.prompt) or PROMPT, arguments.tokens, arguments.seed)
            reference = told_by_torch() if arguments.torch else np.load(LOGITS)
            return 0 if compare(model, reference) else 1
        except KeyboardInterrupt:
            say("\nStopped.")
            return 130


if __name__ == "__main__":
    sys.exit(main())
