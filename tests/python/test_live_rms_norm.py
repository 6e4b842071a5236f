"""RMS norm at live lengths: alone, chained, in residuals, with weights of every shape."""

import pytest
import torch
from support import lowering
from support.live import BOTH_KINDS, LENGTHS, RMS, LiveProgram, check_live
from support.modules import WIDTH, Fn, RmsNorm, Together, live, rms_norm, shapes
from support.side_by_side import Case, check_side_by_side
from torch import nn

RMS_NORM = "et_vk.rms_norm.default"


class Graph(nn.Module):
    """Combines the input with one or two norms of it, as a transformer block does."""

    def __init__(self, combine):
        super().__init__()
        self.first = RmsNorm()
        self.second = RmsNorm(start=1.5, stop=0.5)
        self.combine = combine

    def forward(self, x):
        return self.combine(x, self.first, self.second)


GRAPHS = {
    "rms(x)": lambda x, f, g: f(x),
    "rms(rms(x))": lambda x, f, g: g(f(x)),
    "rms(x) + x": lambda x, f, g: f(x) + x,
    "x + rms(rms(x))": lambda x, f, g: x + g(f(x)),
    "rms(x) * x": lambda x, f, g: f(x) * x,
    "rms(x) + rms(rms(x)) * x": lambda x, f, g: f(x) + g(f(x)) * x,
}


def graphs():
    return Together({name: Graph(combine) for name, combine in GRAPHS.items()})


def test_graphs_of_norms():
    check_live(
        graphs(),
        lambda n: (torch.randn(1, n, WIDTH),),
        shapes({1: live()}),
        ops=[RMS_NORM],
        tolerance=RMS,
    )


def test_static_graphs_of_norms():
    module = graphs()
    pte = lowering.lower(module, (torch.randn(1, 8, WIDTH),))
    lowering.assert_delegated(pte, RMS_NORM)
    program = LiveProgram(pte)
    for _ in range(3):
        program.check(module, torch.randn(1, 8, WIDTH), tolerance=RMS)


# Widths about the vector and workgroup sizes: one lane, not a multiple of 4, one over a power of 2.
WIDTHS = (1, 3, 4, 60, 64, 65, 257, 1024)


def test_widths():
    def case(width):
        return Case(RmsNorm(width), lambda n: (torch.randn(1, n, width),), ({1: live()},))

    check_side_by_side(
        {f"width {width}": case(width) for width in WIDTHS}, ops=[RMS_NORM], tolerance=RMS
    )


RANKS = {
    "[S, H]": (lambda n: (n, WIDTH), {0: live()}),
    "[1, S, H]": (lambda n: (1, n, WIDTH), {1: live()}),
    "[S, 3, H]": (lambda n: (n, 3, WIDTH), {0: live()}),
    "[3, S, H]": (lambda n: (3, n, WIDTH), {1: live()}),
    "[1, 8, S, H], heads first": (lambda n: (1, 8, n, WIDTH), {2: live()}),
}


def test_ranks():
    def case(shape, dynamic):
        return Case(RmsNorm(), lambda n: (torch.randn(shape(n)),), (dynamic,))

    check_side_by_side(
        {name: case(*rank) for name, rank in RANKS.items()}, ops=[RMS_NORM], tolerance=RMS
    )


# The weight as an input: the shape for a length n, and its dynamic dims.
WEIGHTS = {
    "[H]": (lambda n: (WIDTH,), None),
    "[1, H]": (lambda n: (1, WIDTH), None),
    "[1, 1, H]": (lambda n: (1, 1, WIDTH), None),
    "[1]": (lambda n: (1,), None),
    "a scalar": (lambda n: (), None),
    "[S, 1]": (lambda n: (n, 1), {0: live()}),
    "[S, H]": (lambda n: (n, WIDTH), {0: live()}),
    "[1, S, H]": (lambda n: (1, n, WIDTH), {1: live()}),
    "[3, 1, H], more than the input": (lambda n: (3, 1, WIDTH), None),
}


def test_weights_of_any_broadcastable_shape():
    def case(shape, dynamic):
        def make_inputs(n):
            return torch.randn(1, n, WIDTH), torch.randn(shape(n))

        return Case(rms_norm, make_inputs, ({1: live()}, dynamic))

    check_side_by_side(
        {name: case(*weight) for name, weight in WEIGHTS.items()}, ops=[RMS_NORM], tolerance=RMS
    )


COMPUTED_WEIGHTS = {
    "1 + w": lambda x, w: rms_norm(x, 1.0 + w),
    "sigmoid(w)": lambda x, w: rms_norm(x, torch.sigmoid(w)),
    "rms(w)": lambda x, w: rms_norm(x, rms_norm(w, 1.0 + w)),
}


def test_a_computed_weight():
    check_live(
        Together(COMPUTED_WEIGHTS),
        lambda n: (torch.randn(1, n, WIDTH), torch.randn(1, n, WIDTH)),
        shapes({1: live()}, {1: live()}),
        ops=[RMS_NORM],
        tolerance=RMS,
    )


def test_the_normalized_dim_itself_is_live():
    check_live(
        Fn(rms_norm),
        lambda n: (torch.randn(4, n), torch.randn(n)),
        shapes({1: live()}, {0: live()}),
        ops=[RMS_NORM],
        tolerance=RMS,
    )


def rms_norm_of_sum(x, y, weight):
    return rms_norm(x + y, weight)


def test_the_normalized_dim_of_a_sum_is_live():
    check_live(
        Fn(rms_norm_of_sum),
        lambda n: (torch.randn(4, n), torch.randn(4, n), torch.randn(n)),
        shapes({1: live()}, {1: live()}, {0: live()}),
        tolerance=RMS,
    )


# Two walks along 131,072 elements are 65,536 rounds by quads: one more than Mesa's software adapter
# gives the loops of an invocation.
LONG_WIDTHS = (32_768, 32_772, 131_068, 131_072, 262_144)


def test_rows_about_the_longest_walk():
    def case(width):
        of_x, of_sum = RmsNorm(width), RmsNorm(width)
        return Case(
            Together({"of x": of_x, "of a sum": lambda x: of_sum(x + x)}),
            lambda n: (torch.randn(n, width),),
            ({0: live(most=5)},),
        )

    check_side_by_side(
        {f"width {width}": case(width) for width in LONG_WIDTHS},
        tolerance=RMS,
        lengths=(5, 3, 1, 5),
        kinds=BOTH_KINDS,
    )


def test_rows_that_are_too_long_are_refused_and_the_next_call_is_right():
    """Those that are no whole quads are walked by one invocation, four rows at a time."""
    width = 20_000
    pte = lowering.lower(
        Fn(rms_norm),
        (torch.randn(5, width), torch.randn(width)),
        shapes({1: live(most=width)}, {0: live(most=width)}),
    )
    lowering.assert_delegated(pte, RMS_NORM)
    program = LiveProgram(pte)
    for length in (width, 14_999, 1, width):
        program.check(Fn(rms_norm), torch.randn(5, length), torch.randn(length), tolerance=RMS)
        with pytest.raises(RuntimeError, match=r"rms_norm.*60004 rounds of rms_norm_scale.*60000"):
            program.run(torch.randn(5, 15_001), torch.randn(15_001))


def test_batch_and_length_are_live_together():
    module = RmsNorm()
    dynamic = ({0: live("b", most=16), 1: live()},)
    pte = lowering.lower(module, (torch.randn(16, 128, WIDTH),), dynamic)
    lowering.assert_delegated(pte, RMS_NORM)
    program = LiveProgram(pte)
    for batch, length in zip((16, 3, 1, 7, 16, 2), LENGTHS, strict=True):
        program.check(module, torch.randn(batch, length, WIDTH), tolerance=RMS)


def test_large_and_small_values():
    check_live(
        RmsNorm(),
        lambda n: (torch.randn(1, n, WIDTH) * torch.logspace(-3, 4, n).reshape(1, n, 1),),
        ({1: live()},),
        tolerance=RMS,
    )
