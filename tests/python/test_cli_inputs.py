"""What `--input` takes, and the words for what it does not."""

import random

import click
import numpy as np
import pytest
from highwater.cli import inputs

IMAGE = {"kind": "tensor", "dtype": "float32", "bound": (1, 3, 8, 8)}
ROWS = {"kind": "tensor", "dtype": "float32", "bound": (128, 4)}
FLAGS = {"kind": "tensor", "dtype": "bool", "bound": (16,)}
LENGTH = {"kind": "integer"}
TOKENS = {"kind": "tensor", "dtype": "int32", "bound": (1, 31)}
POSITION = {"kind": "tensor", "dtype": "int32", "bound": (1,)}
LLAMA = [TOKENS, POSITION]


def test_what_is_not_given_is_random_and_as_large_as_it_can_be():
    image, flags, length = inputs.arrays([IMAGE, FLAGS, LENGTH], [])
    assert image.shape == IMAGE["bound"] and image.dtype == np.float32
    assert 0.5 < image.std() < 1.5
    assert flags.shape == (16,) and flags.dtype == np.bool_ and 0 < flags.sum() < 16
    assert length == 0


def test_a_language_model_gets_tokens_at_position_0():
    tokens, position = inputs.arrays(LLAMA, ["1x7"])
    assert tokens.shape == (1, 7) and tokens.min() >= 0 and tokens.max() < 100
    assert position.tolist() == [0]
    assert inputs.labels(LLAMA, [tokens, position]) == ["tokens 1x7 int32", "input_pos = 0"]


@pytest.mark.parametrize("given", [["1x7", "input_pos=5"], ["1=5", "1x7"], ["tokens=1x7", "5"]])
def test_inputs_are_meant_by_name_by_place_or_in_order(given):
    tokens, position = inputs.arrays(LLAMA, given)
    assert tokens.shape == (1, 7)
    assert position.tolist() == [5]


def test_the_same_seed_gives_the_same():
    first, again, other = (inputs.arrays([ROWS], ["5x4"], seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_integers_stay_below_what_is_said():
    assert inputs.arrays(LLAMA, ["0=1x31:3"])[0].max() < 3
    assert inputs.arrays(LLAMA, ["0=1x31:30000"])[0].max() > 100


def test_numbers_are_for_integers_and_single_elements():
    one = {"kind": "tensor", "dtype": "float32", "bound": (1, 1)}
    assert inputs.arrays([LENGTH, one], ["-12", "0.5"]) == [-12, np.array([[0.5]])]


def test_files(tmp_path):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "wide.npy", x.astype(np.float64))
    np.save(tmp_path / "tokens.npy", np.arange(5)[None])
    (tmp_path / "x.bin").write_bytes(x.tobytes())
    for given in ("x.npy", "wide.npy", "x.bin:3x4"):
        (loaded,) = inputs.arrays([ROWS], [f"0={tmp_path / given}"])
        assert loaded.dtype == np.float32
        assert np.array_equal(loaded, x), given
    assert inputs.arrays(LLAMA, [str(tmp_path / "tokens.npy")])[0].tolist() == [[0, 1, 2, 3, 4]]


@pytest.mark.parametrize(
    ("specs", "given", "words"),
    [
        ([ROWS], ["129x4"], ["Input 0 is float32 of at most 128x4", "129x4 does not fit"]),
        ([ROWS], ["4"], ["128x4", "4 does not fit"]),
        ([ROWS], ["0=tide"], ["128x4", "'tide' is neither a shape"]),
        ([ROWS], ["5x4", "5x4"], ["2 inputs are given", "1: input 0, float32"]),
        ([ROWS], ["1=5x4"], ["no input '1'", "1: input 0, float32 of at most 128x4"]),
        ([ROWS], ["x=5x4"], ["no input 'x'", "1: input 0, float32 of at most 128x4"]),
        ([ROWS, ROWS], ["x=5x4"], ["no input 'x'", "input 1, float32 of at most 128x4"]),
        ([ROWS], ["0=5x4", "0=6x4"], ["Input 0 is given twice"]),
        ([ROWS], ["missing.npy"], ["128x4", "missing.npy cannot be read"]),
        ([ROWS], ["missing.bin:5x4"], ["missing.bin cannot be read"]),
        (LLAMA, ["tokens=1x32"], ["Input 0 (tokens) is int32 of at most 1x31", "1x32"]),
        (LLAMA, ["input_pos=0.5"], ["Input 1 (input_pos)", "0.5 is not a whole number"]),
        (LLAMA, ["input_pos=99999999999"], ["Input 1 (input_pos)", "does not fit"]),
        (LLAMA, ["1x7:0"], ["no random numbers below 0"]),
        ([LENGTH], ["0=1x7"], ["Input 0 is an integer; '1x7' is not"]),
    ],
)
def test_what_does_not_fit_is_told(specs, given, words):
    with pytest.raises(click.UsageError) as error:
        inputs.arrays(specs, given)
    for word in words:
        assert word in error.value.message


def test_files_that_do_not_fit_are_told(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(12).reshape(3, 4) * 1j)
    (tmp_path / "x.bin").write_bytes(bytes(47))
    for given, words in (("x.npy", "holds complex128"), ("x.bin:3x4", "has 48 bytes, and")):
        with pytest.raises(click.UsageError, match=words):
            inputs.arrays([ROWS], [str(tmp_path / given)])


# What texts are made of, so that many come near to meaning something.
PIECES = (
    *(
        "0",
        "1",
        "9" * 19,
        "9" * 400,
        "9" * 5000,
        "x",
        "-",
        "+",
        ".",
        "e",
        "=",
        ":",
        "nan",
        "inf",
        "1e400",
    ),
    *(
        "37x4",
        "raw.bin",
        ".npy",
        ".bin",
        "input0",
        "\u0664",
        "\0",
        "\n",
        "_",
        "0x",
        ":0",
        "0=",
        "3=",
        "/",
    ),
    *("..", "%s", "{}", "[red]", " "),
)


def test_any_text_is_an_input_or_refused_in_words():
    draw = random.Random(1)
    specs = [ROWS, POSITION, FLAGS, LENGTH, IMAGE]
    refused = 0
    for _ in range(5000):
        given = [
            "".join(draw.choices(PIECES, k=draw.randint(0, 5))) for _ in range(draw.randint(0, 3))
        ]
        try:
            values = inputs.arrays(specs, given)
        except click.UsageError as error:
            refused += 1
            assert error.message
        else:
            assert len(values) == len(specs)
    assert 0 < refused < 5000


@pytest.mark.parametrize(
    "bad", ["0=" + "9" * 5000, "0=1x" + "9" * 400, "1=" + "9" * 400, "0=raw\0.bin:128x4"]
)
def test_texts_that_random_ones_have_found(bad):
    with pytest.raises(click.UsageError):
        inputs.arrays([ROWS, POSITION], [bad])
