"""What engines run with, beside what `tools/setup` makes.

Engines that need no PyTorch have an environment of their own: their packages must not change the
versions that ExecuTorch needs, and with PyTorch a process would show more memory than they take.
"""

import hashlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "benchmarks" / "requirements.txt"
CACHE = ROOT / "build" / "bench"

WITHOUT_TORCH = "without-torch"

# The package has the libraries of this release, and says so in a file beside them.
LLAMA_CPP_PACKAGE, LLAMA_CPP_RELEASE = "3.22.1", "v0.5.0"
PACKAGED_FOR = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}


class Unavailable(Exception):
    """Something that an engine needs is not to be had, and this is why."""


def packages(environment: str) -> Path:
    """Where an environment that was made here has its packages."""
    return next((CACHE / environment).glob("lib/python*/site-packages"))


def interpreter(environment: str) -> Path:
    return (
        Path(sys.executable)
        if environment == "executorch"
        else CACHE / environment / "bin" / "python"
    )


def python(environment: str, say) -> Path:
    """The interpreter of an environment, which is made if it is not there."""
    found = interpreter(environment)
    folder = CACHE / environment
    stamp = folder / "requirements"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if environment == "executorch" or (stamp.exists() and stamp.read_text() == wanted):
        return found
    say(f"Installing what runs without PyTorch into build/bench/{environment}")
    install = [found, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    for command in (
        [sys.executable, "-m", "venv", folder],
        [*install, "--no-deps", "-r", REQUIREMENTS],
    ):
        _run(command, f"{REQUIREMENTS.relative_to(ROOT)} does not install")
    stamp.write_text(wanted)
    return found


def llama_cpp(say) -> Path:
    """The folder of llama.cpp's libraries, which npm brings if they are not there."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in PACKAGED_FOR:
        raise Unavailable(f"node-llama-cpp has no package for Linux on {machine}")
    name = f"@node-llama-cpp/{PACKAGED_FOR[machine]}"
    folder = CACHE / f"llama.cpp-{LLAMA_CPP_PACKAGE}"
    libraries = folder / "node_modules" / name / "bins" / PACKAGED_FOR[machine]
    if libraries.exists():
        return libraries
    if not shutil.which("npm"):
        raise Unavailable("needs npm, which brings its libraries, and which is not here")
    say("Installing llama.cpp into build/bench")
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
    command = ["npm", "--prefix", folder, "install", *options, f"{name}@{LLAMA_CPP_PACKAGE}"]
    _run(command, f"{name} does not install")
    return libraries


def _run(command: list, problem: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word of why"])[-1]
        raise Unavailable(f"{problem}: {last}")
