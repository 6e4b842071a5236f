"""Pooling and unfolding: windows over dims that are live, or beside them."""

import pytest
import torch
import torch.nn.functional as F
from support.exporter_gates import opened
from support.live import BOTH_KINDS, EXACT, FLOAT, HALF, check_live
from support.modules import Fn, Together, live, shapes
from torch import nn

MAX = "aten.max_pool2d_with_indices.default"
MEAN = "aten.avg_pool2d.default"
UNFOLD = "aten.unfold_copy.default"

MOST = 40
LENGTHS = (40, 31, 7, 23, 5, 1, 40)


def with_places(*args, **options):
    return nn.MaxPool2d(*args, return_indices=True, **options)


# name: module, operator, tolerance
POOLS = {
    "largest of 2 by 2": (with_places(2), MAX, EXACT),
    "largest, padded": (with_places(3, 2, 1), MAX, EXACT),
    "largest, spread": (with_places((3, 2), 1, 1, (2, 3)), MAX, EXACT),
    "largest, the last cut off": (with_places(3, 2, ceil_mode=True), MAX, EXACT),
    "mean of 2 by 2": (nn.AvgPool2d(2), MEAN, FLOAT),
    "mean with the padding": (nn.AvgPool2d(3, 2, 1), MEAN, FLOAT),
    "mean without the padding": (nn.AvgPool2d(3, 2, 1, count_include_pad=False), MEAN, FLOAT),
    "mean, oblong": (nn.AvgPool2d((2, 3), (1, 2), (1, 0)), MEAN, FLOAT),
    "mean by a divisor": (nn.AvgPool2d(3, 2, 1, divisor_override=5), MEAN, FLOAT),
    "mean, the last cut off": (nn.AvgPool2d(3, 2, 1, ceil_mode=True), MEAN, FLOAT),
    "mean, the last cut off, without the padding": (
        nn.AvgPool2d((3, 4), (2, 3), (1, 2), ceil_mode=True, count_include_pad=False),
        MEAN,
        FLOAT,
    ),
}


def in_steps(pool, dim: int):
    """A live size from which torch knows whether the last window is cut off: a few of all."""
    if not pool.ceil_mode:
        return live(f"s{dim}", least=8, most=MOST)
    stride = pool.stride if isinstance(pool.stride, int) else pool.stride[dim - 2]
    return stride * live(f"s{dim}", least=4, most=MOST // stride)


def smallest_size(pool, dim: int) -> int:
    """That it takes. The engine runs at all sizes, also between those that were exported."""
    axis = dim - 2
    window, padding = (
        x if isinstance(x, int) else x[axis] for x in (pool.kernel_size, pool.padding)
    )
    dilation = getattr(pool, "dilation", 1)
    dilation = dilation if isinstance(dilation, int) else dilation[axis]
    return max(dilation * (window - 1) + 1 - 2 * padding, 1)


def check_pools(pools, make_inputs, dynamic, lengths):
    """Each of these pools of the same images."""
    rows = {name: POOLS[name] for name in pools}
    check_live(
        Together({name: module for name, (module, _, _) in rows.items()}),
        make_inputs,
        shapes(dynamic),
        ops={op for _, op, _ in rows.values()},
        lengths=lengths,
        tolerance={name: tolerance for name, (_, _, tolerance) in rows.items()},
        kinds=BOTH_KINDS,
    )


@pytest.mark.parametrize("dim", [0, 1], ids=["batch", "channels"])
def test_pools_of_many_planes(dim):
    def images(n):
        return (torch.randn(n, 3, 9, 11) if dim == 0 else torch.randn(2, n, 9, 11),)

    check_pools(POOLS, images, {dim: live(most=MOST)}, LENGTHS)


# Those for which torch exports the same sizes; apart from them such as take a single row or column.
PADDED = [
    *("largest, padded", "mean with the padding", "mean without the padding", "mean by a divisor"),
]
ALIKE = {
    "padded windows": PADDED,
    "other windows": [
        name for name, row in POOLS.items() if not row[0].ceil_mode and name not in PADDED
    ],
    "steps of 2, padded": ["mean, the last cut off"],
    "steps of 2": ["largest, the last cut off"],
    "steps of 3": ["mean, the last cut off, without the padding"],
}


@pytest.mark.parametrize("pools", ALIKE)
@pytest.mark.parametrize("dim", [2, 3], ids=["height", "width"])
def test_pools_of_live_planes(pools, dim):
    def images(n):
        return (torch.randn(2, 3, n, 12) if dim == 2 else torch.randn(2, 3, 12, n),)

    modules = [POOLS[name][0] for name in ALIKE[pools]]
    size = in_steps(modules[0], dim)
    least = max(smallest_size(module, dim) for module in modules)
    lengths = tuple(n for n in (size.max, 31, 7, 23, 5, least, size.max) if least <= n <= size.max)
    check_pools(ALIKE[pools], images, {dim: size}, lengths)


@pytest.mark.parametrize("pools", ALIKE)
def test_pools_of_images_of_any_size(pools):
    height, width = (in_steps(POOLS[ALIKE[pools][0]][0], dim) for dim in (2, 3))
    most = (height.max, width.max)
    check_pools(
        ALIKE[pools],
        lambda size: (torch.randn(3, *size),),
        {1: height, 2: width},
        (most, (31, 7), (8, 37), (13, 13), most),
    )


# From 256 elements on a workgroup shares a window on a GPU.
@pytest.mark.parametrize("pool", [with_places((29, 17)), nn.AvgPool2d((29, 17))])
def test_large_windows(pool):
    check_live(
        pool,
        lambda n: (torch.randn(n, 3, 31, 40),),
        ({0: live(most=5)},),
        lengths=(5, 2, 1, 3, 5),
        tolerance=FLOAT,
        kinds=BOTH_KINDS,
    )


def test_a_window_that_is_too_large():
    program = check_live(
        nn.MaxPool2d((3, 2)),
        lambda n: (torch.randn(1, 3, n, 12),),
        ({2: live(least=8, most=MOST)},),
        lengths=(MOST, 3, 5),
    )
    program.check_rejects(torch.randn(1, 3, 2, 12))
    program.check_rejects(torch.randn(1, 3, 0, 12))
    program.check(nn.MaxPool2d((3, 2)), torch.randn(1, 3, 4, 12), tolerance=EXACT)


def test_no_images():
    program = check_live(
        with_places(2),
        lambda n: (torch.randn(n, 3, 6, 6),),
        ({0: live(least=0, most=4)},),
        lengths=(4, 0, 3, 0, 4),
        kinds=BOTH_KINDS,
    )
    program.check(with_places(2), torch.randn(2, 3, 6, 6), tolerance=EXACT)


@pytest.mark.parametrize("window", [2, 20], ids=["small windows", "shared windows"])
def test_infinities_and_nans(window):
    nan, inf = float("nan"), float("inf")

    def extremes(n):
        x = torch.randn(n, 2, 40, 40)
        x[:, :, :, :20] = -inf
        x[:, 0, ::7, ::5] = nan
        x[:, 1, 3, 25] = inf
        return (x,)

    check_live(
        with_places(window, padding=1),
        extremes,
        ({0: live(most=4)},),
        lengths=(4, 1, 3),
        tolerance=EXACT,
        kinds=BOTH_KINDS,
    )


def test_equal_elements_are_found_where_torch_finds_them():
    check_live(
        with_places((16, 17), 3, 8),
        lambda n: (torch.randint(3, (n, 2, 33, 35)).float(),),
        ({0: live(most=4)},),
        lengths=(4, 1, 3),
        tolerance=EXACT,
        kinds=BOTH_KINDS,
    )


def test_pools_of_halves():
    def pools(x):
        return F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 3, 2, 1)

    check_live(
        Fn(pools),
        lambda size: (torch.randn(2, 3, *size).half(),),
        shapes({2: live("h", least=8, most=MOST), 3: live("w", least=8, most=MOST)}),
        ops=[MAX, MEAN],
        lengths=((40, 40), (31, 7), (9, 38), (1, 1), (40, 40)),
        tolerance=HALF,
        kinds=BOTH_KINDS,
    )


def test_pools_of_integers():
    with opened(MAX, MEAN):
        check_live(
            Fn(lambda x: (F.max_pool2d(x, 3, 2, 1, return_indices=True), F.avg_pool2d(x, 3, 2, 1))),
            lambda n: (torch.randint(-99, 99, (n, 2, 11, 13)),),
            shapes({0: live(most=9)}),
            ops=[MAX, MEAN],
            lengths=(9, 1, 4, 9),
            kinds=BOTH_KINDS,
        )


# name: function, shape at length n, live dim, least length to export
UNFOLDS = {
    "rows, in steps": (lambda x: x.unfold(0, 3, 2), lambda n: (n, 5), 0, 5),
    "rows, one after the other": (lambda x: x.unfold(0, 3, 1), lambda n: (n, 5), 0, 4),
    "rows, with gaps": (lambda x: x.unfold(0, 2, 7), lambda n: (n, 4), 0, 9),
    "columns beside live rows": (lambda x: x.unfold(-1, 4, 4), lambda n: (n, 18), 0, 1),
    "live columns": (lambda x: x.unfold(-1, 4, 3), lambda n: (3, n), 1, 8),
    "the middle dim": (lambda x: x.unfold(1, 2, 1), lambda n: (2, n, 3), 1, 3),
    "patches": (lambda x: x.unfold(1, 2, 2).unfold(2, 3, 3), lambda n: (3, 8, n), 2, 6),
}


@pytest.mark.parametrize("name", UNFOLDS)
def test_unfolding(name):
    function, shape, dim, least = UNFOLDS[name]
    check_live(
        Fn(function),
        lambda n: (torch.randn(shape(n)),),
        shapes({dim: live(least=least, most=MOST)}),
        ops=[UNFOLD],
        lengths=(MOST, 31, 7, 23, max(least, 4), MOST),
        tolerance=EXACT,
        kinds=BOTH_KINDS,
    )


def test_pieces_that_are_too_long():
    program = check_live(
        Fn(lambda x: x.unfold(0, 3, 2)),
        lambda n: (torch.randn(n, 5),),
        shapes({0: live(least=5, most=MOST)}),
        lengths=(MOST, 3, 4),
        tolerance=EXACT,
    )
    program.check_rejects(torch.randn(2, 5))
    program.check_rejects(torch.randn(0, 5))
    program.check(Fn(lambda x: x.unfold(0, 3, 2)), torch.randn(6, 5), tolerance=EXACT)
