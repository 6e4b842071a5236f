"""The inputs of an exported program, with the bounds of each dim."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Dim:
    least: int
    most: int | None  # None if it has no bound

    def __str__(self) -> str:
        if self.least == self.most:
            return str(self.least)
        return f"{self.least}…{'' if self.most is None else self.most}"


@dataclass(frozen=True)
class Input:
    name: str
    dtype: str
    dims: tuple[Dim, ...] | None  # None for a plain number

    def __str__(self) -> str:
        if self.dims is None:
            return f"{self.name}: {self.dtype}"
        return f"{self.name}: {self.dtype} [{', '.join(map(str, self.dims))}]"


def of(exported: Any) -> tuple[Input, ...]:
    """Of a `torch.export.ExportedProgram`."""
    wanted = exported.graph_signature.user_inputs
    nodes = {node.name: node for node in exported.graph.nodes if node.op == "placeholder"}
    return tuple(
        _input(name, nodes[name].meta["val"], exported.range_constraints)
        for name in wanted
        if name in nodes
    )


def _input(name: str, value: Any, ranges: Any) -> Input:
    if not hasattr(value, "shape"):
        return Input(name, type(value).__name__, None)
    dims = tuple(_dim(size, ranges) for size in value.shape)
    return Input(name, str(value.dtype).removeprefix("torch."), dims)


def _dim(size: Any, ranges: Any) -> Dim:
    if isinstance(size, int):
        return Dim(size, size)
    from torch.utils._sympy.value_ranges import bound_sympy

    bounds = bound_sympy(size.node.expr, ranges)
    most = int(bounds.upper) if bounds.upper.is_Integer else None
    return Dim(int(bounds.lower), most)
