"""Images at other sizes: upsampling, sampling by a grid, and channels that become pixels."""

import pytest
import torch
import torch.nn.functional as F
from support.exporter_gates import opened
from support.live import BOTH_KINDS, EXACT, HALF, LiveProgram, Tolerance, check_live
from support.lowering import assert_delegated, lower
from support.modules import Fn, Together, live, shapes
from torch import nn

NEAREST = "aten.upsample_nearest2d.vec"
LINEAR = "aten.upsample_bilinear2d.vec"
CUBIC = "aten.upsample_bicubic2d.vec"
FILTERED_LINEAR = "aten._upsample_bilinear2d_aa.vec"
FILTERED_CUBIC = "aten._upsample_bicubic2d_aa.vec"
GRID = "aten.grid_sampler_2d.default"
SHUFFLE = "aten.pixel_shuffle.default"

MOST = 40
LENGTHS = (40, 31, 7, 23, 5, 1, 40)
SIZES = ((40, 40), (31, 7), (2, 37), (13, 13), (1, 1), (40, 40))

# Weights come from coordinates, which WGSL computes to a few units in the last place.
WEIGHTED = Tolerance(1e-4, 1e-4)


def nearest(**how):
    return lambda x: F.interpolate(x, mode="nearest", **how)


def linear(**how):
    return lambda x: F.interpolate(x, mode="bilinear", **how)


def cubic(**how):
    return lambda x: F.interpolate(x, mode="bicubic", **how)


# name: function, operator, tolerance
UPSAMPLES = {
    "nearest, twice": (nearest(scale_factor=2.0), NEAREST, EXACT),
    "nearest, 1.7 times": (nearest(scale_factor=1.7), NEAREST, EXACT),
    "nearest, less than half": (nearest(scale_factor=(0.45, 3.0)), NEAREST, EXACT),
    # Where the factor and the ratio of the sizes differ, the factor counts, with two exceptions.
    "nearest, hardly larger": (nearest(scale_factor=1.02), NEAREST, EXACT),
    "nearest, hardly more than twice": (nearest(scale_factor=2.04), NEAREST, EXACT),
    "nearest, of one size": (nearest(size=(7, 9)), NEAREST, EXACT),
    "linear, twice": (linear(scale_factor=2.0), LINEAR, WEIGHTED),
    "linear, 1.7 times": (linear(scale_factor=1.7), LINEAR, WEIGHTED),
    "linear, hardly larger": (linear(scale_factor=1.02), LINEAR, WEIGHTED),
    "linear, of one size": (linear(size=(7, 9)), LINEAR, WEIGHTED),
    "linear, of one row": (linear(size=(1, 9), align_corners=True), LINEAR, WEIGHTED),
    "linear by corners, twice": (linear(scale_factor=2.0, align_corners=True), LINEAR, WEIGHTED),
    "linear by corners, 1.7 times": (
        linear(scale_factor=1.7, align_corners=True),
        LINEAR,
        WEIGHTED,
    ),
}


def least_size(function) -> int:
    """From which size on the result has more than one row and column, as torch.export insists."""
    sizes = [function(torch.zeros(1, 1, n, n)).shape[-2:] for n in (MOST - 1, MOST)]
    for n in range(1, MOST):
        try:
            if sizes[0] == sizes[1] or min(function(torch.zeros(1, 1, n, n)).shape[-2:]) > 1:
                return n
        except RuntimeError:
            continue
    raise AssertionError("there is no such size")


LEAST = {name: least_size(function) for name, (function, _, _) in UPSAMPLES.items()}


@pytest.mark.parametrize("least", sorted(set(LEAST.values())), ids="{} or more".format)
@pytest.mark.parametrize("dim", range(4), ids=["batch", "channels", "height", "width"])
def test_upsampling(dim, least):
    def images(n):
        size = [2, 3, 6, 11]
        size[dim] = n
        return (torch.randn(size),)

    chosen = {name: row for name, row in UPSAMPLES.items() if LEAST[name] == least}
    shortest = least if dim >= 2 else 1
    check_live(
        Together({name: function for name, (function, _, _) in chosen.items()}),
        images,
        shapes({dim: live(least=max(shortest, 3), most=MOST)}),
        ops={op for _, op, _ in chosen.values()},
        lengths=tuple(max(n, shortest) for n in LENGTHS),
        tolerance={name: tolerance for name, (_, _, tolerance) in chosen.items()},
        kinds=BOTH_KINDS,
    )


# name: function, operator
WIDER = {
    "cubic, 1.7 times": (cubic(scale_factor=1.7), CUBIC),
    "cubic, hardly larger": (cubic(scale_factor=1.02), CUBIC),
    "cubic, half": (cubic(scale_factor=0.5), CUBIC),
    "cubic, of one size": (cubic(size=(7, 9)), CUBIC),
    "cubic by corners": (cubic(scale_factor=1.7, align_corners=True), CUBIC),
    "filtered linear, less than half": (
        linear(scale_factor=(0.45, 1.3), antialias=True),
        FILTERED_LINEAR,
    ),
    "filtered linear, of one size": (linear(size=(5, 4), antialias=True), FILTERED_LINEAR),
    "filtered cubic, less than half": (
        cubic(scale_factor=(0.45, 1.3), antialias=True),
        FILTERED_CUBIC,
    ),
    "filtered cubic, hardly larger": (cubic(scale_factor=1.02, antialias=True), FILTERED_CUBIC),
    "filtered cubic, of one size": (cubic(size=(5, 4), antialias=True), FILTERED_CUBIC),
    "filtered cubic by corners": (
        cubic(size=(5, 14), antialias=True, align_corners=True),
        FILTERED_CUBIC,
    ),
}


@pytest.mark.parametrize("dims", [(0, 1), (2, 3)], ids=["batch and channels", "height and width"])
def test_upsampling_by_more_than_neighbours(dims):
    def images(size):
        shape = [2, 3, 6, 11]
        for dim, n in zip(dims, size, strict=True):
            shape[dim] = n
        return (torch.randn(shape),)

    least = 5 if dims == (2, 3) else 1
    check_live(
        Together({name: function for name, (function, _) in WIDER.items()}),
        images,
        shapes({dim: live(f"d{dim}", least=least, most=MOST) for dim in dims}),
        ops={op for _, op in WIDER.values()},
        lengths=((40, 40), (31, 7), (5, 37), (13, 13), (max(least, 2), 5), (40, 40)),
        tolerance=WEIGHTED,
        kinds=BOTH_KINDS,
        own=True,
    )


def test_upsampling_images_of_any_size():
    names = ("nearest, 1.7 times", "linear, 1.7 times")
    check_live(
        Together({name: UPSAMPLES[name][0] for name in names}),
        lambda size: (torch.randn(2, 3, *size),),
        shapes({2: live("h", least=3, most=MOST), 3: live("w", least=3, most=MOST)}),
        ops=[NEAREST, LINEAR],
        lengths=SIZES,
        tolerance=WEIGHTED,
        kinds=BOTH_KINDS,
    )


@pytest.mark.parametrize("filtered", [False, True], ids=["", "filtered"])
def test_positions_for_images_of_any_size(filtered):
    """As in a vision transformer: a table of positions at the size of the input."""
    torch.manual_seed(0)
    table = torch.randn(1, 6, 7, 7)
    mode = dict(mode="bicubic", antialias=filtered)
    module = Fn(lambda like: F.interpolate(table, size=like.shape[-2:], **mode) + like)
    program = check_live(
        module,
        lambda size: (torch.randn(2, 6, *size),),
        shapes({2: live("h", least=1, most=MOST), 3: live("w", least=1, most=MOST)}),
        ops=[FILTERED_CUBIC if filtered else CUBIC],
        lengths=SIZES,
        tolerance=WEIGHTED,
        kinds=BOTH_KINDS,
        own=True,
    )
    program.check_rejects(torch.randn(2, 6, 3, 0))
    program.check_rejects(torch.randn(2, 6, 3, MOST + 1))
    program.check(module, torch.randn(2, 6, 3, 11), tolerance=WEIGHTED)


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_upsampling_to_a_live_size(mode):
    """As in a pyramid of features: the size is that of another tensor."""
    check_live(
        Fn(lambda x, like: F.interpolate(x, size=like.shape[-2:], mode=mode) + like),
        lambda size: (torch.randn(2, 3, 7, 5), torch.randn(2, 3, *size)),
        shapes(None, {2: live("h", least=1, most=MOST), 3: live("w", least=1, most=MOST)}),
        ops=[NEAREST if mode == "nearest" else LINEAR],
        lengths=SIZES,
        tolerance=WEIGHTED,
        kinds=BOTH_KINDS,
    )


def test_an_image_that_would_vanish():
    module = Fn(nearest(scale_factor=0.25))
    program = check_live(
        module,
        lambda n: (torch.randn(1, 3, n, 12),),
        shapes({2: live(least=8, most=MOST)}),
        lengths=(MOST, 9, 4),
        tolerance=EXACT,
    )
    program.check_rejects(torch.randn(1, 3, 3, 12))
    program.check_rejects(torch.randn(1, 3, 0, 12))
    program.check(module, torch.randn(1, 3, 5, 12), tolerance=EXACT)


def test_upsampling_halves():
    check_live(
        Fn(lambda x: (nearest(scale_factor=2.0)(x), linear(scale_factor=2.0)(x))),
        lambda n: (torch.randn(2, 3, n, 7).half(),),
        shapes({2: live(least=3, most=MOST)}),
        ops=[NEAREST, LINEAR],
        lengths=LENGTHS,
        tolerance=HALF,
        kinds=BOTH_KINDS,
    )


def test_upsampling_bytes():
    with opened(NEAREST):
        check_live(
            Fn(nearest(scale_factor=1.5)),
            lambda n: (torch.randint(256, (2, 3, n, 7), dtype=torch.uint8),),
            shapes({2: live(least=3, most=MOST)}),
            ops=[NEAREST],
            lengths=LENGTHS,
            kinds=BOTH_KINDS,
        )


def grid_sample(mode="bilinear", padding="border", align=True):
    return Fn(
        lambda x, grid: F.grid_sample(x, grid, mode, padding_mode=padding, align_corners=align)
    )


# name: the dims of x and of the grid at length n, and which of them are live
GRIDS = {
    "batch": (lambda n: ((n, 3, 6, 7), (n, 4, 5, 2)), ({0: "s"}, {0: "s"})),
    "channels": (lambda n: ((2, n, 6, 7), (2, 4, 5, 2)), ({1: "s"}, None)),
    "height": (lambda n: ((2, 3, n, 7), (2, 4, 5, 2)), ({2: "s"}, None)),
    "width": (lambda n: ((2, 3, 6, n), (2, 4, 5, 2)), ({3: "s"}, None)),
    "places": (lambda n: ((2, 3, 6, 7), (2, n, n, 2)), (None, {1: "s", 2: "s"})),
}


@pytest.mark.parametrize("name", GRIDS)
def test_grids(name):
    dims, dynamic = GRIDS[name]
    size = live(least=1, most=MOST)
    check_live(
        grid_sample(),
        lambda n: tuple(torch.randn(d) for d in dims(n)),
        shapes(*(d and dict.fromkeys(d, size) for d in dynamic)),
        ops=[GRID],
        lengths=LENGTHS,
        tolerance=WEIGHTED,
        kinds=BOTH_KINDS,
    )


# The exporter delegates but one of these.
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_every_mode_of_sampling(mode):
    functions = {
        f"{padding}, {'corners aligned' if align else 'not aligned'}": grid_sample(
            mode, padding, align
        )
        for padding in ("zeros", "border", "reflection")
        for align in (True, False)
    }

    def inputs(n):
        # Far outside as well; and not between two elements, where either would do.
        grid = 3 * torch.randn(2, n, 5, 2)
        return torch.randn(2, 3, n, 7), (grid * 1000 + 0.5).round() / 1000

    with opened(GRID):
        check_live(
            Together(functions),
            inputs,
            shapes({2: live(least=2, most=MOST)}, {1: live(least=2, most=MOST)}),
            ops=[GRID],
            lengths=(40, 31, 7, 23, 1, 40),
            tolerance=Tolerance(2e-4, 2e-4),
            kinds=BOTH_KINDS,
        )


def test_sampling_halves():
    check_live(
        grid_sample(),
        lambda n: (torch.randn(1, 2, n, 9).half(), torch.rand(1, 4, 5, 2).half()),
        shapes({2: live(least=1, most=MOST)}, None),
        ops=[GRID],
        lengths=(40, 7, 1, 23, 40),
        # Between neighbours that differ much, a coordinate's last bit is seen.
        tolerance=Tolerance(of_largest=3e-2),
        kinds=BOTH_KINDS,
    )


def test_grids_that_do_not_fit():
    module = grid_sample()
    inputs = torch.randn(2, 3, 6, 7), torch.randn(2, 4, 5, 2)
    batch = live(most=4)
    dynamic = shapes({0: batch, 2: live("h", least=1, most=8)}, {0: batch})
    pte = lower(module, inputs, dynamic)
    assert_delegated(pte, GRID)
    program = LiveProgram(pte)
    program.check_rejects(torch.randn(2, 3, 6, 7), torch.randn(1, 4, 5, 2))
    program.check_rejects(torch.randn(2, 3, 0, 7), torch.randn(2, 4, 5, 2))
    program.check(module, *inputs, tolerance=WEIGHTED)


# name: the factor, the dims of x at length n, the live dims
SHUFFLES = {
    "batch": (2, lambda n: (n, 12, 3, 5), {0: live(most=MOST)}),
    "height": (3, lambda n: (2, 9, n, 5), {2: live(most=MOST)}),
    "width": (2, lambda n: (2, 8, 3, n), {3: live(most=MOST)}),
    "channels": (2, lambda n: (2, 4 * n, 3, 4), {1: 4 * live(most=MOST)}),
    "an image": (2, lambda n: (4, n, n), {1: live(most=MOST), 2: live(most=MOST)}),
}


@pytest.mark.parametrize("name", SHUFFLES)
def test_pixel_shuffle(name):
    factor, dims, dynamic = SHUFFLES[name]
    check_live(
        nn.PixelShuffle(factor),
        lambda n: (torch.randn(dims(n)),),
        (dynamic,),
        ops=[SHUFFLE],
        lengths=LENGTHS,
        tolerance=EXACT,
        kinds=BOTH_KINDS,
    )


def test_pixel_shuffle_of_nothing_and_of_too_few_channels():
    module = nn.PixelShuffle(2)
    program = check_live(
        module,
        lambda n: (torch.randn(n, 12, 3, 5),),
        ({0: live(least=0, most=4), 1: 4 * live("c", most=3)},),
        lengths=(4, 0, 3, 4),
        tolerance=EXACT,
    )
    program.check_rejects(torch.randn(2, 10, 3, 5))
    program.check(module, torch.randn(2, 4, 3, 5), tolerance=EXACT)


def test_pixel_shuffle_of_halves():
    check_live(
        nn.PixelShuffle(2),
        lambda n: (torch.randn(2, 8, n, 3).half(),),
        ({2: live(most=MOST)},),
        ops=[SHUFFLE],
        lengths=LENGTHS,
        tolerance=EXACT,
        kinds=BOTH_KINDS,
    )


def test_a_network_of_halves():
    """float32 for the caller, float16 on the device."""
    check_live(
        Fn(lambda x: F.pixel_shuffle(linear(scale_factor=2.0)(F.avg_pool2d(x, 2)), 2)),
        lambda n: (torch.randn(2, 8, n, 12),),
        shapes({2: 2 * live(least=2, most=MOST // 2)}),
        lengths=(40, 31, 7, 2, 40),
        tolerance=Tolerance(1e-2, 1e-2),
        kinds=BOTH_KINDS,
        force_fp16=True,
    )
