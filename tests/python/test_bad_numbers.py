"""Numbers and arrays as Python may give them: what cannot be is said, and the next call works."""

import math

import highwater
import numpy as np
import pytest
import torch
from highwater.shipped import find_model

HUGE = 10**5000  # Python itself refuses to print it


@pytest.fixture(scope="module")
def model():
    with highwater.load(find_model("kjv")) as model:
        yield model


@pytest.fixture
def generator(model):
    generator = model.generator()
    generator.set_text([5, 6, 7])
    want = generator.draw(3)
    generator.set_text([5, 6, 7])
    yield generator
    assert generator.text == [5, 6, 7]
    assert generator.draw(3) == want


@pytest.mark.parametrize(
    "count, words",
    [
        (2**64 - 1, "18446744073709551615 more tokens after 3 are more than the 512"),
        (2**63, "more tokens after 3"),
        (510, "510 more tokens after 3"),
        (2**70, "count is 1180591620717411303424; it can be from 0 to 18446744073709551615"),
        (HUGE, "count is a number too long to print"),
        (-1, "count is -1; it can be from 0"),
        (1.5, "count is 1.5; a whole number is wanted"),
        ("two", "count is 'two'; a whole number"),
        (None, "count is None"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # pytest would print the number
)
def test_counts(generator, count, words):
    with pytest.raises(highwater.HighwaterError, match=words):
        generator.draw(count)


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(temperature=math.nan), "temperature is nan"),
        (dict(temperature=-0.5), "temperature of -0.5; it can be 0 or any number above"),
        (dict(temperature=1e300), "temperature is 1e.300"),
        (dict(temperature="hot"), "temperature is 'hot'; a number is wanted"),
        (dict(temperature=None), "temperature is None"),
        (dict(top_k=-1), "top_k is -1; it can be 0, for all tokens"),
        (dict(top_k=2**63), "top_k is 9223372036854775808; it can be from"),
        (dict(top_p=0.0), "top_p is 0; it can be above 0 and up to 1"),
        (dict(top_p=math.nan), "top_p is nan"),
        (dict(seed=-1), "seed is -1; it can be from 0 to 18446744073709551615"),
        (dict(seed=2**64), "seed is 18446744073709551616"),
        (dict(seed=0.5), "seed is 0.5"),
    ],
)
def test_settings(model, generator, settings, words):
    with pytest.raises(highwater.HighwaterError, match=words):
        generator.draw(1, **settings)
    with pytest.raises(highwater.HighwaterError, match=words):
        list(model.generate("In", max_new_tokens=2, **settings))
    generator.set_text([5, 6, 7])


@pytest.mark.parametrize("temperature", [1e-45, 1e-38, 1e-31, 1e-20, 1e-4])
def test_next_to_no_temperature_takes_the_likeliest_token(generator, temperature):
    likeliest = generator.draw(6)
    generator.rewind(3)
    assert generator.draw(6, temperature=temperature, seed=3) == likeliest
    generator.rewind(3)


def test_the_largest_seed_and_top_k(generator):
    generator.draw(1, temperature=1.0, top_k=2**63 - 1, seed=2**64 - 1)
    generator.rewind(3)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda g: g.rewind(2**64 - 1), "cannot go back to 18446744073709551615"),
        (lambda g: g.rewind(-1), "length is -1"),
        (lambda g: g.append([1, 2**70]), "token 1 is 1180591620717411303424; it can be from"),
        (lambda g: g.append([1, 2**63 - 1]), "token 1 is 9223372036854775807; the vocabulary has"),
        (lambda g: g.append([1, -1]), "token 1 is -1; the vocabulary has"),
        (lambda g: g.append([1, "x"]), "token 1 is 'x'; a whole number is wanted"),
        (lambda g: g.append(7), "tokens are 7; a list"),
        (lambda g: g.set_text([0] * 513), "a text of 513 tokens is longer than the 512"),
        (lambda g: g.set_text([5, 6, 2048]), "token 2 is 2048"),
    ],
)
def test_tokens(generator, call, words):
    with pytest.raises(highwater.HighwaterError, match=words):
        call(generator)


def test_tokens_may_be_numpys(generator):
    generator.append(np.array([8, 9]))
    generator.append([np.int32(10)])
    assert generator.text == [5, 6, 7, 8, 9, 10]
    generator.rewind(3)


@pytest.mark.parametrize(
    "prompt, options, words",
    [
        ("a", dict(max_new_tokens=-1), "max_new_tokens is -1; it must be at least 0"),
        ("a", dict(max_new_tokens=2.5), "max_new_tokens is 2.5; a whole number"),
        ("a", dict(steps_per_submit=0), "steps_per_submit is 0; it must be at least 1"),
        ("a", dict(stop=[3]), r"stop\[0\] is 3; a text is wanted"),
        ("a", dict(stop=None), "stop is None; a text, or a list of texts, is wanted"),
        (5, dict(), "the prompt is 5; a text, or a list of tokens"),
        ([1, "b"], dict(), "token 1 is 'b'"),
    ],
)
def test_what_generate_is_given(model, prompt, options, words):
    with pytest.raises(highwater.HighwaterError, match=words):
        model.generate(prompt, **options)
    assert "".join(model.generate("In the", max_new_tokens=2))


@pytest.mark.parametrize(
    "value, words",
    [
        (2**70, "input 0 is 1180591620717411303424; it can be from -9223372036854775808 to"),
        (torch.ones(1, 2, dtype=torch.bfloat16), r"input 0 is of bfloat16.*`x\.float\(\)`"),
        (np.ones((1, 2), np.uint16), "input 0 is of uint16, which is not supported; give float16"),
        (np.array([["a", "b"]]), r"input 0 is of .*ndarray.* with dtype dtype\('<U1'\)"),
        (np.ones([1] * 9), "input 0 has 9 dims; at most 8"),
        (None, "input 0 is of <class 'NoneType'>"),
    ],
)
def test_inputs(model, value, words):
    with pytest.raises(highwater.HighwaterError, match=words):
        model(value, np.array([0]))
    assert model(np.array([[1, 2]]), np.array([0])).ndim == 2


@pytest.mark.parametrize("seconds", [math.nan, -1, 0, -math.inf])
def test_timeouts_that_are_no_time(seconds):
    with pytest.raises(highwater.HighwaterError, match="it must be more than 0, and infinity"):
        highwater.load(find_model("kjv"), timeout_seconds=seconds)


@pytest.mark.parametrize("seconds", [math.inf, 1e300, 60, None])
def test_timeouts_of_any_length(seconds):
    with highwater.load(find_model("kjv"), timeout_seconds=seconds) as model:
        assert "".join(model.generate("In the", max_new_tokens=2))


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(timeout_seconds="long"), "timeout_seconds is 'long'; a number is wanted"),
        (dict(without_passes=["swigloo"]), "no pass 'swigloo' to leave out; there are .*swiglu"),
        (dict(progress=3), "progress is 3; a function is wanted"),
        (dict(without_passes=None), "without_passes is None; a text, or a list of texts"),
        (dict(without_passes=[3]), r"without_passes\[0\] is 3; a text is wanted"),
        (dict(without_passes=["a\udcff"]), r"without_passes is 'a\\udcff'; a text is wanted"),
        (dict(method="a\udcff"), r"method is 'a\\udcff'; a text is wanted"),
        (dict(method=None), "method is None; a text is wanted"),
        (dict(method=[3]), r"method is \[3\]; a text is wanted"),
        (dict(device="a\udcff"), r"adapter is 'a\\udcff'; a text is wanted"),
    ],
)
def test_options(options, words):
    with pytest.raises(highwater.HighwaterError, match=words):
        highwater.load(find_model("kjv"), **options)


@pytest.mark.parametrize("path", [3, None, ["kjv"], 2.5])
def test_what_is_no_path(path):
    with pytest.raises(
        highwater.HighwaterError, match="; the path of a file, or its bytes, is wanted"
    ):
        highwater.load(path)


def test_passes_may_be_one_text():
    highwater.load(find_model("kjv"), without_passes="swiglu,add_rms_norm").close()
