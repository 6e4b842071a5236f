"""Rotary embeddings in their three forms, from any position of a table on."""

import highwater
import pytest
import torch
from executorch.examples.models.llama.rope import RotaryEmbedding, hf_apply_rotary_emb
from live import BOTH_KINDS, FLOAT, LENGTHS, LiveProgram, check_live
from llm_modules import RopeAt
from lowering import lower
from modules import Fn, live, shapes

PAIRS, HALVES = "et_vk.apply_rotary_emb.default", "et_vk.apply_rotary_emb_hf.default"
CAPACITY = 128
# How many positions, and the first: all of the table, its end, its start, and between.
STEPS = ((128, 0), (100, 28), (37, 11), (1, 127), (64, 0), (1, 0), (2, 97), (128, 0))


def q_and_k(length, q_heads, k_heads, head_dim):
    return torch.randn(1, length, q_heads, head_dim), torch.randn(1, length, k_heads, head_dim)


# name: heads of q and of k, head dim
HEADS = {"grouped": (6, 2, 16), "as many": (3, 3, 8), "wide": (4, 1, 128)}


@pytest.mark.parametrize("heads", HEADS)
@pytest.mark.parametrize("halves", [False, True], ids=["pairs", "halves"])
def test_at_a_live_position(heads, halves):
    check_live(
        RopeAt(HEADS[heads][2], CAPACITY, halves),
        lambda step: (*q_and_k(step[0], *HEADS[heads]), torch.tensor([step[1]])),
        ({1: live()}, {1: live()}, None),
        ops=[HALVES if halves else PAIRS],
        lengths=STEPS,
        tolerance=FLOAT,
        kinds=BOTH_KINDS,
    )


# name: module, width of its tables, operator
TURNS = {
    "pairs": (RotaryEmbedding(), 8, PAIRS),
    "halves": (Fn(lambda q, k, c, s: hf_apply_rotary_emb(q, k, c, s, unsqueeze_dim=1)), 16, HALVES),
}


@pytest.mark.parametrize("turn", TURNS)
def test_with_tables_as_long_as_the_input(turn):
    module, width, op = TURNS[turn]
    dynamic = ({1: live()}, {1: live()}, {0: live()}, {0: live()})
    check_live(
        module,
        lambda n: (*q_and_k(n, 6, 2, 16), torch.randn(n, width), torch.randn(n, width)),
        shapes(*dynamic) if isinstance(module, Fn) else dynamic,
        ops=[op],
        kinds=BOTH_KINDS,
    )


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


@pytest.mark.parametrize("halves", [False, True], ids=["pairs", "halves"])
def test_past_the_table_is_refused(halves):
    module = RopeAt(16, CAPACITY, halves)
    pte = lower(
        module,
        (*q_and_k(64, 6, 2, 16), torch.tensor([0])),
        ({1: live(most=64)}, {1: live(most=64)}, None),
    )
    program = LiveProgram(pte)
    for length, beyond in ((64, 65), (37, 92), (1, 128), (1, -1), (5, 2**31 - 1)):
        good = CAPACITY - length
        program.check(module, *q_and_k(length, 6, 2, 16), torch.tensor([good]))
        program.check_rejects(*q_and_k(length, 6, 2, 16), torch.tensor([beyond]))
        assert "run past" in highwater.last_error()
        program.check(module, *q_and_k(length, 6, 2, 16), torch.tensor([good]))


def test_tables_shorter_than_the_input_are_refused():
    module, width, _ = TURNS["pairs"]
    table = torch.randn(64, width)
    inputs = (*q_and_k(64, 6, 2, 16), table, table)
    program = LiveProgram(
        lower(module, inputs, ({1: live(most=64)},) * 2 + ({0: live(most=64)},) * 2)
    )
    program.check(module, *inputs)
    program.check_rejects(*q_and_k(37, 6, 2, 16), table[:36].clone(), table[:36].clone())
    program.check(module, *q_and_k(37, 6, 2, 16), table[:37].clone(), table[:37].clone())
