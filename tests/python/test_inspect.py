"""What `highwater inspect` says of a file is what a run of it does."""

import json
import math
import os
import subprocess
import sys

import highwater
import pytest
import torch
from highwater import inspect
from support import inspected, llamas
from support.live import LiveProgram


def run_cli(*arguments, **environment) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "highwater", "inspect", *map(str, arguments)],
        env={**os.environ, "NO_COLOR": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def program_of(report: inspect.Report) -> inspect.Program:
    (found,) = [program for _, _, program in report.programs()]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("inspect")


@pytest.fixture(scope="module")
def gate(folder):
    (folder / "gate.pte").write_bytes(inspected.gate())
    return folder / "gate.pte"


@pytest.fixture(scope="module")
def llama(folder):
    (folder / "llama.pte").write_bytes(llamas.build("4w").pte)
    return folder / "llama.pte"


def test_formulas_of_a_small_program(gate):
    program = program_of(inspect.read(gate))
    places = {s["name"]: s["places"] for s in program.symbols}
    assert places["S"] == ["dim 1 of input 0", "dim 1 of input 1"]
    flat, both = (program.values[value]["dims"] for value in program.raw["outputs"])
    # The planner would also take fewer columns, which the file does not rule out.
    (columns,) = [s for s in program.symbols if "dim 2 of input 0" in s["places"]]
    (rows,) = [s for s in program.symbols if "dim 1 of input 2" in s["places"]]
    assert flat == [f"S*{columns['name']}"]
    assert both == ["1", f"S + {rows['name']}", columns["name"]]
    assert (rows["least"], rows["most"]) == (1, 9)


@pytest.mark.parametrize("lengths", [(48, 9), (37, 4), (1, 1), (48, 9)])
def test_a_small_program_runs_as_it_was_said(gate, lengths):
    length, other = lengths
    report = inspect.read(gate, at=[f"0.1={length},2.1={other}"])
    program = program_of(report)
    (shape,) = program.asked()
    runner = LiveProgram(gate.read_bytes())
    outputs = runner.run(*(torch.randn(1, n, 16) for n in (length, length, other)))
    assert shape.refused is None
    assert shape.kernels == highwater.last_run()["kernels"]
    for value, output in zip(program.raw["outputs"], outputs, strict=True):
        assert shape.dims[value] == list(output.shape)


@pytest.mark.parametrize("kind", ["software", "gpu"])
def test_a_llama_runs_as_it_was_said(llama, monkeypatch, kind):
    monkeypatch.setenv("HIGHWATER_KERNELS", kind)
    calls = [(31, 0), (1, 31), (5, 32), (1, 37), (16, 38)]
    at = [f"S={count},P={position}" for count, position in calls]
    program = program_of(inspect.read(llama, at=at))
    assert [s["name"] for s in program.symbols] == ["S", "P"]
    runner = LiveProgram(llama.read_bytes())
    loaded = highwater.last_load()
    for (count, position), shape in zip(calls, program.asked(), strict=True):
        (logits,) = runner.run(torch.ones(1, count, dtype=torch.int64), torch.tensor([position]))
        assert shape.kernels == highwater.last_run()["kernels"], shape.name
        assert shape.dims[program.raw["outputs"][0]] == list(logits.shape)
    parts = program.raw["memory"]
    kinds = ("constants", "images", "caches", "kept", "inputs", "shared", "params", "read_back")
    assert sum(parts[kind] for kind in kinds) == loaded["gpu_bytes"]


def test_the_formulas_of_a_llama(llama):
    program = program_of(inspect.read(llama))
    forms = {tuple(v["dims"]) for v in program.values.values() if v["role"] == "activation"}
    assert ("1", "S", str(llamas.PARAMS["dim"])) in forms
    scalars = {v["scalar"][0] for v in program.values.values() if "scalar" in v}
    assert {"S", "P", "S + P"} <= scalars
    position = program.symbols[1]
    assert position["places"] == ["element 0 of input 1"]
    assert position["most"] == llamas.CONTEXT - 1
    assert not any("?" in v.get("dims", v.get("scalar", [])) for v in program.values.values())
    # Whatever the formulas say is what was planned everywhere.
    for count in program.symbols[0]["positions"]:
        shape = program.on_grid(S=count)
        for value, dims in shape.dims.items():
            wanted = [eval(d, {"S": count, "P": 0}) for d in program.values[value]["dims"]]
            assert dims == wanted


def test_the_memory_plan_has_no_overlaps(llama):
    raw = program_of(inspect.read(llama)).raw
    shared = {i for i, buffer in enumerate(raw["buffers"]) if buffer["kind"] == "shared"}
    placed = [value for value in raw["values"] if value.get("buffer") in shared]
    assert len(placed) > 20
    for i, one in enumerate(placed):
        assert one["bytes"] <= raw["buffers"][one["buffer"]]["bytes"]
        for two in placed[i + 1 :]:
            apart = one["last"] < two["first"] or two["last"] < one["first"]
            assert apart or one["buffer"] != two["buffer"], (one, two)
    memory = raw["memory"]
    assert memory["shared_peak"] <= memory["shared"] <= memory["shared_if_apart"]


def test_a_shape_over_the_bound_is_refused_in_the_planners_words(llama):
    (shape,) = program_of(inspect.read(llama, at=["S=31,P=60"])).asked()
    assert "run past" in shape.refused
    (shape,) = program_of(inspect.read(llama, at=["S=99"])).asked()
    assert "do not fit" in shape.refused


def test_what_stays_on_the_cpu_is_named(tmp_path):
    (tmp_path / "split.pte").write_bytes(inspected.split())
    report = inspect.read(tmp_path / "split.pte")
    (method,) = report.methods
    assert any("asinh" in op for op in method["cpu_ops"])
    assert len(list(report.programs())) == 2
    for _, _, program in report.programs():
        assert "S" in {s["name"] for s in program.symbols}
    assert "on the CPU" in inspect.as_text(report)


def test_what_cannot_run_is_named(tmp_path):
    (tmp_path / "cosh.pte").write_bytes(inspected.unsupported())
    done = run_cli(tmp_path / "cosh.pte")
    assert done.returncode == 0
    assert "does not run: an op of this program is not supported: aten.cosh" in done.stdout


def test_the_text(llama):
    done = run_cli(llama, "--at", "S=5,P=3", "--kernels")
    assert done.returncode == 0, done.stderr
    for part in (
        "llama.pte",
        "Method forward",
        "nothing stays on the CPU",
        "S is dim 1 of input 0, 1 to 31",
        "P is element 0 of input 1, 0 to 63",
        f"float32 [1, S, {llamas.PARAMS['dim']}]",
        "integer S + P",
        "At S=5, P=3:",
        f"[1, 5, {llamas.PARAMS['dim']}]",
        "Kernels that change with S",
        "caches",
    ):
        assert part in done.stdout, done.stdout


def renamed(folder, gate, name: bytes):
    """The program with an op of another name."""
    old = b"aten.sigmoid.default"
    assert old in gate.read_bytes() and len(name) <= len(old)
    path = folder / "renamed.pte"
    path.write_bytes(gate.read_bytes().replace(old, name.ljust(len(old), b".")))
    return path


@pytest.mark.parametrize("name", [b"\x1b]0;owned\x07", b"\xc2\x9b2J", b"\xc0\xff"])
@pytest.mark.parametrize("arguments", [[], ["--json"], ["--kernels"]])
def test_names_in_a_file_cannot_steer_a_terminal(gate, tmp_path, name, arguments):
    result = run_cli(renamed(tmp_path, gate, name), *arguments)
    for text in (result.stdout, result.stderr):
        assert not set(text) & {"\x1b", "\x07", "\x9b"}
    assert "--traceback" not in result.stderr, "an exception that nobody has put into words"


def test_names_in_a_file_cannot_leave_their_place_in_the_page(gate, tmp_path):
    path = renamed(tmp_path, gate, b"</script><script>a()")
    page = inspect.as_page(inspect.read(path, wgsl=True))
    assert "<script>a()" not in page
    assert "\\u003c/script>\\u003cscript>a()" in page


def test_no_adapter_is_needed(gate):
    done = run_cli(gate, HIGHWATER_WEBGPU="/nonexistent")
    assert done.returncode == 0, done.stderr
    assert "planned with gpu kernels for no adapter in particular: no WebGPU" in done.stdout
    assert "S is dim 1 of input 0" in done.stdout


def test_the_json(llama):
    done = run_cli(llama, "--json", "--at", "S=5", "--at", "S=9,P=3", HIGHWATER_KERNELS="gpu")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["target"]["kernels"] == "gpu"
    (forward,) = [m for m in report["methods"] if m["name"] == "forward"]
    program = forward["delegates"][0]["program"]
    one, two = program["shapes"]
    assert one["symbols"] == {"S": 5, "P": 0}
    assert two["symbols"] == {"S": 9, "P": 3}
    assert one["dispatches"] == len(one["kernels"]) > 10
    groups = [math.prod(r["grid"]) for node in one["nodes"] for r in node["runs"]]
    assert one["workgroups"] == sum(groups)
    assert len(one["nodes"]) == len(program["nodes"])


@pytest.mark.parametrize(
    ("content", "arguments", "words"),
    [
        (None, (), "No such file or directory"),
        (b"", (), "not a .pte file"),
        (b"no program at all", (), "not a .pte file"),
        ("cut", (), "cut short"),
        ("whole", ("--method", "backward"), "no method 'backward'; it has forward"),
        ("whole", ("--at", "Z=3"), "nothing live is called 'Z'; what is live is S"),
        ("whole", ("--at", "S=x"), "'S=x' is no shape"),
    ],
)
def test_bad_files_and_wishes_are_told_clearly(gate, tmp_path, content, arguments, words):
    path = tmp_path / "model.pte"
    whole = gate.read_bytes()
    if content is not None:
        path.write_bytes({"cut": whole[: len(whole) // 2], "whole": whole}.get(content, content))
    done = run_cli(path, *arguments)
    assert done.returncode in (1, 2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr
