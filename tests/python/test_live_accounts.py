"""What a run costs, by the engine's own accounts."""

import highwater
import torch
from support.live import LENGTHS, RMS, LiveProgram
from support.lowering import lower
from support.modules import WIDTH, RmsNorm, live
from torch import nn


class Block(nn.Module):
    """Two norms in residuals: enough nodes to tell one node's cost from all nodes' cost."""

    def __init__(self):
        super().__init__()
        self.first = RmsNorm()
        self.second = RmsNorm(start=1.5, stop=0.5)

    def forward(self, x):
        y = x + self.first(x)
        return y + torch.relu(self.second(y))


def _live_block():
    module = Block()
    return module, LiveProgram(lower(module, (torch.randn(1, 128, WIDTH),), ({1: live()},)))


def _run(program, length):
    program.run(torch.randn(1, length, WIDTH))
    return highwater.last_run()


def test_a_static_graph_plans_and_writes_nothing():
    module = Block()
    program = LiveProgram(lower(module, (torch.randn(1, 8, WIDTH),)))
    program.check(module, torch.randn(1, 8, WIDTH), tolerance=RMS)
    for _ in range(3):
        program.check(module, torch.randn(1, 8, WIDTH), tolerance=RMS)
        run = highwater.last_run()
        assert run["planned_nodes"] == 0, run
        assert run["params_writes"] == 0, run
        assert run["params_bytes"] == 0, run


def test_a_live_graph_at_an_unchanged_length_plans_and_writes_nothing():
    _, program = _live_block()
    for length in LENGTHS:
        _run(program, length)
        again = _run(program, length)
        assert again["planned_nodes"] == 0, again
        assert again["params_writes"] == 0, again


def test_a_changed_length_is_planned_once_and_written_once():
    _, program = _live_block()
    _run(program, 128)
    changed = _run(program, 37)
    assert changed["planned_nodes"] > 0, changed
    assert changed["params_writes"] == 1, changed
    assert 0 < changed["params_bytes"] < 65536, changed


def test_bytes_moved_follow_the_live_length():
    _, program = _live_block()
    for length in LENGTHS:
        run = _run(program, length)
        live_bytes = length * WIDTH * 4
        assert run["uploaded_bytes"] == live_bytes, run
        assert run["read_back_bytes"] == live_bytes, run


def test_dispatches_do_not_depend_on_the_length():
    _, program = _live_block()
    runs = [_run(program, length) for length in LENGTHS]
    assert len({run["dispatches"] for run in runs}) == 1, runs
    assert all(len(run["kernels"]) == run["dispatches"] for run in runs), runs


def test_a_warm_run_allocates_nothing_on_the_heap():
    _, program = _live_block()
    for length in LENGTHS:
        _run(program, length)
    for length in LENGTHS:
        run = _run(program, length)
        assert run["heap_allocations"] == 0, run


def test_loading_creates_the_gpu_objects():
    _live_block()
    assert highwater.last_load()["gpu_objects"] > 0


def test_the_engine_lists_its_operators_and_devices():
    assert "et_vk.rms_norm.default" in highwater.supported_ops()
    assert highwater.devices()
