"""Convolutions that add a residual and take an activation before they write, at live sizes."""

import pytest
import torch
from support.any_batch import any_batch
from support.live import BOTH_KINDS, HALF, LiveProgram, Tolerance, check_live
from support.lowering import assert_delegated, lower
from support.modules import live
from torch import nn
from torch.nn import functional as F

CONV = "aten.convolution.default"
CLAMPED = "et_vk.conv_with_clamp.default"
ADD = "aten.add.Tensor"
CLOSE = Tolerance(1e-4, 1e-4)
# Primes, the smallest there is, and growth after shrinkage.
SIZES = (23, 17, 1, 5, 11, 2, 23)
CHANNELS = 6


def image_dims():
    height = torch.export.Dim("height", min=1, max=max(SIZES))
    return {2: height, 3: torch.export.Dim("width", min=3, max=max(SIZES) + 2)}


def image(n):
    return (torch.randn(1, CHANNELS, n, n + 2),)


def check_fused(program: LiveProgram, convs: int) -> None:
    """Whether each of the convolutions ran alone."""
    for route in program.routes:
        assert len(route) == convs, route
        assert all(kernel.startswith("conv_") for kernel in route), route


class Orders(nn.Module):
    """An activation of a sum, a sum with an activation, and an activation alone."""

    def __init__(self, make):
        super().__init__()
        self.convs = nn.ModuleList([make() for _ in range(3)])

    def forward(self, x):
        a, b, c = (conv(x) for conv in self.convs)
        return F.relu(x + a), x + F.relu6(b), F.silu(c)


def forward_conv(**options):
    return lambda: nn.Conv2d(CHANNELS, CHANNELS, 3, **options)


def transposed_conv(**options):
    return lambda: nn.ConvTranspose2d(CHANNELS, CHANNELS, 3, padding=1, **options)


# By the kernel that they take.
KERNELS = {
    "conv_tile": forward_conv(padding=1),
    "conv_tile, no bias": forward_conv(padding=1, bias=False, groups=2),
    "conv_depthwise_rows": forward_conv(padding=1, groups=CHANNELS),
    "conv_depthwise": forward_conv(padding=2, dilation=2, groups=CHANNELS),
    "conv_tile, transposed": transposed_conv(),
    "conv_depthwise, transposed": transposed_conv(groups=CHANNELS),
}


@pytest.mark.parametrize("name", KERNELS)
def test_orders(name):
    torch.manual_seed(1)
    program = check_live(
        Orders(KERNELS[name]),
        image,
        (image_dims(),),
        ops=[CONV, ADD] if "transposed" in name else [CONV, CLAMPED, ADD],
        lengths=SIZES,
        kinds=BOTH_KINDS,
        tolerance=CLOSE,
    )
    check_fused(program, convs=3)
    kernel = name.split(",")[0]
    assert all(ran.split("/")[0] == kernel for route in program.routes for ran in route)


# A hardsigmoid is taken apart by the exporter.
ACTIVATIONS = [
    F.relu,
    F.relu6,
    lambda x: F.hardtanh(x, -0.25, 0.5),
    lambda x: torch.clamp(x, min=-0.5),
    lambda x: torch.clamp(x, max=0.5),
    F.hardswish,
    torch.sigmoid,
    F.silu,
    torch.tanh,
    lambda x: F.leaky_relu(x, 0.1),
    F.gelu,
    lambda x: F.gelu(x, approximate="tanh"),
]


class Activated(nn.Module):
    """By the kernel that compiles most quickly: functions are the same in all."""

    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv1d(6, 6, 1, groups=6) for _ in ACTIVATIONS])

    def forward(self, x, residual):
        pairs = zip(self.convs, ACTIVATIONS, strict=True)
        return tuple(activation(residual + conv(x)) for conv, activation in pairs)


def test_activations():
    torch.manual_seed(1)
    length = live()
    program = check_live(
        Activated(),
        lambda n: (torch.randn(2, 6, n), 3 * torch.randn(2, 6, n)),
        ({2: length}, {2: length}),
        ops=[CONV, ADD],
        kinds=BOTH_KINDS,
        tolerance=CLOSE,
    )
    check_fused(program, convs=len(ACTIVATIONS))


@pytest.mark.parametrize("name", ["conv_tile", "conv_depthwise_rows", "conv_depthwise"])
def test_a_live_batch(name):
    torch.manual_seed(1)
    with any_batch():
        program = check_live(
            Orders(KERNELS[name]),
            lambda n: (torch.randn(n, CHANNELS, 5, 7),),
            ({0: live(most=13)},),
            lengths=(13, 7, 2, 11, 1, 13),
            tolerance=CLOSE,
        )
    check_fused(program, convs=3)


class HalfBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([forward_conv(padding=1)() for _ in range(3)])

    def forward(self, x):
        a, b, c = (conv(x) for conv in self.convs)
        return a + x, F.relu(x + b), F.relu6(c) + x


def test_half():
    torch.manual_seed(1)
    program = check_live(
        HalfBlock().half(),
        lambda n: tuple(x.half() for x in image(n)),
        (image_dims(),),
        lengths=SIZES,
        kinds=BOTH_KINDS,
        tolerance=HALF,
    )
    for route in program.routes:
        # What is narrow is copied from the sums.
        assert [kernel for kernel in route if kernel != "map/narrow"] == [
            kernel for kernel in route if kernel.startswith("conv_tile")
        ]
        assert len(route) == 6


class Sum(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x, residual):
        return F.relu(self.conv(x) + residual)


def test_a_residual_of_other_dims():
    torch.manual_seed(1)
    module = Sum()

    def inputs(height, width=7):
        return torch.randn(1, 3, height, width), torch.randn(1, 8, height, width)

    dims = {
        2: torch.export.Dim("height", min=1, max=16),
        3: torch.export.Dim("width", min=2, max=9),
    }
    pte = lower(module, inputs(16, 9), (dims, dims))
    assert_delegated(pte, CONV, ADD)
    program = LiveProgram(pte)
    for height in (16, 1, 13):
        program.check(module, *inputs(height), tolerance=CLOSE)
        program.check_rejects(inputs(height)[0], inputs(height + 1)[1])
        program.check_rejects(inputs(height)[0], inputs(height, 6)[1])
        program.check(module, *inputs(height), tolerance=CLOSE)
    check_fused(program, convs=1)
