"""Cases that have inputs of their own as one program, because to lower one takes longer than to run
it. Where functions have the same inputs, `modules.Together` is simpler."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from support.live import LENGTHS, LiveProgram, check_live, longer_than
from support.modules import shapes


@dataclass(frozen=True)
class Case:
    """See `check_live`, whose arguments these are; `dynamic` has an entry for each input."""

    module: Callable
    make_inputs: Callable
    dynamic: tuple
    golden: Callable | None = None


class _SideBySide(nn.Module):
    """Gives each function its share of the inputs; the outputs have the functions' names."""

    def __init__(self, functions: dict, shares: list[int]):
        super().__init__()
        self.functions = functions
        self.shares = shares
        for index, function in enumerate(functions.values()):
            if isinstance(function, nn.Module):
                self.add_module(str(index), function)

    def forward(self, *inputs):
        outputs, first = {}, 0
        for (name, function), share in zip(self.functions.items(), self.shares, strict=True):
            outputs[name] = function(*inputs[first : first + share])
            first += share
        return outputs


def check_side_by_side(cases: dict[str, Case], *, lengths=LENGTHS, **options) -> LiveProgram:
    """Checks all cases at the same lengths, and that each alone refuses what is longer."""
    shares = [len(case.dynamic) for case in cases.values()]

    def make_inputs(length, longer=None):
        every = []
        for name, case in cases.items():
            every += case.make_inputs(longer_than(length) if name == longer else length)
        return tuple(every)

    golden = {
        name: case.module if case.golden is None else case.golden for name, case in cases.items()
    }
    golden = _SideBySide(golden, shares)
    program = check_live(
        _SideBySide({name: case.module for name, case in cases.items()}, shares),
        make_inputs,
        shapes(*(dims for case in cases.values() for dims in case.dynamic)),
        lengths=lengths,
        golden=golden,
        **options,
    )
    torch.manual_seed(0)
    for name in cases:
        program.check_rejects(*make_inputs(max(lengths), longer=name))
    tolerance = {"tolerance": options["tolerance"]} if "tolerance" in options else {}
    program.check(golden, *make_inputs(max(lengths)), **tolerance)
    return program
