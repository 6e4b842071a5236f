"""A program on a device against torch: op by op, all of it, and itself again."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from highwater import _native
from highwater.verifying import compare
from highwater.verifying.listing import Call, Program
from highwater.verifying.replay import Replay

# The path of the reference, from inputs to outputs: what ops are off by adds up on the way.
OFF_THE_PATH = 1e-2


@dataclass
class OpRecord:
    """All calls of one op, at all shapes."""

    op: str
    calls: set[int] = field(default_factory=set)
    compared: int = 0
    error: float = 0.0
    allowed: float = 0.0
    worst: str = ""  # where it was farthest off
    wrong: int = 0
    missing: str | None = None  # why it has no reference
    with_others: int = 0  # what it made, only ops after it show

    @property
    def verdict(self) -> str:
        if self.wrong:
            return "WRONG"
        if self.missing:
            return "no reference"
        return "right" if self.compared else "with what follows"


@dataclass
class ShapeRecord:
    """One live shape."""

    name: str
    path_error: float = 0.0  # of the outputs
    leaves_path: str | None = None  # the first op whose result is far from torch's own path
    unequal: list[str] = field(default_factory=list)  # how runs differed


@dataclass
class Verdict:
    """What came of it."""

    adapter: str
    ops: dict[str, OpRecord]
    shapes: list[ShapeRecord]
    runs: int
    repeats: bool  # whether runs could be compared with each other

    @property
    def wrong(self) -> list[OpRecord]:
        return [record for record in self.ops.values() if record.wrong]

    @property
    def missing(self) -> list[OpRecord]:
        return [record for record in self.ops.values() if record.missing]

    @property
    def is_right(self) -> bool:
        return not self.wrong and not any(s.unequal or s.leaves_path for s in self.shapes)


class Check:
    """Holds a program to torch, one call after the other."""

    def __init__(self, file: _native.File, method: str, runs: int, **options: Any):
        # The reference rounds no cache.
        options.setdefault("half_cache", False)
        self.exported = Program(file, method)
        self.program = Program(file, method, as_run=True)
        self.plain = _native.Session.open(file, method=method, **options)
        self.all = _native.Session.open(file, method=method, gives_all=True, **options)
        self.replay = Replay(self.exported, self.program)
        self.runs = runs
        # An optimizer's step leaves another state each time.
        self.repeats = not any("adamw" in call.op for call in self.exported.calls)
        self.ops: dict[str, OpRecord] = {}
        self.shapes: list[ShapeRecord] = []

    def at(self, name: str, inputs: list[Any]) -> None:
        """One call. What the engine refuses it refuses before anything is compared."""
        outputs = self.all.run(*inputs)
        record = ShapeRecord(name)
        self.shapes.append(record)
        given = [_torch(x) for x in inputs]
        device = [_torch(x) for x in outputs]
        known = dict(zip(self.program.outputs, device, strict=True))
        path = self.replay.path(given)
        for outcome in self.replay.outcomes(given, device):
            self._note(outcome, name)
            if record.leaves_path is None:
                self._follow(record, outcome.call, known, path)
        record.path_error = self._path_error(known, path)
        self._repeat(record, inputs, outputs)

    def verdict(self) -> Verdict:
        return Verdict(self.plain.adapter, self.ops, self.shapes, self.runs, self.repeats)

    def _note(self, outcome: Any, shape: str) -> None:
        call: Call = outcome.call
        record = self.ops.setdefault(call.op, OpRecord(call.op))
        record.calls.add(call.node)
        record.missing = outcome.missing or record.missing
        if not outcome.pairs and not outcome.missing:
            record.with_others += 1
        for value, device, expected in outcome.pairs:
            maker = self.exported.producers.get(value, call)
            found = compare.difference(device, expected, f"{call.op} {maker.op}")
            record.compared += 1
            record.wrong += not found.is_right
            if found.error >= record.error or not found.is_right:
                record.error, record.allowed = found.error, found.allowed
                record.worst = f"node {call.node} at {shape} {found.what}".strip()

    def _follow(self, record: ShapeRecord, call: Call, known: dict, path: dict) -> None:
        for value in self.program.made_by(call):
            if not self.program.is_same_value(value, self.exported) or value not in path:
                continue
            expected = path[value]
            is_float = isinstance(expected, torch.Tensor) and expected.dtype.is_floating_point
            if value in known and is_float:
                found = compare.difference(known[value], expected, call.op)
                if found.error > max(OFF_THE_PATH, 10 * found.allowed):
                    record.leaves_path = f"{call}, by {found.error:.2g}"

    def _path_error(self, known: dict, path: dict) -> float:
        errors = [
            compare.difference(known[v], path[v], "").error
            for v in self.exported.outputs
            if v in known and path.get(v) is not None
        ]
        return max(errors, default=math.nan)

    def _repeat(self, record: ShapeRecord, inputs: list[Any], outputs: list[Any]) -> None:
        """The same bits, run after run, whatever shares memory with what."""
        first = outputs[: len(self.exported.outputs)]
        for number in range(self.runs if self.repeats else 1):
            again = self.plain.run(*inputs)
            if all(map(_same_bits, first, again)):
                continue
            record.unequal.append(f"run {number + 1} of {self.runs} gave other bits")
            return


def verify(check: Check, calls: Iterable[tuple[str, list[Any]]], told: Callable[[str], None]):
    """Goes through all calls, and says what came of it."""
    for name, inputs in calls:
        told(name)
        check.at(name, inputs)
    return check.verdict()


def _torch(value: Any) -> Any:
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


def _same_bits(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return a.shape == b.shape and a.tobytes() == b.tobytes()
    return a == b
