"""What the packaging tests share: the project's folder, a program, and an installation."""

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Where tools/setup builds what it installs into the .venv.
BUILD = ROOT / "build" / "release"

# The small language models are there.
sys.path.append(str(ROOT / "tests" / "python"))
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="highwater-"))


# Files whose tests install from, or build in, the one folder.
USE_BUILD = {"test_wheel", "test_light_package", "test_cmake_package"}


def pytest_collection_modifyitems(items):
    for item in items:
        group = "build" if item.path.stem in USE_BUILD else item.path.stem
        item.add_marker(pytest.mark.xdist_group(group))


def run(*command, cwd: Path, **environment) -> str:
    """What a command says on stdout; its whole output, as a failure, if it fails."""
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    words = " ".join(str(part) for part in command)
    assert result.returncode == 0, f"{words}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def build_example(name: str, folder: Path, *prefixes: Path, source: Path | None = None) -> Path:
    """The program of `examples/name`, or of another folder of sources, built in `folder` with the
    packages under `prefixes`."""
    run(
        *("cmake", "-S", source or ROOT / "examples" / name, "-B", folder, "-G", "Ninja"),
        *(
            "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
            f"-DCMAKE_PREFIX_PATH={';'.join(map(str, prefixes))}",
        ),
        cwd=folder,
    )
    run("cmake", "--build", folder, cwd=folder)
    return folder / name


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def site_packages() -> Path:
    return Path(sysconfig.get_path("platlib"))


@pytest.fixture(scope="session")
def build() -> Path:
    assert (BUILD / "CMakeCache.txt").exists(), "tools/setup has not built anything yet"
    return BUILD


@pytest.fixture(scope="session")
def prefix(build, tmp_path_factory) -> Path:
    """A plain `cmake --install`, as a distribution would make it."""
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", build, "--prefix", folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="session")
def wheel(root, build, tmp_path_factory):
    """Of the objects that are there already, so that it takes seconds."""
    folder = tmp_path_factory.mktemp("wheel")
    run(
        *(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps"),
        *(f"--config-settings=build-dir={build}", "--wheel-dir", folder, root),
        cwd=root,
    )
    (path,) = folder.glob("*.whl")
    return path
