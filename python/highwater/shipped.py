"""Finding a model: a file, a folder with one in it, or one that ships with Highwater."""

import os
import stat
from pathlib import Path
from typing import Any

from highwater.errors import HighwaterError

FILE = "model.pte"
# In an installed package, and in the repository.
_FOLDERS = (Path(__file__).parent / "models", Path(__file__).parents[2] / "models")
# Reading one of these could wait for ever.
_NO_FILES = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def shipped_models() -> dict[str, Path]:
    """The models that come along, by name."""
    return {
        file.parent.name: file
        for folder in reversed(_FOLDERS)
        for file in sorted(folder.glob(f"*/{FILE}"))
    }


def find_model(name: str | os.PathLike[Any]) -> Path:
    """The `.pte` file that is meant."""
    try:
        path = asked = Path(os.fsdecode(name))
    except TypeError:
        raise HighwaterError(
            f"the model is {name!r}; the path of a file, or its bytes, is wanted"
        ) from None
    try:
        if (path / FILE).exists():
            path = path / FILE
        kind = stat.S_IFMT(path.stat().st_mode)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
    else:
        if kind == stat.S_IFREG:
            return path
        if kind in _NO_FILES:
            raise HighwaterError(f"cannot read {path}: it is {_NO_FILES[kind]}, not a file")
        why = f"it is a folder without a {FILE}"
    shipped = shipped_models()
    if str(asked) in shipped:
        return shipped[str(asked)]
    known = ", ".join(shipped) or "none"
    raise HighwaterError(
        f"cannot read {asked}: {why}; nor is it a model that ships with Highwater ({known})"
    )
