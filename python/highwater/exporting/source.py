"""Which recipe a SOURCE asks for."""

import re
from dataclasses import dataclass
from pathlib import Path

from highwater.errors import HighwaterError

_FUNCTION = re.compile(r"(?P<place>.+\.py|[A-Za-z_][\w.]*):(?P<name>[A-Za-z_]\w*)")
_ON_THE_HUB = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")


@dataclass(frozen=True)
class Function:
    name: str  # file.py:function, or package.module:function


@dataclass(frozen=True)
class Checkpoint:
    weights: Path
    params: Path | None  # None where none was found


@dataclass(frozen=True)
class HuggingFace:
    name: str  # a folder, or a name on the hub


Source = Function | Checkpoint | HuggingFace


def parse(text: str) -> Source:
    path = Path(text)
    if _FUNCTION.fullmatch(text):
        return Function(text)
    if path.is_dir():
        return _folder(path)
    if path.suffix == ".py":
        raise HighwaterError(f"Say which function of it makes the model: {text}:function.")
    if path.is_file():
        return Checkpoint(path, _if_file(path.parent / "params.json"))
    if path.suffix not in (".pth", ".pt") and _ON_THE_HUB.fullmatch(text):
        return HuggingFace(text)
    raise HighwaterError(f"There is no file or folder {text}.")


def _folder(path: Path) -> Source:
    if (path / "config.json").is_file():
        return HuggingFace(str(path))
    checkpoints = sorted(path.glob("*.pth"))
    if len(checkpoints) == 1:
        return Checkpoint(checkpoints[0], _if_file(path / "params.json"))
    if checkpoints:
        raise HighwaterError(f"{path} has several checkpoints; give one of {_names(checkpoints)}.")
    raise HighwaterError(
        f"{path} holds no model: there is no config.json (Hugging Face) and no .pth checkpoint."
    )


def _if_file(path: Path) -> Path | None:
    return path if path.is_file() else None


def _names(paths: list[Path]) -> str:
    return ", ".join(map(str, paths))
