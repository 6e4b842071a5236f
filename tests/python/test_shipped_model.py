"""The model of the repository: it says on the engine what it says in torch, and as well as its card
claims."""

import copy
import functools
import json
import math

import pytest
import torch
from executorch.extension.llm.runner import GenerationConfig, TextLLMRunner
from highwater import _native
from support.live import WHOLE_MODEL, LiveProgram
from torch.utils._pytree import tree_leaves

from training import held_out, sample, tokens
from training.export import eager, eager_for_every_token
from training.places import CALL, EXCERPT, NUMBERS, PROGRAM, TOKENIZER

PROMPT = "And it came to pass in those days, that"


@functools.cache
def _eager() -> torch.nn.Module:
    return eager()


def fresh() -> torch.nn.Module:
    return copy.deepcopy(_eager())


@pytest.fixture(scope="module")
def program() -> LiveProgram:
    return LiveProgram(PROGRAM.read_bytes())


@pytest.fixture(scope="module")
def tokenizer():
    return tokens.load_tokenizer()


def test_the_text_is_that_of_torch(program, tokenizer):
    def on_the_engine(new, place):
        return program.run(new, torch.tensor([place]))[0].flatten()

    said = sample.go_on(on_the_engine, tokenizer, PROMPT, 48)
    assert said == sample.go_on(sample.with_eager(fresh()), tokenizer, PROMPT, 48)
    assert len(set(said)) > 10, "a text of few words shows little"


def test_executorchs_runner_says_the_same(tokenizer):
    pieces = []
    runner = TextLLMRunner(str(PROGRAM), str(TOKENIZER))
    config = GenerationConfig(echo=False, temperature=0.0, max_new_tokens=24)
    runner.generate(PROMPT, config, pieces.append)
    said = sample.go_on(sample.with_eager(fresh()), tokenizer, PROMPT, 24)
    assert "".join(pieces) == tokenizer.decode(said)


def test_the_logits_are_those_of_torch(program, tokenizer):
    ids = tokens.encode(tokenizer, [EXCERPT.read_text()])
    model, place = fresh(), 0
    for count in (100, 1, CALL - 1, 37, 1):
        new, at = ids[None, place : place + count], torch.tensor([place])
        program.check(
            lambda new, at: tree_leaves(model(new, {"input_pos": at}))[0],
            new,
            at,
            tolerance=WHOLE_MODEL,
        )
        place += count


def test_the_loss_on_unseen_text_is_that_of_the_card(program, tokenizer):
    ids = tokens.encode(tokenizer, [EXCERPT.read_text()])
    claimed = json.loads(NUMBERS.read_text())["excerpt"]["loss"]
    model = eager_for_every_token()
    assert math.isclose(held_out.loss(model, ids), claimed, rel_tol=0.01)

    # The program gives the logits after its last token only, so it reads one at a time.
    count = 96
    with torch.no_grad():
        want = _nats(model(ids[None, :count])[0], ids[1 : count + 1])
    steps = (program.run(ids[None, i : i + 1], torch.tensor([i]))[0] for i in range(count))
    got = _nats(torch.cat(list(steps)), ids[1 : count + 1])
    assert math.isclose(got, want, rel_tol=1e-4)


def _nats(logits: torch.Tensor, next_tokens: torch.Tensor) -> float:
    return torch.nn.functional.cross_entropy(logits.squeeze(0), next_tokens).item()


@pytest.mark.parametrize("text", ["In the beginning God", "naïve – 音\n\tx = 42 ", ""])
def test_the_tokenizer_gives_the_text_back(text, tokenizer):
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_the_program_says_where_a_text_begins_and_ends(tokenizer):
    from executorch.runtime import Runtime

    program = Runtime.get().load_program(PROGRAM.read_bytes())

    def constant(name):
        return program.load_method(name).execute([])

    assert constant("get_bos_id") == [tokenizer.token_to_id(tokens.BEGIN)]
    assert constant("get_eos_ids") == [tokenizer.token_to_id(tokens.END)]


SETTINGS = [
    dict(),
    dict(temperature=0.8, seed=1),
    dict(temperature=0.8, top_k=40, seed=2),
    dict(temperature=1.0, top_p=0.9, seed=3),
]


@pytest.fixture(scope="module")
def native():
    return _native.Generator.open(str(PROGRAM))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_many_steps_in_a_submit_write_the_same_two_hundred_tokens(native, tokenizer, settings):
    def drawn(steps):
        native.rewind(0)
        native.append(tokenizer.encode(PROMPT).ids)
        tokens = []
        while len(tokens) < 200:
            tokens += native.draw(min(steps, 200 - len(tokens)), **settings)
        return tokens

    one_by_one = drawn(1)
    assert drawn(4) == one_by_one
    assert drawn(16) == one_by_one
    assert native.accounts["waits"] == 1
