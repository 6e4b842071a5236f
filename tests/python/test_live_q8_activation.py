"""Convolutions of int8 that take an activation of the floats that their results stand for."""

import copy

import pytest
import torch
from support.live import BOTH_KINDS, EXACT, LiveProgram, Tolerance, check_live
from support.modules import live
from support.q8_modules import (
    INT8,
    Y_SCALE,
    Y_ZERO,
    Conv,
    ConvTranspose,
    Q,
    pixels,
    quantized_by_torch,
)
from torch import nn
from torch.nn import functional as F

# Twice as coarse as the convolution's: what it has rounded is rounded again, and often from a half.
COARSE, COARSE_ZERO = 2 * Y_SCALE, -100
FINE, FINE_ZERO = Y_SCALE / 4, 17
SIDES = (32, 23, 1, 17, 5, 31, 32)


def then(y, activation, scale, zero):
    """As quantizers write it: back to floats, the function of them, and to int8 again."""
    floats = activation(Q.dequantize_per_tensor(y, Y_SCALE, Y_ZERO, *INT8))
    return Q.quantize_per_tensor(floats, scale, zero, *INT8)


class Activated(nn.Module):
    """Layers that read the same, each with a function of its own."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList([layer for layer, *_ in layers])
        self.then = [rest for _, *rest in layers]

    def golden(self):
        module = copy.deepcopy(self)
        for layer in module.layers:
            layer.sees_golden = True
        return module

    def forward(self, x):
        pairs = zip(self.layers, self.then, strict=True)
        return tuple(then(layer(x), *how) for layer, how in pairs)


def check_fused(program: LiveProgram, functions: int) -> None:
    """Whether all functions were computed by the convolutions that they are of."""
    names = ("hardtanh", "hardswish", "clamp")
    for route in program.routes:
        computing = [kernel for kernel in route if kernel.endswith(names)]
        assert len(computing) == functions, route
        assert all(kernel.startswith("q8_") for kernel in computing), route


def test_every_convolution():
    torch.manual_seed(3)
    relu6 = nn.ReLU6()

    def at_least_minus_5(x):
        return torch.clamp(x, min=-5)

    layers = [
        (Conv(8, 12, (3, 3), padding=1), relu6, FINE, FINE_ZERO),
        (Conv(8, 6, (1, 1), op="q8ta_conv2d_pw"), nn.Hardtanh(-20, 30), COARSE, COARSE_ZERO),
        (Conv(8, 8, (3, 3), op="q8ta_conv2d_dw", padding=1, groups=8), relu6, COARSE, COARSE_ZERO),
        (ConvTranspose(8, 8, (2, 2), stride=2), nn.Hardtanh(-9, 64), COARSE, COARSE_ZERO),
        (
            Conv(8, 6, (3, 3), padding=1, groups=2, bias=False),
            at_least_minus_5,
            COARSE,
            COARSE_ZERO,
        ),
    ]
    module = Activated(layers)
    program = check_live(
        module,
        lambda n: (pixels(2, 8, n, 7),),
        ({2: live(most=32)},),
        ops=["et_vk.q8ta_conv2d_transposed.default", "aten.hardtanh.default"],
        tolerance=EXACT,
        lengths=SIDES,
        kinds=BOTH_KINDS,
        golden=module.golden(),
    )
    check_fused(program, functions=5)


class Inverted(nn.Module):
    """A block of networks for small devices, with what comes before and after."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 12, 3, 2, 1)
        self.expand = nn.Conv2d(12, 20, 1)
        self.depthwise = nn.Conv2d(20, 20, 3, padding=1, groups=20)
        self.project = nn.Conv2d(20, 12, 1)
        self.last = nn.Conv2d(12, 10, 1)

    def forward(self, x):
        x = F.relu6(self.stem(x))
        x = x + self.project(F.hardswish(self.depthwise(F.relu6(self.expand(x)))))
        return self.last(x)


@pytest.mark.parametrize("without", ["q8_conv_activation", "all"])
def test_a_network(without, monkeypatch):
    torch.manual_seed(0)
    half = torch.export.Dim("half", min=2, max=16)
    module = quantized_by_torch(Inverted(), torch.randn(1, 3, 32, 32), ({2: 2 * half},))

    def image(n):
        return (torch.randn(1, 3, 2 * n, 32),)

    check = dict(
        dynamic_shapes=({2: 2 * half},),
        ops=["et_vk.q8ta_conv2d_dw.default", "aten.hardtanh.default", "aten.hardswish.default"],
        lengths=(16, 11, 2, 7, 3, 16),
        # A step of one layer is some of the next.
        tolerance=Tolerance(of_largest=5e-2),
    )
    fused = check_live(module, image, **check)
    check_fused(fused, functions=3)
    monkeypatch.setenv("HIGHWATER_WITHOUT_PASSES", without)
    apart = check_live(module, image, **check)
    for n in (16, 5, 13):
        x = image(n)
        assert torch.equal(fused.run(*x)[0], apart.run(*x)[0]), f"other numbers at {n}"
    most = max(len(route) for route in fused.routes)
    assert all(len(route) > most for route in apart.routes)
