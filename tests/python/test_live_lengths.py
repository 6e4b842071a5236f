"""A length costs what its neighbours cost: no kernel for the odd ones does the work anew.

Work is the engine's own count, the rounds of all loops, which no clock disturbs.
"""

import highwater
import pytest
import torch
import torch.nn.functional as F
from support.live import BOTH_KINDS, MATMUL, LiveProgram, kernels_of_kind
from support.lowering import lower
from support.modules import Fn, live, shapes
from torch import nn

LENGTHS = range(96, 131)
# How far the work on a row may be from that on a row of the length before.
NEAR = 0.15
# Where a length begins tiles in a way that no smaller tile makes up for. 129 rows and 129 columns
# begin tiles both ways. Bringing keys and values for a tile of queries costs more than its rows do:
# a subgroup of a software adapter takes 32 of them, and up to 8 that are over by a smaller tile; a
# GPU's workgroup takes 32, and has no smaller tile.
TILE = {
    ("bmm", "software"): 0.19,
    ("attention", "software"): 0.24,
    ("attention", "gpu"): 0.45,
}

WIDTH, HEADS = 192, 6


class Attention(nn.Module):
    """As the exporter takes it apart: two batched products about a softmax."""

    def forward(self, x):
        q = x.unflatten(-1, (HEADS, -1)).transpose(1, 2)
        return ((q @ q.transpose(-1, -2) / 6).softmax(-1) @ q).transpose(1, 2).flatten(2)


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.wide = nn.Linear(WIDTH, 2 * WIDTH)
        self.narrow = nn.Linear(2 * WIDTH, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-1, -2) / 6, dim=-1)
        x = self.norms[0](x + self.out((weights @ v).transpose(1, 2).flatten(2)))
        return self.norms[1](x + self.narrow(F.gelu(self.wide(x))))


def rows(n):
    return (torch.randn(2, n, 128),)


def columns(n):
    return (torch.randn(2, 128, n),)


# name: module, inputs at length n, the live dim of each input
MODULES = {
    "linear": (nn.Linear(128, 384), rows, (1,)),
    "linear of odd width": (nn.Linear(128, 385), rows, (1,)),
    "mm, live depth": (Fn(torch.mm), lambda n: (torch.randn(200, n), torch.randn(n, 64)), (1, 0)),
    "mm, live columns": (
        Fn(torch.mm),
        lambda n: (torch.randn(200, 64), torch.randn(64, n)),
        (None, 1),
    ),
    "bmm": (
        Fn(lambda q, k: torch.bmm(q, k.transpose(1, 2))),
        lambda n: (torch.randn(16, n, 32), torch.randn(16, n, 32)),
        (1, 1),
    ),
    "softmax": (nn.Softmax(-1), lambda n: (torch.randn(64, n, n),), ((1, 2),)),
    "layer norm": (nn.LayerNorm(64), lambda n: (torch.randn(64, n, 64),), (1,)),
    "norm of groups": (nn.GroupNorm(4, 32), lambda n: (torch.randn(2, 32, n),), (2,)),
    "convolution": (nn.Conv1d(128, 128, 3, padding=1), columns, (2,)),
    "depthwise": (nn.Conv1d(128, 128, 5, padding=2, groups=128), columns, (2,)),
    "convolution of an image": (
        nn.Conv2d(16, 32, 3, padding=1),
        lambda n: (torch.randn(1, 16, 24, n),),
        (3,),
    ),
    "transposed convolution": (
        nn.ConvTranspose1d(32, 32, 4, stride=2, padding=1),
        lambda n: (torch.randn(2, 32, n),),
        (2,),
    ),
    "pooling": (nn.MaxPool2d(3, 1, 1), lambda n: (torch.randn(1, 16, 24, n),), (3,)),
    "attention": (Attention(), lambda n: (torch.randn(1, n, WIDTH),), (1,)),
    "encoder layer": (EncoderLayer(), lambda n: (torch.randn(1, n, WIDTH),), (1,)),
}


def dynamic_shapes(module, dims):
    length = live(least=2, most=LENGTHS[-1])
    given = [
        None if dim is None else dict.fromkeys(dim if isinstance(dim, tuple) else (dim,), length)
        for dim in dims
    ]
    return shapes(*given) if isinstance(module, Fn) else tuple(given)


@pytest.mark.parametrize("name", MODULES)
def test_neighbours(name):
    module, inputs, dims = MODULES[name]
    torch.manual_seed(0)
    pte = lower(module, inputs(LENGTHS[-1]), dynamic_shapes(module, dims))
    for kind in BOTH_KINDS:
        with kernels_of_kind(kind):
            program = LiveProgram(pte)
        work = {}
        for n in LENGTHS:
            program.check(module, *inputs(n), tolerance=MATMUL)
            work[n] = highwater.last_run()["rounds"] / n
        for n in LENGTHS[1:]:
            ratio = work[n] / work[n - 1]
            near = NEAR if n % 32 != 1 else TILE.get((name, kind), NEAR)
            assert 1 / (1 + near) < ratio < 1 + near, (
                f"{kind}: a row of {n} takes {ratio:.2f} times the work of one of {n - 1}"
            )
