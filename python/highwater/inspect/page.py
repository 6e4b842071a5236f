"""A report as one HTML page that needs nothing else."""

import json
import re
from importlib import resources
from itertools import product
from typing import Any

import highwater
from highwater.inspect.report import Json, Program, Report

SCRIPTS = ("data.js", "graph.js", "detail.js", "memory.js", "page.js")
NUMBER = re.compile(r"\d+")
REFUSED = -1


def as_page(report: Report) -> str:
    """Sliders, graph and memory plan of each program; read the report with `wgsl=True`."""
    pieces = {
        "title": _escape(report.path.name),
        "style": _file("page.css"),
        "data": _embedded(_page_data(report)),
        "script": "\n".join(_file(name) for name in SCRIPTS),
    }
    # At once: what is put in may itself hold such marks.
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: pieces[mark[1]], _file("page.html"))


def _file(name: str) -> str:
    return (resources.files("highwater.inspect") / name).read_text(encoding="utf-8")


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _embedded(data: Any) -> str:
    """JSON that cannot end the element that it stands in."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c")


def _page_data(report: Report) -> Json:
    raw = report.raw
    return {
        "file": report.path.name,
        "version": highwater.__version__,
        "bytes": raw["bytes"],
        "target": raw["target"],
        "methods": [_method(method) for method in raw["methods"]],
        "programs": [
            {"method": method["name"], "delegate": index, **_program(program)}
            for method, index, program in report.programs()
        ],
    }


def _method(method: Json) -> Json:
    delegates = [
        {key: value for key, value in delegate.items() if key in ("name", "bytes", "ours", "error")}
        for delegate in method["delegates"]
    ]
    return {**method, "delegates": delegates}


def _program(program: Program) -> Json:
    raw = program.raw
    if "error" in raw:
        return {key: raw[key] for key in ("error", "exported_ops", "ops", "unsupported")}
    patterns = _Patterns(program)
    nodes = [
        {
            "op": node["op"],
            "args": node["args"],
            "reads": node["reads"],
            "writes": node["writes"],
            "tensors": node["tensors"],
            "scalars": node["scalars"],
            "steps": [node["first_step"], node["end_step"]],
            **({"once": 1} if node.get("once") else {}),
            "pattern": patterns.of(node),
        }
        for node in program.nodes
    ]
    kept = ("exported_ops", "ops", "symbols", "values", "inputs", "outputs", "buffers", "memory")
    return {
        **{key: raw[key] for key in kept},
        **{key: raw[key] for key in ("troubles", "pipelines", "refused_at_bound") if key in raw},
        "nodes": nodes,
        "patterns": patterns.all,
        "steps": [_step(step) for step in program.steps],
        **_texts(raw.get("wgsl", [])),
        "refusals": _refusals(raw),
    }


def _step(step: Json) -> list:
    bindings = [
        [b["value"], b.get("buffer", -1), int(b.get("writes", False))] for b in step["bindings"]
    ]
    return [step["kernel"], step["params"], step["wgsl"], bindings]


class _Patterns:
    """What nodes do over the grid, each behaviour once: the layers of a model repeat each other.

    A pattern names the axes on which it depends, and for each combination of their positions one of
    its states: bytes read, bytes written, runs, dims, scalars. Runs count steps from the node's
    first one.
    """

    def __init__(self, program: Program):
        self.all: list[Json] = []
        self._known: dict[str, int] = {}
        self._sizes = [len(symbol["positions"]) for symbol in program.symbols]
        self._points = list(product(*map(range, self._sizes)))

    def of(self, node: Json) -> int:
        at = node["at"][: len(self._points)]
        axes = [axis for axis in range(len(self._sizes)) if self._depends(at, axis)]
        short = self._shorten(at, axes)
        used = sorted(set(short) - {REFUSED})
        renamed = {state: i for i, state in enumerate(used)} | {REFUSED: REFUSED}
        pattern = {
            "axes": axes,
            "at": [renamed[state] for state in short],
            "states": [self._state(node, node["states"][state]) for state in used],
        }
        key = json.dumps(pattern)
        if key not in self._known:
            self._known[key] = len(self.all)
            self.all.append(pattern)
        return self._known[key]

    def _depends(self, at: list[int], axis: int) -> bool:
        """Whether two points that differ only there have different states."""
        seen: dict[tuple[int, ...], int] = {}
        for point, state in zip(self._points, at, strict=True):
            if state == REFUSED:
                continue
            rest = (*point[:axis], *point[axis + 1 :])
            if seen.setdefault(rest, state) != state:
                return True
        return False

    def _shorten(self, at: list[int], axes: list[int]) -> list[int]:
        found: dict[tuple[int, ...], int] = {}
        for point, state in zip(self._points, at, strict=True):
            key = tuple(point[axis] for axis in axes)
            if found.get(key, REFUSED) == REFUSED:
                found[key] = state
        return [found[key] for key in product(*(range(self._sizes[axis]) for axis in axes))]

    @staticmethod
    def _state(node: Json, state: Json) -> list:
        runs = [[step - node["first_step"], x, y] for step, x, y in state["runs"]]
        return [state["read"], state["written"], runs, state["dims"], state["scalars"]]


def _texts(wgsl: list[str]) -> Json:
    """Kernels as numbers of lines: unrolled and specialised ones have most of them in common."""
    lines: dict[str, int] = {}
    texts = [[lines.setdefault(line, len(lines)) for line in text.split("\n")] for text in wgsl]
    return {"wgsl_lines": list(lines), "wgsl": texts}


def _refusals(raw: Json) -> Json:
    """Messages that differ only in numbers are one text with gaps."""
    texts: dict[str, int] = {}
    points = {}
    for point, why in raw["refused"]:
        if point < raw["grid_points"]:
            message = raw["refusals"][why]
            text = texts.setdefault(NUMBER.sub("#", message), len(texts))
            points[point] = [text, *map(int, NUMBER.findall(message))]
    return {"texts": list(texts), "points": points}
