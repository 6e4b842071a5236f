"""Caches in half precision for programs that say float32: half the memory, almost the same."""

import highwater
import pytest
from support import llamas
from support.live import WHOLE_MODEL_HALF
from support.llama_session import Session

HEAD_DIM = llamas.PARAMS["dim"] // llamas.PARAMS["n_heads"]
CACHE_BYTES = 2 * llamas.LAYERS * llamas.CONTEXT * llamas.PARAMS["n_kv_heads"] * HEAD_DIM * 4


def load(name: str) -> tuple[Session, int]:
    """A session, and the memory that it took on the device."""
    session = Session(name)
    return session, highwater.last_load()["gpu_bytes"]


def use_half(monkeypatch) -> None:
    monkeypatch.setenv("HIGHWATER_HALF_CACHE", "1")


@pytest.mark.parametrize("name", ["fp32", "4w"])
def test_the_caches_take_half_the_memory(name, monkeypatch):
    _, whole = load(name)
    use_half(monkeypatch)
    _, half = load(name)
    assert whole - half == CACHE_BYTES // 2


def test_other_values_of_the_variable_leave_them_whole(monkeypatch):
    _, whole = load("fp32")
    monkeypatch.setenv("HIGHWATER_HALF_CACHE", "0")
    assert load("fp32")[1] == whole


def test_a_program_in_half_precision_stays_as_it_is(monkeypatch):
    _, before = load("4w_half")
    use_half(monkeypatch)
    assert load("4w_half")[1] == before


@pytest.mark.parametrize("kernels", ["software", "gpu"])
@pytest.mark.parametrize("name", ["fp32", "4w", "qwen3_4w"])
def test_prefill_and_decode_in_any_order(name, kernels, monkeypatch):
    use_half(monkeypatch)
    monkeypatch.setenv("HIGHWATER_KERNELS", kernels)
    session, _ = load(name)
    session.tolerance = WHOLE_MODEL_HALF
    for count in (13, 1, 1, 1, 1, 5, 1, 22, 1):
        session.step(count)


@pytest.mark.parametrize("kernels", ["software", "gpu"])
@pytest.mark.parametrize("name", ["fp32", "4w"])
def test_what_is_kept_is_rounded_and_nothing_else(name, kernels, monkeypatch):
    """So little that a GPU may do it without being told."""
    monkeypatch.setenv("HIGHWATER_KERNELS", kernels)
    whole, _ = load(name)
    use_half(monkeypatch)
    half, _ = load(name)
    for count in (13, 1, 5, 22, 1):
        tokens, positions = whole.tokens(count), whole.positions()
        (exact,) = whole.program.run(tokens, *positions)
        (rounded,) = half.program.run(tokens, *positions)
        error = (exact - rounded).abs().max() / exact.abs().max()
        # Sums in another order are nearer than the first, activations in half further off.
        assert 1e-5 < error < 1e-3
        whole.position += count


def test_a_refused_step_leaves_the_caches_as_they_were(monkeypatch):
    use_half(monkeypatch)
    session, _ = load("4w")
    session.tolerance = WHOLE_MODEL_HALF
    session.step(29)
    session.reject(llamas.BOUND)
    session.step(30)
    session.reject(6)
    session.step(5)
