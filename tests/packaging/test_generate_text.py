"""A C++ program of its own writes the text that Python does."""

import dataclasses
import subprocess
from pathlib import Path

import highwater
import pytest
from conftest import ROOT, build_example, run
from executorch.exir._serialize._program import deserialize_pte_binary, serialize_pte_binary
from executorch.exir.schema import EValue, Int
from support import llamas
from tokenizers import Tokenizer, decoders, models, trainers
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.processors import TemplateProcessing

PROMPT = "How far is the sea, and what's there?"
BEGIN = "<begin>"


def write_tokenizer(path: Path, *, begins: bool = False) -> Tokenizer:
    """One for the vocabulary of the small Llamas, which has no room for all bytes and merges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=llamas.VOCABULARY, special_tokens=[BEGIN], show_progress=False
    )
    tokenizer.train_from_iterator((ROOT / "README.md").read_text().split("\n\n"), trainer)
    assert tokenizer.get_vocab_size() == llamas.VOCABULARY
    if begins:
        begin = (BEGIN, tokenizer.token_to_id(BEGIN))
        tokenizer.post_processor = TemplateProcessing(
            single=f"{BEGIN} $A", pair=f"{BEGIN} $A $B", special_tokens=[begin]
        )
    tokenizer.save(str(path))
    return tokenizer


@pytest.fixture(scope="module")
def folder(site_packages, tmp_path_factory):
    """Holds the example's program, a model and its tokenizer."""
    folder = tmp_path_factory.mktemp("generate_text")
    build_example("generate_text", folder, site_packages)
    (folder / "model.pte").write_bytes(llamas.build("4w").pte)
    write_tokenizer(folder / "tokenizer.json")
    return folder


def in_python(folder: Path, prompt: str, count: int, **settings) -> tuple[str, str | None]:
    with highwater.load(folder / "model.pte") as model:
        generation = model.generate(prompt, max_new_tokens=count, **settings)
        return "".join(generation), generation.stopped_by


@pytest.mark.parametrize("prompt", [PROMPT, "a", "  <begin>\n"])
@pytest.mark.parametrize("count", [0, 1, 8, 21])
def test_greedy_text_is_that_of_python(folder, prompt, count):
    output = run("./generate_text", ".", prompt, count, cwd=folder)
    text, _ = in_python(folder, prompt, count)
    assert output == prompt + text + "\n"


def test_so_is_text_that_is_drawn(folder):
    output = run("./generate_text", ".", PROMPT, 30, 0.9, 7, cwd=folder)
    text, _ = in_python(folder, PROMPT, 30, temperature=0.9, seed=7)
    assert output == PROMPT + text + "\n"


def test_the_longest_text_ends_itself(folder):
    result = subprocess.run(
        ["./generate_text", ".", PROMPT, "999"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    text, stopped_by = in_python(folder, PROMPT, 999)
    assert (result.stdout, stopped_by) == (PROMPT + text + "\n", "context")
    assert " tokens, " in result.stderr and " a second" in result.stderr


def model_that_ends(begin: int, end: int) -> bytes:
    """The same small Llama with metadata that name the tokens around its texts: what an exporter
    is told of them becomes methods that give a number."""
    file = deserialize_pte_binary(llamas.build("4w").pte)
    plans = file.program.execution_plan
    (constant,) = [plan for plan in plans if plan.name == "get_max_context_len"]
    for name, number in (("get_bos_id", begin), ("get_eos_ids", end)):
        assert name not in [plan.name for plan in plans]
        plans.append(dataclasses.replace(constant, name=name, values=[EValue(Int(number))]))
    return bytes(serialize_pte_binary(file, extract_delegate_segments=True))


def test_it_begins_as_the_tokenizer_says_and_ends_as_the_model_does(folder, tmp_path):
    tokenizer = write_tokenizer(tmp_path / "tokenizer.json", begins=True)
    prompt = tokenizer.encode(PROMPT).ids
    begin = tokenizer.token_to_id(BEGIN)
    assert prompt[0] == begin
    with highwater.load(folder / "model.pte") as model:
        whole = model.generate(prompt, max_new_tokens=30)
        list(whole)
    # In the middle of a batch, and not before.
    at = next(i for i in range(1, 30) if i % 8 and whole.tokens[i] not in whole.tokens[:i])
    (tmp_path / "model.pte").write_bytes(model_that_ends(begin, whole.tokens[at]))
    output = run(folder / "generate_text", ".", PROMPT, 30, cwd=tmp_path)
    assert output == PROMPT + tokenizer.decode(whole.tokens[:at]) + "\n"
    assert in_python(tmp_path, PROMPT, 30) == (tokenizer.decode(whole.tokens[:at]), "end token")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(["nowhere", "a"], "nowhere/model.pte: No such file", id="no model"),
        pytest.param([".", "sea " * 99], "longer than the 64", id="a prompt that is too long"),
        pytest.param([".", ""], "no text to go on with", id="no prompt"),
        pytest.param([".", "a", "1", "-1"], "temperature of -1", id="a bad temperature"),
    ],
)
def test_what_cannot_be_done_is_said(folder, arguments, complaint):
    command = ["./generate_text", *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert complaint in result.stderr.splitlines()[-1]
