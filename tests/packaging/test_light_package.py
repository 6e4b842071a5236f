"""The package with nothing but NumPy and click: it runs models, and says what the rest needs."""

import re
import subprocess
import sys
import venv
from importlib.metadata import files
from pathlib import Path

import highwater
import numpy as np
import program
import pytest
from conftest import ROOT, run
from support import llamas
from tokenizers import Tokenizer, models

WANTED = ("numpy", "click")
PROMPT = "In the beginning"


@pytest.fixture(scope="module")
def manylinux(wheel, tmp_path_factory) -> Path:
    """The wheel as it is given away: auditwheel has looked at all that it links."""
    folder = tmp_path_factory.mktemp("manylinux")
    command = ("auditwheel", "repair", "--exclude", "libexecutorch.so", "--wheel-dir", folder)
    run(sys.executable, "-m", *command, wheel, cwd=folder)
    (repaired,) = folder.glob("*.whl")
    return repaired


@pytest.fixture(scope="module")
def light(manylinux, site_packages, tmp_path_factory) -> Path:
    """The folder of the programs of an environment that holds the wheel, and what it asks for."""
    folder = tmp_path_factory.mktemp("light")
    venv.create(folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    # From this environment, so that no network is needed.
    for name in WANTED:
        for top in {Path(file).parts[0] for file in files(name)} - {".."}:
            (packages / top).symlink_to(site_packages / top)
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
    run(*pip, "install", "--no-index", manylinux, cwd=folder)
    return folder / "bin"


def test_the_wheel_runs_on_any_linux_of_the_age_of_debian_12(manylinux):
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = re.fullmatch(rf"highwater-0.1.0-{python}-{python}-(.*)\.whl", manylinux.name)[1]
    minors = [int(minor) for minor in re.findall(r"manylinux_2_(\d+)_x86_64", tag)]
    assert minors and min(minors) <= 36, tag
    assert manylinux.stat().st_size < 30e6, "a few tens of megabytes were promised"


def test_it_needs_no_torch_and_writes_the_same_text(light, tmp_path):
    script = """
import importlib.util, sys, highwater
for name in ("torch", "executorch", "tokenizers", "huggingface_hub"):
    assert importlib.util.find_spec(name) is None, name
with highwater.load("kjv") as model:
    print("".join(model.generate(sys.argv[1], max_new_tokens=24)))
"""
    said = run(light / "python", "-c", script, PROMPT, cwd=tmp_path)
    with highwater.load("kjv") as model:
        assert said == "".join(model.generate(PROMPT, max_new_tokens=24)) + "\n"


def test_a_model_runs_at_every_length(light, tmp_path):
    (tmp_path / "model.pte").write_bytes(program.pte())
    script = """
import highwater, numpy as np
with open("model.pte", "rb") as file, highwater.load(file.read()) as model:
    for length in (128, 37, 1, 128):
        x = np.linspace(-1, 1, length * 64, dtype=np.float32).reshape(1, length, 64)
        np.save(f"{length}.npy", model(x))
"""
    run(light / "python", "-c", script, cwd=tmp_path)
    with highwater.load(program.pte()) as model:
        for length in (128, 37, 1):
            x = np.linspace(-1, 1, length * 64, dtype=np.float32).reshape(1, length, 64)
            np.testing.assert_allclose(np.load(tmp_path / f"{length}.npy"), model(x), rtol=1e-6)


def test_the_command_works(light, tmp_path):
    said = run(light / "highwater", "generate", "kjv", "-p", PROMPT, "-n", 4, cwd=tmp_path)
    assert said.startswith(PROMPT)
    run(light / "highwater", "inspect", "kjv", cwd=tmp_path)
    run(light / "highwater", "profile", "kjv", "-i", "1x7", "-i", "input_pos=0", cwd=tmp_path)


def fails(light: Path, *command: object, cwd: Path) -> str:
    result = subprocess.run(
        [str(light / command[0]), *map(str, command[1:])],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1, result.stdout
    assert "Traceback" not in result.stderr
    return result.stderr


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            ("run", "pieces.pte", "-i", "1x7"),
            r"pieces\.pte, which .*, needs ExecuTorch: .* pip install 'highwater\[executorch\]'",
        ),
        (
            ("export", "llama.pth"),
            r"highwater export needs the package 'torch'.* pip install 'highwater\[export\]'",
        ),
        (
            ("run", "model.pte", "-i", "1x7x64", "--check", "model.py:gate"),
            r"--check needs the package 'torch'.* pip install 'highwater\[export\]'",
        ),
        (
            ("generate", "kjv", "-p", PROMPT, "--tokenizer", "tokenizer.model"),
            r"needs the package 'pytorch_tokenizers'.* pip install 'highwater\[executorch\]'",
        ),
        (
            ("generate", "kjv", "-p", PROMPT, "--tokenizer", "words.json"),
            r"WordLevel.*: pip install tokenizers",
        ),
    ],
    ids=["pieces", "export", "check", "tokenizer.model", "another tokenizer.json"],
)
def test_what_needs_more_says_what(light, tmp_path, command, words):
    (tmp_path / "pieces.pte").write_bytes(llamas.build("4w_no_cache").pte)
    (tmp_path / "model.pte").write_bytes(program.pte())
    (tmp_path / "tokenizer.model").write_bytes(b"")
    (tmp_path / "llama.pth").write_bytes(b"")
    (tmp_path / "params.json").write_text("{}")
    Tokenizer(models.WordLevel({"a": 0}, unk_token="a")).save(str(tmp_path / "words.json"))
    said = fails(light, "highwater", *command, cwd=tmp_path)
    assert re.search(words, said), said


def test_reports_of_executorchs_runs_say_so_as_well(light, tmp_path):
    script = """
import highwater
for report in (highwater.last_run, highwater.last_load, highwater.last_error):
    try:
        report()
    except highwater.HighwaterError as error:
        print(error)
"""
    lines = run(light / "python", "-c", script, cwd=tmp_path).splitlines()
    assert [line.split(" needs ")[0] for line in lines] == ["last_run", "last_load", "last_error"]
    assert all("pip install 'highwater[executorch]'" in line for line in lines)


def test_the_demo_needs_no_more(light, tmp_path):
    output = run(light / "python", ROOT / "examples" / "demo.py", "--tokens", "8", cwd=tmp_path)
    assert PROMPT in output
    assert "The largest error against torch is" in output
