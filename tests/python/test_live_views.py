"""Operators that only rearrange: views, permutes, squeezes, expands, at live lengths."""

import pytest
import torch
from support.live import EXACT, LENGTHS, LiveProgram, check_live
from support.lowering import assert_delegated, lower
from support.modules import Fn, live, shapes

VIEW = "aten.view_copy.default"
PERMUTE = "aten.permute_copy.default"
SQUEEZE = "aten.squeeze_copy.dims"
UNSQUEEZE = "aten.unsqueeze_copy.default"
EXPAND = "aten.expand_copy.default"

# name: function, shape at length n, dynamic dims, operators
GRAPHS = {
    "view, -1 takes the live dim": (
        lambda x: x.view(-1, 12),
        lambda n: (n, 24),
        {0: live()},
        [VIEW],
    ),
    "view, flat": (lambda x: x.reshape(-1), lambda n: (n, 5, 7), {0: live()}, [VIEW]),
    "view, live scalar": (
        lambda x: x.view(x.shape[0], 4, 6),
        lambda n: (n, 24),
        {0: live()},
        ["sym_size.int", VIEW],
    ),
    "view, product of a live scalar": (
        lambda x: x.reshape(x.shape[0] * 24),
        lambda n: (n, 24),
        {0: live()},
        ["mul", VIEW],
    ),
    "view, the live dim in the middle": (
        lambda x: x.view(6, x.shape[2], 5),
        lambda n: (2, 3, n, 5),
        {2: live()},
        [VIEW],
    ),
    "heads from a row": (
        lambda x: x.view(1, x.shape[1], 8, 64).transpose(1, 2),
        lambda n: (1, n, 512),
        {1: live()},
        [VIEW, PERMUTE],
    ),
    "a row from heads": (
        lambda x: x.transpose(1, 2).reshape(1, x.shape[2], 512),
        lambda n: (1, 8, n, 64),
        {2: live()},
        [PERMUTE, VIEW],
    ),
    "there and back": (
        lambda x: (x.view(1, x.shape[1], 8, 8).transpose(1, 2) * 2.0).transpose(1, 2).flatten(2),
        lambda n: (1, n, 64),
        {1: live()},
        [VIEW, PERMUTE],
    ),
    "transpose": (lambda x: x.t(), lambda n: (n, 23), {0: live()}, [PERMUTE]),
    "permute, live first to last": (
        lambda x: x.permute(1, 2, 0),
        lambda n: (n, 4, 6),
        {0: live()},
        [PERMUTE],
    ),
    "permute, live last to first": (
        lambda x: x.permute(2, 0, 1),
        lambda n: (4, 6, n),
        {2: live()},
        [PERMUTE],
    ),
    "permute, rank 5": (
        lambda x: x.permute(4, 2, 0, 1, 3),
        lambda n: (2, 3, n, 3, 4),
        {2: live()},
        [PERMUTE],
    ),
    "permute twice": (
        lambda x: x.permute(2, 0, 1).permute(2, 1, 0),
        lambda n: (n, 4, 6),
        {0: live()},
        [PERMUTE],
    ),
    "squeeze first": (lambda x: x.squeeze(0), lambda n: (1, n, 24), {1: live()}, [SQUEEZE]),
    "squeeze middle": (lambda x: x.squeeze(1), lambda n: (n, 1, 24), {0: live()}, [SQUEEZE]),
    "squeeze two": (
        lambda x: torch.squeeze(x, (0, 2)),
        lambda n: (1, n, 1, 24),
        {1: live()},
        [SQUEEZE],
    ),
    "unsqueeze first": (lambda x: x.unsqueeze(0), lambda n: (n, 24), {0: live()}, [UNSQUEEZE]),
    "unsqueeze last": (lambda x: x.unsqueeze(-1), lambda n: (n, 24), {0: live()}, [UNSQUEEZE]),
    "expand beside the live dim": (
        lambda x: x.expand(3, x.shape[1], 24),
        lambda n: (1, n, 24),
        {1: live()},
        [EXPAND],
    ),
    "expand, new leading dim": (
        lambda x: x.expand(5, x.shape[0], 7),
        lambda n: (n, 1),
        {0: live()},
        [EXPAND],
    ),
    "views around arithmetic": (
        lambda x: (x.unsqueeze(1) + x.unsqueeze(0)).flatten(1),
        lambda n: (n, 3),
        {0: live(most=32)},
        [UNSQUEEZE, VIEW],
    ),
}


@pytest.mark.parametrize("graph", GRAPHS)
def test_rearranging(graph):
    function, shape, dynamic, ops = GRAPHS[graph]
    quadratic = "around arithmetic" in graph
    check_live(
        Fn(function),
        lambda n: (torch.randn(shape(n)),),
        shapes(dynamic),
        ops=ops,
        lengths=(32, 25, 9, 16, 1, 32) if quadratic else LENGTHS,
        tolerance=EXACT,
    )


def test_expand_to_the_live_length_of_another_tensor():
    check_live(
        Fn(lambda row, x: (row.expand(x.shape[0], 24), x + row.expand(x.shape[0], 24))),
        lambda n: (torch.randn(1, 24), torch.randn(n, 24)),
        shapes(None, {0: live()}),
        ops=[EXPAND],
    )


def test_a_view_that_a_later_op_overwrites_nothing_of():
    """An aliased view and its source are both read after other ops have run in between."""

    def graph(x):
        view = x.view(-1, 12)
        doubled = x * 2.0
        shifted = doubled + 1.0
        return view, shifted, x.view(x.shape[0], 2, 12), doubled.view(-1)

    check_live(Fn(graph), lambda n: (torch.randn(n, 24),), shapes({0: live()}))


def test_two_live_dims_that_trade_places():
    module = Fn(lambda x: x.permute(1, 0, 2).reshape(x.shape[1], x.shape[0] * 8) * 2.0)
    dynamic = shapes({0: live("a", most=16), 1: live("b")})
    pte = lower(module, (torch.randn(16, 128, 8),), dynamic)
    assert_delegated(pte, PERMUTE, VIEW)
    program = LiveProgram(pte)
    for a, b in zip((16, 5, 2, 16, 1, 7), LENGTHS, strict=True):
        program.check(module, torch.randn(a, b, 8), tolerance=EXACT)
