"""Convolutions of sequences and images, at live lengths, heights, widths and batches."""

import pytest
import torch
from support import lowering
from support.any_batch import any_batch
from support.live import BOTH_KINDS, HALF, LENGTHS, LiveProgram, Tolerance, check_live
from support.modules import Together, live, shapes
from support.side_by_side import Case, check_side_by_side
from torch import nn

CONV = "aten.convolution.default"
CLAMPED = "et_vk.conv_with_clamp.default"
CLOSE = Tolerance(1e-4, 1e-4)
# Of images: primes, growth after shrinkage, and a size that no window fits into without padding.
SIZES = (24, 17, 5, 11, 3, 24)


def image_dim(name="size", least=3):
    return torch.export.Dim(name, min=least, max=max(SIZES))


def shortest(taps, stride=1, padding=0, dilation=1, **_):
    """The least length that torch exports: it settles on whether a size that it computes is 1."""
    extent = dilation * (taps - 1) + 1
    keeps_length = stride == 1 and 2 * padding == extent - 1
    return 1 if keeps_length else max(extent + stride - 2 * padding, 2)


# name: (channels in, channels out, taps), other arguments
SEQUENCES = {
    "plain": ((6, 20, 3), {}),
    "same size": ((6, 20, 3), dict(padding=1)),
    "whisper": ((80, 32, 3), dict(stride=2, padding=1)),
    "dilated": ((5, 9, 3), dict(dilation=4, padding=4)),
    "no bias": ((4, 7, 5), dict(bias=False, padding=2)),
    "groups": ((8, 12, 3), dict(groups=4, padding=1)),
    "few channels": ((2, 3, 3), dict(padding=1)),
    "depthwise": ((10, 10, 7), dict(groups=10, padding=3)),
    "depthwise, two each": ((5, 10, 3), dict(groups=5, padding=1)),
    "depthwise, dilated": ((6, 6, 3), dict(groups=6, dilation=2, padding=2)),
    "depthwise, apart": ((6, 6, 2), dict(groups=6, stride=3)),
    "pointwise": ((24, 40, 1), {}),
    "pointwise, odd": ((3, 5, 1), dict(bias=False)),
    "patches": ((4, 16, 4), dict(stride=4, padding=2)),
}


def by_shortest():
    """The names of sequences, by the least length that they can be exported for."""
    groups = {}
    for name, (sizes, options) in SEQUENCES.items():
        groups.setdefault(shortest(sizes[2], **options), []).append(name)
    return groups


def conv_case(module, make_inputs, dynamic):
    return Case(module, lambda n: (make_inputs(module.in_channels, n),), (dynamic,))


@pytest.mark.parametrize("least", by_shortest())
def test_sequences(least):
    torch.manual_seed(1)
    length = torch.export.Dim("length", min=least, max=128)

    def case(sizes, options):
        conv = nn.Conv1d(*sizes, **options)
        return conv_case(conv, lambda channels, n: torch.randn(2, channels, n), {2: length})

    check_side_by_side(
        {name: case(*SEQUENCES[name]) for name in by_shortest()[least]},
        ops=[CONV],
        lengths=tuple(max(n, least) for n in LENGTHS),
        kinds=BOTH_KINDS,
        tolerance=CLOSE,
    )


def test_a_live_batch_of_sequences():
    torch.manual_seed(1)
    check_live(
        nn.Conv1d(6, 20, 3, padding=1),
        lambda n: (torch.randn(n, 6, 9),),
        ({0: live()},),
        ops=[CONV],
        kinds=BOTH_KINDS,
        tolerance=CLOSE,
    )


# name: (channels in, channels out, taps), other arguments
IMAGES = {
    "3x3": ((3, 16, 3), dict(padding=1)),
    "strided": ((16, 24, 3), dict(stride=2, padding=1)),
    "no two numbers alike": (
        (3, 5, (2, 3)),
        dict(stride=(1, 2), padding=(1, 0), dilation=(2, 1), bias=False),
    ),
    "groups": ((8, 24, 3), dict(groups=2, padding=1)),
    "depthwise": ((12, 12, 5), dict(groups=12, padding=2, stride=2)),
    "depthwise, side by side": ((12, 12, 3), dict(groups=12, padding=1)),
    "pointwise": ((20, 36, 1), {}),
    "pointwise, strided": ((20, 36, 1), dict(stride=2)),
}


def check_images(names, image, dynamic, **options):
    """`image(channels, n)` is what each of the convolutions gets."""
    torch.manual_seed(1)

    def case(sizes, options):
        return conv_case(nn.Conv2d(*sizes, **options), image, dynamic)

    check_side_by_side(
        {name: case(*IMAGES[name]) for name in names}, ops=[CONV], tolerance=CLOSE, **options
    )


@pytest.mark.parametrize("live_dims", [(2,), (3,), (2, 3)], ids=["height", "width", "both"])
def test_images(live_dims):
    def image(channels, n):
        height, width = (n if 2 in live_dims else 9), (n + 2 if 3 in live_dims else 13)
        return torch.randn(1, channels, height, width)

    dims = {
        2: torch.export.Dim("height", min=3, max=24),
        3: torch.export.Dim("width", min=5, max=26),
    }
    check_images(
        IMAGES,
        image,
        {dim: dims[dim] for dim in live_dims},
        lengths=SIZES,
        kinds=BOTH_KINDS if len(live_dims) == 2 else (None,),
    )


SOME_IMAGES = ("3x3", "depthwise", "pointwise")


def test_a_live_batch_of_images():
    with any_batch():
        check_images(
            SOME_IMAGES,
            lambda channels, n: torch.randn(n, channels, 7, 5),
            {0: live(most=13)},
            lengths=(13, 7, 2, 11, 1, 13),
        )


# name: (channels in, channels out, taps), other arguments
TRANSPOSED = {
    "twice as large": ((6, 10, 2), dict(stride=2)),
    "overlapping": ((6, 18, 4), dict(stride=2, padding=1)),
    "with output padding": ((5, 4, 3), dict(stride=2, padding=1, output_padding=1)),
    "dilated": ((4, 6, 3), dict(stride=3, dilation=2, padding=2, output_padding=2, bias=False)),
    "groups": ((8, 12, 3), dict(groups=4, stride=2)),
    "depthwise": ((7, 7, 4), dict(groups=7, stride=2, padding=1)),
}


def test_transposed():
    torch.manual_seed(1)
    dynamic = {2: image_dim("height"), 3: torch.export.Dim("width", min=3, max=26)}

    def case(sizes, options):
        conv = nn.ConvTranspose2d(*sizes, **options)
        return conv_case(conv, lambda channels, n: torch.randn(1, channels, n, n + 2), dynamic)

    check_side_by_side(
        {name: case(*transposed) for name, transposed in TRANSPOSED.items()},
        ops=[CONV],
        lengths=SIZES,
        kinds=BOTH_KINDS,
        tolerance=CLOSE,
    )


def test_transposed_sequences():
    torch.manual_seed(1)
    with any_batch():
        check_live(
            nn.ConvTranspose1d(6, 10, 4, stride=2, padding=1, output_padding=1),
            lambda n: (torch.randn(2, 6, n),),
            ({2: live()},),
            ops=[CONV],
            tolerance=CLOSE,
        )


class Clamped(nn.Module):
    def __init__(self, activation, *sizes, **options):
        super().__init__()
        self.conv = nn.Conv2d(*sizes, **options)
        self.activation = activation

    def forward(self, x):
        return self.activation(self.conv(x))


@pytest.mark.parametrize("groups", [1, 12], ids=["dense", "depthwise"])
def test_with_a_clamp(groups):
    torch.manual_seed(1)
    activations = (nn.ReLU(), nn.ReLU6(), nn.Hardtanh(-0.25, 0.5))
    check_live(
        Together({repr(a): Clamped(a, 12, 24, 3, padding=1, groups=groups) for a in activations}),
        lambda n: (2 * torch.randn(1, 12, n, n),),
        shapes({2: image_dim(), 3: image_dim()}),
        ops=[CLAMPED],
        lengths=SIZES,
        tolerance=CLOSE,
    )


def test_half():
    torch.manual_seed(1)
    dynamic = {2: image_dim(), 3: image_dim()}

    def case(sizes, options):
        conv = nn.Conv2d(*sizes, **options).half()
        return conv_case(conv, lambda channels, n: torch.randn(1, channels, n, n).half(), dynamic)

    check_side_by_side(
        {name: case(*IMAGES[name]) for name in SOME_IMAGES},
        ops=[CONV],
        lengths=SIZES,
        kinds=BOTH_KINDS,
        tolerance=HALF,
    )


def test_no_images_at_all():
    torch.manual_seed(1)
    check_live(
        nn.Conv1d(3, 8, 3, padding=1),
        lambda n: (torch.randn(n, 3, 10),),
        ({0: torch.export.Dim("batch", min=0, max=8)},),
        ops=[CONV],
        lengths=(8, 0, 3, 0, 8),
        tolerance=CLOSE,
    )


def test_an_image_that_is_smaller_than_the_window():
    torch.manual_seed(1)
    module = nn.Conv1d(3, 8, 5)
    length = torch.export.Dim("length", min=6, max=32)
    pte = lowering.lower(module, (torch.randn(1, 3, 32),), ({2: length},))
    program = LiveProgram(pte)
    program.check(module, torch.randn(1, 3, 6), tolerance=CLOSE)
    program.check_rejects(torch.randn(1, 3, 4))
    program.check(module, torch.randn(1, 3, 31), tolerance=CLOSE)
