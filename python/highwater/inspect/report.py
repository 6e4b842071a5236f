"""The library's account of a file, with what it decided at single shapes picked out of it."""

import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from highwater.arguments import texts
from highwater.errors import HighwaterError
from highwater.files import open_file

Json = dict[str, Any]


@dataclass(frozen=True)
class Shape:
    """What a program does at one live shape."""

    symbols: dict[str, int]
    refused: str | None  # why the planner does not take it
    nodes: list[Json]  # the state of each node: runs, dims, scalars, bytes
    dims: dict[int, list[int]]  # of every tensor that is not constant
    kernels: list[str]  # as a run dispatches them
    once: list[str]  # those that only the first run dispatches, because nothing changes them
    workgroups: int
    read: int
    written: int

    @property
    def name(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.symbols.items()) or "its shape"


class Program:
    """One delegate's program: `raw` is what the library says of it."""

    def __init__(self, raw: Json):
        self.raw = raw
        self.symbols: list[Json] = raw.get("symbols", [])
        self.nodes: list[Json] = raw.get("nodes", [])
        self.steps: list[Json] = raw.get("steps", [])

    @property
    def trouble(self) -> str | None:
        """Why there is no plan at all."""
        return self.raw.get("error") or self.raw.get("refused_at_bound")

    @cached_property
    def values(self) -> dict[int, Json]:
        return {value["id"]: value for value in self.raw.get("values", [])}

    @cached_property
    def _refused(self) -> dict[int, str]:
        return {at: self.raw["refusals"][why] for at, why in self.raw.get("refused", [])}

    @property
    def _asked(self) -> list[list[int]]:
        return [asked["point"] for asked in self.raw.get("asked", []) if "point" in asked]

    def asked(self) -> list[Shape]:
        """At the shapes that were asked for."""
        first = self.raw.get("grid_points", 0)
        return [self._shape(first + i, point) for i, point in enumerate(self._asked)]

    def on_grid(self, **symbols: int) -> Shape:
        """At a point of the grid that the library went over; symbols not named are as usual."""
        point = [symbols.get(s["name"], s["usual"]) for s in self.symbols]
        return self._shape(self.grid_index(point), point)

    def grid_index(self, point: Sequence[int]) -> int:
        index = 0
        for symbol, value in zip(self.symbols, point, strict=True):
            index = index * len(symbol["positions"]) + symbol["positions"].index(value)
        return index

    def shapes(self) -> list[Shape]:
        """What was asked for; else the bound, and each dim at its least."""
        if self.trouble:
            return []
        if self._asked:
            return self.asked()
        short = [
            self.on_grid(**{s["name"]: s["positions"][0]})
            for s in self.symbols
            if s["kind"] == "dim"
        ]
        return [self.on_grid(), *short]

    def ranges(self, symbol: Json) -> list[tuple[int, int, int]]:
        """The stretches of a symbol in which the same kernels run: their ends, and a position.

        The grid is coarse where many symbols are live, and may have no position in some stretch.
        """
        starts = [symbol["least"], *symbol["borders"]]
        ends = [*(border - 1 for border in symbol["borders"]), symbol["most"]]
        places = [
            next((place for place in symbol["positions"] if start <= place <= end), None)
            for start, end in zip(starts, ends, strict=True)
        ]
        found = zip(starts, ends, places, strict=True)
        return [(start, end, place) for start, end, place in found if place is not None]

    def kernels_of(self, node: Json, state: Json) -> list[str]:
        return [self.steps[step]["kernel"] for step, _, _ in state["runs"]]

    def _shape(self, index: int, point: Sequence[int]) -> Shape:
        names = {s["name"]: value for s, value in zip(self.symbols, point, strict=True)}
        if index in self._refused:
            return Shape(names, self._refused[index], [], {}, [], [], 0, 0, 0)
        states = [node["states"][node["at"][index]] for node in self.nodes]
        usual, once = [], []
        for node, state in zip(self.nodes, states, strict=True):
            (once if node.get("once") else usual).extend(self.kernels_of(node, state))
        running = [s for n, s in zip(self.nodes, states, strict=True) if not n.get("once")]
        return Shape(
            symbols=names,
            refused=None,
            nodes=states,
            dims=self._dims(names, states),
            kernels=usual,
            once=once,
            workgroups=sum(math.prod(run[1:]) for state in running for run in state["runs"]),
            read=sum(state["read"] for state in running),
            written=sum(state["written"] for state in running),
        )

    def _dims(self, names: dict[str, int], states: list[Json]) -> dict[int, list[int]]:
        dims = {}
        for value in self.raw["inputs"]:
            form = self.values[value].get("dims", [])
            dims[value] = [names[d] if d in names else int(d) for d in form]
        for node, state in zip(self.nodes, states, strict=True):
            dims |= dict(zip(node["tensors"], state["dims"], strict=True))
        return dims


class Report:
    """A file: `raw` is what the library says of it."""

    def __init__(self, path: Path, raw: Json):
        self.path = path
        self.raw = raw

    @property
    def methods(self) -> list[Json]:
        return self.raw["methods"]

    def programs(self) -> Iterator[tuple[Json, int, Program]]:
        """Each program of ours, with its method and its place among the method's delegates."""
        for method in self.methods:
            for index, delegate in enumerate(method["delegates"]):
                if "program" in delegate:
                    yield method, index, Program(delegate["program"])


def read(
    path: str | os.PathLike[str],
    method: str = "",
    at: Sequence[str] = (),
    *,
    wgsl: bool = False,
) -> Report:
    """Reads a `.pte` file, that of a folder, or a model that ships with Highwater, by its name.

    `at` are shapes to look at, such as "S=37,P=12" or "0.1=37".
    """
    file = open_file(path)
    told = file.native.inspect(method=method, at=texts("at", at), wgsl=wgsl)
    report = Report(file.path, json.loads(told))
    for index, shape in enumerate(at):
        _check_asked(report, index, shape)
    return report


def _check_asked(report: Report, index: int, shape: str) -> None:
    """A shape must mean something to one program at least."""
    answers = [
        program.raw["asked"][index] for _, _, program in report.programs() if not program.trouble
    ]
    if not answers:
        raise HighwaterError(f"there is no program to look at with the shape {shape!r}")
    if all("error" in answer for answer in answers):
        raise HighwaterError(answers[0]["error"])


def as_json(report: Report) -> Json:
    """Everything but the grid: what is said of it is in the formulas and the shapes."""
    methods = [
        {**method, "delegates": [_delegate_json(delegate) for delegate in method["delegates"]]}
        for method in report.methods
    ]
    return {"file": report.path.name, **report.raw, "methods": methods}


def _delegate_json(delegate: Json) -> Json:
    if "program" not in delegate:
        return delegate
    program = Program(delegate["program"])
    left_out = {"nodes", "symbols", "asked", "points", "grid_points", "refused", "refusals"}
    kept = {key: value for key, value in program.raw.items() if key not in left_out}
    kept["symbols"] = [_without(symbol, "positions") for symbol in program.symbols]
    kept["nodes"] = [_without(node, "states", "at", "tensors", "scalars") for node in program.nodes]
    kept["shapes"] = [_shape_json(program, shape) for shape in program.shapes()]
    return {**delegate, "program": kept}


def _without(entry: Json, *keys: str) -> Json:
    return {key: value for key, value in entry.items() if key not in keys}


def _shape_json(program: Program, shape: Shape) -> Json:
    if shape.refused is not None:
        return {"symbols": shape.symbols, "refused": shape.refused}
    return {
        "symbols": shape.symbols,
        "dispatches": len(shape.kernels),
        "workgroups": shape.workgroups,
        "read_bytes": shape.read,
        "written_bytes": shape.written,
        "kernels": shape.kernels,
        "kernels_once": shape.once,
        "dims": {str(value): dims for value, dims in shape.dims.items()},
        "nodes": [
            {
                "runs": [
                    {"kernel": program.steps[step]["kernel"], "grid": grid}
                    for step, *grid in state["runs"]
                ],
                "read_bytes": state["read"],
                "written_bytes": state["written"],
            }
            for state in shape.nodes
        ],
    }
