"""Programs that ExecuTorch runs in pieces: what is told of a run is told of all its delegates."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import highwater
import numpy as np
import pytest
import torch
from click.testing import CliRunner
from executorch.runtime import Runtime
from highwater import inspect, profiling
from highwater.cli import commands
from support import inspected, lowering
from test_profiling import CLOCKS, check_trace

LENGTHS = (32, 5, 1, 13, 32)


def module(layers):
    """The partitioner leaves an op of each `RMSNorm` to the CPU."""
    torch.manual_seed(layers)
    norms = [(torch.nn.RMSNorm(64), torch.nn.Linear(64, 64)) for _ in range(layers)]
    return torch.nn.Sequential(*(layer for pair in norms for layer in pair))


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """Programs of two and of three delegates."""
    folder, rows = tmp_path_factory.mktemp("pieces"), torch.export.Dim("rows", max=32)
    found = {}
    for delegates in (2, 3):
        found[delegates] = folder / f"{delegates}.pte"
        pte = lowering.lower(module(delegates - 1), (torch.randn(4, 64),), ({0: rows},))
        found[delegates].write_bytes(pte)
    return found


def planned_kernels(path, rows):
    """Those of all delegates, in order, as the planner says."""
    return [
        kernel
        for _, _, program in inspect.read(path, at=[f"S={rows}"]).programs()
        for kernel in program.asked()[0].kernels
    ]


def check(run, path, rows):
    delegates = int(path.stem)
    assert run["delegates"] == run["passes"] == run["submits"] == delegates
    assert run["kernels"] == planned_kernels(path, rows)
    assert run["dispatches"] == len(run["kernels"])


def ones(rows):
    return np.ones((rows, 64), np.float32)


def test_a_run_is_told_of_with_all_its_delegates(paths):
    with highwater.load(paths[3]) as model:
        assert model.load_accounts["delegates"] == 3
        for rows in LENGTHS:
            x = torch.randn(rows, 64)
            torch.testing.assert_close(model(x), module(2)(x), rtol=1e-4, atol=1e-5)
            check(model.last_run, paths[3], rows)
            assert highwater.last_run() == model.last_run


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.RMSNorm(64)

    def forward(self, x, times):
        return self.norm(x) * times, x.shape[0] + times


def test_integers_go_in_and_come_out(tmp_path):
    path, rows = tmp_path / "scaled.pte", torch.export.Dim("rows", max=32)
    path.write_bytes(lowering.lower(Scaled(), (torch.randn(4, 64), 5), ({0: rows}, None)))
    with highwater.load(path) as model:
        assert [given["kind"] for given in model.inputs] == ["tensor", "integer"]
        assert [given["kind"] for given in model.outputs] == ["tensor", "integer"]
        assert "(float32 of at most 32x64, integer)" in repr(model)
        for rows in LENGTHS:
            x = torch.randn(rows, 64)
            got, count = model(x, 5)
            torch.testing.assert_close(got, Scaled()(x, 5)[0], rtol=1e-4, atol=1e-5)
            assert count == rows + 5


@pytest.mark.parametrize(
    "options, words",
    [
        (dict(device=0), "does not take device; set HIGHWATER_ADAPTER instead"),
        (dict(half_cache=True), "half_cache; set HIGHWATER_HALF_CACHE instead"),
        (dict(without_passes="all"), "without_passes; set HIGHWATER_WITHOUT_PASSES instead"),
        (dict(timeout_seconds=5), "timeout_seconds; a run of it may take 300 seconds, and nothing"),
        (dict(timeout_seconds=0), "timeout_seconds"),
    ],
)
def test_an_option_that_is_not_taken_is_named_with_what_is_instead(paths, options, words):
    with pytest.raises(highwater.HighwaterError, match=words):
        highwater.load(paths[2], **options)


def test_a_path_that_is_not_utf_8(paths, tmp_path):
    path = tmp_path / os.fsdecode(b"\xff\xfe.pte")
    path.write_bytes(paths[2].read_bytes())
    with highwater.load(path) as model:
        model(ones(5))
        assert model.last_run["delegates"] == 2


def test_a_program_in_memory(paths):
    with highwater.load(paths[2].read_bytes()) as model:
        model(ones(5))
        assert model.last_run["delegates"] == 2


def test_models_that_take_turns_are_told_apart(paths):
    """Two of the same file, and one of another."""
    models = [highwater.load(paths[n]) for n in (3, 2, 3)]
    for rows in (7, 2, 11):
        for i, model in enumerate(models):
            model(ones(rows + i))
            assert highwater.last_run() == model.last_run
        for i, model in enumerate(models):
            check(model.last_run, model.path, rows + i)


def test_methods_of_executorchs_own_api_are_told_apart(paths):
    runtime = Runtime.get()
    programs = [runtime.load_program(path) for path in (paths[3], paths[3], paths[2])]
    methods = [program.load_method("forward") for program in programs]
    assert highwater.last_load()["delegates"] == 2
    for rows in (7, 2):
        for method, path in zip(methods, (paths[3], paths[3], paths[2]), strict=True):
            method.execute([torch.ones(rows, 64)])
            check(highwater.last_run(), path, rows)
    del methods, programs, method
    again = runtime.load_program(paths[3])
    assert again.load_method("forward")
    assert highwater.last_load()["delegates"] == 3


def test_a_warm_run_allocates_nothing_on_the_heap(paths):
    method = (program := Runtime.get().load_program(paths[3])).load_method("forward")
    for rows in LENGTHS * 2:
        method.execute([torch.ones(rows, 64)])
    assert highwater.last_run()["heap_allocations"] == 0
    assert highwater.last_run()["planned_nodes"] > 0
    assert program


def test_threads_are_told_of_their_own_runs(paths):
    meet = Barrier(4)

    def work(number):
        path = paths[2 + number % 2]
        with highwater.load(path) as model:
            meet.wait()
            for i in range(20):
                rows = 1 + (number * 7 + i) % 32
                model(ones(rows))
                assert highwater.last_run() == model.last_run
                assert model.last_run["delegates"] == int(path.stem)
                assert model.last_run["uploaded_bytes"] >= rows * 64 * 4
            check(model.last_run, path, rows)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    with ThreadPoolExecutor(1) as pool:  # one that ran nothing
        assert pool.submit(highwater.last_run).result()["delegates"] in (2, 3)


def test_an_error_of_executorchs_own_is_not_told_in_words_of_an_earlier_one(paths, tmp_path):
    (tmp_path / "cosh.pte").write_bytes(inspected.unsupported())
    with highwater.load(paths[2]) as model:
        model(ones(5))
        with pytest.raises(RuntimeError):
            Runtime.get().load_program(tmp_path / "cosh.pte").load_method("forward")
        assert "is not supported" in highwater.last_error()
        with pytest.raises(highwater.HighwaterError) as error:
            model(ones(33))
        assert "is not supported" not in str(error.value)
        model(ones(9))
        check(model.last_run, paths[2], 9)


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_profile_has_the_dispatches_of_all_delegates(paths, clock):
    profile = profiling.profile(paths[3], ones(7), repeat=2, clock=clock)
    assert profile.clock == clock
    assert profile.delegates == 3
    assert [d.kernel for d in profile.dispatches] == planned_kernels(paths[3], 7)
    numbers = [d.delegate for d in profile.dispatches]
    assert numbers == sorted(numbers) and set(numbers) == {0, 1, 2}
    starts = [d.start_ns for d in profile.dispatches]
    assert starts == sorted(starts) and starts[0] >= 0
    assert 0 < profile.cpu_seconds < profile.run_seconds
    for timeline in profile.timelines:
        assert 0 < timeline.total_ns * 1e-9 < timeline.seconds
    events = profile.trace()["traceEvents"]
    host = [e["name"] for e in events if e["ph"] == "X" and e["tid"] == profiling.HOST]
    assert host.count("plan, upload, encode") == 3
    assert host.count("ops on the CPU, ExecuTorch") == 4  # before, between and after them
    check_trace(profile.trace(), dispatches=len(numbers))


def test_after_a_profile_runs_are_plain_again(paths):
    session = profiling.open_session(paths[2])
    profiling.profile(session, ones(7))
    assert session.run_accounts["passes"] == 2
    with pytest.raises(highwater.HighwaterError, match="no clock 'sun'"):
        session.profile(ones(7), clock="sun")
    with pytest.raises(highwater.HighwaterError, match="clock is 3; a text is wanted"):
        session.profile(ones(7), clock=3)
    session.run(ones(7))
    assert session.run_accounts["passes"] == 2
    with pytest.raises(highwater.HighwaterError, match="set HIGHWATER_ADAPTER"):
        profiling.profile(paths[2], ones(7), adapter="0")


def test_the_command_says_what_is_not_in_its_tables(paths):
    arguments = ["profile", str(paths[3]), "-i", "7x64", "-n", "1"]
    result = CliRunner().invoke(commands, [*arguments, "--by", "dispatch"])
    assert result.exit_code == 0, result.output
    assert "dispatches in 3 delegates" in result.stdout
    assert "are ops on the CPU and ExecuTorch's own work" in result.stdout
    assert "delegate  kernel" in result.stdout
    report = json.loads(CliRunner().invoke(commands, [*arguments, "--json"]).stdout)
    assert (report["delegates"], report["cpu_seconds"] > 0) == (3, True)
    assert {d["delegate"] for d in report["dispatches"]} == {0, 1, 2}


def test_nothing_is_said_by_packages_that_are_not_needed(paths):
    done = subprocess.run(
        [sys.executable, "-m", "highwater", "run", str(paths[2]), "-i", "3x64"],
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert all(line.startswith("✓ ") for line in done.stderr.splitlines()), done.stderr
