"""The recipe for a function that returns a torch module, example inputs and dynamic shapes, and
inputs to calibrate with if it is to be quantized."""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from highwater.errors import HighwaterError, first_line
from highwater.exporting import inputs, llama
from highwater.exporting.noise import Reasons
from highwater.exporting.steps import Steps

RETURNS = "(torch module, example inputs, dynamic shapes)"


@dataclass(frozen=True)
class Returned:
    module: Any
    example: tuple[Any, ...]
    dynamic_shapes: Any
    calibration: Any = ()


def export(
    source: str, options: llama.Options, output: Path, progress: Steps, reasons: Reasons
) -> tuple[inputs.Input, ...]:
    """`source` is `file.py:function` or `package.module:function`."""
    progress.step("loading")
    given = load(source)
    from highwater.export import HighwaterPartitioner, quantized, trace
    from highwater.exporting import lowering

    module = given.module
    if options.quantization:
        progress.step("quantizing")
        module = quantized(
            module,
            given.example,
            given.dynamic_shapes,
            options.quantization,
            group_size=options.group_size,
            calibration=given.calibration,
        )
    progress.step("exporting")
    exported = trace(module, given.example, given.dynamic_shapes)
    signature = inputs.Signature(exported, given.dynamic_shapes)
    progress.step("lowering")
    partitioner = HighwaterPartitioner(options.half)
    program = lowering.lower(exported, partitioner, signature.constant_method())
    for op, reason in partitioner.refused.items():
        reasons.note(op, reason)
    progress.step("writing")
    with output.open("wb") as file:
        program.write_to_file(file)
    return signature.inputs


def load(source: str) -> Returned:
    place, _, name = source.rpartition(":")
    return _call(_find(place, name), source)


def _find(place: str, name: str) -> Callable[[], Any]:
    module = _import_file(Path(place)) if place.endswith(".py") else _import_module(place)
    function = getattr(module, name, None)
    if callable(function):
        return function
    others = [key for key, value in vars(module).items() if inspect.isfunction(value)]
    raise HighwaterError(f"{place} has no function {name!r}; it has {', '.join(others) or 'none'}.")


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise HighwaterError(f"There is no file {path}.")
    # As if it were started: what lies beside it can be imported.
    sys.path.insert(0, str(path.resolve().parent))
    # Not under its own name, which may be that of a package. It must have one, though: dataclasses
    # look their module up by it.
    name = f"_highwater_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    return _imported(str(path), lambda: (spec.loader.exec_module(module), module)[1])


def _import_module(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    return _imported(name, lambda: importlib.import_module(name))


def _imported(name: str, load: Callable[[], ModuleType]) -> ModuleType:
    try:
        return load()
    except ModuleNotFoundError as error:
        if error.name and name.startswith(error.name):
            raise HighwaterError(f"There is no Python module {error.name!r} here.") from error
        raise HighwaterError(f"{name} imports {error.name!r}, which is not installed.") from error
    except Exception as error:
        raise HighwaterError(_raised(f"{name} cannot be imported", error)) from error


def _call(function: Callable[[], Any], source: str) -> Returned:
    import torch

    try:
        returned = function()
    except Exception as error:
        raise HighwaterError(_raised(f"{source} failed", error)) from error
    # The fourth, if there is one, is to calibrate with.
    if not isinstance(returned, tuple) or len(returned) not in (3, 4):
        raise HighwaterError(f"{source} must return {RETURNS}, and returned {_describe(returned)}.")
    module, example, *_ = returned
    if not isinstance(module, torch.nn.Module):
        raise HighwaterError(
            f"{source} must return {RETURNS}, and the first it returned is {_describe(module)}."
        )
    if not isinstance(example, (tuple, list)):
        raise HighwaterError(
            f"{source} must return {RETURNS}, and its example inputs are {_describe(example)}, "
            "not a tuple."
        )
    return Returned(module.eval(), tuple(example), *returned[2:])


def _describe(value: Any) -> str:
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    return "None" if value is None else f"something of type {type(value).__name__}"


def _raised(what: str, error: Exception) -> str:
    return f"{what}: {type(error).__name__}: {first_line(str(error))} (--traceback: where)"
