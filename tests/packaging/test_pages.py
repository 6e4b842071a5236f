"""The README's examples run as they are written, and the pages in docs/ quote what is there.

What pages of docs/ tell a reader to type is run by test_commands_of_pages.py."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import markdown
import pytest
from conftest import ROOT, run

README = ROOT / "README.md"
PAGES = [README, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
QUOTES = [
    pytest.param(block, id=f"{page.name}:{block.line}")
    for page in PAGES
    for block in markdown.blocks(page)
    if block.quoted
]


def examples(language: str, page: Path = README) -> list[str]:
    return [b.text for b in markdown.blocks(page) if b.language == language]


@pytest.fixture(scope="module")
def python_example(tmp_path_factory):
    """A folder in which the Python example has run, and what it said."""
    folder = tmp_path_factory.mktemp("readme")
    (script,) = [text for text in examples("python") if "to_pte" in text]
    (folder / "example.py").write_text(script)
    return folder, run(sys.executable, "example.py", cwd=folder)


def test_the_python_example(python_example):
    lines = python_example[1].splitlines()
    assert [line.split()[:2] for line in lines] == [["128", "True"], ["37", "True"], ["1", "True"]]
    assert "map/sigmoid" in lines[0]


def test_the_cpp_example(python_example):
    folder, _ = python_example
    for language, name in (("cpp", "main.cpp"), ("cmake", "CMakeLists.txt")):
        (text,) = examples(language)
        assert text.splitlines()[0].endswith(f" {name}")
        (folder / name).write_text(text)
    (script,) = [text for text in examples("sh") if "CMAKE_PREFIX_PATH" in text]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    output = run("bash", "-euc", script, cwd=folder, PATH=path)
    answer = "y[0] = 1.7311"  # 1 * sigmoid(1) + 1
    assert output.splitlines()[-3:] == [f"{n} rows in, {n} out, {answer}" for n in (128, 37, 1)]


def test_the_commands_of_the_readme_are_there():
    (script,) = [text for text in examples("sh") if "./demo" in text]
    commands = [line.split()[0] for line in script.splitlines()]
    assert commands == ["./demo", "./playground", "./test", "./bench", "./fuzz", "./soak"]
    for command in commands:
        assert os.access(ROOT / command, os.X_OK), command


@pytest.mark.parametrize("block", QUOTES)
def test_a_quote_is_in_its_file(block):
    source = (ROOT / block.quoted).read_text()
    assert block.text in source, f"{block.quoted} no longer holds\n{block.text}"


def test_the_guides_show_no_code_that_is_neither_a_quote_nor_tested():
    for page in (ROOT / "docs").glob("*.md"):
        for block in markdown.blocks(page):
            is_tested = block.is_run or block.file or block.output or block.only_there
            is_tested = is_tested or (block.runs_in_browser and page.name == "web.md")
            assert block.quoted or is_tested, f"{page.name}:{block.line}"
    assert len(QUOTES) > 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in markdown.links(page):
        assert (page.parent / target).exists(), target


def test_the_tests_that_pages_name_are_there():
    named = [test for page in PAGES for test in markdown.named_tests(page)]
    assert len(named) > 40
    for test in named:
        (path,) = (ROOT / "tests").rglob(test.file)
        source = path.read_text()
        if path.suffix == ".cpp":
            suite, name = test.test.split(".")
            definition = rf"TEST(_P|_F)?\(\s*{suite},\s*{name}\)"
        else:
            definition = rf"^def {test.test}\("
        assert re.search(definition, source, re.MULTILINE), test
        assert test.parameter is None or f'"{test.parameter}":' in source, test


def test_pictures_are_well_formed():
    for picture in (ROOT / "docs").glob("*.svg"):
        ElementTree.parse(picture)


def test_every_variable_that_the_library_reads_is_in_the_pages():
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    found = subprocess.run(
        ["grep", "-rhoE", r'"HIGHWATER_[A-Z_]+"', ROOT / "src"],
        capture_output=True,
        text=True,
        check=True,
    )
    variables = {line.strip('"') for line in found.stdout.splitlines()}
    assert len(variables) > 4
    for variable in variables:
        assert f"`{variable}`" in page, variable


def test_the_demo_agrees_with_what_torch_says_now(tmp_path):
    demo = ROOT / "examples" / "demo.py"
    output = run(sys.executable, demo, "--torch", "--tokens", "8", cwd=tmp_path)
    assert "In the beginning" in output
    assert "The largest error against torch is" in output
