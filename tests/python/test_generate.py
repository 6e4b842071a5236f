"""Text from a model in Python: the device draws, and it is what one step at a time would draw."""

import highwater
import numpy as np
import pytest
from highwater import _native
from support import llamas, spelling

PROMPT = "How far is it?"
SETTINGS = [
    dict(),
    dict(temperature=0.8, seed=1),
    dict(temperature=1.2, top_k=20, seed=2),
    dict(temperature=1.0, top_p=0.8, seed=3),
    dict(temperature=0.9, top_k=40, top_p=0.9, seed=2**45 + 9),
]


def write_model(name, folder):
    (folder / "model.pte").write_bytes(llamas.build(name).pte)
    spelling.write_tokenizer(folder / "tokenizer.json")
    return folder / "model.pte"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_model("4w", tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def model(path):
    with highwater.load(path) as model:
        yield model


@pytest.fixture(scope="module")
def native(path):
    return _native.Generator.open(str(path))


def draw(native, prompt, counts, **settings):
    native.rewind(0)
    native.append(prompt)
    return [token for count in counts for token in native.draw(count, **settings)]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_batches_of_any_size_draw_the_same_tokens(native, settings):
    prompt = [3, 141, 59, 26, 5, 35, 89]
    one_by_one = draw(native, prompt, [1] * 48, **settings)
    assert len(set(one_by_one)) > 1
    for counts in ([48], [4] * 12, [16] * 3, [1, 7, 13, 2, 25]):
        assert draw(native, prompt, counts, **settings) == one_by_one
        assert native.text == prompt + one_by_one


def test_a_batch_is_one_submit_one_wait_and_four_bytes_a_token(native):
    draw(native, [1, 2, 3], [16, 16])
    native.draw(16)
    accounts = native.accounts
    assert accounts["submits"] == accounts["waits"] == accounts["params_writes"] == 1
    assert accounts["passes"] == 16
    assert accounts["read_back_bytes"] == 4 * 16
    assert accounts["gpu_objects"] == accounts["heap_allocations"] == 0


@pytest.mark.parametrize("name", ["4w", "qwen3_4w", "4w_full_logits", "4w_static", "4w_half"])
def test_greedy_text_is_that_of_torch(name, tmp_path):
    native = _native.Generator.open(str(write_model(name, tmp_path)))
    prompt = [9, 8, 7, 6, 5]
    want = llamas.greedy(llamas.build(name).fresh(), prompt, 12, at_once=native.longest_step)
    assert draw(native, prompt, [1, 5, 6]) == want


def test_a_long_prompt_is_read_in_parts(native):
    prompt = [(7 * i) % llamas.VOCABULARY for i in range(llamas.CONTEXT - 10)]
    assert len(prompt) > native.longest_step
    whole = draw(native, prompt, [10], temperature=1.0, seed=4)
    # The same text, read piece by piece.
    native.rewind(0)
    for token in prompt:
        native.append([token])
        native.draw(1)
        native.rewind(native.length - 1)
    assert native.draw(10, temperature=1.0, seed=4) == whole


def test_going_back_is_exact(native):
    prompt = [11, 22, 33]
    whole = draw(native, prompt, [20], temperature=1.0, seed=5)
    for keep in (20, 13, 1, 0, 7):
        draw(native, prompt, [20], temperature=1.0, seed=5)
        native.rewind(len(prompt) + keep)
        assert native.draw(20 - keep, temperature=1.0, seed=5) == whole[keep:]


def test_what_cannot_be_done_is_said_and_changes_nothing(native):
    prompt = [1, 2, 3]
    want = draw(native, prompt, [8])
    native.rewind(len(prompt))
    for call, words in (
        (lambda: native.append([5, llamas.VOCABULARY]), "token 1 is 256; the vocabulary has 256"),
        (lambda: native.append([0] * llamas.CONTEXT), "longer than the 64"),
        (lambda: native.draw(llamas.CONTEXT), "64 more tokens after 3"),
        (lambda: native.draw(1, temperature=-1.0), "temperature of -1"),
        (lambda: native.rewind(99), "cannot go back to 99"),
    ):
        with pytest.raises(highwater.HighwaterError, match=words):
            call()
        assert native.text == prompt
    assert native.draw(8) == want
    native.rewind(0)
    with pytest.raises(highwater.HighwaterError, match="no text to go on with"):
        native.draw(1)


def test_two_models_do_not_touch_each_other(path):
    first, second = (_native.Generator.open(str(path)) for _ in range(2))
    one, two = draw(first, [1, 2], [12]), draw(second, [200, 100, 50], [12])
    first.rewind(0), second.rewind(0)
    first.append([1, 2]), second.append([200, 100, 50])
    mixed = [(first.draw(3), second.draw(3)) for _ in range(4)]
    assert [t for a, _ in mixed for t in a] == one
    assert [t for _, b in mixed for t in b] == two


def test_pieces_are_the_text(model):
    generation = model.generate(PROMPT, max_new_tokens=20, temperature=0.7, seed=1)
    pieces = list(generation)
    assert "".join(pieces) == generation.text != ""
    assert generation.stopped_by in ("length", "end token")
    assert generation.statistics.new_tokens == len(generation.tokens) > 0
    assert generation.statistics.prompt_tokens == len(
        highwater.load_tokenizer(None, model.path).encode(PROMPT)
    )


@pytest.mark.parametrize("steps", [1, 4, 16])
def test_a_stop_text_cuts_the_text_and_the_session_there(model, steps):
    whole = model.generate(PROMPT, max_new_tokens=24, temperature=0.9, seed=3, steps_per_submit=1)
    text = "".join(whole)
    stop = text[9:11]
    cut = model.generate(
        PROMPT, max_new_tokens=24, temperature=0.9, seed=3, stop=stop, steps_per_submit=steps
    )
    assert "".join(cut) == text[: text.index(stop)]
    assert cut.stopped_by == "stop text"
    assert cut.tokens == whole.tokens[: len(cut.tokens)]
    # What follows is as if the rest had never been drawn.
    rest = model.generate("", max_new_tokens=4, temperature=0.9, seed=3, goes_on=True)
    list(rest)
    assert rest.tokens == whole.tokens[len(cut.tokens) : len(cut.tokens) + 4]


@pytest.mark.parametrize("steps", [1, 8])
def test_an_end_token_cuts_a_batch(path, steps):
    native = _native.Generator.open(str(path))
    want = draw(native, [4, 5, 6], [30], temperature=1.0, seed=8)
    end = want[5]
    generation = highwater.Generation(
        _rewound(native),
        [4, 5, 6],
        None,
        max_new_tokens=30,
        sampling=highwater.Sampling(temperature=1.0, seed=8),
        stop=(),
        end_tokens=[end],
        steps_per_submit=steps,
    )
    assert list(generation) == []
    kept = want[: want.index(end)]
    assert (generation.tokens, generation.stopped_by) == (kept, "end token")
    assert native.text == [4, 5, 6, *kept]
    assert native.draw(3, temperature=1.0, seed=8) == want[len(kept) : len(kept) + 3]


def _rewound(native):
    native.rewind(0)
    return native


def test_a_caller_may_leave_at_any_piece(model):
    whole = model.generate(PROMPT, max_new_tokens=20, temperature=0.9, seed=6)
    list(whole)
    part = model.generate(PROMPT, max_new_tokens=20, temperature=0.9, seed=6)
    for _ in range(5):
        next(part)
    part.close()
    assert part.stopped_by == "caller"
    assert part.tokens == whole.tokens[: len(part.tokens)]
    rest = model.generate("", max_new_tokens=3, temperature=0.9, seed=6, goes_on=True)
    list(rest)
    assert rest.tokens == whole.tokens[len(part.tokens) : len(part.tokens) + 3]


def test_the_longest_text_ends_itself(model):
    generation = model.generate(PROMPT, max_new_tokens=1000, temperature=1.0, seed=2)
    list(generation)
    assert generation.stopped_by in ("context", "end token")


def test_without_a_seed_texts_differ_and_with_one_they_do_not(model):
    texts = [
        "".join(model.generate(PROMPT, max_new_tokens=16, temperature=1.5, seed=seed))
        for seed in (None, None, 5, 5)
    ]
    assert texts[0] != texts[1] and texts[2] == texts[3]


def test_logits_between_drawings_leave_the_text_alone(model):
    whole = model.generate(PROMPT, max_new_tokens=12, temperature=0.9, seed=1)
    list(whole)
    part = model.generate(PROMPT, max_new_tokens=5, temperature=0.9, seed=1)
    list(part)
    logits = model.forward(np.array([[1, 2, 3]]), np.array([0]))
    assert logits.shape == (1, llamas.VOCABULARY)
    rest = model.generate("", max_new_tokens=7, temperature=0.9, seed=1, goes_on=True)
    list(rest)
    assert part.tokens + rest.tokens == whole.tokens
