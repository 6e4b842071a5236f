"""A program, opened and read no further, and what runs it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from highwater import _native
from highwater.errors import HighwaterError
from highwater.shipped import find_model

if TYPE_CHECKING:
    from highwater._executorch import ExecutorchMethod


@dataclass(frozen=True)
class ModelFile:
    """A `.pte` file, or what it holds."""

    native: _native.File
    path: Path | None = None
    content: bytes | bytearray | memoryview | None = None  # where there is no path

    def __str__(self) -> str:
        return "the program in memory" if self.path is None else str(self.path)


Source = str | os.PathLike[Any] | bytes | bytearray | memoryview | ModelFile


def open_file(source: Source) -> ModelFile:
    """Of a path, the name of a model that ships with Highwater, or the bytes of a file."""
    if isinstance(source, ModelFile):
        return source
    if isinstance(source, bytes | bytearray | memoryview):
        return ModelFile(_native.File(source), content=source)
    path = find_model(source)
    return ModelFile(_native.File(path), path)


def open_runner(
    file: ModelFile, method: str, options: dict[str, Any], *, generates: bool = True
) -> "_native.Session | _native.Generator | ExecutorchMethod":
    """Loads a method into what runs it: the one place that decides.

    A language model can do all that a session can, and generate text, if that is wanted.
    """
    runner = file.native.runner(method)
    if runner == "ExecuTorch":
        return _open_in_pieces(file, method, options)
    if runner == "Generator" and generates:
        return _native.Generator.open(file.native, **options)
    return _native.Session.open(file.native, method=method, **options)


def check_generates(file: ModelFile) -> None:
    """Raises, with the reason, if the file is not a language model."""
    if file.native.runner() == "Generator":
        return
    try:
        _native.Generator.check(file.native)
    except HighwaterError as error:
        raise HighwaterError(f"{file} cannot generate text: {error}") from None


# What sets an option of `_native.Session.open` for a method in pieces, if anything does.
_INSTEAD_IN_PIECES = {
    "adapter": "set HIGHWATER_ADAPTER instead",
    "half_cache": "set HIGHWATER_HALF_CACHE instead",
    "without_passes": "set HIGHWATER_WITHOUT_PASSES instead",
    "recover": "load it again when its device is lost",
    "timeout_seconds": "a run of it may take 300 seconds, and nothing changes that",
}


def _open_in_pieces(file: ModelFile, method: str, options: dict[str, Any]) -> "ExecutorchMethod":
    """Such a method, with the verbs of a native session.

    Nobody is told of its progress, which is no reason not to load it.
    """
    from highwater._executorch import ExecutorchMethod

    for name, instead in _INSTEAD_IN_PIECES.items():
        given = options.get(name)
        if given is not None and given is not False and given != "":
            raise HighwaterError(
                f"{file} has ops for the CPU, so that ExecuTorch runs it, which does not take "
                f"{'device' if name == 'adapter' else name}; {instead}"
            )
    return ExecutorchMethod(file, method)
