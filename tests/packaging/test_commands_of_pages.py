"""What the pages in docs/ tell a reader to type works as it is written, in the order of the page.

Of the blocks of such a page:

- one under `<!-- file: NAME -->` is written to that file,
- one of `sh` is run by bash,
- one under `<!-- output -->` is what the run before it said: its lines come in this order, where …
  stands for anything.

The folder in which they run holds a small llama.pth with its params.json, a tokenizer.json, and a
Qwen3-0.6B as Hugging Face keeps it, which is small as well.
"""

import os
import re
import sys
from pathlib import Path

import hugging_face_models
import llamas
import markdown
import pytest
import spelling
import torch
from conftest import ROOT, run

README = ROOT / "README.md"
PAGES = [
    page
    for page in sorted((ROOT / "docs").glob("*.md"))
    if any(block.language == "sh" for block in markdown.blocks(page))
]


@pytest.fixture
def folder(tmp_path):
    llamas._write_checkpoint(tmp_path, {**llamas.PARAMS, "n_layers": 1})
    (tmp_path / "weights.pth").rename(tmp_path / "llama.pth")
    spelling.write_tokenizer(tmp_path / "tokenizer.json")
    qwen = hugging_face_models.make("qwen3", torch.bfloat16).write(tmp_path / "Qwen3-0.6B")
    spelling.write_tokenizer(qwen / "tokenizer.json")
    return tmp_path


def assert_said(output: str, block: markdown.Block) -> None:
    lines = iter(output.splitlines())
    for wanted in block.text.splitlines():
        pattern = re.compile(".*".join(map(re.escape, wanted.split("…"))))
        assert any(pattern.fullmatch(line) for line in lines), f"{wanted!r} is not in\n{output}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_works(page, folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    output = ""
    for block in markdown.blocks(page):
        if block.file:
            (folder / block.file).write_text(block.text)
        elif block.output:
            assert_said(output, block)
        elif block.language == "sh" and not block.quoted:
            output = run("bash", "-euc", block.text, cwd=folder, PATH=path, HOME=str(folder))


def commands(page: Path) -> list[str]:
    """The lines of a page that call highwater, each on one line and without its comment."""
    text = "\n".join(b.text for b in markdown.blocks(page) if b.language == "sh")
    lines = re.sub(r"\s*\\\n\s*", " ", text).splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.startswith("highwater ")]


def test_the_commands_of_the_readme_are_among_them():
    known = {command for page in PAGES for command in commands(page)}
    assert commands(README)
    for command in commands(README):
        assert command in known, command
