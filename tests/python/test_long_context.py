"""A long context costs what its length says: no buffer and no step grows with its square, and what
it takes is told before anything is loaded.
"""

from itertools import pairwise

import highwater
import pytest
import torch
from highwater import inspect
from support import llamas
from support.live import BOTH_KINDS, kernels_of_kind

VARIANT = "4w_long"
CONTEXT = llamas.LONG_CONTEXT
KV_HEADS, HEAD_DIM = llamas.PARAMS["n_kv_heads"], llamas.PARAMS["dim"] // llamas.PARAMS["n_heads"]
CACHE_BYTES = 2 * CONTEXT * KV_HEADS * HEAD_DIM * 4
# For each token of the context. Scratch of attention takes the most of it: partial results of some
# hundred rows for each 64 tokens.
MOST_BYTES_A_TOKEN = 1024
DECODED_AT = (511, 1023, 2047, 4095, 8191)


@pytest.fixture(scope="module")
def pte(tmp_path_factory):
    path = tmp_path_factory.mktemp("long") / "model.pte"
    path.write_bytes(llamas.build(VARIANT).pte)
    return path


def inspected(pte):
    ((_, _, program),) = inspect.read(pte).programs()
    return program.raw


@pytest.mark.parametrize("kernels", BOTH_KINDS)
def test_no_buffer_grows_with_the_square_of_the_context(pte, kernels):
    with kernels_of_kind(kernels):
        program = inspected(pte)
    assert program["memory"]["caches"] == CACHE_BYTES
    largest = max(program["buffers"], key=lambda buffer: buffer["bytes"])
    assert largest["bytes"] <= MOST_BYTES_A_TOKEN * CONTEXT, largest


@pytest.mark.parametrize("kernels", BOTH_KINDS)
def test_a_token_costs_more_in_a_straight_line(pte, kernels):
    with kernels_of_kind(kernels), highwater.load(pte) as model:
        rounds = []
        for position in DECODED_AT:
            model(torch.tensor([[7]]), torch.tensor([position]))
            rounds.append(model.last_run["rounds"])
    # Twice as many tokens add twice as much as half of them did.
    added = [later - earlier for earlier, later in pairwise(rounds)]
    for earlier, later in pairwise(added):
        assert later == pytest.approx(2 * earlier, rel=0.05), rounds


def test_what_it_takes_is_told_before_it_is_loaded(pte):
    memory = inspected(pte)["memory"]
    kinds = ("caches", "constants", "images", "inputs", "kept", "shared", "params", "read_back")
    with highwater.load(pte) as model:
        taken = model.load_accounts["gpu_bytes"]
    assert sum(memory[kind] for kind in kinds) == pytest.approx(taken, rel=0.01)
