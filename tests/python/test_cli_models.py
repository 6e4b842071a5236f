"""`highwater generate`, `run` and `bench`, as a person would call them."""

import json
import os
import signal
import subprocess
import sys
import time

import highwater
import llamas
import lowering
import numpy as np
import pytest
import spelling
import torch
from click.testing import CliRunner
from highwater.cli import commands


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
        (["generate", "nowhere", "-p", "x"], 1, "nowhere is not a file"),
        (["generate", "GATE", "-p", "x"], 1, "no tokenizer"),
        (["generate", "LLAMA", "-p", "x" * 100], 1, "longer than the 64"),
        (["generate", "LLAMA", "-p", "x", "--top-p", "0"], 2, "--top-p"),
        (["generate", "LLAMA", "-p", "x", "--adapter", "none such"], 1, "none such"),
        (["run", "GATE", "-i", "1x65x8"], 2, "does not fit"),
        (["run", "GATE", "-i", "1x3x8", "-i", "1x3x8"], 2, "takes 1"),
        (["bench", "LLAMA", "--prefill", "none"], 2, "list of whole numbers"),
    ],
)
def test_what_cannot_be_done_is_said(arguments, code, words, llama, gate):
    places = {"LLAMA": llama, "GATE": gate}
    result = invoke(*(places.get(a, a) for a in arguments))
    assert result.exit_code == code, result.output
    assert words in result.stderr and "Traceback" not in result.stderr


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
