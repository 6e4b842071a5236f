"""Layers and functions of int8 at live sizes."""

import pytest
import torch
from support.live import BOTH_KINDS, EXACT, LENGTHS, MATMUL, LiveProgram, Tolerance, check_live
from support.llm_modules import linear_by_column
from support.lowering import assert_delegated, lower
from support.modules import Fn, live, shapes
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
from torch import nn
from torch.nn import functional as F

WITH_ZERO = (*LENGTHS, 0, 3)
# Sizes of images: primes, smaller than most windows, growth after shrinkage.
SIDES = (32, 23, 3, 17, 5, 31, 4, 32)


def check_layer(layer, make_inputs, dynamic, op, **options):
    return check_live(
        layer,
        make_inputs,
        dynamic,
        ops=[f"et_vk.{op}.default"],
        tolerance=EXACT,
        kinds=BOTH_KINDS,
        golden=layer.golden(),
        **options,
    )


# name: dims of both at length n, live dims of each
SUMS = {
    "equal dims": (lambda n: ((n, 12), (n, 12)), ({0: live()}, {0: live()})),
    "odd dims": (lambda n: ((3, n, 5), (3, n, 5)), ({1: live()}, {1: live()})),
    "a row for all": (lambda n: ((n, 8), (1, 8)), ({0: live()}, None)),
    "a column for all": (lambda n: ((2, 3, n), (2, 3, 1)), ({2: live()}, None)),
}


@pytest.mark.parametrize("alpha", [1, 2.0])
@pytest.mark.parametrize("sum_", SUMS)
def test_sums(sum_, alpha):
    dims, dynamic = SUMS[sum_]
    check_live(
        Fn(
            lambda a, b: VK.q8ta_add(
                quantized(a), quantized(b), X_SCALE, X_ZERO, X_SCALE / 2, 5, Y_SCALE, Y_ZERO, alpha
            )
        ),
        lambda n: tuple(pixels(*size) for size in dims(n)),
        shapes(*dynamic),
        ops=["et_vk.q8ta_add.default"],
        tolerance=EXACT,
    )


@pytest.mark.parametrize(("dims", "dim"), [((0, 12), 0), ((3, 0), 1), ((2, 0, 3, 5), 1)])
def test_relu(dims, dim):
    check_live(
        Fn(lambda x: VK.q8ta_relu(quantized(x), X_SCALE, X_ZERO, Y_SCALE / 4, Y_ZERO)),
        lambda n: (pixels(*(n if i == dim else d for i, d in enumerate(dims))),),
        shapes({dim: live(least=0)}),
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


@pytest.mark.parametrize("shuffle", SHUFFLES)
def test_pixel_shuffle(shuffle):
    dims, dim, factor = SHUFFLES[shuffle]
    check_live(
        Fn(
            lambda x: VK.q8ta_pixel_shuffle(
                quantized(x), X_SCALE, X_ZERO, 1 / Y_SCALE, Y_ZERO, factor
            )
        ),
        lambda n: (pixels(*dims(n)),),
        shapes({dim: live(most=32)}),
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
@pytest.mark.parametrize("layer", LAYERS)
def test_layers(layer, op):
    depth, columns, options = LAYERS[layer]
    torch.manual_seed(depth)
    check_layer(
        Linear(depth, columns, op=op, **options),
        lambda n: (pixels(1, n, depth),),
        ({1: live()},),
        op,
        lengths=ROWS,
    )


def test_no_rows():
    check_layer(
        Linear(16, 12),
        lambda n: (pixels(n, 16),),
        ({0: live(least=0)},),
        "q8ta_linear",
        lengths=WITH_ZERO,
    )


@pytest.mark.parametrize("layer", ["whole quads", "columns to spare", "odd depth and columns"])
def test_layers_of_floats(layer):
    depth, columns, _ = LAYERS[layer]
    for half in (False, True):
        check_live(
            linear_by_column(depth, columns, bits=8),
            lambda n: (torch.randn(n, depth),),
            ({0: live()},),
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


@pytest.mark.parametrize("conv", CONVS)
def test_convolutions(conv):
    channels, columns, kernel, options = CONVS[conv]
    torch.manual_seed(channels)
    layer = Conv(channels, columns, kernel, **options)
    lengths = [n for n in SIDES if n >= 5]
    check_layer(
        layer,
        lambda n: (pixels(1, channels, n, 7),),
        ({2: live(least=5, most=32)},),
        "q8ta_conv2d",
        lengths=lengths,
    )
    check_layer(
        layer,
        lambda n: (pixels(2, channels, 6, n),),
        ({3: live(least=5, most=32)},),
        "q8ta_conv2d",
        lengths=lengths,
    )


@pytest.mark.parametrize(("channels", "columns"), [(16, 24), (10, 6), (1, 5)])
def test_pointwise_convolutions(channels, columns):
    check_layer(
        Conv(channels, columns, (1, 1), op="q8ta_conv2d_pw"),
        lambda n: (pixels(2, channels, n, 3),),
        ({2: live(most=32)},),
        "q8ta_conv2d_pw",
        lengths=(*SIDES, 1),
    )


@pytest.mark.parametrize(
    ("channels", "options"),
    [
        (8, {"padding": 1}),
        (8, {"padding": 1, "stride": 2, "relu": True}),
        (12, {"dilation": 2, "padding": 2, "bias": False}),
        (6, {"padding": 1}),
    ],
)
def test_depthwise_convolutions(channels, options):
    check_layer(
        Conv(channels, channels, (3, 3), op="q8ta_conv2d_dw", groups=channels, **options),
        lambda n: (pixels(2, channels, n, 7),),
        ({2: live(least=3, most=32)},),
        "q8ta_conv2d_dw",
        lengths=SIDES,
    )


@pytest.mark.parametrize(
    ("channels", "columns", "kernel", "options"),
    [
        (8, 8, (2, 2), {"stride": 2}),
        (8, 8, (3, 3), {"stride": 2, "padding": 1, "output_padding": 1, "relu": True}),
        (3, 6, (3, 2), {"stride": (1, 3), "output_padding": (0, 1)}),
        (8, 12, (3, 3), {"dilation": 2, "padding": 1, "bias": False}),
        (8, 16, (2, 2), {"stride": 2, "groups": 2}),
    ],
)
def test_transposed_convolutions(channels, columns, kernel, options):
    check_layer(
        ConvTranspose(channels, columns, kernel, **options),
        lambda n: (pixels(2, channels, n, 7),),
        ({2: live(most=32)},),
        "q8ta_conv2d_transposed",
        lengths=(*SIDES, 1),
    )


@pytest.mark.parametrize("op", ["q8ta_conv2d", "q8ta_conv2d_dw"])
def test_batches(op):
    layer = Conv(8, 8, (3, 3), padding=1, groups=8 if op.endswith("dw") else 1, op=op)
    check_layer(
        layer,
        lambda n: (pixels(n, 8, 5, 6),),
        ({0: live(least=0, most=9)},),
        op,
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
