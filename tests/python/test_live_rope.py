"""Rotary embeddings in their three forms, from any position of a table on."""

import highwater
import pytest
import torch
from executorch.examples.models.llama.rope import apply_rotary_emb, hf_apply_rotary_emb
from support.live import BOTH_KINDS, LENGTHS, check_live
from support.llm_modules import RopeAt
from support.modules import Fn, live, shapes

PAIRS, HALVES = "et_vk.apply_rotary_emb.default", "et_vk.apply_rotary_emb_hf.default"
CAPACITY = 128
# How many positions, and the first: all of the table, its end, its start, and between.
STEPS = ((128, 0), (100, 28), (37, 11), (1, 127), (64, 0), (1, 0), (2, 97), (128, 0))


def q_and_k(length, q_heads, k_heads, head_dim):
    return torch.randn(1, length, q_heads, head_dim), torch.randn(1, length, k_heads, head_dim)


# name: whether halves are pairs, and heads of q and of k, head dim
TURNED_AT = {
    "pairs": (False, 6, 2, 16),
    "pairs, as many heads": (False, 3, 3, 8),
    "pairs, wide heads": (False, 4, 1, 128),
    "halves": (True, 6, 2, 16),
    "halves, wide heads": (True, 4, 1, 128),
}


@pytest.mark.parametrize("turned", TURNED_AT)
def test_at_a_live_position(turned):
    halves, *heads = TURNED_AT[turned]
    module = RopeAt(heads[-1], CAPACITY, halves)
    # Torch cannot make pairs of nothing, but halves.
    size, nothing = (live(least=0), ((0, 5), (0, 128))) if halves else (live(), ())

    def inputs(step):
        return *q_and_k(step[0], *heads), torch.tensor([step[1]])

    program = check_live(
        module,
        inputs,
        ({1: size}, {1: size}, None),
        ops=[HALVES if halves else PAIRS],
        lengths=(*STEPS, *nothing, (3, 5)),
        kinds=BOTH_KINDS,
    )
    # Within its bound, but past the end of the table.
    for length, beyond in ((64, 65), (37, 92), (1, 128), (1, -1), (5, 2**31 - 1)):
        program.check_rejects(*inputs((length, beyond)))
        assert "run past" in highwater.last_error()
        program.check(module, *inputs((length, CAPACITY - length)))


def rotated_halves(q, k, cosines, sines):
    return hf_apply_rotary_emb(q, k, cosines, sines, unsqueeze_dim=1)


@pytest.mark.parametrize(
    ("turn", "width", "op"), [(apply_rotary_emb, 8, PAIRS), (rotated_halves, 16, HALVES)]
)
def test_with_tables_as_long_as_the_input(turn, width, op):
    module = Fn(turn)

    def inputs(length, rows=None):
        tables = (torch.randn(length if rows is None else rows, width) for _ in range(2))
        return *q_and_k(length, 6, 2, 16), *tables

    program = check_live(
        module,
        inputs,
        shapes({1: live()}, {1: live()}, {0: live()}, {0: live()}),
        ops=[op],
        kinds=BOTH_KINDS,
    )
    program.check_rejects(*inputs(37, rows=36))
    program.check(module, *inputs(37))


@pytest.mark.parametrize(("batch", "width"), [(1, 8), (3, 4), (2, 16)])
def test_of_one_tensor(batch, width):
    check_live(
        Fn(torch.ops.et_vk.apply_rotary_emb_interleaved),
        lambda n: (torch.randn(batch, n, width), torch.randn(n, width)),
        shapes({1: live()}, {0: live()}),
        ops=["et_vk.apply_rotary_emb_interleaved.default"],
        lengths=(*LENGTHS, 3),
        kinds=BOTH_KINDS,
    )
