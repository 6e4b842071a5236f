"""What a single call gives, by torch."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from highwater.errors import HighwaterError, first_line
from highwater.ops import supported_ops
from highwater.verifying import own_ops
from highwater.verifying.listing import Call, Program

DTYPES = {
    name: getattr(torch, name)
    for name in ("float32", "float16", "int8", "uint8", "int32", "int64", "bool", "float64")
}
# What torch wants to be told, and an exported program tells by the dtype of what it makes.
_NOT_PASSED = {"layout", "device", "pin_memory", "memory_format", "non_blocking", "implicit"}


class NoReference(HighwaterError):
    """Nothing here knows what an op should give."""


@functools.cache
def load_packages() -> None:
    """Whose ops exported programs call."""
    import torchao.quantization.quant_primitives  # noqa: F401

    import highwater.exporting.recurrent  # noqa: F401


@functools.cache
def _function(op: str) -> Callable[..., Any]:
    if op in own_ops.TABLE:
        return own_ops.TABLE[op]
    load_packages()
    found: Any = torch.ops
    try:
        for part in op.split("."):
            found = getattr(found, part)
    except AttributeError:
        found = None
    if not callable(found) or op not in supported_ops():
        raise NoReference(f"{op} has no reference")
    return found


def evaluate(program: Program, call: Call, values: Sequence[Any]) -> list[Any]:
    """What a call gives, one after the other; `values` are what it is given, without the last.

    Floats of 16 bits are computed in 32, as on the device. A tensor that the call writes into is
    changed in place.
    """
    function = _function(call.op)
    items = program.items(call.out)
    declared = program.values[items[0]].get("tensor") if items else None
    try:
        if call.op in own_ops.TABLE:
            given = function(*values)
        else:
            arguments, named = _arguments(call.op, values, DTYPES.get(declared, torch.float32))
            given = function(*arguments, **named)
    except Exception as error:  # whatever kind torch raises
        raise NoReference(f"{call}: torch says: {first_line(str(error))}") from error
    results = list(given) if isinstance(given, tuple | list) else [given]
    return [_as_declared(program, item, each) for item, each in zip(items, results, strict=False)]


def _as_declared(program: Program, item: int, result: Any) -> Any:
    dtype = program.values[item].get("tensor")
    if dtype is None or not isinstance(result, torch.Tensor):
        return int(result) if dtype is None else result
    return result.to(DTYPES[dtype])


def _arguments(
    op: str, values: Sequence[Any], made: torch.dtype
) -> tuple[list[Any], dict[str, Any]]:
    """As torch takes them: by place, and by name."""
    schema: Any = _function(op)._schema  # type: ignore[attr-defined]
    types = [argument.type for argument in supported_ops()[op].arguments]
    arguments, named = [], {}
    for wanted, type_, value in zip(schema.arguments, types, values, strict=False):
        argument = _argument(wanted.name, type_, value, values, made)
        if wanted.kwarg_only:
            named[wanted.name] = argument
        else:
            arguments.append(argument)
    return arguments, named


def _argument(name: str, type_: str, value: Any, values: Sequence[Any], made: torch.dtype) -> Any:
    if name in _NOT_PASSED:
        return False if name in ("non_blocking", "implicit") else None
    if name == "target_dtype":
        return torch.int8  # the range is told besides
    if "ScalarType" in type_:
        # A dequantizing op is told what it reads.
        reads = name == "input_dtype" or (name == "dtype" and _is_integer(values[0], made))
        return values[0].dtype if reads else made
    if isinstance(value, torch.Tensor):
        if value.dtype == torch.float16:
            return value.float()
        return value.long() if name in ("index", "indices") else value
    if isinstance(value, list):
        return [_item(name, item) for item in value]
    # Exporters write whole numbers as ints or as floats.
    if type_.startswith(("int", "SymInt")) and isinstance(value, float):
        return int(value)
    if type_.startswith("float") and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def _item(name: str, item: Any) -> Any:
    if not isinstance(item, torch.Tensor):
        return item
    if item.dtype == torch.float16:
        return item.float()
    return item.long() if name == "indices" else item


def _is_integer(value: Any, made: torch.dtype) -> bool:
    """Whether an op turns integers into floats."""
    return (
        isinstance(value, torch.Tensor)
        and not value.dtype.is_floating_point
        and made.is_floating_point
    )
