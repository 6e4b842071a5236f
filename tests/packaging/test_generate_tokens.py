"""A C++ program of its own generates the tokens that torch would."""

import subprocess

import pytest
from conftest import build_example, run
from support import llamas

PROMPT = [3, 141, 59, 26, 53, 58, 97, 93, 238, 46, 26, 43, 38]


@pytest.fixture(scope="module")
def folder(site_packages, tmp_path_factory):
    """Holds the example's program and a model."""
    folder = tmp_path_factory.mktemp("generate_tokens")
    build_example("generate_tokens", folder, site_packages)
    (folder / "model.pte").write_bytes(llamas.build("4w").pte)
    return folder


@pytest.mark.parametrize("prompt", [PROMPT, PROMPT[:1]], ids=["prefill", "a single token"])
def test_its_tokens_are_those_of_torch(folder, prompt):
    count = 24
    output = run("./generate_tokens", "model.pte", count, *prompt, cwd=folder)
    want = llamas.greedy(llamas.build("4w").fresh(), prompt, count)
    assert [int(line) for line in output.splitlines()] == want


@pytest.mark.parametrize(
    ("prompt", "count", "said", "complaint"),
    [
        pytest.param(PROMPT, 99, llamas.CONTEXT - len(PROMPT) + 1, "run past", id="a full cache"),
        pytest.param([llamas.VOCABULARY], 1, 0, "below 256", id="a token that is none"),
        pytest.param([1] * llamas.BOUND, 1, 0, "0x10", id="a prompt over the bound"),
    ],
)
def test_what_cannot_be_done_is_said(folder, prompt, count, said, complaint):
    command = ["./generate_tokens", "model.pte", str(count), *map(str, prompt)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert len(result.stdout.splitlines()) == said
    assert complaint in result.stderr.splitlines()[-1]
