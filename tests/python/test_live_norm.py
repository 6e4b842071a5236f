"""Layer, group and batch norm at live lengths."""

import pytest
import torch
from support import lowering
from support.live import HALF, LENGTHS, LiveProgram, Tolerance, check_live
from support.modules import Fn, Together, live, shapes
from torch import nn

NORM = Tolerance(1e-4, 1e-4)


def randomized(module):
    """Default weights of 1 and 0 would hide a weight that is read from the wrong place."""
    torch.manual_seed(7)
    for tensor in (*module.parameters(), *module.buffers()):
        if tensor.is_floating_point():
            tensor.data = torch.rand_like(tensor) + 0.5
    return module.eval()


# Widths about the vector and workgroup sizes.
@pytest.mark.parametrize("width", [1, 3, 4, 24, 63, 64, 65, 257, 768, 6001])
def test_layer_norm_widths(width):
    check_live(
        randomized(nn.LayerNorm(width)),
        lambda n: (torch.randn(1, n, width),),
        ({1: live()},),
        ops=["aten.native_layer_norm.default"],
        tolerance=NORM,
    )


# name: normalized dims, shape at length n, live dim
LAYERS = {
    "live first": ((24,), lambda n: (n, 24), 0),
    "rank 4": ((24,), lambda n: (2, 3, n, 24), 2),
    "two dims": ((5, 8), lambda n: (n, 5, 8), 0),
    "two odd dims": ((3, 5), lambda n: (2, n, 3, 5), 1),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_norm(layer):
    dims, shape, at = LAYERS[layer]
    norms = {
        "weights": randomized(nn.LayerNorm(dims)),
        "none": nn.LayerNorm(dims, elementwise_affine=False),
    }
    check_live(
        Together(norms),
        lambda n: (torch.randn(shape(n)),),
        shapes({at: live()}),
        ops=["aten.native_layer_norm.default"],
        tolerance=NORM,
    )


def test_layer_norm_without_bias():
    check_live(
        randomized(nn.LayerNorm(24, bias=False)),
        lambda n: (torch.randn(n, 24),),
        ({0: live()},),
        ops=["aten.native_layer_norm.default"],
        tolerance=NORM,
    )


@pytest.mark.parametrize("width", [24, 7])
def test_layer_norm_with_all_its_outputs(width):
    check_live(
        Fn(lambda x, w, b: torch.native_layer_norm(x, (width,), w, b, 1e-5)),
        lambda n: (torch.randn(2, n, width), torch.rand(width), torch.rand(width)),
        shapes({1: live()}, None, None),
        ops=["aten.native_layer_norm.default"],
        tolerance=NORM,
    )


@pytest.mark.parametrize("width", [64, 65])
def test_layer_norm_about_a_large_mean(width):
    check_live(
        randomized(nn.LayerNorm(width)),
        lambda n: (torch.randn(n, width) + 1000.0,),
        ({0: live()},),
        tolerance=Tolerance(1e-2, 1e-2),
    )


@pytest.mark.parametrize("width", [24, 7])
def test_layer_norm_in_half(width):
    check_live(
        randomized(nn.LayerNorm(width)).half(),
        lambda n: (torch.randn(n, width).half(),),
        ({0: live()},),
        ops=["aten.native_layer_norm.default"],
        tolerance=HALF,
    )


def test_layer_norm_of_nothing():
    module = randomized(nn.LayerNorm(24))
    pte = lowering.lower(module, (torch.randn(128, 24),), ({0: live(least=0)},))
    program = LiveProgram(pte)
    for length in (0, *LENGTHS, 0):
        program.check(module, torch.randn(length, 24), tolerance=NORM)


def test_layer_norms_in_a_residual():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = randomized(nn.LayerNorm(24))
            self.second = randomized(nn.LayerNorm(24))

        def forward(self, x):
            x = x + self.first(x)
            return x + self.second(torch.sigmoid(x))

    check_live(Block(), lambda n: (torch.randn(1, n, 24),), ({1: live()},), tolerance=NORM)


# name: groups, channels, shape at length n, live dim
GROUPS = {
    "live batch": (2, 6, lambda n: (n, 6, 3, 3), 0),
    "live rows": (3, 6, lambda n: (2, 6, n, 4), 2),
    "live columns": (2, 8, lambda n: (1, 8, 3, n), 3),
    "a group for each channel": (6, 6, lambda n: (1, 6, n, 5), 2),
    "one group": (1, 6, lambda n: (2, 6, n, 5), 2),
    "an image": (2, 12, lambda n: (1, 12, n, 128), 2),
    "rank 3": (2, 8, lambda n: (2, 8, n), 2),
}


@pytest.mark.parametrize("group", GROUPS)
def test_group_norm(group):
    groups, channels, shape, at = GROUPS[group]
    norms = {
        "weights": randomized(nn.GroupNorm(groups, channels)),
        "none": nn.GroupNorm(groups, channels, affine=False),
    }
    check_live(
        Together(norms),
        lambda n: (torch.randn(shape(n)),),
        shapes({at: live(least=2)}),
        ops=["aten.native_group_norm.default"],
        lengths=tuple(max(n, 2) for n in LENGTHS),
        tolerance=NORM,
    )


# name: module, shape at length n, live dim
BATCHES = {
    "live batch": (nn.BatchNorm2d(6), lambda n: (n, 6, 3, 3), 0),
    "live rows": (nn.BatchNorm2d(6), lambda n: (2, 6, n, 4), 2),
    "live columns": (nn.BatchNorm2d(6), lambda n: (1, 6, 3, n), 3),
    "no weights": (nn.BatchNorm2d(6, affine=False), lambda n: (1, 6, n, 5), 2),
    "of one dim": (nn.BatchNorm1d(6), lambda n: (2, 6, n), 2),
    "of none": (nn.BatchNorm1d(6), lambda n: (n, 6), 0),
}


@pytest.mark.parametrize("batch", BATCHES)
def test_batch_norm(batch):
    module, shape, at = BATCHES[batch]
    check_live(
        randomized(module),
        lambda n: (torch.randn(shape(n)),),
        ({at: live()},),
        ops=["aten._native_batch_norm_legit_no_training.default"],
        tolerance=NORM,
    )
