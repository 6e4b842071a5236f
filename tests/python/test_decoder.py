"""A decoder of plain torch ops, some of them left to the CPU, at one live length after another."""

import functools

import pytest
import torch
from support import decoder, lowered_cache, lowering, modules
from support.live import RMS, LiveProgram
from support.lowering import lower, program_ops
from support.modules import live

# From the bound to primes, to a single token, up again; twice the same; one less than the bound.
LENGTHS = (64, 37, 1, 2, 53, 13, 13, 64, 63)
STYLES = {
    "computed rotation, attention by hand": dict(rotation_from_table=False, fused_attention=False),
    "rotation from a table, torch's attention": dict(
        rotation_from_table=True, fused_attention=True
    ),
}
SOURCES = (__file__, decoder.__file__, modules.__file__, *lowering.SOURCES)
UNFUSED = ("neg.default", "cat.default", "slice_copy.Tensor", "expand_copy.default", "where.self")


def make_inputs(length):
    # Positions in any order: the rotation has to follow those that it is given.
    return torch.randint(0, decoder.VOCABULARY, (1, length)), torch.randperm(length)[None]


@functools.cache
def build(style):
    torch.manual_seed(0)
    model = decoder.Decoder(**STYLES[style]).eval()
    return model, lowered_cache.cached(f"decoder {style}", SOURCES, lambda: _lower(model))


def _lower(model):
    length = live(most=decoder.BOUND)
    return lower(model, make_inputs(decoder.BOUND), ({1: length}, {1: length}))


@pytest.fixture(params=STYLES)
def loaded(request):
    model, pte = build(request.param)
    torch.manual_seed(1)
    return model, LiveProgram(pte)


@pytest.mark.parametrize("style", STYLES)
def test_the_rotation_is_exported_unfused(style):
    ops = program_ops(build(style)[1])
    assert {f"aten.{name}" for name in UNFUSED} <= set(ops.delegated), ops
    assert not [name for name in ops.delegated if "rotary" in name], ops


def test_every_length_gives_the_logits_of_torch(loaded):
    model, program = loaded
    for length in LENGTHS:
        program.check(model, *make_inputs(length), tolerance=RMS)


def test_a_refused_call_leaves_no_trace(loaded):
    model, program = loaded
    program.check(model, *make_inputs(41), tolerance=RMS)
    program.check_rejects(*make_inputs(decoder.BOUND + 1))
    program.check(model, *make_inputs(59), tolerance=RMS)
    tokens, _ = make_inputs(7)
    _, positions = make_inputs(5)
    program.check_rejects(tokens, positions)
    for length in (7, 1, decoder.BOUND):
        program.check(model, *make_inputs(length), tolerance=RMS)


def test_greedy_tokens_are_those_of_torch(loaded):
    model, program = loaded
    torch_text = text = [5, 17, 3]
    for _ in range(12):
        positions = torch.arange(len(text))[None]
        with torch.no_grad():
            torch_text = [
                *torch_text,
                int(model(torch.tensor([torch_text]), positions)[0, -1].argmax()),
            ]
        text = [*text, int(program.run(torch.tensor([text]), positions)[0][0, -1].argmax())]
    assert text == torch_text
