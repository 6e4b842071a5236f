"""What the pages say of language models: the command makes what is tested, the example runs."""

import dataclasses
import shlex
import sys

from conftest import ROOT, run
from highwater.cli.export import command, language_model
from highwater.exporting import llama
from support import llamas, spelling
from test_pages import examples

CLI, PYTHON = ROOT / "docs" / "cli.md", ROOT / "docs" / "python.md"


def test_the_command_asks_for_a_model_like_those_that_are_tested(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tokenizer.json").touch()
    (script,) = [text for text in examples("sh", CLI) if "llama.pth" in text]
    program, name, source, *arguments = shlex.split(script.replace("\\\n", " "))
    assert (program, name, source) == ("highwater", "export", "llama.pth")
    given = command.make_context("export", [source, *arguments]).params
    asked = llama._config(tmp_path, language_model(given), given["output"])
    tested = llamas.make_config(tmp_path, llamas.VARIANTS["4w"])
    for part in ("model", "quantization", "backend", "debug"):
        assert dataclasses.asdict(getattr(asked, part)) == dataclasses.asdict(
            getattr(tested, part)
        ), part


def test_the_runner_prints_what_torch_says(tmp_path):
    (script,) = [text for text in examples("python", PYTHON) if "TextLLMRunner" in text]
    script = f"import highwater\n{script}"
    small = llamas.build("4w")
    (tmp_path / "llama").mkdir()
    (tmp_path / "llama" / "model.pte").write_bytes(small.pte)
    tokenizer = spelling.write_tokenizer(tmp_path / "llama" / "tokenizer.json")
    output = run(sys.executable, "-c", script, cwd=tmp_path)

    model, position = small.fresh(), 0
    for prompt in ("How far is the sea?", "And the hills?"):
        said = spelling.tokens_until_end(tokenizer, model, prompt, 16, position)
        assert tokenizer.decode(said, skip_special_tokens=False) in output.splitlines(), output
        position += len(tokenizer.encode(prompt).ids) + len(said) - 1
