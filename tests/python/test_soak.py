"""The short form of ./soak, and that it sees what it looks for."""

import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from soak import endurance, programs, random_module
from soak.footprint import SLACK, Footprint, Growth

SEEDS = range(5)


@pytest.mark.parametrize(("make", "count"), [(endurance.Llama, 70), (endurance.Picture, 120)])
def test_steps_at_random_live_shapes_with_bad_calls_in_between(make, count):
    *_, tally = endurance.run(endurance.steps(make, 1, count // 6), 300, count)
    assert not tally.findings, tally.findings
    assert tally.done == count
    assert tally.refused == count // endurance.BAD_CALLS_EVERY


def test_loads_and_closes():
    *_, tally = endurance.run(endurance.loads(1, 2), 300, 6)
    assert (tally.done, tally.findings) == (6, [])


def test_random_programs_are_right_at_the_bound_and_below_it():
    tally = programs.Tally()
    for seed in SEEDS:
        programs.check(seed, tally)
    assert not tally.findings, "\n".join(tally.findings)
    # If torch took none of them, nothing would have been looked at.
    assert tally.programs >= len(SEEDS) - 1, tally.left_out


def test_a_wrong_program_is_found_and_made_small(monkeypatch):
    """Torch is told another tanh than the program was exported with."""
    step, wrong = random_module.Step, torch.sin
    module = random_module.RandomModule(
        {
            5: step("abs", (0,), torch.abs),
            6: step("tanh", (5,), torch.tanh),
            7: step("relu", (1,), torch.relu),
            8: step("sub", (6, 0), torch.sub),
        }
    )
    export = programs.export

    def export_another(given):
        steps = {
            place: step(each.name, each.takes, wrong if each.name == "tanh" else each.make)
            for place, each in given.steps.items()
        }
        return export(random_module.RandomModule(steps))

    monkeypatch.setattr(programs, "export", export_another)
    found = programs.trouble(module, 0)
    assert "t8 is off by" in found
    least = programs.smaller(module, 0)
    assert [each.name for each in least.steps.values()] == ["abs", "tanh"]


def test_growth_is_seen():
    growth = Growth([Footprint(100 << 20, 10, 4)] * 6)
    assert not growth.trouble()
    growth.seen.append(Footprint((100 << 20) + SLACK + 1, 11, 4))
    assert [words.split()[0] for words in growth.trouble()] == ["memory", "handles"]
