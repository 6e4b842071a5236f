"""Binary elementwise operators at live lengths, with every way to broadcast."""

import pytest
import torch
from support.live import EXACT, FLOAT, TRANSCENDENTAL, check_live
from support.modules import Fn, Together, live, shapes


def floats(*shape):
    return torch.randn(shape)


def positive(*shape):
    return torch.rand(shape) * 3 + 0.1


def ints(*shape):
    return torch.randint(-50, 50, shape, dtype=torch.int32)


def longs(*shape):
    return torch.randint(-50, 50, shape, dtype=torch.int64)


def counts(*shape):
    return torch.randint(1, 9, shape, dtype=torch.int32)


def exponents(*shape):
    """Small ones, and some with more rounds than a loop may have on Mesa's software adapter."""
    some = torch.tensor([0, 1, 2, 3, 5, 31, 65_537, 100_001, 2**31 - 1], dtype=torch.int32)
    return some[torch.randint(len(some), shape)]


# name: function, makers of the two inputs, operator, tolerance
OPS = {
    "add": (torch.add, floats, floats, "aten.add.Tensor", FLOAT),
    "add, alpha": (
        lambda x, y: torch.add(x, y, alpha=2.5),
        floats,
        floats,
        "aten.add.Tensor",
        FLOAT,
    ),
    "add, int": (torch.add, ints, ints, "aten.add.Tensor", EXACT),
    "add, int64": (torch.add, longs, longs, "aten.add.Tensor", EXACT),
    "add, int, alpha": (
        lambda x, y: torch.add(x, y, alpha=3),
        ints,
        ints,
        "aten.add.Tensor",
        EXACT,
    ),
    "add, int64 and float": (torch.add, longs, floats, "aten.add.Tensor", FLOAT),
    "sub": (torch.sub, floats, floats, "aten.sub.Tensor", FLOAT),
    "sub, alpha": (
        lambda x, y: torch.sub(x, y, alpha=0.5),
        floats,
        floats,
        "aten.sub.Tensor",
        FLOAT,
    ),
    "sub, int": (torch.sub, ints, ints, "aten.sub.Tensor", EXACT),
    "mul": (torch.mul, floats, floats, "aten.mul.Tensor", FLOAT),
    "mul, int": (torch.mul, ints, ints, "aten.mul.Tensor", EXACT),
    "mul, int and float": (torch.mul, ints, floats, "aten.mul.Tensor", FLOAT),
    "div": (torch.div, floats, positive, "aten.div.Tensor", FLOAT),
    "div, int": (torch.div, ints, counts, "aten.div.Tensor", FLOAT),
    "div, floor": (
        lambda x, y: torch.div(x, y, rounding_mode="floor"),
        lambda *shape: floats(*shape) * 20,
        counts,
        "aten.div.Tensor_mode",
        EXACT,
    ),
    "div, floor, int": (
        lambda x, y: torch.div(x, y, rounding_mode="floor"),
        ints,
        counts,
        "aten.div.Tensor_mode",
        EXACT,
    ),
    "div, trunc": (
        lambda x, y: torch.div(x, y, rounding_mode="trunc"),
        lambda *shape: floats(*shape) * 20,
        counts,
        "aten.div.Tensor_mode",
        EXACT,
    ),
    "minimum": (torch.minimum, floats, floats, "aten.minimum.default", EXACT),
    "minimum, int": (torch.minimum, ints, ints, "aten.minimum.default", EXACT),
    # torch.maximum is left to the CPU by the partitioner; this form of it is not.
    "maximum": (lambda x, y: -torch.minimum(-x, -y), floats, floats, "aten.minimum.default", EXACT),
    "pow": (torch.pow, positive, floats, "aten.pow.Tensor_Tensor", TRANSCENDENTAL),
    "pow, int": (torch.pow, ints, exponents, "aten.pow.Tensor_Tensor", EXACT),
}


# Of the same two inputs.
ALIKE = {}
for _name, (_, _left, _right, *_) in OPS.items():
    ALIKE.setdefault((_left, _right), []).append(_name)


@pytest.mark.parametrize("ops", ALIKE.values(), ids=", ".join)
def test_same_shape(ops):
    rows = {op: OPS[op] for op in ops}
    _, left, right, *_ = rows[ops[0]]
    check_live(
        Together({op: function for op, (function, *_) in rows.items()}),
        lambda n: (left(n, 24), right(n, 24)),
        shapes({0: live()}, {0: live()}),
        ops={name for *_, name, _ in rows.values()},
        tolerance={op: tolerance for op, (*_, tolerance) in rows.items()},
    )


@pytest.mark.parametrize("op", ["add, alpha", "sub, alpha", "mul, int", "div", "pow", "minimum"])
@pytest.mark.parametrize("wide", [0, 1], ids=["left", "right"])
def test_broadcast_rows(op, wide):
    """One operand has the live dim and the other a 1 there, both ways round."""
    function, *makers, name, tolerance = OPS[op]

    def inputs(n):
        return tuple(make(2, n if at == wide else 1, 24) for at, make in enumerate(makers))

    check_live(
        Fn(function),
        inputs,
        shapes(*({1: live()} if at == wide else None for at in range(2))),
        ops=[name],
        tolerance=tolerance,
    )


# name: the two shapes at length n, and their dynamic dims
BROADCASTS = {
    "a row": (lambda n: ((n, 24), (24,)), ({0: live()}, None)),
    "a row on the left": (lambda n: ((24,), (n, 24)), (None, {0: live()})),
    "a live column": (lambda n: ((n, 24), (n, 1)), ({0: live()}, {0: live()})),
    "a live column of lower rank": (lambda n: ((2, n, 24), (n, 1)), ({1: live()}, {0: live()})),
    "a scalar tensor": (lambda n: ((n, 24), ()), ({0: live()}, None)),
    "the live dim last": (lambda n: ((5, n), (n,)), ({1: live()}, {0: live()})),
    "the live dim last, against a column": (lambda n: ((5, n), (5, 1)), ({1: live()}, None)),
    "heads": (lambda n: ((1, 8, n, 64), (1, 1, n, 64)), ({2: live()}, {2: live()})),
    "rank 5, both ways": (
        lambda n: ((2, 1, n, 3, 4), (1, 5, 1, 3, 4)),
        ({2: live()}, None),
    ),
    "outer, one live dim each": (
        lambda n: ((n, 1), (1, n)),
        ({0: live("a")}, {1: live("b")}),
    ),
    "rank 1": (lambda n: ((n,), (n,)), ({0: live()}, {0: live()})),
}


@pytest.mark.parametrize("broadcast", BROADCASTS)
def test_broadcasts(broadcast):
    sizes, dynamic = BROADCASTS[broadcast]
    check_live(
        Fn(lambda x, y: torch.sub(x, y, alpha=2)),
        lambda n: tuple(torch.randn(size) for size in sizes(n)),
        shapes(*dynamic),
        ops=["aten.sub.Tensor"],
    )


SCALARS = {
    "x + 1.5": (lambda x: x + 1.5, floats, FLOAT),
    "1.5 - x": (lambda x: 1.5 - x, floats, FLOAT),
    "x * 2": (lambda x: x * 2, floats, FLOAT),
    "x / 3": (lambda x: x / 3, floats, FLOAT),
    "x + 3, int": (lambda x: x + 3, ints, EXACT),
    "x + 3, int64": (lambda x: x + 3, longs, EXACT),
}


@pytest.mark.parametrize("scalar", SCALARS)
def test_python_scalars(scalar):
    function, make, tolerance = SCALARS[scalar]
    check_live(Fn(function), lambda n: (make(n, 24),), shapes({0: live()}), tolerance=tolerance)


def test_one_operand_twice():
    check_live(Fn(lambda x: x * x - x), lambda n: (floats(n, 24),), shapes({0: live()}))
