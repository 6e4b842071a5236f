"""The tokenizer's files beside a program: runners look for `tokenizer.json` (or `tokenizer.model`)
in the folder of the `.pte`."""

import shutil
from pathlib import Path

from highwater.errors import HighwaterError


def plan(given: Path | None, found: list[Path], output: Path) -> dict[Path, Path]:
    """Which files are to be copied where: the one that was `given`, else those `found` with the
    model. Fails where another model's lie already."""
    sources = {given: f"tokenizer{given.suffix}"} if given else {f: f.name for f in found}
    copies = {source: output.parent / name for source, name in sources.items()}
    for source, target in copies.items():
        if target.is_file() and target.read_bytes() != source.read_bytes():
            raise HighwaterError(
                f"{target} is another model's: choose an --output in a folder of its own, because "
                f"{source} is copied beside it."
            )
    return copies


def copy(copies: dict[Path, Path]) -> tuple[Path, ...]:
    for source, target in copies.items():
        if not (target.exists() and target.samefile(source)):
            shutil.copyfile(source, target)
    return tuple(copies.values())
