"""Small programs, and what the native engine makes of them at one live shape after another.

The tests in a browser compare with it. Each case is a .pte file and a .json beside it, with inputs
and outputs of all calls.
"""

import json
import sys
from pathlib import Path

import highwater
import numpy as np
import torch
from torch import nn

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))

from support.lowering import lower  # noqa: E402
from support.modules import Fn, RmsNorm, live, shapes  # noqa: E402

LENGTHS = (128, 100, 37, 64, 1, 128)
SIZES = ((48, 64), (31, 7), (1, 1), (64, 64), (17, 48))
# How many new tokens, and how many came before: a prompt, an answer, the next prompt.
TURNS = ((64, 0), (13, 0), (1, 13), (1, 14), (5, 15), (37, 1))
PROMPTS = ("In the beginning", "And it came to pass", "The LORD is my shepherd; I shall not want.")


class Cascade(nn.Module):
    """Each op takes its live shape from the one before it."""

    def __init__(self):
        super().__init__()
        self.norm = RmsNorm()
        self.layer = nn.Linear(64, 64)

    def forward(self, x, y):
        h = x + y
        return torch.sigmoid(self.layer(self.norm(h))) * h


class Pictures(nn.Module):
    """A small convolutional net, at any height and width."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.last = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        return self.last(torch.relu(self.depthwise(torch.relu(self.first(x)))))


class Words(nn.Module):
    """Integers in, integers out, and attention between."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 32)
        self.norm = nn.LayerNorm(32)

    def forward(self, tokens):
        h = self.norm(self.embedding(tokens))
        scores = torch.softmax(h @ h.transpose(1, 2), -1)
        return scores @ h, torch.argmax(h, -1)


def pieces(x):
    """Slices, joins and views, whose dims are sums and products of the live one."""
    joined = torch.cat([x, x[:, 8:24].repeat(1, 4), torch.ones(3, 64)], 0)
    heads = joined.view(joined.shape[0], 8, 8).transpose(0, 1)
    return heads, heads.select(1, -1), joined[:, 3:40]


def floats(*dims: int) -> torch.Tensor:
    return torch.randn(*dims)


def programs():
    """Name, module, its inputs at the bound, dynamic shapes, and the inputs of each call."""
    rows = [(floats(n, 64), floats(n, 64)) for n in LENGTHS]
    yield "cascade", Cascade(), rows[0], {"x": {0: live()}, "y": {0: live()}}, rows
    parts = [(floats(n, 64),) for n in LENGTHS]
    yield "pieces", Fn(pieces), parts[0], shapes({0: live()}), parts
    images = [(floats(1, 3, *size),) for size in SIZES]
    height, width = live("h", most=64), live("w", most=64)
    example = (floats(1, 3, 64, 64),)
    yield "pictures", Pictures(), example, {"x": {2: height, 3: width}}, images
    texts = [(torch.randint(0, 100, (1, n)),) for n in LENGTHS]
    yield "words", Words(), texts[0], {"tokens": {1: live()}}, texts
    # Weights of 20 MB: more than a page should have in wasm's memory.
    table = Fn(nn.Embedding(80_000, 64))
    rare = [(torch.randint(0, 80_000, (1, n)),) for n in LENGTHS]
    yield "large", table, rare[0], shapes({1: live()}), rare


def record(array: np.ndarray) -> dict:
    return {"dims": list(array.shape), "data": array.reshape(-1).tolist()}


def record_calls(path: Path, calls: list) -> list[dict]:
    recorded = []
    with highwater.load(path) as model:
        for inputs in calls:
            arrays = [np.asarray(value) for value in inputs]
            outputs = model(*arrays)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            recorded.append(
                {"inputs": [record(a) for a in arrays], "outputs": [record(a) for a in outputs]}
            )
    return recorded


def shipped_calls(path: Path) -> dict:
    """Logits after one turn and another, and texts, of which the drawn ones share a seed."""
    text = np.random.default_rng(0).integers(2, 2048, 128)
    calls = [(text[None, p : p + n], np.array([p])) for n, p in TURNS]
    drawn = {"temperature": 0.8, "top_k": 40, "seed": 7}
    tokenizer = highwater.load_tokenizer(None, path)
    with highwater.load(path) as model:

        def write(prompt: str, **options) -> str:
            return "".join(model.generate(prompt, max_new_tokens=24, **options))

        texts = [
            {
                "prompt": prompt,
                "tokens": tokenizer.encode(prompt),
                "greedy": write(prompt),
                "drawn": write(prompt, **drawn),
            }
            for prompt in PROMPTS
        ]
    return {"calls": record_calls(path, calls), "texts": texts}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    for name, module, example, dynamic_shapes, calls in programs():
        path = folder / f"{name}.pte"
        path.write_bytes(lower(module.eval(), example, dynamic_shapes))
        (folder / f"{name}.json").write_text(json.dumps({"calls": record_calls(path, calls)}))
    shipped = shipped_calls(ROOT / "models/kjv/model.pte")
    (folder / "shipped.json").write_text(json.dumps(shipped))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
