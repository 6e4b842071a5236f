"""What the pages in docs/ tell a reader to type works as it is written, in the order of the page.

Of the blocks of such a page:

- one under `<!-- file: NAME -->` is written to that file,
- one of `sh` is run by bash,
- one of `python` is run in this process; a page's blocks share their variables,
- one under `<!-- output -->` is what the run before it said: its lines come in this order, where …
  stands for anything,
- of one under `<!-- only there -->`, which would set a machine up, the commands must exist.

The folder in which they run holds a small llama.pth with its params.json, a tokenizer.json, and a
Qwen3-0.6B as Hugging Face keeps it, which is small as well; a small model.pte; and a small language
model with its tokenizer, in the folder llama, and in kjv where none ships.
"""

import contextlib
import io
import os
import re
import shutil
import sys
from pathlib import Path

import markdown
import program
import pytest
import torch
from conftest import ROOT, run
from highwater.shipped import shipped_models
from support import hugging_face_models, llamas, spelling

README = ROOT / "README.md"
BLOCKS = {page: markdown.blocks(page) for page in sorted((ROOT / "docs").glob("*.md"))}
PAGES = [page for page, blocks in BLOCKS.items() if any(block.is_run for block in blocks)]
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    llamas._write_checkpoint(folder, {**llamas.PARAMS, "n_layers": 1})
    (folder / "weights.pth").rename(folder / "llama.pth")
    spelling.write_tokenizer(folder / "tokenizer.json")
    qwen = hugging_face_models.make("qwen3", torch.bfloat16).write(folder / "Qwen3-0.6B")
    spelling.write_tokenizer(qwen / "tokenizer.json")
    (folder / "model.pte").write_bytes(program.pte())
    # What ships is what a reader has; a checkout without it has a stand-in.
    for name in {"llama", "kjv"} - shipped_models().keys():
        (folder / name).mkdir()
        (folder / name / "model.pte").write_bytes(llamas.build("4w").pte)
        spelling.write_tokenizer(folder / name / "tokenizer.json")
    return folder


@pytest.fixture
def folder(models, tmp_path, monkeypatch):
    shutil.copytree(models, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_python(block: markdown.Block, name: str, variables: dict) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(block.text, f"{name}:{block.line}", "exec"), variables)
    return said.getvalue()


def assert_said(output: str, block: markdown.Block) -> None:
    lines = iter(output.splitlines())
    for wanted in block.text.splitlines():
        pattern = re.compile(".*".join(map(re.escape, wanted.split("…"))))
        assert any(pattern.fullmatch(line) for line in lines), f"{wanted!r} is not in\n{output}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_works(page, folder):
    output, variables = "", {"__name__": "__main__"}
    for block in BLOCKS[page]:
        if block.file:
            (folder / block.file).write_text(block.text)
        elif block.output:
            assert_said(output, block)
        elif block.is_run and block.language == "sh":
            output = run("bash", "-euc", block.text, cwd=folder, PATH=PATH, HOME=str(folder))
        elif block.is_run:
            output = run_python(block, page.name, variables)


@pytest.mark.parametrize("page", BLOCKS, ids=lambda page: page.name)
def test_commands_that_are_not_run_are_there(page):
    for block in BLOCKS[page]:
        for line in block.text.splitlines() if block.only_there else ():
            command = line.split()[0]
            assert shutil.which(command, path=PATH) or os.access(ROOT / command, os.X_OK), line


def commands(page: Path) -> list[str]:
    """The lines of a page that call highwater, each on one line and without its comment."""
    text = "\n".join(b.text for b in markdown.blocks(page) if b.language == "sh")
    lines = re.sub(r"\s*\\\n\s*", " ", text).splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.startswith("highwater ")]


def test_the_commands_of_the_readme_are_among_them():
    known = {command for page in BLOCKS for command in commands(page)}
    assert commands(README)
    for command in commands(README):
        assert command in known, command
