"""Picking by index at live lengths: embedding, index_select, index, gather, where."""

import pytest
import torch
from support import lowering
from support.live import EXACT, HALF, LENGTHS, LiveProgram, check_live
from support.modules import Fn, live, shapes
from torch import nn

VOCABULARY = 50


def ids(*shape, below=VOCABULARY, dtype=torch.int64):
    return torch.randint(0, below, shape, dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32], ids=["int64", "int32"])
@pytest.mark.parametrize("width", [64, 6, 1])
def test_embedding(width, dtype):
    check_live(
        nn.Embedding(VOCABULARY, width),
        lambda n: (ids(1, n, dtype=dtype),),
        ({1: live()},),
        ops=["aten.embedding.default"],
        tolerance=EXACT,
    )


def test_embedding_of_rank_one_and_three():
    for shape, at in ((lambda n: (n,), 0), (lambda n: (2, 3, n), 2)):
        check_live(
            nn.Embedding(VOCABULARY, 8),
            lambda n, shape=shape: (ids(*shape(n)),),
            ({at: live()},),
            ops=["aten.embedding.default"],
            tolerance=EXACT,
        )


def test_embedding_in_half():
    check_live(
        nn.Embedding(VOCABULARY, 10).half(),
        lambda n: (ids(1, n),),
        ({1: live()},),
        ops=["aten.embedding.default"],
        tolerance=HALF,
    )


def test_tokens_and_positions():
    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens = nn.Embedding(VOCABULARY, 16)
            self.positions = nn.Embedding(128, 16)

        def forward(self, x):
            return self.tokens(x) + self.positions(torch.arange(x.shape[1]))

    check_live(
        Both(),
        lambda n: (ids(1, n),),
        ({1: live()},),
        ops=["aten.embedding.default", "aten.arange.start_step"],
    )


@pytest.mark.parametrize("bad", [-1, VOCABULARY, 2**40])
def test_an_id_out_of_range_is_an_error_and_the_next_call_is_fine(bad):
    module = nn.Embedding(VOCABULARY, 8)
    program = LiveProgram(lowering.lower(module, (ids(1, 128),), ({1: live()},)))
    program.check(module, ids(1, 37), tolerance=EXACT)
    wrong = ids(1, 37)
    wrong[0, 36] = bad
    with pytest.raises(RuntimeError, match=f"{bad}"):
        program.run(wrong)
    program.check(module, ids(1, 37), tolerance=EXACT)
    program.check(module, ids(1, 128), tolerance=EXACT)


def test_the_same_length_with_other_ids():
    module = nn.Embedding(VOCABULARY, 8)
    program = LiveProgram(lowering.lower(module, (ids(1, 128),), ({1: live()},)))
    for _ in range(4):
        program.check(module, ids(1, 1), tolerance=EXACT)


def test_computed_ids_out_of_range_do_no_harm():
    """Nobody can refuse them beforehand; the rows that are in range must be right."""
    module = Fn(lambda x, table: torch.nn.functional.embedding(x + 1, table))
    table = torch.randn(VOCABULARY, 8)
    program = LiveProgram(lowering.lower(module, (ids(16, below=9), table), shapes(None, None)))
    x = ids(16, below=9)
    x[3] = VOCABULARY + 1000
    got = program.run(x, table)[0]
    kept = [i for i in range(16) if i != 3]
    assert torch.equal(got[kept], table[x[kept] + 1])


# name: shape of x at length n, its live dim, the dim that is picked from
SELECTIONS = {
    "first, live last": (lambda n: (9, n), 1, 0),
    "last, live first": (lambda n: (n, 9), 0, 1),
    "middle, live first": (lambda n: (n, 9, 8), 0, 1),
    "middle, live last": (lambda n: (2, 9, n), 2, -2),
    "the live dim": (lambda n: (n + 8, 4), 0, 0),
}


@pytest.mark.parametrize("selection", SELECTIONS)
def test_index_select(selection):
    shape, at, dim = SELECTIONS[selection]
    grows = shape(0)[at]
    check_live(
        Fn(lambda x, i: torch.index_select(x, dim, i)),
        lambda n: (torch.randn(shape(n)), ids(5, below=9)),
        shapes({at: live(least=1 + grows, most=128 + grows)}, None),
        ops=["aten.index_select.default"],
        tolerance=EXACT,
    )


def test_index_select_by_live_many():
    check_live(
        Fn(lambda x, i: torch.index_select(x, 1, i)),
        lambda n: (torch.randn(3, 9, 5), ids(n, below=9)),
        shapes(None, {0: live()}),
        ops=["aten.index_select.default"],
        tolerance=EXACT,
    )


def test_index_by_a_constant():
    chosen = torch.tensor([3, 0, 3, 7])
    check_live(
        Fn(lambda x: torch.index_select(x, 1, chosen)),
        lambda n: (torch.randn(n, 9),),
        shapes({0: live()}),
        ops=["aten.index_select.default"],
        tolerance=EXACT,
    )


# name: function of x and live ids
INDEXING = {
    "x[i]": lambda x, i: x[i],
    "x[:, i]": lambda x, i: x[:, i],
    "x[:, :, i]": lambda x, i: x[:, :, i],
}


@pytest.mark.parametrize("indexing", INDEXING)
def test_index(indexing):
    check_live(
        Fn(INDEXING[indexing]),
        lambda n: (torch.randn(9, 10, 12), ids(n, below=18) - 9),
        shapes(None, {0: live()}),
        ops=["aten.index.Tensor"],
        tolerance=EXACT,
    )


def test_index_into_a_live_tensor():
    check_live(
        Fn(lambda x, i: x[i]),
        lambda n: (torch.randn(n, 6), ids(7, below=n)),
        shapes({0: live()}, None),
        ops=["aten.index.Tensor"],
        tolerance=EXACT,
    )


def test_a_mask_of_positions():
    """The llama exporter's way to pick the rows of its causal mask."""
    mask = torch.tril(torch.ones(256, 256))
    check_live(
        Fn(lambda p, x: mask[p] + x),
        lambda n: (torch.arange(n) + 3, torch.randn(n, 256)),
        shapes({0: live()}, {0: live()}),
        ops=["aten.index.Tensor"],
        tolerance=EXACT,
    )


# name: shapes of x and of the indices at length n, their live dims, the dim
GATHERS = {
    "last, live first": (lambda n: ((n, 9), (n, 5)), (0, 0), 1),
    "first, live last": (lambda n: ((9, n), (5, n)), (1, 1), 0),
    "middle, live middle of the indices": (lambda n: ((2, 9, 3), (2, n, 3)), (None, 1), 1),
    "indices smaller than x": (lambda n: ((n + 3, 9, 4), (n, 6, 2)), (0, 0), -2),
    "rank 1": (lambda n: ((9,), (n,)), (None, 0), 0),
}


@pytest.mark.parametrize("gather", GATHERS)
def test_gather(gather):
    sizes, at, dim = GATHERS[gather]
    grows = sizes(0)[0][0] if "smaller" in gather else 0
    dynamic = shapes(
        {at[0]: live("a", 1 + grows, 128 + grows)} if at[0] is not None else None,
        {at[1]: live("b" if grows else "a")},
    )
    if grows:
        size = live("b")
        dynamic = shapes({0: size + grows}, {0: size})
    check_live(
        Fn(lambda x, i: torch.gather(x, dim, i)),
        lambda n: (torch.randn(sizes(n)[0]), ids(*sizes(n)[1], below=9)),
        dynamic,
        ops=["aten.gather.default"],
        tolerance=EXACT,
    )


def test_gather_out_of_range_is_an_error():
    module = Fn(lambda x, i: torch.gather(x, 1, i))
    inputs = (torch.randn(128, 9), ids(128, 5, below=9))
    program = LiveProgram(lowering.lower(module, inputs, shapes({0: live()}, {0: live()})))
    wrong = ids(7, 5, below=9)
    wrong[6, 4] = 9
    with pytest.raises(RuntimeError, match=r"gather.*is 9"):
        program.run(torch.randn(7, 9), wrong)
    program.check(module, torch.randn(7, 9), ids(7, 5, below=9), tolerance=EXACT)


# name: the shapes of the condition and its two candidates at length n, and their live dims
WHERES = {
    "the same": (lambda n: ((n, 24), (n, 24), (n, 24)), (0, 0, 0)),
    "odd": (lambda n: ((n, 7), (n, 7), (n, 7)), (0, 0, 0)),
    "a row of conditions": (lambda n: ((24,), (n, 24), (n, 24)), (None, 0, 0)),
    "a live column of conditions": (lambda n: ((n, 1), (n, 24), (n, 24)), (0, 0, 0)),
    "a scalar": (lambda n: ((n, 24), (n, 24), ()), (0, 0, None)),
    "two scalars": (lambda n: ((n, 7), (), ()), (0, None, None)),
    "heads": (lambda n: ((1, 1, n, 16), (1, 4, n, 16), (1, 1, 1, 1)), (2, 2, None)),
    "all three differ": (lambda n: ((2, 1, 1), (1, n, 1), (1, 1, 5)), (None, 1, None)),
    "live last": (lambda n: ((5, n), (n,), (5, 1)), (1, 0, None)),
}


@pytest.mark.parametrize("where", WHERES)
def test_where(where):
    sizes, at = WHERES[where]

    def inputs(n):
        c, a, b = sizes(n)
        return torch.rand(c) > 0.5, torch.randn(a), torch.randn(b)

    check_live(
        Fn(torch.where),
        inputs,
        shapes(*({d: live()} if d is not None else None for d in at)),
        ops=["aten.where.self"],
        tolerance=EXACT,
    )


def test_where_in_half_with_infinity():
    check_live(
        Fn(lambda c, x: torch.where(c, x, torch.full_like(x, -torch.inf))),
        lambda n: (torch.rand(n, 7) > 0.5, torch.randn(n, 7).half()),
        shapes({0: live()}, {0: live()}),
        ops=["aten.where.self"],
        tolerance=EXACT,
    )


def test_no_ids_at_all():
    module = nn.Embedding(VOCABULARY, 8)
    pte = lowering.lower(module, (ids(1, 128),), ({1: live(least=0)},))
    program = LiveProgram(pte)
    for length in (0, *LENGTHS, 0):
        program.check(module, ids(1, length), tolerance=EXACT)
