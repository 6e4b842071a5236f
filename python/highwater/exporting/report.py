"""What came out of an export."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import highwater
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
