"""The shared library behind the package, and its C interface."""

import ctypes
import importlib.util
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from highwater.arguments import text
from highwater.errors import HighwaterError

_TELLING = (
    *("register", "last_error", "last_load", "last_run", "last_profile", "profile_runs"),
    *("devices", "supported_ops"),
)


def _load_executorch_runtime() -> None:
    """Loads the wheel's runtime, so that ours finds the very same one."""
    spec = importlib.util.find_spec("executorch")
    if spec is None or not spec.submodule_search_locations:
        raise HighwaterError("the package 'executorch' is not installed; highwater runs inside it")
    runtime = Path(next(iter(spec.submodule_search_locations))) / "lib" / "libexecutorch.so"
    ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)


def _load() -> ctypes.CDLL:
    # Vulkan's loader complains on stderr where this is missing, as it is in most containers.
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    _load_executorch_runtime()
    library = ctypes.CDLL(str(Path(__file__).parent / "lib" / "libhighwater.so"))
    for name in _TELLING:
        getattr(library, f"highwater_{name}").restype = ctypes.c_char_p
    library.highwater_forget_error.restype = None
    library.highwater_profile_runs.argtypes = [ctypes.c_char_p]
    library.highwater_inspect.restype = ctypes.c_char_p
    library.highwater_inspect.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    refused = library.highwater_register()
    if refused is not None:
        raise HighwaterError(_text(refused))
    return library


def _text(said: bytes) -> str:
    """What the library says may quote a path, which need not be UTF-8."""
    return said.decode(errors="replace")


_library = _load()


def _answer(name: str) -> Any:
    return json.loads(_text(getattr(_library, f"highwater_{name}")()))


def devices() -> list[dict[str, Any]]:
    """The WebGPU adapters of this machine: name, type, backend, features and limits of each.

    The environment variable ``HIGHWATER_ADAPTER`` chooses one, by its index in this list or by a
    part of its name.
    """
    answer = _answer("devices")
    if isinstance(answer, dict):
        raise HighwaterError(answer["error"])
    return answer


def last_run() -> dict[str, Any]:
    """The accounts of the last run through ExecuTorch: dispatches, bytes, kernels in order, …

    They are those of the whole method, over all its delegates, and of the last that this thread
    ran; in a thread that ran none, of the last of all.
    """
    return _answer("last_run")


def last_load() -> dict[str, Any]:
    """The accounts of the last load through ExecuTorch, over all delegates of the method."""
    return _answer("last_load")


def last_error() -> str:
    """The words behind the last error, of which ExecuTorch hands on only a code."""
    return _text(_library.highwater_last_error())


@contextmanager
def errors_in_words() -> Iterator[None]:
    """What ExecuTorch raises inside gets the words behind it, if the delegate has any."""
    _library.highwater_forget_error()
    try:
        yield
    except (RuntimeError, TypeError) as error:
        raise HighwaterError(last_error() or str(error)) from error


@contextmanager
def profiled_runs(clock: str = "") -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """Profiles what this thread runs through ExecuTorch inside.

    Gives a function that tells of each delegate of the last run.
    """
    refused = _library.highwater_profile_runs(os.fsencode(text("clock", clock)))
    if refused is not None:
        raise HighwaterError(_text(refused))
    try:
        yield lambda: _answer("last_profile")
    finally:
        _library.highwater_profile_runs(None)


def op_table() -> list[dict[str, Any]]:
    """The library's own table of ops; ``highwater.supported_ops`` puts it into order."""
    return _answer("supported_ops")


def inspect_file(
    path: str | os.PathLike[str], method: str = "", at: Sequence[str] = (), wgsl: bool = False
) -> dict[str, Any]:
    """What is in a .pte file, and what would be run of it at which live shapes.

    ``at`` are shapes such as ``"S=37,P=12"``. This is the library's own account of everything;
    ``highwater.inspect`` puts it into order.
    """
    lines = [f"method={method}"] if method else []
    lines += [f"at={shape}" for shape in at] + ["wgsl=1"] * wgsl
    told = _library.highwater_inspect(os.fsencode(path), os.fsencode("\n".join(lines)))
    answer = json.loads(_text(told))
    if "error" in answer:
        raise HighwaterError(answer["error"])
    return answer
