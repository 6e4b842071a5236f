"""A small language model on WebGPU: one loaded program writes, and answers at every length.

Run it by `./demo`, which sets everything up first.
"""

import argparse
import contextlib
import logging
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import highwater  # noqa: E402
import numpy as np  # noqa: E402
from highwater.cli.terminal import Progress, paint, table  # noqa: E402
from highwater.shipped import find_model  # noqa: E402

PROMPT = "In the beginning"
LENGTHS = (200, 1, 1, 37, 1, 97, 1)  # a long prompt, decoding, a follow-up, …
CLOSE_ENOUGH = 1e-3  # of the largest logit


def load() -> highwater.Model:
    with Progress() as progress:
        progress.step("loading the model that ships with Highwater")
        return highwater.load(find_model("kjv"))


def write(model: highwater.Model, prompt: str, tokens: int, seed: int) -> None:
    print(f"\n{paint(prompt, 'strong')}", end="", flush=True)
    generation = model.generate(prompt, max_new_tokens=tokens, temperature=0.8, top_k=40, seed=seed)
    for piece in generation:
        print(piece, end="", flush=True)
    s = generation.statistics
    print(
        paint(
            f"\n\nread {s.prompt_tokens} tokens at {s.prefill_rate:.0f}/s, wrote {s.new_tokens} at "
            f"{s.decode_rate:.0f}/s, waited for the device {s.waits + 1} times",
            "faint",
        )
    )


def some_text(model: highwater.Model, count: int) -> np.ndarray:
    """Tokens of a chapter that the model has not seen."""
    chapter = (ROOT / "models" / "kjv" / "held_out.txt").read_text()
    tokens = highwater.load_tokenizer(None, model.path).encode(chapter)
    return np.array(tokens[:count], dtype=np.int64)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """ExecuTorch's CPU ops, which the model in torch uses, say much on stderr."""
    kept = os.dup(2)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def eager() -> Callable[..., np.ndarray]:
    """What the program was exported from, in torch."""
    with Progress() as progress, quiet():
        progress.step("making the same model in torch")
        import torch

        from training import export

        model = export.eager()

    def logits(tokens: np.ndarray, position: np.ndarray) -> np.ndarray:
        with torch.no_grad(), quiet():
            answer = model(torch.from_numpy(tokens), {"input_pos": torch.from_numpy(position)})
        return torch.utils._pytree.tree_leaves(answer)[0].numpy()

    return logits


def compare(model: highwater.Model) -> bool:
    """Every length from the one loaded program, each answer against torch's."""
    reference = eager()
    text, place, rows, worst = some_text(model, sum(LENGTHS)), 0, [], 0.0
    for length in LENGTHS:
        tokens, position = text[None, place : place + length], np.array([place])
        start = time.perf_counter()
        logits = model.forward(tokens, position)
        seconds = time.perf_counter() - start
        want = reference(tokens, position)
        error = np.abs(logits - want).max() / np.abs(want).max()
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
    print("\nOne graph, the same buffers, bind groups and weights, at every length:\n")
    header = ["tokens", "time", "error", "dispatches", "passes", "submits", "objects made"]
    print(table(header, rows))
    good = worst < CLOSE_ENOUGH
    verdict = f"The largest error against torch is {worst:.1e} of the largest logit."
    print("\n" + paint(verdict, "good" if good else "bad"))
    return good


def main() -> int:
    parser = argparse.ArgumentParser(prog="./demo", description=__doc__.splitlines()[0])
    parser.add_argument("prompt", nargs="*", help=f"what to go on with [{PROMPT}]")
    parser.add_argument("--tokens", type=int, default=96, help="how many to write [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="another one writes another text")
    arguments = parser.parse_args()
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with load() as model:
        print(f"{model.path.parent.name}, on {model.adapter}")
        try:
            write(model, " ".join(arguments.prompt) or PROMPT, arguments.tokens, arguments.seed)
            return 0 if compare(model) else 1
        except KeyboardInterrupt:
            print("\nStopped.")
            return 130


if __name__ == "__main__":
    sys.exit(main())
