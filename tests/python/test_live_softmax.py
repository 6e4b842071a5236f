"""Softmax and its logarithm at live lengths, along every dim."""

import pytest
import torch
from support import lowering
from support.live import HALF, LENGTHS, LiveProgram, Tolerance, check_live
from support.modules import Fn, Together, live, shapes

SOFTMAX = Tolerance(1e-5, 1e-4)

OPS = ("aten._softmax.default", "aten._log_softmax.default")

# name: shape at length n, the live dim, the dim of the softmax
PLACES = {
    "the last dim, live first": (lambda n: (n, 24), 0, -1),
    "the last dim, odd, live first": (lambda n: (n, 7), 0, 1),
    "the last dim, by twos, live first": (lambda n: (n, 10), 0, 1),
    "the last dim, longer than a workgroup": (lambda n: (n, 300), 0, 1),
    "the last dim, odd and long": (lambda n: (n, 197), 0, 1),
    "the last dim, itself live": (lambda n: (5, n), 1, -1),
    "attention": (lambda n: (1, 4, n, n), (2, 3), -1),
    "rank 1": (lambda n: (n,), 0, 0),
    "the first dim, live": (lambda n: (n, 24), 0, 0),
    "the first dim, live, odd columns": (lambda n: (n, 7), 0, 0),
    "the middle dim, live": (lambda n: (3, n, 8), 1, 1),
    "the middle dim, live, odd columns": (lambda n: (3, n, 5), 1, -2),
    "channels, live first": (lambda n: (n, 6, 4, 4), 0, 1),
    "channels, live last": (lambda n: (2, 6, n), 2, 1),
}


def both(dim):
    return Together(
        {"softmax": lambda x: x.softmax(dim), "log_softmax": lambda x: x.log_softmax(dim)}
    )


@pytest.mark.parametrize("place", PLACES)
def test_places(place):
    shape, at, dim = PLACES[place]
    size = live()
    at = at if isinstance(at, tuple) else (at,)
    check_live(
        both(dim),
        lambda n: (torch.randn(shape(n)) * 3,),
        shapes(dict.fromkeys(at, size)),
        ops=OPS,
        tolerance=SOFTMAX,
    )


@pytest.mark.parametrize("width", [50257, 128256])
def test_a_whole_vocabulary(width):
    """More rounds than a software adapter allows one invocation."""
    check_live(
        both(-1),
        lambda n: (torch.randn(1, n, width),),
        shapes({1: live(most=5)}),
        ops=OPS,
        lengths=(5, 3, 1, 4, 5),
        tolerance=SOFTMAX,
    )


@pytest.mark.parametrize("dim", [1, 2])
def test_large_and_small_values(dim):
    check_live(
        both(dim),
        lambda n: (torch.randn(1, n, 33) * torch.logspace(-3, 3, n).reshape(1, n, 1),),
        shapes({1: live()}),
        ops=OPS,
        tolerance=SOFTMAX,
    )


@pytest.mark.parametrize("dim", [1, 2])
def test_masked_with_minus_infinity(dim):
    """A causal mask; at the first place of each row nothing is masked."""

    def inputs(n):
        mask = torch.full((n, n), -torch.inf)
        mask = mask.triu(1) if dim == 2 else mask.tril(-1)
        return torch.randn(2, n, n), mask

    size = live()
    check_live(
        Fn(lambda x, mask: torch.softmax(x + mask, dim)),
        inputs,
        shapes({1: size, 2: size}, {0: size, 1: size}),
        ops=["aten._softmax.default"],
        tolerance=SOFTMAX,
    )


@pytest.mark.parametrize("width", [24, 7])
@pytest.mark.parametrize("dim", [0, 1])
def test_half(width, dim):
    check_live(
        Fn(lambda x: torch.softmax(x, dim)),
        lambda n: (torch.randn(n, width).half(),),
        shapes({0: live()}),
        ops=["aten._softmax.default"],
        tolerance=HALF,
    )


@pytest.mark.parametrize("dim", [0, 1])
def test_empty(dim):
    module = Fn(lambda x: torch.softmax(x, dim))
    pte = lowering.lower(module, (torch.randn(128, 6),), shapes({0: live(least=0)}))
    program = LiveProgram(pte)
    for length in (0, *LENGTHS, 0):
        program.check(module, torch.randn(length, 6), tolerance=SOFTMAX)


def test_two_live_dims():
    module = Fn(lambda x: torch.softmax(x, -1))
    dynamic = shapes({0: live("q"), 1: live("k")})
    program = LiveProgram(lowering.lower(module, (torch.randn(128, 128),), dynamic))
    for queries, keys in ((128, 128), (1, 128), (1, 3), (37, 64), (127, 1), (128, 128)):
        program.check(module, torch.randn(queries, keys), tolerance=SOFTMAX)
