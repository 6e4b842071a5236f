"""Dims that are turned round, along live dims and others."""

import pytest
import torch
from support.live import BOTH_KINDS, EXACT, check_live
from support.modules import Fn, live, shapes

ROLL = "aten.roll.default"

# name: function of a live x, its size for a length, its live dim
ROLLS = {
    "the live dim": (lambda x: x.roll(3, 0), lambda n: (n, 24), 0),
    "backwards": (lambda x: x.roll(-5, 0), lambda n: (n, 7), 0),
    "further than it is long": (lambda x: x.roll(1000, 0), lambda n: (n, 7), 0),
    "not at all": (lambda x: x.roll(0, 0), lambda n: (n, 7), 0),
    "the last dim": (lambda x: x.roll(5, 1), lambda n: (n, 24), 0),
    "by whole quads": (lambda x: x.roll(8, 1), lambda n: (n, 24), 0),
    "a last dim that is live": (lambda x: x.roll(2, -1), lambda n: (3, n), 1),
    "in the middle": (lambda x: x.roll(1, 1), lambda n: (2, n, 5), 1),
    "two dims": (lambda x: x.roll((2, -3), (0, 1)), lambda n: (n, 11), 0),
    "about one that stays": (lambda x: x.roll((1, 4), (0, 2)), lambda n: (n, 3, 13), 0),
    "one dim twice": (lambda x: x.roll((2, 3), (0, 0)), lambda n: (n, 5), 0),
    "as one row": (lambda x: x.roll(7), lambda n: (n, 6), 0),
}


@pytest.mark.parametrize("roll", ROLLS)
def test_rolls(roll):
    function, size, dim = ROLLS[roll]
    check_live(
        Fn(function),
        lambda n: (torch.randn(size(n)),),
        shapes({dim: live()}),
        ops=[ROLL],
        own=True,
        tolerance=EXACT,
    )


DTYPES = {
    "half": lambda size: torch.randn(size).half(),
    "int64": lambda size: torch.randint(-1000, 1000, size),
    "bool": lambda size: torch.rand(size) < 0.5,
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_rolls_of_each_dtype(dtype):
    check_live(
        Fn(lambda x: x.roll((1, 2), (0, 1))),
        lambda n: (DTYPES[dtype]((n, 9)),),
        shapes({0: live()}),
        ops=[ROLL],
        own=True,
        tolerance=EXACT,
        kinds=BOTH_KINDS,
    )


def test_a_roll_by_a_live_length():
    check_live(
        Fn(lambda x: x.roll(x.shape[0] // 2, 0)),
        lambda n: (torch.randn(n, 6),),
        shapes({0: live()}),
        ops=[ROLL],
        own=True,
        tolerance=EXACT,
    )
