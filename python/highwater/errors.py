"""The one exception, and where it comes from when a package is missing."""

import importlib
import importlib.util
from types import ModuleType


class HighwaterError(RuntimeError):
    """What the library has to say when it cannot do its job: the same words as in C++."""


def first_line(text: str, most: int = 200) -> str:
    """The start of a message that may be long."""
    line = (text.strip().splitlines() or [""])[0].strip()
    return line if len(line) <= most else f"{line[: most - 1]}…"


def check_installed(package: str, extra: str, what: str) -> None:
    """Raises if a package is missing that one of our extras brings, without importing it.

    `what` needs it, and begins the error: "highwater export needs …".
    """
    if importlib.util.find_spec(package) is None:
        raise HighwaterError(
            f"{what} needs the package {package!r}, which is not installed: "
            f"pip install 'highwater[{extra}]'"
        )


def need(module: str, extra: str, what: str) -> ModuleType:
    """Imports a module of such a package."""
    check_installed(module.partition(".")[0], extra, what)
    return importlib.import_module(module)
