"""Products of dense matrices, with every one of their dims live in turn."""

import pytest
import torch
from support.live import BOTH_KINDS, HALF, LENGTHS, MATMUL, LiveProgram, check_live
from support.llm_modules import linear
from support.lowering import assert_delegated, lower
from support.modules import Fn, live, shapes
from torch import nn
from torch.nn import functional as F

LINEAR, MM, BMM, ADDMM = (f"aten.{name}.default" for name in ("linear", "mm", "bmm", "addmm"))
# Few rows take other kernels than many do, and so do those that are over where others make tiles.
ROWS = (128, 1, 2, 3, 37, 100, 4, 5, 64, 11, 13, 19, 23, 127, 128)
WITH_ZERO = (128, 0, 37, 0, 1, 128)

# name: depth, columns, whether it has a bias
LAYERS = {
    "whole quads": (64, 48, False),
    "whole quads and a bias": (64, 48, True),
    "more depth and columns than lanes": (76, 140, True),
    "odd depth": (63, 48, True),
    "odd columns": (64, 7, True),
    "odd depth and columns": (5, 3, False),
    "one column": (64, 1, True),
    "depth of one": (1, 8, False),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_layers(layer):
    depth, columns, bias = LAYERS[layer]
    program = check_live(
        linear(depth, columns, bias),
        lambda n: (torch.randn(1, n, depth),),
        ({1: live()},),
        ops=[LINEAR],
        lengths=ROWS,
        tolerance=MATMUL,
        kinds=BOTH_KINDS,
    )
    if depth % 4 == 0 and columns % 4 == 0:
        assert len(program.routes) > 1, f"only {program.routes}"


def test_layers_in_half_precision():
    check_live(
        linear(76, 140, True),
        lambda n: (torch.randn(1, n, 76),),
        ({1: live()},),
        ops=[LINEAR],
        lengths=ROWS,
        tolerance=HALF,
        kinds=BOTH_KINDS,
        force_fp16=True,
    )


class Gated(nn.Module):
    """Layers that are joined: two of one input, and two of which one gates the other."""

    def __init__(self):
        super().__init__()
        self.left, self.right = linear(36, 20, False), linear(36, 60, False)
        self.gate, self.up = linear(36, 44, False), linear(36, 44, False)

    def forward(self, x):
        # Of its own, or all four would be one.
        y = torch.sigmoid(x)
        return self.left(x), self.right(x), F.silu(self.gate(y)) * self.up(y)


def test_joined_layers():
    program = check_live(
        Gated(),
        lambda n: (torch.randn(1, n, 36),),
        ({1: live()},),
        lengths=ROWS,
        tolerance=MATMUL,
        kinds=BOTH_KINDS,
    )
    for route in program.routes:
        assert any("_to_2" in kernel for kernel in route), route
        assert any("swiglu" in kernel for kernel in route), route


def test_a_weight_that_is_a_table_as_well():
    """The kernels of layers like their weights in another order; this one must lie as it is."""

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Parameter(torch.randn(100, 36))

        def forward(self, ids):
            return F.linear(F.embedding(ids, self.table), self.table)

    check_live(
        Tied(),
        lambda n: (torch.randint(100, (1, n)),),
        ({1: live()},),
        ops=[LINEAR],
        lengths=ROWS,
        tolerance=MATMUL,
        kinds=BOTH_KINDS,
    )


# name: function, dims of its inputs at length n, live dims of each, operator
PRODUCTS = {
    "a computed weight": (
        lambda x, w: F.linear(x, torch.sigmoid(w)),
        lambda n: ((n, 12), (8, 12)),
        ({0: live()}, None),
        LINEAR,
    ),
    "a computed bias": (
        lambda x, w, b: F.linear(x, w, b * 2.0),
        lambda n: ((2, n, 12), (8, 12), (8,)),
        ({1: live()}, None, None),
        LINEAR,
    ),
    "linear, live depth": (F.linear, lambda n: ((6, n), (8, n)), ({1: live()},) * 2, LINEAR),
    "linear, live columns": (F.linear, lambda n: ((6, 12), (n, 12)), (None, {0: live()}), LINEAR),
    "mm, live rows": (torch.mm, lambda n: ((n, 12), (12, 8)), ({0: live()}, None), MM),
    "mm, live depth": (torch.mm, lambda n: ((6, n), (n, 8)), ({1: live()}, {0: live()}), MM),
    "mm, live columns": (torch.mm, lambda n: ((6, 12), (12, n)), (None, {1: live()}), MM),
    "mm, all odd": (torch.mm, lambda n: ((n, 11), (11, 7)), ({0: live()}, None), MM),
    "bmm, live batch": (
        torch.bmm,
        lambda n: ((n, 3, 8), (n, 8, 4)),
        ({0: live()}, {0: live()}),
        BMM,
    ),
    "bmm, live rows": (torch.bmm, lambda n: ((3, n, 8), (3, 8, 4)), ({1: live()}, None), BMM),
    "bmm, live depth": (
        torch.bmm,
        lambda n: ((3, 5, n), (3, n, 4)),
        ({2: live()}, {1: live()}),
        BMM,
    ),
    "bmm, live columns": (torch.bmm, lambda n: ((3, 5, 8), (3, 8, n)), (None, {2: live()}), BMM),
    "addmm, a bias for each column": (
        torch.addmm,
        lambda n: ((8,), (n, 12), (12, 8)),
        (None, {0: live()}, None),
        ADDMM,
    ),
    "addmm, a bias for each element": (
        lambda b, x, y: torch.addmm(b, x, y, beta=0.5, alpha=-2.0),
        lambda n: ((n, 7), (n, 12), (12, 7)),
        ({0: live()}, {0: live()}, None),
        ADDMM,
    ),
    "addmm, one bias": (
        lambda b, x, y: torch.addmm(b, x, y, beta=3.0),
        lambda n: ((1,), (n, 12), (12, 8)),
        (None, {0: live()}, None),
        ADDMM,
    ),
}


@pytest.mark.parametrize("product", PRODUCTS)
def test_products(product):
    function, dims, dynamic, op = PRODUCTS[product]
    check_live(
        Fn(function),
        lambda n: tuple(torch.randn(size) for size in dims(n)),
        shapes(*dynamic),
        ops=[op],
        lengths=(*LENGTHS, 3, 2),
        tolerance=MATMUL,
        kinds=BOTH_KINDS,
    )


# name: function, dims at length n; the first dim of the first input and all of its equals are live
EMPTY = {
    "no rows": (lambda x, w: F.linear(x, w), lambda n: ((n, 12), (8, 12)), ({0: 0}, None)),
    "no depth": (torch.mm, lambda n: ((6, n), (n, 8)), ({1: 0}, {0: 0})),
    "no columns": (torch.mm, lambda n: ((6, 12), (12, n)), (None, {1: 0})),
    "no batch": (torch.bmm, lambda n: ((n, 3, 8), (n, 8, 4)), ({0: 0}, {0: 0})),
}


@pytest.mark.parametrize("product", EMPTY)
def test_of_nothing(product):
    function, dims, dynamic = EMPTY[product]
    size = live(least=0)
    check_live(
        Fn(function),
        lambda n: tuple(torch.randn(size) for size in dims(n)),
        shapes(*(at and dict.fromkeys(at, size) for at in dynamic)),
        lengths=WITH_ZERO,
        tolerance=MATMUL,
        kinds=BOTH_KINDS,
    )


def test_operands_that_do_not_fit_are_refused():
    """Each input is within its bound, only together they make no sense."""
    module = Fn(torch.mm)
    pte = lower(
        module, (torch.randn(6, 128), torch.randn(128, 8)), shapes({1: live()}, {0: live()})
    )
    assert_delegated(pte, MM)
    program = LiveProgram(pte)
    for depth in LENGTHS:
        program.check(module, torch.randn(6, depth), torch.randn(depth, 8), tolerance=MATMUL)
        program.check_rejects(torch.randn(6, depth), torch.randn(131 - depth, 8))
