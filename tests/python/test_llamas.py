"""Whole language models, step by step against torch: any length, in any order, from one graph."""

import highwater
import pytest
import torch
from support import llamas
from support.live import THROUGH_INT8, Tolerance, assert_same
from support.llama_session import Session

# The same sums in another order.
SAME_NUMBERS = Tolerance(of_largest=1e-5)

DYNAMIC = [
    name
    for name, variant in llamas.VARIANTS.items()
    if variant.dynamic and variant.cache and variant.context == llamas.CONTEXT
]


@pytest.mark.parametrize("name", DYNAMIC)
def test_prefill_and_decode_in_any_order(name):
    session = Session(name)
    for count in (13, 1, 1, 1, 1, 5, 1):
        session.step(count)


@pytest.mark.parametrize("name", DYNAMIC)
def test_past_half_of_the_context_and_at_the_bound(name):
    session = Session(name)
    for count in (llamas.BOUND - 1, 7, 1, 1, llamas.CONTEXT - llamas.BOUND - 8):
        session.step(count)
    assert session.position == llamas.CONTEXT


@pytest.mark.parametrize("name", DYNAMIC)
def test_a_step_past_the_cache_is_refused_and_leaves_it_as_it_was(name):
    session = Session(name)
    session.step(29)
    session.reject(llamas.BOUND)
    session.step(30)
    session.reject(6)
    assert "run past" in highwater.last_error()
    session.step(5)


def test_a_token_outside_the_vocabulary_is_refused():
    session = Session("4w")
    session.step(3)
    with pytest.raises(RuntimeError):
        session.program.run(torch.tensor([[1, llamas.VOCABULARY, 2]]), torch.tensor([3]))
    assert str(llamas.VOCABULARY) in highwater.last_error()
    session.step(4)


@pytest.mark.parametrize("name", DYNAMIC)
def test_two_sessions_do_not_touch_each_others_cache(name):
    one, other = Session(name), Session(name)
    other.tokens(17)  # so that they see different text
    for first, second in ((5, 9), (1, 1), (1, 3), (8, 1), (1, 1)):
        one.step(first)
        other.step(second)


@pytest.mark.parametrize("name", DYNAMIC)
def test_a_step_without_tokens_leaves_the_cache_as_it_was(name):
    session = Session(name)
    session.step(6)
    if llamas.VARIANTS[name].full_logits:
        # The eager model cannot do it: with no elements, its reshape to [..., -1, 2] is ambiguous.
        (logits,) = session.program.run(session.tokens(0), *session.positions())
        assert logits.shape == (1, 0, llamas.VOCABULARY)
    else:
        session.reject(0)  # there is no last token to give the logits of
        assert "empty" in highwater.last_error()
    for count in (1, 3):
        session.step(count)


def test_a_model_without_a_cache_runs_at_every_length():
    session = Session("4w_no_cache")
    for count in (13, 1, llamas.BOUND - 1, 7, 2):
        session.step(count)
    session.reject(llamas.BOUND)
    session.reject(0)
    for count in (5, 29, llamas.BOUND - 1):
        session.step(count)


def test_a_static_model_decodes():
    session = Session("4w_static")
    for _ in range(5):
        session.step(1)


# Dispatches a layer; quantizing what its products read takes four more.
BUDGETS = {"fp32": 10, "4w": 10, "8da4w": 14}


@pytest.mark.parametrize("name", BUDGETS)
def test_a_decode_step_keeps_to_its_budget(name):
    session = Session(name)
    for count in (9, 1, 1):
        session.step(count)
    run = highwater.last_run()
    assert run["dispatches"] <= BUDGETS[name] * llamas.LAYERS + 6
    assert (run["passes"], run["submits"], run["gpu_objects"]) == (1, 1, 0)
    assert run["params_writes"] <= 1
    assert run["heap_allocations"] == 0


PASSES = ["rope_tables", "swiglu", "linear_swiglu", "shared_input", "linear_residual"]
WITHOUT = [
    *(("4w", without) for without in ["all", *PASSES]),
    *(("8da4w", without) for without in ["all", "fake_quantize"]),
    *(
        ("fp32", without)
        for without in ["all", "equal_views", "linear_swiglu", "shared_input", "add_rms_norm"]
    ),
]


@pytest.mark.parametrize(("name", "without"), WITHOUT)
def test_without_a_pass_the_numbers_are_the_same(name, without, monkeypatch):
    compare_without(name, without, monkeypatch)


# Norms, residuals and the way through int8 are parts of the products, rope of writing the cache.
@pytest.mark.parametrize("without", ["rope_cache", "linear_residual", "linear_input"])
@pytest.mark.parametrize("name", ["4w", "8da4w"])
def test_dispatches_of_a_decode_step_on_a_gpu(name, without, monkeypatch):
    monkeypatch.setenv("HIGHWATER_KERNELS", "gpu")
    tolerance = SAME_NUMBERS if name == "4w" else THROUGH_INT8
    dispatches = compare_without(name, without, monkeypatch, tolerance)
    assert dispatches <= 7 * llamas.LAYERS + 6


def compare_without(name, without, monkeypatch, tolerance=SAME_NUMBERS) -> int:
    """Gives the dispatches of a decode step with the pass."""
    fused = Session(name)
    monkeypatch.setenv("HIGHWATER_WITHOUT_PASSES", without)
    unfused = Session(name)
    for count in (11, 1, 4, 1):
        with_pass = fused.step(count)
        dispatches = highwater.last_run()["dispatches"]
        without_pass = unfused.step(count)
        # Norms of many rows are still kernels of their own.
        more = highwater.last_run()["dispatches"] - dispatches
        assert more > 0 or (more == 0 and without == "linear_input" and count > 8)
        assert_same(with_pass, without_pass, tolerance, f"{count} tokens without {without}")
    return dispatches


@pytest.mark.parametrize("name", ["fp32", "4w", "4w_half", "8da4w"])
@pytest.mark.parametrize("kernels", ["software", "gpu"])
def test_both_kinds_of_kernel(name, kernels, monkeypatch):
    monkeypatch.setenv("HIGHWATER_KERNELS", kernels)
    session = Session(name)
    for count in (6, 1, 2, 1):
        session.step(count)
