"""Unary elementwise operators at live lengths."""

import pytest
import torch
import torch.nn.functional as F
from support.live import EXACT, FLOAT, TRANSCENDENTAL, check_live
from support.modules import Fn, Together, live, shapes


def wide(*shape):
    return torch.randn(shape) * 4


def positive(*shape):
    return torch.rand(shape) * 9 + 0.01


def halves(*shape):
    """Multiples of a half, where rounding has ties."""
    return torch.randint(-20, 20, shape) / 2


def ints(*shape):
    return torch.randint(-50, 50, shape, dtype=torch.int32)


# name: function, maker of the input, operator, tolerance
OPS = {
    "abs": (torch.abs, wide, "aten.abs.default", EXACT),
    "neg": (torch.neg, wide, "aten.neg.default", EXACT),
    "exp": (torch.exp, wide, "aten.exp.default", TRANSCENDENTAL),
    "sqrt": (torch.sqrt, positive, "aten.sqrt.default", FLOAT),
    "rsqrt": (torch.rsqrt, positive, "aten.rsqrt.default", FLOAT),
    "sin": (torch.sin, wide, "aten.sin.default", TRANSCENDENTAL),
    "cos": (torch.cos, wide, "aten.cos.default", TRANSCENDENTAL),
    "tanh": (torch.tanh, wide, "aten.tanh.default", TRANSCENDENTAL),
    "tanh, far out": (lambda x: torch.tanh(x * 50), wide, "aten.tanh.default", TRANSCENDENTAL),
    "log10": (torch.log10, positive, "aten.log10.default", TRANSCENDENTAL),
    "sigmoid": (torch.sigmoid, wide, "aten.sigmoid.default", TRANSCENDENTAL),
    "sigmoid, far out": (lambda x: torch.sigmoid(x * 50), wide, "aten.sigmoid.default", FLOAT),
    "silu": (F.silu, wide, "aten.sigmoid.default", TRANSCENDENTAL),
    "relu": (torch.relu, wide, "aten.relu.default", EXACT),
    "relu6": (F.relu6, wide, "aten.hardtanh.default", EXACT),
    "gelu, erf": (F.gelu, wide, "aten.gelu.default", TRANSCENDENTAL),
    "gelu, tanh": (
        lambda x: F.gelu(x, approximate="tanh"),
        wide,
        "aten.gelu.default",
        TRANSCENDENTAL,
    ),
    "hardswish": (F.hardswish, wide, "aten.hardswish.default", FLOAT),
    "hardsigmoid": (F.hardsigmoid, wide, "aten.clamp.default", FLOAT),
    "hardtanh": (lambda x: F.hardtanh(x, -0.5, 2), wide, "aten.hardtanh.default", EXACT),
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.2), wide, "aten.leaky_relu.default", FLOAT),
    "clamp": (lambda x: x.clamp(-1.5, 0.5), wide, "aten.clamp.default", EXACT),
    "clamp, only min": (lambda x: x.clamp(min=0.25), wide, "aten.clamp.default", EXACT),
    "clamp, only max": (lambda x: x.clamp(max=0.25), wide, "aten.clamp.default", EXACT),
    "clamp, int": (lambda x: x.clamp(-3, 4), ints, "aten.clamp.default", EXACT),
    "round": (torch.round, halves, "aten.round.default", EXACT),
    # The partitioner leaves floor and ceil themselves to the CPU.
    "floor": (
        lambda x: torch.div(x, 1.0, rounding_mode="floor"),
        halves,
        "aten.div.Tensor_mode",
        EXACT,
    ),
    "ceil": (
        lambda x: -torch.div(-x, 1.0, rounding_mode="floor"),
        halves,
        "aten.div.Tensor_mode",
        EXACT,
    ),
    "trunc": (
        lambda x: torch.div(x, 1.0, rounding_mode="trunc"),
        halves,
        "aten.div.Tensor_mode",
        EXACT,
    ),
    "square": (torch.square, wide, "aten.pow.Tensor_Scalar", FLOAT),
    "cube": (lambda x: x**3, wide, "aten.pow.Tensor_Scalar", TRANSCENDENTAL),
    "pow, 0.5": (lambda x: x**0.5, positive, "aten.pow.Tensor_Scalar", TRANSCENDENTAL),
    "pow, -1.5": (lambda x: x**-1.5, positive, "aten.pow.Tensor_Scalar", TRANSCENDENTAL),
}


def check_ops(ops, make_input, dynamic):
    """Each of these ops of the same input."""
    rows = {op: OPS[op] for op in ops}
    check_live(
        Together({op: function for op, (function, *_) in rows.items()}),
        lambda n: (make_input(n),),
        shapes(dynamic),
        ops={name for _, _, name, _ in rows.values()},
        tolerance={op: tolerance for op, (*_, tolerance) in rows.items()},
    )


@pytest.mark.parametrize("make", [wide, positive, halves, ints], ids=lambda make: make.__name__)
def test_rows(make):
    check_ops([op for op in OPS if OPS[op][1] is make], lambda n: make(n, 23), {0: live()})


def test_the_live_dim_is_the_last():
    check_ops(["neg", "exp", "gelu, erf"], lambda n: wide(2, 3, n), {2: live()})
    check_ops(["clamp, int"], lambda n: ints(2, 3, n), {2: live()})


def test_a_long_chain_shares_memory_between_its_steps():
    def chain(x):
        for _ in range(8):
            x = torch.sin(torch.neg(x)) + x
        return x

    check_live(Fn(chain), lambda n: (wide(n, 24),), shapes({0: live()}), tolerance=TRANSCENDENTAL)
