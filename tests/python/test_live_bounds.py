"""The ends of the range: no rows at all, one row, the bound, and beyond it."""

import pytest
import torch
from support.live import FLOAT, LENGTHS, RMS, LiveProgram, check_live
from support.lowering import lower
from support.modules import WIDTH, Fn, RmsNorm, live, rms_norm, shapes
from torch import nn

# From rows to none and back, twice, so that nothing of an earlier run can stand in for a result.
WITH_ZERO = (128, 0, 37, 0, 1, 128)

# name: function, shape at length n, dynamic dim
EMPTY = {
    "elementwise": (lambda x: torch.sigmoid(x) * 2.0 + x, lambda n: (n, 24), 0),
    "norm in a residual": (
        lambda x: rms_norm(x, torch.linspace(0.5, 1.5, WIDTH)) + x,
        lambda n: (1, n, WIDTH),
        1,
    ),
    "cast": (lambda x: x.to(torch.int32), lambda n: (n, 23), 0),
    "view and permute": (
        lambda x: x.view(1, x.shape[1], 8, 8).transpose(1, 2),
        lambda n: (1, n, 64),
        1,
    ),
    "cat with rows": (
        lambda x: torch.cat([x, torch.ones(3, 24)], 0) * 2.0,
        lambda n: (n, 24),
        0,
    ),
    "columns of it": (lambda x: x[:, 2:7], lambda n: (n, 24), 0),
    "the live dim last": (lambda x: x * x, lambda n: (3, n), 1),
    "a layer": (nn.Linear(24, 16), lambda n: (1, n, 24), 1),
    "a product over it": (lambda x: x.transpose(0, 1) @ x, lambda n: (n, 12), 0),
    "softmax along it": (lambda x: torch.softmax(x, -1), lambda n: (5, n), 1),
    "attention": (
        lambda x: torch.softmax(x @ x.transpose(1, 2), -1) @ x,
        lambda n: (2, n, 12),
        1,
    ),
    "padding it": (lambda x: nn.functional.pad(x, (1, 2)), lambda n: (4, n), 1),
    "a range": (lambda x: torch.arange(x.shape[0]) + x[:, 0], lambda n: (n, 9), 0),
}


@pytest.mark.parametrize("graph", EMPTY)
def test_no_rows(graph):
    function, shape, dim = EMPTY[graph]
    check_live(
        Fn(function),
        lambda n: (torch.randn(shape(n)),),
        shapes({dim: live(least=0)}),
        lengths=WITH_ZERO,
        tolerance=RMS,
    )


@pytest.mark.parametrize("bound", [1, 2, 3, 127, 129, 1000])
def test_bounds_that_are_no_power_of_two(bound):
    lengths = sorted({1, bound, max(1, bound - 1), bound // 2 + 1}, reverse=True)
    # A bound of 1 leaves nothing dynamic, as torch sees it.
    dynamic = ({1: live(most=bound)},) if bound > 1 else None
    check_live(
        RmsNorm(),
        lambda n: (torch.randn(1, n, WIDTH),),
        dynamic,
        lengths=(*lengths, bound),
        tolerance=RMS,
    )


def test_every_length_in_a_row():
    module = Fn(lambda x: torch.relu(x) + x)
    program = LiveProgram(lower(module, (torch.randn(40, 6),), shapes({0: live(most=40)})))
    for length in (*range(1, 41), *range(40, 0, -1)):
        program.check(module, torch.randn(length, 6))


def test_over_the_bound_at_the_first_call():
    module = RmsNorm()
    program = LiveProgram(lower(module, (torch.randn(1, 128, WIDTH),), ({1: live()},)))
    program.check_rejects(torch.randn(1, 129, WIDTH))
    for length in LENGTHS:
        program.check(module, torch.randn(1, length, WIDTH), tolerance=RMS)


def test_rejected_calls_between_good_ones_change_nothing():
    module = Fn(lambda x, y: rms_norm(x, 1.5) + y)
    inputs = (torch.randn(128, WIDTH), torch.randn(128, WIDTH))
    program = LiveProgram(lower(module, inputs, shapes({0: live()}, {0: live()})))
    for length in LENGTHS:
        program.check_rejects(torch.randn(300, WIDTH), torch.randn(300, WIDTH))
        program.check(module, torch.randn(length, WIDTH), torch.randn(length, WIDTH), tolerance=RMS)


def test_operands_that_do_not_broadcast_are_an_error_and_not_an_answer():
    """Each input is within its bound, only together they make no sense."""
    module = Fn(lambda x, y: (x + y) * 2.0)
    inputs = (torch.randn(128, 24), torch.randn(128, 24))
    program = LiveProgram(lower(module, inputs, shapes({0: live()}, {0: live()})))
    good = (torch.randn(64, 24), torch.randn(64, 24))
    program.check(module, *good, tolerance=FLOAT)
    program.check_rejects(torch.randn(100, 24), torch.randn(37, 24))
    program.check(module, *good, tolerance=FLOAT)
    program.check(module, torch.randn(37, 24), torch.randn(37, 24), tolerance=FLOAT)


def test_many_rows_fold_over_the_grid():
    """More rows than the 65,535 workgroups of one grid dim."""
    check_live(
        RmsNorm(4),
        lambda n: (torch.randn(1, n, 4),),
        ({1: live(most=70_001)},),
        lengths=(70_001, 65_536, 65_535, 3, 70_001),
        tolerance=RMS,
    )


def test_many_elements_fold_over_the_grid():
    check_live(
        Fn(lambda x: torch.neg(x)),
        lambda n: (torch.randn(n, 64),),
        shapes({0: live(most=70_001)}),
        lengths=(70_001, 65_537, 1, 70_001),
        over_bound=False,
    )
