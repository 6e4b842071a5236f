"""`highwater generate`, `run` and `bench`, as a person would call them."""

import json
import os
import signal
import subprocess
import sys
import time

import highwater
import numpy as np
import pytest
import torch
from click.testing import CliRunner
from highwater import shipped
from highwater.cli import commands
from support import llamas, lowering, spelling


class Gate(torch.nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


SOURCE = """
import torch
class Gate(torch.nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)
class Other(torch.nn.Module):
    def forward(self, x):
        return x
def gate():
    return Gate(), (torch.randn(1, 64, 8),), None
def other():
    return Other(), (torch.randn(1, 64, 8),), None
"""


RANDOM = """
import torch
def unseeded():
    return torch.nn.Linear(8, 8), (torch.randn(4, 8),), None
def seeded():
    torch.manual_seed(1)
    return unseeded()
"""


def invoke(*arguments, **options):
    return CliRunner().invoke(commands, [str(a) for a in arguments], **options)


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    folder = tmp_path_factory.mktemp("llama")
    (folder / "model.pte").write_bytes(llamas.build("4w").pte)
    spelling.write_tokenizer(folder / "tokenizer.json")
    return folder


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gate")
    length = torch.export.Dim("length", min=1, max=64)
    pte = lowering.lower(Gate(), (torch.randn(1, 64, 8),), ({1: length},))
    (folder / "model.pte").write_bytes(pte)
    (folder / "gate.py").write_text(SOURCE)
    return folder


def test_generate_streams_the_text_that_python_gives(llama):
    options = dict(max_new_tokens=10, temperature=0.9, seed=4)
    with highwater.load(llama / "model.pte") as model:
        want = "".join(model.generate("Hello there", **options))
    result = invoke(
        "generate", llama, "-p", "Hello there", "-n", 10, "--temperature", 0.9, "--seed", 4
    )
    assert result.exit_code == 0, result.output
    assert result.stdout == f"Hello there{want}\n"
    assert "tokens read at" in result.stderr and "ended by --max-new-tokens" in result.stderr


def test_generate_serves_several_prompts_as_json(llama):
    result = invoke("generate", llama, "-p", "One", "-p", "Two", "-n", 5, "--json")
    first, second = json.loads(result.stdout)
    assert (first["prompt"], second["prompt"]) == ("One", "Two")
    assert first["new_tokens"] == len(first["tokens"]) == 5


def test_a_conversation_goes_on_with_the_text_and_starts_anew(llama):
    with highwater.load(llama / "model.pte") as model:
        first = "".join(model.generate("Hello", max_new_tokens=4))
        more = "".join(model.generate("and", max_new_tokens=4, goes_on=True))
    said = f"Hello{first}\nand{more}\nHello{first}\n"
    lines = "Hello\nand\n\n/reset\nHello\n"
    result = invoke("generate", llama, "-i", "-n", 4, input=lines)
    assert result.exit_code == 0
    assert result.stdout.strip() == said.strip()


def test_what_a_model_writes_goes_as_it_is_to_a_pipe(llama, monkeypatch):
    class Hostile:
        def encode(self, text):
            return [1]

        def decode(self, tokens):
            return "\x1b[2J\x9b\r\n\f\udcff" * len(tokens)

    monkeypatch.setattr(highwater, "load_tokenizer", lambda *_: Hostile())
    result = invoke("generate", llama, "-p", "a\x1b[2Jb", "-n", 2)
    assert result.stdout_bytes == ("a\x1b[2Jb" + "\x1b[2J\x9b\r\n\f\\xff" * 2 + "\n").encode()
    (answer,) = json.loads(invoke("generate", llama, "-p", "a", "-n", 2, "--json").stdout)
    assert answer["text"] == "\x1b[2J\x9b\r\n\f\udcff" * 2


def test_ctrl_c_ends_a_text_and_says_what_was_done(llama, tmp_path):
    script = (
        "import sys, time, highwater.generation as g\n"
        "draw = g.Generation._draw\n"
        "g.Generation._draw = lambda self: (time.sleep(0.3), draw(self))[1]\n"
        "from highwater.cli import main; main()\n"
    )
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", script, "generate", llama, "-p", "Hello"),
            *("-n", "45", "--temperature", "1", "--seed", "1", "--steps-per-submit", "1"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout.read(5) == "Hello"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopped." in errors and "written at" in errors and "Traceback" not in errors


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["generate", "LLAMA"], 2, "Give a --prompt"),
        (["generate", "nowhere", "-p", "x"], 1, "cannot read nowhere: No such file"),
        (["generate", "GATE", "-p", "x"], 1, "cannot generate text"),
        (["generate", "GATE", "-p", "x", "--tokenizer", __file__], 1, "cannot generate text"),
        (["generate", "LLAMA", "-p", "x", "--tokenizer", __file__], 1, "be read as a tokenizer"),
        (["generate", "LLAMA", "-p", "x" * 100], 1, "longer than the 64"),
        (["generate", "LLAMA", "-p", "x", "--top-p", "0"], 2, "--top-p"),
        (["generate", "LLAMA", "-p", "x", "--adapter", "none such"], 1, "none such"),
        (["run", "GATE", "-i", "1x65x8"], 2, "does not fit"),
        (["run", "GATE", "-i", "1x3x8", "-i", "1x3x8"], 2, "takes 1"),
        (["run", "GATE", "-i", "foo=1x3x8"], 2, "There is no input 'foo'; the model takes 1"),
        (["run", "nowhere", "--check", "nowhere.py:gate"], 1, "cannot read nowhere"),
        (["inspect", "nowhere"], 1, "cannot read nowhere"),
        (["bench", "LLAMA", "--prefill", "none"], 2, "list of whole numbers"),
        (["bench", "GATE", "--prefill", "16"], 2, "--prefill is for language models"),
        (["bench", "GATE", "--steps", "1"], 2, "cannot generate text"),
        (["bench", "LLAMA", "--context", "8", "-i", "1x3"], 2, "does not go with --input"),
        (["bench", "GATE", "--json", "--report"], 2, "take one"),
    ],
)
def test_what_cannot_be_done_is_said(arguments, code, words, llama, gate):
    places = {"LLAMA": llama, "GATE": gate}
    result = invoke(*(places.get(a, a) for a in arguments))
    assert result.exit_code == code, result.output
    assert words in result.stderr and "Traceback" not in result.stderr
    assert not result.stdout


def test_an_empty_prompt_is_refused_before_anything_is_loaded(llama, monkeypatch):
    monkeypatch.setattr(highwater, "load", lambda *_, **__: pytest.fail("it was loaded"))
    result = invoke("generate", llama, "-p", "Hello", "-p", "")
    assert result.exit_code == 2
    assert "The prompt '' has no tokens" in result.stderr


def test_a_report_is_made_of_tables(gate):
    result = invoke("bench", gate, "--report", "-n", "1", "-i", "1x37x8")
    assert result.exit_code == 0, result.output
    title, *tables = result.stdout.splitlines()
    assert title == f"**highwater bench {gate}**"
    assert f"| Highwater | {highwater.__version__} |" in tables
    assert any(line.startswith("| adapter | ") for line in tables)
    header, rule, row = tables[-3:]
    assert "37x8" in row and " ms " in row
    assert header.count("|") == rule.count("|") == row.count("|")


@pytest.mark.parametrize("command", ["run", "bench", "profile", "inspect"])
def test_models_are_found_by_folder_or_by_the_name_of_one_that_ships(
    command, gate, tmp_path, monkeypatch
):
    monkeypatch.setattr(shipped, "_FOLDERS", (tmp_path,))
    (tmp_path / "tide").symlink_to(gate)
    for name in (gate, "tide"):
        result = invoke(command, name, "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)


@pytest.mark.parametrize("command", ["run", "bench", "profile", "inspect", "generate"])
def test_what_is_no_file_is_refused_at_once(command, tmp_path):
    os.mkfifo(tmp_path / "model.pte")
    more = ["-p", "x"] if command == "generate" else []
    for name in (tmp_path, tmp_path / "model.pte", "/dev/zero"):
        since = time.monotonic()
        result = invoke(command, name, *more)
        assert result.exit_code == 1
        assert ", not a file" in result.stderr
        assert time.monotonic() - since < 1


def test_run_at_several_lengths(gate, tmp_path):
    result = invoke(
        *("run", gate / "model.pte", "-i", "0=1x64x8,1x1x8,1x37x8", "--save", tmp_path),
        *("--check", f"{gate / 'gate.py'}:gate"),
    )
    assert result.exit_code == 0, result.output
    assert "loaded once" in result.stdout
    for i, length in enumerate((64, 1, 37)):
        assert f"1x{length}x8 float32" in result.stdout
        assert np.load(tmp_path / f"run{i}_output0.npy").shape == (1, length, 8)


def test_a_check_that_fails_is_a_failure(gate):
    result = invoke("run", gate, "-i", "1x5x8", "--check", f"{gate / 'gate.py'}:other")
    assert result.exit_code == 1
    assert "largest error" in result.stderr


def test_a_check_says_that_weights_are_random(tmp_path):
    (tmp_path / "random_weights.py").write_text(RANDOM)
    module = torch.nn.Linear(8, 8)
    (tmp_path / "model.pte").write_bytes(lowering.lower(module, (torch.randn(4, 8),)))
    hint = "makes random weights"
    for function, hinted in (("unseeded", True), ("seeded", False)):
        check = f"{tmp_path / 'random_weights.py'}:{function}"
        result = invoke("run", tmp_path, "--check", check)
        assert result.exit_code == 1
        assert "The largest error" in result.stderr
        assert (hint in result.stderr) == hinted


def test_run_as_json(gate):
    (run,) = json.loads(invoke("run", gate, "-i", "1x7x8", "--json").stdout)
    assert run["outputs"][0]["dims"] == [1, 7, 8]
    assert run["dispatches"] > 0 and run["kernels"]


def test_bench_of_a_language_model(llama):
    result = invoke(
        *("bench", llama, "--prefill", "1,8,1000", "--context", 16, "--steps", "1,4"),
        *("--repeat", 2, "--json"),
    )
    rows = json.loads(result.stdout)["rows"]
    assert [row["what"] for row in rows] == [
        "prompt of 1",
        "prompt of 8",
        "decoding at 16, 1 in a submit",
        "decoding at 16, 4 in a submit",
    ]
    assert [row["waits"] for row in rows[2:]] == [1, 0.25]
    assert all(row["read_back"] == 4 for row in rows[2:])
    assert "not 1000" in result.stderr


def test_bench_of_runs(gate):
    result = invoke("bench", gate, "-i", "1x64x8,1x1x8", "--repeat", 2)
    assert result.exit_code == 0, result.output
    assert "1x64x8" in result.stdout and "1x1x8" in result.stdout
