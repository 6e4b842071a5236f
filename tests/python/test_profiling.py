"""Where time goes: what is made of it, and that the command, the trace and ETDump tell it."""

import json
from itertools import pairwise

import highwater
import numpy as np
import pytest
import torch
from click.testing import CliRunner
from executorch.devtools import Inspector
from executorch.extension.pybindings.portable_lib import _load_for_executorch
from highwater import _native, profiling
from highwater.cli import commands
from highwater.profiling import Dispatch, Profile, Timeline
from support import llamas, lowering, modules

CLOCKS = ("device", "host")


def gate(x):
    return x * torch.sigmoid(x) + x[:, -1:]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("profiling") / "gate.pte"
    example = (torch.randn(1, 128, 64),)
    path.write_bytes(lowering.lower(modules.Fn(gate), example, modules.shapes({1: modules.live()})))
    return path


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    path = tmp_path_factory.mktemp("profiling") / "llama.pte"
    path.write_bytes(llamas.build("4w").pte)
    return path


def dispatch(kernel, op, node, start, duration):
    return Dispatch(kernel, op, node, (2, 1), [(3, 4), (4,)], [(3, 4)], start, duration)


@pytest.fixture
def told():
    """Three runs of four dispatches."""
    runs = [
        [(0, 100), (150, 300), (500, 200), (800, 400)],
        [(0, 120), (200, 300), (600, 220), (900, 400)],
        [(0, 900), (999, 800), (2000, 900), (4000, 700)],
    ]
    what = [("add/a", "add", 1), ("dot", "linear", 2), ("sum", "linear", 2), ("add/a", "add", 7)]
    timelines = [
        Timeline("device", [dispatch(*w, *t) for w, t in zip(what, run, strict=True)], 50, 0, 1e-5)
        for run in runs
    ]
    return Profile("an adapter", timelines, 0.5)


def test_times_are_medians_and_add_up(told):
    assert [d.duration_ns for d in told.dispatches] == [120, 300, 220, 400]
    assert [d.start_ns for d in told.dispatches] == [0, 200, 600, 900]
    assert told.total_ns == 1040
    ops = told.by("op")
    assert [(s.name, s.count, s.duration_ns) for s in ops] == [("add", 2, 520), ("linear", 2, 520)]
    assert [(s.name, s.count) for s in told.by("kernel")] == [("add/a", 2), ("dot", 1), ("sum", 1)]
    assert [s.duration_ns for s in told.by("dispatch")] == [120, 300, 220, 400]
    for by in ("op", "kernel", "dispatch"):
        assert sum(s.share for s in told.by(by)) == pytest.approx(1)


def test_a_profile_of_nothing_is_nothing():
    empty = Profile("an adapter", [Timeline("host", [], 0, 9, 1e-6)], 1e-6)
    assert (empty.total_ns, empty.empty_ns, empty.by("op")) == (0, 9, [])
    check_trace(empty.trace(), dispatches=0)


def check_trace(trace, dispatches):
    """As the format wants it; no thread's events overlap. Gives the events of the kernels."""
    trace = json.loads(json.dumps(trace))
    events = trace["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    complete = [e for e in events if e["ph"] == "X"]
    for event in complete:
        assert event["dur"] >= 0 and event["ts"] >= 0 and event["pid"] == 1
        assert event["tid"] in names
    for thread in names:
        mine = [e for e in complete if e["tid"] == thread]
        assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-3 for a, b in pairwise(mine)), names[thread]
    (thread,) = [thread for thread, name in names.items() if name.startswith("kernels")]
    kernels = [e for e in complete if e["tid"] == thread]
    assert len(kernels) == dispatches
    return kernels


def test_the_trace_is_the_run_in_the_middle(told):
    kernels = check_trace(told.trace("gate.pte"), dispatches=4)
    assert [e["ts"] for e in kernels] == [0.05, 0.25, 0.65, 0.95]  # in µs, after the submit
    assert kernels[1]["args"] == {
        "op": "linear",
        "node": 2,
        "grid": [2, 1],
        "reads": "3x4, 4",
        "writes": "3x4",
    }
    ops = [e for e in told.trace()["traceEvents"] if e["ph"] == "X" and e["name"] == "linear"]
    assert [(e["ts"], e["dur"], e["args"]["dispatches"]) for e in ops] == [(0.25, 0.62, 2)]


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_profiled_run_gives_the_same_and_tells_every_dispatch(model, clock):
    session = _native.Session.open(str(model))
    for rows in (128, 37, 1):
        x = np.random.default_rng(rows).standard_normal((1, rows, 64), np.float32)
        (plain,) = session.run(x)
        kernels = session.kernels
        (profiled,), told = session.profile(x, clock=clock)
        assert np.array_equal(plain, profiled)
        assert told["clock"] == clock
        assert [d["kernel"] for d in told["dispatches"]] == kernels
        assert session.run_accounts["passes"] == len(kernels)
        assert np.array_equal(session.run(x)[0], plain)
        assert session.run_accounts["passes"] == 1
    with pytest.raises(highwater.HighwaterError, match="clock is 3; a text is wanted"):
        session.profile(x, clock=3)
    with pytest.raises(highwater.HighwaterError, match="no clock 'sun'"):
        session.profile(x, clock="sun")
    with pytest.raises(highwater.HighwaterError, match="input 0"):
        session.profile(np.zeros((1, 129, 64), np.float32))


def test_profile_takes_a_file(model):
    profile = profiling.profile(model, np.ones((1, 9, 64), np.float32), repeat=2)
    assert len(profile.timelines) == 2
    assert profile.run_seconds > 0
    assert any("sigmoid" in share.name for share in profile.by("op"))
    check_trace(profile.trace(), dispatches=len(profile.dispatches))


def invoke(*arguments):
    return CliRunner().invoke(commands, ["profile", *map(str, arguments)])


def test_the_command_prints_both_tables_and_writes_a_trace(model, tmp_path):
    trace = tmp_path / "trace.json"
    result = invoke(model, "-i", "1x37x64", "--trace", trace, "-n", 2)
    assert result.exit_code == 0, result.output
    for words in ("input0 1x37x64 float32", "median of 2 runs", "A plain run takes", "█"):
        assert words in result.stdout
    assert "aten.sigmoid.default" in result.stdout
    assert "map/sigmoid" in result.stdout
    assert str(trace) in result.stderr
    kernels = check_trace(json.loads(trace.read_text()), len(profile_json(model)["dispatches"]))
    assert any(e["args"]["writes"] == "1x37x64" for e in kernels)


def profile_json(model, *arguments):
    result = invoke(model, "--json", *arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("clock", CLOCKS)
def test_the_command_tells_a_llama_as_json(llama, clock):
    report = profile_json(llama, "-i", "1x7", "-i", "input_pos=3", "--clock", clock, "-n", 1)
    assert report["clock"] == clock
    assert (report["empty_ns"] > 0) == (clock == "host")
    assert report["inputs"] == ["tokens 1x7 int32", "input_pos = 3"]
    assert report["total_ns"] == sum(d["duration_ns"] for d in report["dispatches"]) > 0
    assert sum(op["count"] for op in report["ops"]) == len(report["dispatches"])
    assert sum(op["name"] == "hw.sdpa_with_kv_cache.rope" for op in report["ops"]) == 1
    starts = [d["start_ns"] for d in report["dispatches"]]
    assert starts == sorted(starts)


def test_one_table_in_order(llama):
    lines = invoke(llama, "-i", "1x1", "--by", "dispatch", "-n", 1).stdout.splitlines()
    assert lines[4].split()[:5] == ["kernel", "op", "node", "grid", "makes"]
    assert lines[5].startswith("embedding_q4 ")
    assert "1x1x64" in lines[5]


def test_the_command_says_what_is_wrong(model, tmp_path):
    result = invoke(model, "-i", "1x129x64")
    assert result.exit_code == 2
    assert "Input 0 is float32 of at most 1x128x64; 1x129x64 does not fit." in result.stderr
    (tmp_path / "text.pte").write_text("How far is the sea?")
    result = invoke(tmp_path / "text.pte")
    assert result.exit_code == 1
    assert "not a .pte file" in result.stderr


def test_etdump_shows_the_kernels(llama, tmp_path):
    """ExecuTorch's own Inspector reads them by name, with times and what else is known."""
    tokens, position = torch.arange(7)[None], torch.tensor([0])
    plain = _load_for_executorch(str(llama)).forward([tokens, position])[0]
    assert highwater.last_run()["passes"] == 1
    program = _load_for_executorch(str(llama), enable_etdump=True)
    for _ in range(2):
        assert torch.equal(program.forward([tokens, position])[0], plain)
    kernels = highwater.last_run()["kernels"]
    assert highwater.last_run()["passes"] == len(kernels)
    program.write_etdump_result_to_file(str(tmp_path / "run.etdump"))

    inspector = Inspector(etdump_path=str(tmp_path / "run.etdump"))
    (block,) = [block for block in inspector.event_blocks if block.name == "Execute"]
    events = [event for event in block.events if event.is_delegated_op]
    assert [event.name.partition(" ")[0] for event in events] == kernels
    assert len({event.name for event in events}) == len(events)
    (call,) = [event for event in block.events if event.name == "DELEGATE_CALL"]
    for run in range(2):
        times = [event.perf_data.raw[run] for event in events]
        assert min(times) >= 0
        assert 0 < sum(times) <= call.perf_data.raw[run]
        assert call.start_time[run] <= events[0].start_time[run]
    about = json.loads(events[0].raw_delegate_debug_metadatas[0])
    assert about["op"] == "et_vk.embedding_q4gsw.default"
    assert about["clock"] in CLOCKS
