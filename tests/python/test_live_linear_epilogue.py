"""Linear layers that add a residual and take an activation before they write."""

import os

import pytest
import torch
from support.live import BOTH_KINDS, HALF, MATMUL, LiveProgram, check_live
from support.llm_modules import linear
from support.lowering import lower
from support.modules import live
from torch import nn
from torch.nn import functional as F

LINEAR, ADD = "aten.linear.default", "aten.add.Tensor"
# One row, a few, and many, with and without some that are over.
ROWS = (67, 1, 2, 5, 37, 16, 64, 67)


class Orders(nn.Module):
    """An activation of a sum, a sum with an activation, an activation alone, and a sum alone."""

    def __init__(self, width):
        super().__init__()
        self.layers = nn.ModuleList(
            linear(width, width, bias) for bias in (True, True, True, False)
        )

    def forward(self, x):
        # Inputs of their own, or all four would be one.
        a, b, c, d = (layer(x * (i + 1.0)) for i, layer in enumerate(self.layers))
        return F.relu(x + a), x + F.gelu(b), F.silu(c), d + x


def rows(width):
    return lambda n: (torch.randn(1, n, width),)


@pytest.mark.parametrize("width", [44, 45], ids=["whole quads", "odd width"])
def test_orders(width):
    program = check_live(
        Orders(width),
        rows(width),
        ({1: live(most=max(ROWS))},),
        ops=[LINEAR, ADD],
        lengths=ROWS,
        tolerance=MATMUL,
        kinds=BOTH_KINDS,
    )
    for route in program.routes:
        others = [kernel for kernel in route if not kernel.startswith("matmul_")]
        assert others == ["map/mul"] * 4, route


def test_half():
    program = check_live(
        Orders(44).half(),
        lambda n: (torch.randn(1, n, 44).half(),),
        ({1: live(most=max(ROWS))},),
        lengths=ROWS,
        tolerance=HALF,
        kinds=BOTH_KINDS,
    )
    assert all("map/gelu" not in route for route in program.routes)


class Row(nn.Module):
    """What is added is one row for all: it stretches, and so stays a sum of its own."""

    def __init__(self):
        super().__init__()
        self.layer = linear(12, 8, True)

    def forward(self, x, row):
        return self.layer(x) + row


def test_what_stretches_is_no_residual():
    check_live(
        Row(),
        lambda n: (torch.randn(1, n, 12), torch.randn(1, 1, 8)),
        ({1: live(most=max(ROWS))}, None),
        lengths=ROWS,
        tolerance=MATMUL,
    )


class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = linear(12, 8, True)

    def forward(self, x, residual):
        return self.layer(x) + residual


def test_a_residual_of_other_dims_is_refused():
    torch.manual_seed(0)
    module, length = Sum(), live(most=16)
    pte = lower(module, (torch.randn(16, 12), torch.randn(16, 8)), ({0: length}, {0: length}))
    program = LiveProgram(pte)
    program.check(module, torch.randn(7, 12), torch.randn(7, 8), tolerance=MATMUL)
    program.check_rejects(torch.randn(7, 12), torch.randn(5, 8))
    program.check(module, torch.randn(5, 12), torch.randn(5, 8), tolerance=MATMUL)


def test_the_same_without_the_pass(monkeypatch):
    torch.manual_seed(0)
    module = Orders(44)
    pte = lower(module, rows(44)(67), ({1: live(most=67)},))
    fused = LiveProgram(pte)
    monkeypatch.setitem(os.environ, "HIGHWATER_WITHOUT_PASSES", "linear_epilogue")
    apart = LiveProgram(pte)
    for n in (67, 3, 20):
        for program in (fused, apart):
            program.check(module, *rows(44)(n), tolerance=MATMUL)
    assert all("map/gelu" in route for route in apart.routes)
