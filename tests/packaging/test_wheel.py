"""What `pip` builds, and what it installed."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import run

RUN_PROGRAM = """
import sys, torch
for module in sys.argv[2:]:
    __import__(module)
import highwater
from executorch.runtime import Runtime

method = Runtime.get().load_program(sys.argv[1]).load_method("forward")
for length in (128, 37, 1):
    (y,) = method.execute([torch.ones(1, length, 64)])
    assert y.shape == (1, length, 64), y.shape
    assert highwater.last_run()["passes"] == 1
"""


def test_a_wheel_holds_the_package_the_libraries_and_the_licences(wheel, root):
    names = zipfile.ZipFile(wheel).namelist()
    for name in (
        *("highwater/__init__.py", "highwater/__main__.py", "highwater/py.typed"),
        *("highwater/inspect/page.html", "highwater/inspect/page.css", "highwater/inspect/page.js"),
        *("highwater/cli/__init__.py", "highwater/exporting/__init__.py"),
        *("highwater/lib/libhighwater_engine.so", "highwater/lib/libhighwater_tools.so"),
        *("highwater/lib/libhighwater_delegate.so", "highwater/lib/libwgpu_native.so"),
        *("highwater/_native.pyi", "highwater/_delegate.pyi", "highwater/models/kjv/model.pte"),
        "highwater/include/highwater/session.h",
        "highwater/lib/cmake/highwater/highwater-config.cmake",
    ):
        assert name in names, names
    for name in ("LICENSE", "NOTICE"):
        assert any(entry.endswith(f"licenses/{name}") for entry in names), names
    unexpected = [n for n in names if not n.startswith("highwater") or n.endswith((".pyc", ".a"))]
    assert not unexpected
    assert sum(name.endswith(".so") for name in names) == 6, names


def test_a_wheel_finds_executorch_beside_it_and_nowhere_else(wheel, tmp_path):
    library = "highwater/lib/libhighwater_delegate.so"
    zipfile.ZipFile(wheel).extract(library, tmp_path)
    dynamic = run("readelf", "-d", tmp_path / library, cwd=tmp_path)
    (runpath,) = [line for line in dynamic.splitlines() if "RUNPATH" in line or "RPATH" in line]
    assert "[$ORIGIN:$ORIGIN/../../executorch/lib]" in runpath


@pytest.mark.parametrize("before", [[], ["executorch.runtime"]], ids=["first", "after executorch"])
def test_the_package_may_be_imported_first_or_after_executorch(before, tmp_path):
    import program

    path = tmp_path / "model.pte"
    path.write_bytes(program.pte())
    run(sys.executable, "-c", RUN_PROGRAM, path, *before, cwd=tmp_path)


@pytest.mark.parametrize("how", ["command", "module"])
def test_the_command_lists_the_adapters(how, tmp_path):
    installed = Path(sys.executable).parent / "highwater"
    command = [installed] if how == "command" else [sys.executable, "-m", "highwater"]
    assert "Adapter 0 is used: " in run(*command, "devices", cwd=tmp_path)


def test_without_a_webgpu_implementation_it_says_so(tmp_path):
    result = subprocess.run(
        [sys.executable, "-m", "highwater", "devices"],
        env={"HIGHWATER_WEBGPU": "/nowhere/libwebgpu.so"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "no WebGPU implementation could be loaded" in result.stderr
