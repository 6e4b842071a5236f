"""Slices, selects and concatenations whose place or size depends on the live length."""

import pytest
import torch
from support.live import EXACT, FLOAT, LENGTHS, LiveProgram, check_live
from support.lowering import assert_delegated, lower
from support.modules import Fn, live, shapes

SLICE = "aten.slice_copy.Tensor"
SELECT = "aten.select_copy.int"
CAT = "aten.cat.default"

# Some slices are empty or meaningless at length 1: torch exports them from a few rows up.
FROM_8 = (128, 100, 37, 64, 8, 128)

# name: function, shape at length n, live dim, least length, operator
PARTS = {
    "columns": (lambda x: x[:, :7], lambda n: (n, 24), 0, 1, SLICE),
    "columns, negative end": (lambda x: x[:, 2:-3], lambda n: (n, 24), 0, 1, SLICE),
    "columns, by a step": (lambda x: x[:, 1:20:3], lambda n: (n, 24), 0, 1, SLICE),
    "the two halves": (lambda x: x[:, :12] * x[:, 12:], lambda n: (n, 24), 0, 1, SLICE),
    "rows from 3": (lambda x: x[3:], lambda n: (n, 24), 0, 8, SLICE),
    "all rows but the last": (lambda x: x[:-1], lambda n: (n, 24), 0, 8, SLICE),
    "the last two rows": (lambda x: x[-2:], lambda n: (n, 24), 0, 8, SLICE),
    "rows -3 to -1": (lambda x: x[-3:-1], lambda n: (n, 24), 0, 8, SLICE),
    "columns, by a step past all": (lambda x: x[:, 1:20:100], lambda n: (n, 24), 0, 1, SLICE),
    "rows, by a step past all": (lambda x: x[3 :: 2**62], lambda n: (24, n), 1, 1, SLICE),
    "every other row": (lambda x: x[::2], lambda n: (n, 24), 0, 8, SLICE),
    "inner rows": (lambda x: x[:, 2:-3], lambda n: (2, n, 24), 1, 8, SLICE),
    "inner live columns": (lambda x: x[:, 2:-3], lambda n: (5, n), 1, 8, SLICE),
    "the first row": (lambda x: x[0], lambda n: (n, 24), 0, 1, SELECT),
    "the last row": (lambda x: x[-1], lambda n: (n, 24), 0, 1, SELECT),
    "the last token": (lambda x: x[:, -1, :], lambda n: (1, n, 64), 1, 1, SELECT),
    "the last token of heads": (lambda x: x[:, :, -1], lambda n: (1, 8, n, 64), 2, 1, SELECT),
    "the third last column": (lambda x: x[:, -3], lambda n: (n, 24), 0, 1, SELECT),
    "the last element": (lambda x: x[-1], lambda n: (n,), 0, 1, SELECT),
}


@pytest.mark.parametrize("part", PARTS)
def test_parts(part):
    function, shape, dim, least, op = PARTS[part]
    check_live(
        Fn(function),
        lambda n: (torch.randn(shape(n)),),
        shapes({dim: live(least=least)}),
        ops=[op],
        lengths=LENGTHS if least == 1 else FROM_8,
        tolerance=EXACT,
    )


# name: function, the shapes at length n, their dynamic dims
CATS = {
    "rows, both live": (
        lambda x, y: torch.cat([x, y], 0),
        lambda n: ((n, 24), (n, 24)),
        ({0: live()}, {0: live()}),
    ),
    "rows, a fixed one behind": (
        lambda x, y: torch.cat([x, y], 0),
        lambda n: ((n, 24), (3, 24)),
        ({0: live()}, None),
    ),
    "rows, a fixed one before": (
        lambda x, y: torch.cat([x, y], 0),
        lambda n: ((3, 24), (n, 24)),
        (None, {0: live()}),
    ),
    "columns": (
        lambda x, y: torch.cat([x, y], 1),
        lambda n: ((n, 23), (n, 5)),
        ({0: live()}, {0: live()}),
    ),
    "live columns": (
        lambda x, y: torch.cat([x, y], -1),
        lambda n: ((3, n), (3, 7)),
        ({1: live()}, None),
    ),
    "the middle dim": (
        lambda x, y: torch.cat([x, y], 1),
        lambda n: ((2, n, 24), (2, 5, 24)),
        ({1: live()}, None),
    ),
    "five": (
        lambda x, y: torch.cat([x, y, x, y, x], 0),
        lambda n: ((n, 24), (1, 24)),
        ({0: live()}, None),
    ),
    "of a computed tensor": (
        lambda x, y: torch.cat([x * 2.0, y], 0) + 1.0,
        lambda n: ((n, 24), (n, 24)),
        ({0: live()}, {0: live()}),
    ),
}


@pytest.mark.parametrize("cat", CATS)
def test_concatenations(cat):
    function, sizes, dynamic = CATS[cat]
    check_live(
        Fn(function),
        lambda n: tuple(torch.randn(size) for size in sizes(n)),
        shapes(*dynamic),
        ops=[CAT],
    )


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_concatenation_of_integers(dtype):
    check_live(
        Fn(lambda x, y: torch.cat([x, y], 0)),
        lambda n: tuple(torch.randint(-9, 9, (n, 5), dtype=dtype) for _ in range(2)),
        shapes({0: live()}, {0: live()}),
        ops=[CAT],
        tolerance=EXACT,
    )


def test_concatenation_of_two_lengths_that_change_apart():
    module = Fn(lambda x, y: torch.cat([x, y], 0) * 2.0)
    dynamic = shapes({0: live("a")}, {0: live("b")})
    pte = lower(module, (torch.randn(128, 24), torch.randn(128, 24)), dynamic)
    assert_delegated(pte, CAT)
    program = LiveProgram(pte)
    for a, b in ((128, 128), (100, 3), (3, 100), (1, 128), (128, 1), (128, 128)):
        program.check(module, torch.randn(a, 24), torch.randn(b, 24), tolerance=FLOAT)


def _without_its_last_row(x, y):
    both = torch.cat([x, y], 0)
    return both[: both.shape[0] - 1] * 2.0


# name: function, the shapes at length n, their dynamic dims
BY_SIZE = {
    "of an intermediate": (
        _without_its_last_row,
        lambda n: ((n, 24), (3, 24)),
        ({0: live()}, None),
    ),
    "of another input": (
        lambda table, x: table[: x.shape[0]] + x,
        lambda n: ((128, 24), (n, 24)),
        (None, {0: live()}),
    ),
    "from a live start": (
        lambda table, x: table[x.shape[0] - 1 : x.shape[0] + 1] * 2.0,
        lambda n: ((256, 24), (n, 24)),
        (None, {0: live()}),
    ),
    "a window that ends at twice the size": (
        lambda table, x: table.narrow(0, x.shape[0], x.shape[0]) + x,
        lambda n: ((256, 24), (n, 24)),
        (None, {0: live()}),
    ),
    "chained: a slice by the size of a slice": (
        lambda table, x: table[: table[: x.shape[0]].shape[0]] + x,
        lambda n: ((128, 24), (n, 24)),
        (None, {0: live()}),
    ),
}


@pytest.mark.parametrize("size", BY_SIZE)
def test_slices_by_a_live_size(size):
    function, sizes, dynamic = BY_SIZE[size]
    check_live(
        Fn(function),
        lambda n: tuple(torch.randn(size) for size in sizes(n)),
        shapes(*dynamic),
        ops=["sym_size.int", SLICE],
    )
