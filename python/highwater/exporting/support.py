"""Which calls of a graph Highwater can run, by the engine's own table of ops."""

import operator
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch
from torch.fx import Graph, Node

from highwater.ops import Argument, supported_ops

_INTEGERS = (torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64)
_FLOATS = (torch.float16, torch.float32, torch.float64)
_DTYPES = {"FloatTensor": _FLOATS, "IntTensor": _INTEGERS, "Tensor": _INTEGERS + _FLOATS}

# Not ops of the engine, and nothing is left of them in a program.
_VANISHING = (operator.getitem,)


def name_of(target: Any) -> str:
    """As exported programs write it: aten.add.Tensor, sym_size.int, mul."""
    name = getattr(target, "__name__", str(target))
    # Of the same op, ExecuTorch's form says the namespace and torch's does not.
    if isinstance(target, torch._ops.OpOverload) and name not in supported_ops():
        return f"{target.namespace}.{name}"
    return name


def kept_whole(graph: Graph) -> list[torch._ops.OpOverload]:
    """Of the ops that an exporter would take apart if nobody objected, those that run as they are
    wherever they stand in `graph`."""
    calls = [node for node in graph.nodes if node.op == "call_function"]
    refused = {node.target for node in calls if reason_against(node) is not None}
    return [op for op in _known_to_torch() if op not in refused]


@cache
def _known_to_torch() -> tuple[torch._ops.OpOverload, ...]:
    return tuple(filter(None, map(_torch_op, supported_ops())))


def _torch_op(name: str) -> torch._ops.OpOverload | None:
    namespace, _, rest = name.partition(".")
    packet, _, overload = rest.rpartition(".")
    if namespace != "aten" or not hasattr(torch.ops.aten, packet):
        return None
    op = getattr(getattr(torch.ops.aten, packet), overload, None)
    # A view of torch becomes a copy in a program; nothing has to be said about it.
    return op if op is not None and not op.is_view else None


def reason_against(node: Node) -> str | None:
    """Why this call cannot run; None if it can."""
    if node.target in _VANISHING:
        return None
    op = supported_ops().get(name_of(node.target))
    if op is None:
        return "Highwater has no such op"
    for argument, value in _arguments(node, op.arguments):
        reason = _reason_against(argument, value)
        if reason is not None:
            return f"{argument.name} {reason}"
    for value in _values(node.meta.get("val")):
        if isinstance(value, torch.Tensor) and value.dtype not in _DTYPES["Tensor"]:
            return f"it gives {_plain(value.dtype)}"
    return None


def _arguments(node: Node, arguments: tuple[Argument, ...]) -> Iterator[tuple[Argument, Any]]:
    for index, argument in enumerate(arguments):
        if index < len(node.args):
            yield argument, node.args[index]
        elif argument.name in node.kwargs:
            yield argument, node.kwargs[argument.name]


def _reason_against(argument: Argument, value: Any) -> str | None:
    kind = argument.type.rstrip("?")
    tensor = kind.partition("(")[0].partition("[")[0].rstrip("?")
    for each in _values(value):
        given = each.meta.get("val") if isinstance(each, Node) else each
        if isinstance(given, torch.Tensor):
            if given.dtype not in _DTYPES.get(tensor, _DTYPES["Tensor"]):
                return f"is {_plain(given.dtype)}"
        elif isinstance(given, torch.SymInt) and kind.startswith("int"):
            return "is live, and must be known at export"
        elif isinstance(given, torch.SymFloat):
            return "is a live float"
    return None


def _values(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        yield from value
    else:
        yield value


def _plain(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
