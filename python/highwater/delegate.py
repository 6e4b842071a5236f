"""The delegate for ExecuTorch's runtime, where ExecuTorch is installed."""

import ctypes
import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from highwater import _native
from highwater.arguments import text
from highwater.errors import HighwaterError

_loaded: ModuleType | None = None


def register() -> None:
    """Registers the delegate, if the ExecuTorch that it was built for is there.

    Neither torch nor ExecuTorch's own package is imported, which would take seconds.
    """
    if _why_not() is None:
        _load()


def _why_not() -> str | None:
    """What keeps the delegate from being loaded."""
    wanted = _native.executorch_version
    if importlib.util.find_spec("highwater._delegate") is None:
        return "this build of highwater has no delegate for it (HIGHWATER_DELEGATE was off)"
    try:
        found = importlib.metadata.version("executorch").partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return "it is not installed: pip install 'highwater[executorch]'"
    if found != wanted:
        return (
            f"version {found} is installed, and highwater was built for {wanted}: "
            "pip install 'highwater[executorch]'"
        )
    return None


def _load() -> ModuleType:
    global _loaded
    if _loaded is None:
        # First the runtime that ExecuTorch's package will use, wherever it is installed.
        spec = importlib.util.find_spec("executorch")
        folder = next(iter(spec.submodule_search_locations))
        ctypes.CDLL(str(Path(folder) / "lib" / "libexecutorch.so"))
        module = importlib.import_module("highwater._delegate")
        module.register()
        _loaded = module
    return _loaded


def _delegate(what: str) -> ModuleType:
    """The native module, or an error that says how to get it."""
    if _loaded is None and (why := _why_not()) is not None:
        raise HighwaterError(f"{what} needs ExecuTorch: {why}")
    return _load()


def check_executorch(what: str) -> None:
    """Raises, with what to install, if ExecuTorch cannot run anything through Highwater."""
    _delegate(what)


def last_run() -> dict[str, Any]:
    """The accounts of the last run through ExecuTorch: dispatches, bytes, kernels in order, …

    They are those of the whole method, over all its delegates, and of the last that this thread
    ran; in a thread that ran none, of the last of all.
    """
    return _delegate("last_run").last_run()


def last_load() -> dict[str, Any]:
    """The accounts of the last load through ExecuTorch, over all delegates of the method."""
    return _delegate("last_load").last_load()


def last_error() -> str:
    """The words behind the last error, of which ExecuTorch hands on only a code."""
    return _delegate("last_error").last_error()


@contextmanager
def errors_in_words() -> Iterator[None]:
    """What ExecuTorch raises inside gets the words behind it, if the delegate has any."""
    delegate = _delegate("a run through ExecuTorch")
    delegate.forget_error()
    try:
        yield
    except (RuntimeError, TypeError) as error:
        raise HighwaterError(delegate.last_error() or str(error)) from error


@contextmanager
def profiled_runs(clock: str = "") -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Profiles what this thread runs through ExecuTorch inside.

    Gives a function that tells of each delegate of the last run.
    """
    delegate = _delegate("a profile of runs through ExecuTorch")
    delegate.profile_runs(text("clock", clock))
    try:
        yield delegate.last_profile
    finally:
        delegate.end_profiling()
