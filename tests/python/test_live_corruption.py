"""Bytes that are no program, or no longer the program they were: errors, never a crash."""

import contextlib
import multiprocessing
import random

import highwater
import pytest
import torch
from support.live import LiveProgram, LoadError
from support.lowering import lower
from support.modules import WIDTH, Fn, RmsNorm, live, rms_norm, shapes

TRIALS = 300


def _norm() -> bytes:
    return lower(RmsNorm(), (torch.randn(1, 128, WIDTH),), ({1: live()},))


def _many_ops() -> bytes:
    """Values of most kinds: scalars, lists with live entries, casts, constants."""

    def graph(x):
        heads = x.view(1, x.shape[1], 8, 8).transpose(1, 2)
        row = torch.cat([heads, heads * 2.0], 1).permute(0, 2, 1, 3).reshape(1, x.shape[1], 128)
        y = rms_norm(row[:, :, 3:67], torch.linspace(0.5, 1.5, 64)) + torch.sigmoid(x)
        return y[:, -1], (y + x.unsqueeze(0).squeeze(0)).to(torch.int32)

    return lower(Fn(graph), (torch.randn(1, 128, WIDTH),), shapes({1: live()}))


def _delegate_bytes(pte: bytes) -> range:
    """From the delegate's header on: what comes before is ExecuTorch's own to check."""
    return range(pte.index(b"VH00"), len(pte))


def _truncations(pte: bytes):
    region = _delegate_bytes(pte)
    for end in range(region.start, region.stop - 1, max(1, len(region) // 40)):
        yield pte[:end]


def _damages(pte: bytes):
    region = _delegate_bytes(pte)
    dice = random.Random(0)
    for _ in range(TRIALS):
        broken = bytearray(pte)
        for _ in range(dice.choice((1, 2, 8))):
            broken[dice.choice(region)] = dice.choice((0, 1, 0x7F, 0x80, 0xFF))
        yield bytes(broken)


def _runs(pte: bytes) -> bool:
    try:
        LiveProgram(pte).run(torch.randn(1, 37, WIDTH))
    except RuntimeError:
        return False
    return True


def _try_each(connection) -> None:
    with contextlib.suppress(EOFError):
        while True:
            connection.send(_runs(connection.recv()))


class ProcessThatMayCrash:
    """Runs programs in a process of its own, which takes seconds to start, and after a crash in
    another."""

    def __init__(self):
        self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_try_each, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def try_each(self, programs) -> list[bool]:
        """Whether each loads and runs."""
        results = []
        for number, pte in enumerate(programs):
            if self._process is None:
                self._start()
            try:
                self._connection.send(pte)
                assert self._connection.poll(120), "it hangs"
                results.append(self._connection.recv())
            except (AssertionError, EOFError, ConnectionError) as error:
                code = self.end()
                pytest.fail(f"program {number} ended the process with code {code}: {error}")
        return results

    def end(self) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        self._connection.close()
        process.join(10)
        process.kill()
        process.join()
        return process.exitcode


@pytest.fixture(scope="module")
def process():
    process = ProcessThatMayCrash()
    yield process
    process.end()


@pytest.mark.parametrize("make", [_norm, _many_ops])
def test_a_truncated_program_is_an_error(process, make):
    assert not any(process.try_each(_truncations(make())))


@pytest.mark.parametrize("make", [_norm, _many_ops])
def test_a_damaged_program_is_an_error_or_runs_but_never_crashes(process, make):
    results = process.try_each(_damages(make()))
    assert results.count(False) > TRIALS // 4, "so few refusals mean that nothing was damaged"


def _with_operator_named(text):
    pte = bytearray(_norm())
    at = bytes(pte).index(b"et_vk.rms_norm.default")
    pte[at : at + len(text)] = text
    return bytes(pte)


def test_an_unknown_operator_is_named():
    with pytest.raises(LoadError) as error:
        LiveProgram(_with_operator_named(b"no_op"))
    assert error.value.unsupported
    assert "no_op.rms_norm.default" in highwater.last_error()


@pytest.mark.parametrize("text", [b"\xff\x80\xfe\xc0\xf5", b"\x1b[31m"], ids=["bytes", "escape"])
def test_an_operator_whose_name_is_no_text_is_shown_without_harm(text):
    with pytest.raises(LoadError, match="not UTF-8, or has a control character"):
        LiveProgram(_with_operator_named(text))
    assert highwater.last_error().isprintable()


def test_bytes_that_are_no_program_at_all():
    for nothing in (b"", b"\0" * 64, b"VH00" * 64):
        with pytest.raises(LoadError):
            LiveProgram(nothing)
