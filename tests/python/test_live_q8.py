"""Layers and functions of int8 at live sizes."""

import functools

import pytest
import torch
from support.live import BOTH_KINDS, EXACT, LENGTHS, MATMUL, LiveProgram, Tolerance, check_live
from support.llm_modules import linear_by_column
from support.lowering import assert_delegated, lower
from support.modules import Together, live
from support.q8_modules import (
    VK,
    X_SCALE,
    X_ZERO,
    Y_SCALE,
    Y_ZERO,
    Conv,
    ConvTranspose,
    Linear,
    pixels,
    quantized,
    quantized_by_torch,
)
from support.side_by_side import Case, check_side_by_side
from torch import nn
from torch.nn import functional as F

WITH_ZERO = (*LENGTHS, 0, 3)
# Sizes of images: primes, smaller than most windows, growth after shrinkage.
SIDES = (32, 23, 3, 17, 5, 31, 4, 32)


def check_layers(layers, make_inputs, dynamic, *ops, **options):
    """Each of `layers` gets what `make_inputs(layer, length)` gives, as one program."""
    return check_side_by_side(
        {
            name: Case(layer, functools.partial(make_inputs, layer), dynamic, layer.golden())
            for name, layer in layers.items()
        },
        ops=[f"et_vk.{op}.default" for op in ops],
        tolerance=EXACT,
        kinds=BOTH_KINDS,
        **options,
    )


# name: dims of both at length n, live dims of each
SUMS = {
    "equal dims": (lambda n: ((n, 12), (n, 12)), ({0: live()}, {0: live()})),
    "odd dims": (lambda n: ((3, n, 5), (3, n, 5)), ({1: live()}, {1: live()})),
    "a row for all": (lambda n: ((n, 8), (1, 8)), ({0: live()}, None)),
    "a column for all": (lambda n: ((2, 3, n), (2, 3, 1)), ({2: live()}, None)),
}


def added(alpha):
    def add(a, b):
        scales = (X_SCALE, X_ZERO, X_SCALE / 2, 5, Y_SCALE, Y_ZERO)
        return VK.q8ta_add(quantized(a), quantized(b), *scales, alpha)

    return add


def test_sums():
    adds = Together({f"alpha {alpha}": added(alpha) for alpha in (1, 2.0)})

    def case(dims, dynamic):
        return Case(adds, lambda n: tuple(pixels(*size) for size in dims(n)), dynamic)

    check_side_by_side(
        {name: case(*sum_) for name, sum_ in SUMS.items()},
        ops=["et_vk.q8ta_add.default"],
        tolerance=EXACT,
    )


# dims, of which 0 is the live one
RELUS = ((0, 12), (3, 0), (2, 0, 3, 5))


def test_relu():
    def case(dims):
        return Case(
            lambda x: VK.q8ta_relu(quantized(x), X_SCALE, X_ZERO, Y_SCALE / 4, Y_ZERO),
            lambda n: (pixels(*(d or n for d in dims)),),
            ({dims.index(0): live(least=0)},),
        )

    check_side_by_side(
        {str(dims): case(dims) for dims in RELUS},
        ops=["et_vk.q8ta_relu.default"],
        lengths=WITH_ZERO,
        tolerance=EXACT,
    )


# name: dims at length n, which of them is n, factor
SHUFFLES = {
    "height": (lambda n: (1, 4, n, 3), 2, 2),
    "width": (lambda n: (2, 9, 4, n), 3, 3),
    "batch": (lambda n: (n, 8, 2, 3), 0, 2),
    "whole quads": (lambda n: (1, 16, n, 8), 2, 4),
}


def test_pixel_shuffle():
    def case(dims, dim, factor):
        scales = (X_SCALE, X_ZERO, 1 / Y_SCALE, Y_ZERO)
        return Case(
            lambda x: VK.q8ta_pixel_shuffle(quantized(x), *scales, factor),
            lambda n: (pixels(*dims(n)),),
            ({dim: live(most=32)},),
        )

    check_side_by_side(
        {name: case(*shuffle) for name, shuffle in SHUFFLES.items()},
        ops=["et_vk.q8ta_pixel_shuffle.default"],
        lengths=SIDES,
        tolerance=EXACT,
    )


ROWS = (128, 1, 2, 3, 37, 100, 4, 5, 64, 127, 128)
# name: depth, columns, options
LAYERS = {
    "whole quads": (64, 48, {}),
    "no bias": (64, 48, {"bias": False}),
    "relu": (64, 48, {"relu": True}),
    "more columns than lanes": (76, 140, {}),
    "columns to spare": (16, 10, {}),
    "odd depth": (7, 12, {}),
    "odd depth and columns": (5, 3, {}),
    "one column": (64, 1, {}),
    "depth of one": (1, 8, {}),
}


@pytest.mark.parametrize("op", ["q8ta_linear", "q8ta_linear_gemv"])
def test_layers(op):
    torch.manual_seed(0)
    check_layers(
        {
            name: Linear(depth, columns, op=op, **options)
            for name, (depth, columns, options) in LAYERS.items()
        },
        lambda layer, n: (pixels(1, n, layer.weight.shape[1]),),
        ({1: live()},),
        op,
        lengths=ROWS,
    )


def test_no_rows():
    check_layers(
        {"no rows": Linear(16, 12)},
        lambda layer, n: (pixels(n, 16),),
        ({0: live(least=0)},),
        "q8ta_linear",
        lengths=WITH_ZERO,
    )


OF_FLOATS = ("whole quads", "columns to spare", "odd depth and columns")


@pytest.mark.parametrize("half", [False, True], ids=["float", "half"])
def test_layers_of_floats(half):
    def case(depth, columns, _):
        layer = linear_by_column(depth, columns, bits=8)
        return Case(layer, lambda n: (torch.randn(n, depth),), ({0: live()},))

    check_side_by_side(
        {name: case(*LAYERS[name]) for name in OF_FLOATS},
        ops=["aten._weight_int8pack_mm.default"],
        lengths=ROWS,
        tolerance=Tolerance(of_largest=5e-3) if half else MATMUL,
        kinds=BOTH_KINDS,
        force_fp16=half,
    )


def test_layers_of_floats_that_int8_multiplies():
    check_live(
        quantized_by_torch(nn.Linear(32, 12), torch.randn(128, 32), ({0: live()},), output=False),
        lambda n: (torch.randn(n, 32),),
        ({0: live()},),
        ops=["et_vk.linear_q8ta_q8csw.default"],
        lengths=ROWS,
        tolerance=MATMUL,
        kinds=BOTH_KINDS,
    )


# name: channels, columns, kernel, options
CONVS = {
    "3 by 3": (8, 8, (3, 3), {"padding": 1}),
    "no padding": (8, 12, (3, 3), {}),
    "relu, no bias": (8, 8, (3, 3), {"padding": 1, "relu": True, "bias": False}),
    "an image of colours": (3, 8, (3, 3), {"stride": 2, "padding": 1}),
    "columns to spare": (8, 6, (3, 3), {"padding": 1}),
    "all odd": (5, 7, (2, 3), {"padding": (1, 0), "stride": (2, 1)}),
    "dilation": (8, 8, (3, 2), {"dilation": (2, 3), "padding": 2}),
    "two groups": (16, 8, (3, 3), {"padding": 1, "groups": 2}),
    "groups of odd sizes": (6, 9, (3, 3), {"padding": 1, "groups": 3}),
    "groups of one channel": (4, 16, (3, 3), {"padding": 1, "groups": 4}),
    "many columns": (20, 150, (1, 3), {}),
}


def channels_of(layer):
    return layer.weight.shape[1] * layer.window["groups"]


@pytest.mark.parametrize("side", ["height", "width"])
def test_convolutions(side):
    torch.manual_seed(0)

    def images(layer, n):
        sides = (1, channels_of(layer), n, 7) if side == "height" else (2, channels_of(layer), 6, n)
        return (pixels(*sides),)

    check_layers(
        {
            name: Conv(channels, columns, kernel, **options)
            for name, (channels, columns, kernel, options) in CONVS.items()
        },
        images,
        ({2 if side == "height" else 3: live(least=5, most=32)},),
        "q8ta_conv2d",
        lengths=[n for n in SIDES if n >= 5],
    )


def test_pointwise_convolutions():
    check_layers(
        {
            f"{channels} to {columns}": Conv(channels, columns, (1, 1), op="q8ta_conv2d_pw")
            for channels, columns in ((16, 24), (10, 6), (1, 5))
        },
        lambda layer, n: (pixels(2, channels_of(layer), n, 3),),
        ({2: live(most=32)},),
        "q8ta_conv2d_pw",
        lengths=(*SIDES, 1),
    )


# name: channels, options
DEPTHWISE = {
    "same size": (8, {"padding": 1}),
    "stride and relu": (8, {"padding": 1, "stride": 2, "relu": True}),
    "dilation, no bias": (12, {"dilation": 2, "padding": 2, "bias": False}),
    "channels to spare": (6, {"padding": 1}),
}


def test_depthwise_convolutions():
    check_layers(
        {
            name: Conv(channels, channels, (3, 3), op="q8ta_conv2d_dw", groups=channels, **options)
            for name, (channels, options) in DEPTHWISE.items()
        },
        lambda layer, n: (pixels(2, channels_of(layer), n, 7),),
        ({2: live(least=3, most=32)},),
        "q8ta_conv2d_dw",
        lengths=SIDES,
    )


# name: channels, columns, kernel, options
TRANSPOSED = {
    "twice as large": (8, 8, (2, 2), {"stride": 2}),
    "output padding": (
        *(8, 8, (3, 3)),
        {"stride": 2, "padding": 1, "output_padding": 1, "relu": True},
    ),
    "all odd": (3, 6, (3, 2), {"stride": (1, 3), "output_padding": (0, 1)}),
    "dilation, no bias": (8, 12, (3, 3), {"dilation": 2, "padding": 1, "bias": False}),
    "two groups": (8, 16, (2, 2), {"stride": 2, "groups": 2}),
}


def test_transposed_convolutions():
    check_layers(
        {
            name: ConvTranspose(channels, columns, kernel, **options)
            for name, (channels, columns, kernel, options) in TRANSPOSED.items()
        },
        lambda layer, n: (pixels(2, channels_of(layer), n, 7),),
        ({2: live(most=32)},),
        "q8ta_conv2d_transposed",
        lengths=(*SIDES, 1),
    )


def test_batches():
    ops = {"q8ta_conv2d": 1, "q8ta_conv2d_dw": 8}
    check_layers(
        {op: Conv(8, 8, (3, 3), padding=1, groups=groups, op=op) for op, groups in ops.items()},
        lambda layer, n: (pixels(n, 8, 5, 6),),
        ({0: live(least=0, most=9)},),
        *ops,
        lengths=(9, 4, 1, 7, 0, 3, 9),
    )


def test_images_smaller_than_the_window_are_refused():
    layer = Conv(8, 8, (3, 3))
    pte = lower(layer, (pixels(1, 8, 16, 16),), ({2: live(least=4, most=16)},))
    assert_delegated(pte)
    program = LiveProgram(pte)
    golden = layer.golden()
    for n in (16, 3, 7):
        program.check(golden, pixels(1, 8, n, 16))
        program.check_rejects(pixels(1, 8, 2, 16))
    program.check(golden, pixels(1, 8, 16, 16))


class Residual(nn.Module):
    """Every kind of layer, as in networks for small devices."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, 2, 1)
        self.expand = nn.Conv2d(16, 24, 1)
        self.depthwise = nn.Conv2d(24, 24, 3, padding=1, groups=24)
        self.project = nn.Conv2d(24, 16, 1)
        self.grouped = nn.Conv2d(16, 8, 3, padding=1, groups=2)
        self.up = nn.ConvTranspose2d(8, 6, 2, 2)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = x + self.project(F.relu(self.depthwise(F.relu(self.expand(x)))))
        return self.up(F.relu(self.grouped(x)))


def test_a_network():
    torch.manual_seed(0)
    half = torch.export.Dim("half", min=2, max=16)
    module = quantized_by_torch(Residual(), torch.randn(4, 3, 32, 32), ({2: 2 * half},))
    check_live(
        module,
        lambda n: (torch.randn(4, 3, 2 * n, 32),),
        ({2: 2 * half},),
        ops=["et_vk.q8ta_conv2d.default", "et_vk.q8ta_add.default", "et_vk.q8ta_conv2d_dw.default"],
        lengths=(16, 11, 2, 7, 3, 16),
        # A step of one layer is some of the next.
        tolerance=Tolerance(of_largest=5e-2),
        kinds=BOTH_KINDS,
    )
