"""A program, call by call, as the engine lists it."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from highwater import _native


@dataclass(frozen=True)
class Call:
    op: str
    node: int  # the exporter's number
    args: list[int]

    @property
    def out(self) -> int:
        return self.args[-1]

    def __str__(self) -> str:
        return f"{self.op} (node {self.node})"


class Program:
    """As it was exported, or, with `as_run`, as rewrites leave it: the ids of values that both have
    mean the same, unless their bounds differ."""

    def __init__(self, file: _native.File, method: str, *, as_run: bool = False):
        self._native = _native.Listing.open(file, method, as_run=as_run)
        told = json.loads(self._native.text)
        self.values: list[dict[str, Any]] = told["values"]
        self.calls = [Call(**call) for call in told["calls"]]
        self.inputs: list[int] = told["inputs"]
        self.outputs: list[int] = told["outputs"]
        self.signature: list[list[dict[str, int]]] = told["signature"]
        self.lengths: list[dict[str, int]] = told["lengths"]

    def items(self, value: int) -> list[int]:
        """Of a list of values, these; else itself."""
        return self.values[value].get("values", [value])

    def constant(self, value: int) -> bytes:
        return self._native.constant(self.values[value]["constant"])

    @cached_property
    def producers(self) -> dict[int, Call]:
        return {item: call for call in self.calls for item in self.items(call.out)}

    def made_by(self, call: Call) -> list[int]:
        """The tensors and live numbers among what a call gives."""
        return [
            item for item in self.items(call.out) if {"tensor", "number"} & self.values[item].keys()
        ]

    def is_same_value(self, value: int, other: "Program") -> bool:
        return value < len(other.values) and self.values[value] == other.values[value]


def literal(value: dict[str, Any]) -> Any:
    """What is written in a program: a number, a text, a list of such, or nothing."""
    for kind, content in value.items():
        if kind == "double":
            return float(content)
        if kind == "doubles":
            return [float(item) for item in content]
        return content
    return None
