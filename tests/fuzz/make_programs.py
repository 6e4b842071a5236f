"""Writes tests/fuzz/programs: the small real programs that `fuzz_program` changes.

    .venv/bin/python tests/fuzz/make_programs.py

They are kept in the repository, so that a script of changes means the same everywhere; to make them
anew is to begin with another corpus.
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

from support import llamas, q8_modules  # noqa: E402
from support.lowering import lower  # noqa: E402


class Picture(nn.Module):
    """Convolutions with what follows them, pooling and resampling, at any height and width."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.deep = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.norm = nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 5)

    def forward(self, x):
        y = F.silu(self.first(x))
        y = torch.relu(self.deep(F.max_pool2d(y, 2)) + F.avg_pool2d(y, 2))
        y = self.norm(F.interpolate(self.up(y), scale_factor=2.0))
        return self.head(y.mean((2, 3))), y.permute(0, 2, 3, 1)


class Rows(nn.Module):
    """What one does with rows of any number: index, sort, slice, join, reduce, compare."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(16, 8)
        self.layer = nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8)

    def forward(self, x, at):
        rows = self.norm(self.layer(x))
        joined = torch.cat((rows, self.table(at)), dim=1)
        order = torch.cumsum(joined, dim=1)[:, 1:]
        best, place = torch.topk(order.amax(dim=-1), 1)
        scores = F.softmax(rows @ order.transpose(1, 2), dim=-1)
        kept = torch.where(scores > 0.1, scores, torch.zeros_like(scores))
        return kept @ order, place, best.clamp(-1, 1), rows.flip(1)[:, :1].expand(-1, 3, -1)


def programs():
    torch.manual_seed(0)
    size = torch.export.Dim("size", min=4, max=16)
    rows = torch.export.Dim("rows", min=2, max=12)
    yield "picture", lower(Picture().eval(), (torch.randn(1, 3, 16, 16),), ({2: size},), own=True)
    yield (
        "rows",
        lower(
            Rows(), (torch.randn(1, 12, 8), torch.zeros(1, 12, dtype=torch.long)),
            ({1: rows}, {1: rows}), own=True,
        ),
    )  # fmt: skip
    layer = q8_modules.Conv(4, 8, (3, 3), bias=True, relu=True)
    yield "int8", lower(layer, (q8_modules.pixels(1, 4, 8, 8),), ({2: size},))
    small = dict(n_layers=1, vocab_size=64, hidden_dim=64)
    for name in ("8da4w", "4w"):
        llamas.VARIANTS[f"fuzz_{name}"] = llamas.Variant(name, "4,32", params=small)
        yield f"llama_{name}", llamas.build(f"fuzz_{name}").pte


if __name__ == "__main__":
    for name, pte in programs():
        (HERE / "programs").mkdir(exist_ok=True)
        (HERE / "programs" / f"{name}.pte").write_bytes(pte)
        print(name, len(pte))
