"""What came out of an export: for people, and as JSON."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import highwater
from highwater.cli import terminal
from highwater.exporting.inputs import Input
from highwater.exporting.noise import Reasons
from highwater.exporting.program import Program


@dataclass(frozen=True)
class LeftToCpu:
    op: str
    count: int
    reason: str | None


@dataclass(frozen=True)
class Report:
    output: Path
    seconds: float
    program: Program
    inputs: tuple[Input, ...]
    cpu: tuple[LeftToCpu, ...]
    unsupported: tuple[str, ...]  # delegated, but not known to Highwater
    beside: tuple[Path, ...]  # the tokenizer's files

    def as_json(self) -> dict[str, Any]:
        return {
            "output": str(self.output),
            "bytes": self.program.size,
            "seconds": round(self.seconds, 3),
            "delegates": self.program.delegates,
            "delegated": dict(self.program.delegated.most_common()),
            "cpu": [dataclasses.asdict(left) for left in self.cpu],
            "unsupported": list(self.unsupported),
            "inputs": [dataclasses.asdict(given) for given in self.inputs],
            "metadata": self.program.metadata,
            "tokenizer": [str(path) for path in self.beside],
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        size, seconds = terminal.size(self.program.size), terminal.duration(self.seconds)
        yield f"{terminal.paint(str(self.output), 'strong')}: {size}, in {seconds}"
        yield from (f"{path}: copied" for path in self.beside)
        yield "\nInputs"
        yield from (f"  {given}" for given in self.inputs)
        if self.program.metadata:
            yield "\nMetadata"
            yield from (f"  {name}: {value}" for name, value in self.program.metadata.items())
        yield from self._delegated()
        yield from self._cpu()

    def _delegated(self) -> Iterator[str]:
        total, parts = self.program.delegated.total(), self.program.delegates
        if not total:
            yield terminal.paint("\nNothing runs on Highwater.", "bad")
            return
        where = "For Highwater" if self.unsupported else "On Highwater"
        yield f"\n{where}: {counted(total, 'op')} in {counted(parts, 'delegate')}"
        kinds = self.program.delegated.most_common()
        width = max(len(name) for name, _ in kinds)
        for name, count in kinds:
            trouble = f"  {terminal.paint('cannot run', 'bad')}" * (name in self.unsupported)
            yield f"  {name:<{width}}  × {count}{trouble}"

    def _cpu(self) -> Iterator[str]:
        if not self.cpu:
            yield terminal.paint("\nOn the CPU: nothing", "good")
            return
        total = sum(left.count for left in self.cpu)
        yield terminal.paint(f"\nOn the CPU: {counted(total, 'op')}", "warning")
        width = max(len(left.op) for left in self.cpu)
        for left in self.cpu:
            reason = left.reason or "the partitioner does not say why"
            yield f"  {left.op:<{width}}  × {left.count}  {reason}"


def counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def make(
    output: Path,
    program: Program,
    inputs: tuple[Input, ...],
    reasons: Reasons,
    seconds: float,
    beside: tuple[Path, ...],
) -> Report:
    left = tuple(LeftToCpu(op, n, reasons.of(op)) for op, n in program.cpu.most_common())
    unsupported = sorted(set(program.delegated) - set(highwater.supported_ops()))
    return Report(output, seconds, program, inputs, left, tuple(unsupported), beside)
