"""The Python environments that engines run in.

ONNX Runtime has one of its own: its packages must not change the versions that ExecuTorch needs,
and a process with PyTorch in it would show more memory than ONNX Runtime takes.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "benchmarks" / "requirements.txt"
CACHE = ROOT / "build" / "bench"


class Unavailable(Exception):
    """Something that an engine needs is not to be had, and this is why."""


def packages(environment: str) -> Path:
    """Where an environment that was made here has its packages."""
    return next((CACHE / environment).glob("lib/python*/site-packages"))


def python(environment: str, say) -> Path:
    """The interpreter of an environment, which is made if it is not there."""
    if environment == "executorch":
        return Path(sys.executable)
    folder = CACHE / environment
    interpreter = folder / "bin" / "python"
    stamp = folder / "requirements"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return interpreter
    say("Installing ONNX Runtime into build/bench")
    install = [interpreter, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    for command in (
        [sys.executable, "-m", "venv", folder],
        [*install, "--no-deps", "-r", REQUIREMENTS],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no word of why"])[-1]
            raise Unavailable(f"{REQUIREMENTS.relative_to(ROOT)} does not install: {last}")
    stamp.write_text(wanted)
    return interpreter
