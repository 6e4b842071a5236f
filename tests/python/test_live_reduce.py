"""Reductions at live lengths: over the live dim, beside it, over several dims and over all."""

import pytest
import torch
from support import lowering
from support.live import EXACT, FLOAT, HALF, LENGTHS, LiveProgram, Tolerance, check_live
from support.modules import Fn, Together, live, shapes

# Sums that cancel are compared by the size of what went into them.
SUM = Tolerance(1e-4, 1e-5)

# name: function of (x, dims, keepdim), operator, tolerance
OPS = {
    "sum": (lambda x, d, k: x.sum(d, keepdim=k), "aten.sum.dim_IntList", SUM),
    "mean": (lambda x, d, k: x.mean(d, keepdim=k), "aten.mean.dim", FLOAT),
    "amax": (lambda x, d, k: x.amax(d, keepdim=k), "aten.amax.default", EXACT),
    "amin": (lambda x, d, k: x.amin(d, keepdim=k), "aten.amin.default", EXACT),
    "argmax": (lambda x, d, k: x.argmax(d, keepdim=k), "aten.argmax.default", EXACT),
    "argmin": (lambda x, d, k: x.argmin(d, keepdim=k), "aten.argmin.default", EXACT),
}

# name: shape at length n, the live dim, the reduced dim
PLACES = {
    "the last dim, live first": (lambda n: (n, 24), 0, -1),
    "the last dim, live in the middle": (lambda n: (2, n, 24), 1, -1),
    "the last dim, odd": (lambda n: (n, 3, 7), 0, -1),
    "the last dim, longer than a workgroup": (lambda n: (n, 300), 0, 1),
    "the last dim, itself live": (lambda n: (5, n), 1, -1),
    "all there is, live": (lambda n: (n,), 0, 0),
    "the first dim, live": (lambda n: (n, 24), 0, 0),
    "the first dim, live, odd columns": (lambda n: (n, 7), 0, 0),
    "the first dim, live last": (lambda n: (3, n), 1, 0),
    "the middle dim, live": (lambda n: (3, n, 8), 1, 1),
    "the middle dim, live, odd columns": (lambda n: (2, n, 5), 1, -2),
    "the middle dim, live first": (lambda n: (n, 6, 4), 0, 1),
    "the middle dim, live last": (lambda n: (2, 6, n), 2, 1),
}


def check_ops(ops, dims, make_inputs, dynamic, keepdim=True, **options):
    """Each of these ops over the same dims of the same input."""
    chosen = {op: OPS[op] for op in ops}

    def along(function):
        return lambda x: function(x, dims, keepdim)

    check_live(
        Together({op: along(function) for op, (function, _, _) in chosen.items()}),
        make_inputs,
        shapes(dynamic),
        ops=[name for _, name, _ in chosen.values()],
        **{"tolerance": {op: tolerance for op, (_, _, tolerance) in chosen.items()}, **options},
    )


@pytest.mark.parametrize("place", PLACES)
def test_places(place):
    shape, at, dim = PLACES[place]
    ops = ["mean", "amin", "argmax"]
    check_ops(ops, dim, lambda n: (torch.randn(shape(n)),), {at: live()})


@pytest.mark.parametrize("keepdim", [True, False], ids=["kept", "dropped"])
def test_every_op_along_the_last_dim(keepdim):
    check_ops(OPS, -1, lambda n: (torch.randn(3, n, 12),), {1: live()}, keepdim)


# name: shape at length n, the live dim, the reduced dims
SEVERAL = {
    "the last two": (lambda n: (n, 3, 5, 8), 0, (-1, -2)),
    "the last two, one live": (lambda n: (2, 3, n, 8), 2, (2, 3)),
    "the last two, odd": (lambda n: (2, 3, n, 7), 2, (2, 3)),
    "the first two": (lambda n: (2, n, 8), 1, (0, 1)),
    "first and last": (lambda n: (2, n, 8), 1, (0, 2)),
    "first and last, both beside the live one": (lambda n: (3, n, 6, 4), 1, (1, 3)),
}


@pytest.mark.parametrize("dims", SEVERAL)
def test_several_dims(dims):
    shape, at, reduced = SEVERAL[dims]
    ops = ["sum", "mean", "amax"]
    check_ops(ops, reduced, lambda n: (torch.randn(shape(n)),), {at: live()})


# Widths about the vector and workgroup sizes.
@pytest.mark.parametrize("width", [1, 3, 4, 63, 64, 65, 257, 1024])
def test_widths(width):
    check_ops(["sum", "argmin"], -1, lambda n: (torch.randn(n, width),), {0: live()})


def test_the_first_of_equals():
    def inputs(n):
        return (torch.randint(0, 3, (n, 200)).float(),)

    check_ops(["argmax", "argmin"], -1, inputs, {0: live()})


def test_infinities():
    def inputs(n):
        x = torch.full((n, 70), -torch.inf)
        x[: n // 2, 69] = torch.inf
        return (x,)

    check_ops(["amax", "argmax"], -1, inputs, {0: live()})


def test_half():
    def inputs(n):
        return (torch.randn(n, 30).half(),)

    check_ops(["sum", "mean", "amax"], -1, inputs, {0: live()}, tolerance=HALF)


def test_a_long_sum_of_small_numbers():
    """Added one by one to a large sum, each of them would be rounded the same way."""
    check_live(
        Fn(lambda x: x.mean(-1, keepdim=True)),
        lambda n: (torch.full((2, n * 4001), 0.1) + 1e-3 * torch.randn(2, 1),),
        shapes({1: 4001 * live("k", most=64)}),
        ops=["aten.mean.dim"],
        lengths=(64, 37, 1, 64),
    )


def test_a_long_walk_of_two_dims():
    check_live(
        Fn(lambda x: x.amax((0, 2), keepdim=True)),
        lambda n: (torch.randn(300, n, 301),),
        shapes({1: live(most=4)}),
        ops=["aten.amax.default"],
        lengths=(4, 3, 1, 4),
        tolerance=EXACT,
    )


def test_a_sum_of_nothing_is_zero():
    module = Fn(lambda x: x.sum(1, keepdim=True))
    pte = lowering.lower(module, (torch.randn(5, 128),), shapes({1: live(least=0)}))
    lowering.assert_delegated(pte, "aten.sum.dim_IntList")
    program = LiveProgram(pte)
    for length in (0, *LENGTHS, 0):
        program.check(module, torch.randn(5, length))


def test_the_largest_of_nothing_is_an_error():
    module = Fn(lambda x: x.amax(1, keepdim=True))
    pte = lowering.lower(module, (torch.randn(5, 128),), shapes({1: live(least=0)}))
    program = LiveProgram(pte)
    with pytest.raises(RuntimeError, match=r"amax.*no elements to choose from in dims \[5, 0\]"):
        program.run(torch.randn(5, 0))
    program.check(module, torch.randn(5, 37), tolerance=EXACT)


def test_reducing_rows_of_which_there_are_none():
    module = Fn(lambda x: (x.sum(1, keepdim=True), x.amax(1, keepdim=True)))
    pte = lowering.lower(module, (torch.randn(128, 5),), shapes({0: live(least=0)}))
    program = LiveProgram(pte)
    for length in (0, 3, 0, 128):
        program.check(module, torch.randn(length, 5))


def test_two_live_dims():
    module = Fn(lambda x: x.mean(1, keepdim=True))
    dynamic = shapes({0: live("b", most=16), 1: live()})
    pte = lowering.lower(module, (torch.randn(16, 128, 20),), dynamic)
    lowering.assert_delegated(pte, "aten.mean.dim")
    program = LiveProgram(pte)
    for batch, length in zip((16, 3, 1, 7, 16, 2), LENGTHS, strict=True):
        program.check(module, torch.randn(batch, length, 20))


def test_mean_pooling_of_live_tokens():
    """What a sentence encoder does with its tokens."""

    def pool(x, mask):
        weights = mask.unsqueeze(-1)
        return (x * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True)

    check_live(
        Fn(pool),
        lambda n: (torch.randn(2, n, 32), (torch.rand(2, n) > 0.3).float() + 0.01),
        shapes({1: live()}, {1: live()}),
        ops=["aten.sum.dim_IntList"],
    )
