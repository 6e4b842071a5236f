"""A C++ program of its own finds the package, links the delegate, and gets torch's answers."""

import json
import re

import program
import pytest
import torch
from conftest import build_example, run


def check_run_module(folder, *prefixes):
    executable = build_example("run_module", folder, *prefixes)
    (folder / "model.pte").write_bytes(program.pte())
    output = run(executable, "model.pte", program.WIDTH, *program.LENGTHS, cwd=folder)

    answers = re.findall(r"length (\d+): output \[1, (\d+), (\d+)\], sum (-?[\d.]+)", output)
    assert [int(length) for length, *_ in answers] == list(program.LENGTHS), output
    for length, rows, width, total in answers:
        with torch.no_grad():
            expected = program.Model()(program.run_module_input(int(length))).double()
        assert (1, int(rows), int(width)) == tuple(expected.shape)
        assert float(total) == pytest.approx(expected.sum().item(), rel=1e-4, abs=1e-2)


def test_a_program_builds_against_an_installation(prefix, site_packages, tmp_path):
    check_run_module(tmp_path, prefix, site_packages)


def test_a_program_builds_against_the_python_environment(site_packages, tmp_path):
    check_run_module(tmp_path, site_packages)


CALLS_NOTHING = """
#include <executorch/extension/module/module.h>
int main(int, char** argv) {
  executorch::extension::Module module(argv[1]);
  return static_cast<int>(module.load_forward());
}
"""


def test_a_program_that_calls_nothing_in_the_library_still_has_it(site_packages, tmp_path):
    (tmp_path / "main.cpp").write_text(CALLS_NOTHING)
    (tmp_path / "model.pte").write_bytes(program.pte())
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.28)\n"
        "project(app LANGUAGES CXX)\n"
        "find_package(highwater REQUIRED COMPONENTS delegate)\n"
        "add_executable(app main.cpp)\n"
        "target_link_libraries(app PRIVATE highwater::delegate)\n"
    )
    # The default of many distributions: a library that nothing calls is left out.
    flags = "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed"
    run("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={site_packages}", flags, cwd=tmp_path)
    run("cmake", "--build", "build", cwd=tmp_path)
    run("build/app", "model.pte", cwd=tmp_path)


def test_an_installation_is_complete_and_names_no_folder_of_this_machine(root, prefix):
    holds = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
    package = "lib/cmake/highwater"
    headers = {f"include/highwater/{path.name}" for path in (root / "include/highwater").iterdir()}
    assert {"include/highwater/session.h", "include/highwater/generator.h"} <= headers
    assert holds == headers | {
        "lib/libhighwater_delegate.so",
        "lib/libhighwater_engine.so",
        "lib/libhighwater_tools.so",
        "lib/libwgpu_native.so",
        f"{package}/highwater-config.cmake",
        f"{package}/highwater-config-version.cmake",
        f"{package}/highwater-delegate-targets.cmake",
        f"{package}/highwater-delegate-targets-release.cmake",
        f"{package}/highwater-targets.cmake",
        f"{package}/highwater-targets-release.cmake",
    }
    for path in holds - {"lib/libwgpu_native.so"}:
        assert str(root).encode() not in (prefix / path).read_bytes(), path


def test_the_engine_and_its_tools_need_nothing_of_executorch(prefix, tmp_path):
    """The prefix is far from any ExecuTorch, and the program is built against it alone."""
    executable = build_example("generate_text", tmp_path, prefix)
    commands = json.loads((tmp_path / "compile_commands.json").read_text())
    assert commands
    for command in commands:
        assert "executorch" not in command["command"]
    libraries = [prefix / "lib" / f"libhighwater_{name}.so" for name in ("engine", "tools")]
    for file in (executable, *libraries):
        assert "executorch" not in run("readelf", "--dynamic", file, cwd=tmp_path)
        # Of its namespace; that of its schemas is executorch_flatbuffer.
        assert "executorch::" not in run("nm", "-C", "--dynamic", file, cwd=tmp_path)


def test_only_what_is_public_can_be_linked(prefix, tmp_path):
    for name, some in (
        ("engine", "highwater::Session::run_all"),
        ("tools", "highwater::Tokenizer::encode"),
        ("delegate", "highwater::last_run"),
    ):
        library = prefix / "lib" / f"libhighwater_{name}.so"
        symbols = run("nm", "-C", "--dynamic", "--defined-only", library, cwd=tmp_path)
        public = [line for line in symbols.splitlines() if "HIGHWATER_PRIVATE" not in line]
        assert any(some in line for line in public)
        assert "operator new" not in symbols
        foreign = [line for line in public if "highwater::" not in line.split(maxsplit=2)[2]]
        assert foreign in ([], [f"{0:016x} A HIGHWATER"]), foreign
