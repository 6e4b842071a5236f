"""Numbers that are written in a program: what they mean to floats and to ints."""

import pytest
import torch
from support.live import EXACT, check_live
from support.modules import Fn, live, shapes


def floats(n):
    x = torch.randn(n, 7) * 4
    x[0, :3] = torch.tensor([torch.inf, -torch.inf, 3.4e38])
    return x


def ints(n):
    x = torch.randint(-9, 9, (n, 7), dtype=torch.int32)
    x[0, :2] = torch.tensor([2**31 - 1, -(2**31)])
    return x


# name: function of a live x, what x is, operator
NUMBERS = {
    "a fraction makes floats of ints": (lambda x: x + 0.5, ints, "aten.add.Tensor"),
    "a fraction is compared with ints": (lambda x: x < 0.5, ints, "aten.lt.Scalar"),
    "a fraction limits ints": (lambda x: torch.clamp(x, -2.5, 3.5), ints, "aten.clamp.default"),
    "ints without an upper limit": (lambda x: torch.clamp(x, min=0), ints, "aten.clamp.default"),
    "ints without a lower limit": (lambda x: torch.clamp(x, max=3), ints, "aten.clamp.default"),
    "floats without an upper limit": (
        lambda x: torch.clamp(x, min=0.0),
        floats,
        "aten.clamp.default",
    ),
    "floats without a lower limit": (
        lambda x: torch.clamp(x, max=0.25),
        floats,
        "aten.clamp.default",
    ),
    "ints against a large one": (
        lambda x: torch.clamp(x, 16777217, 2**31 - 1),
        ints,
        "aten.clamp.default",
    ),
    "a product with a large one": (lambda x: x * 16777217, ints, "aten.mul.Tensor"),
    "a fill of ints by a fraction": (
        lambda x: x + torch.full((x.shape[0], 7), 2.7, dtype=torch.int32),
        ints,
        "aten.full.default",
    ),
    "a truth, however small": (
        lambda x: torch.full((x.shape[0], 7), 1e-300, dtype=torch.bool),
        ints,
        "aten.full.default",
    ),
}


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers(number):
    function, make, name = NUMBERS[number]
    check_live(
        Fn(lambda x: (function(x), x + x)),
        lambda n: (make(n),),
        shapes({0: live()}),
        ops=[name],
        tolerance=EXACT,
    )
