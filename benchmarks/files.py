"""The files of a model, and where they are kept.

A file's name holds a hash of all that it was made from, so that one that is there is right.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.environments import CACHE, ROOT
from benchmarks.model import Maker, Model


def path(name: str, model: Model) -> Path:
    maker = model.makers[name]
    digest = hashlib.sha256(b"".join((ROOT / source).read_bytes() for source in maker.sources))
    key = model.fingerprint(digest.hexdigest(), *_versions(maker.packages))
    stem, suffix = name.split(".")
    return CACHE / "models" / model.name / f"{stem}-{key}.{suffix}"


def below(folder: str) -> tuple[str, ...]:
    """The Python files of one of the project's folders."""
    return tuple(sorted(str(file.relative_to(ROOT)) for file in (ROOT / folder).glob("*.py")))


def _versions(packages: tuple[str, ...]) -> list[str]:
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    return [line for line in lines if line.split("==")[0] in packages]


@contextlib.contextmanager
def completed(target: Path) -> Iterator[Path]:
    """A file to write, which gets its name when all of it is there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{os.getpid()}-{target.name}")
    try:
        yield partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def log_file(name: str) -> Path:
    log = CACHE / "logs" / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    return log


def maker_log(maker: Maker, model: Model) -> Path:
    return log_file(f"{model.name}-{maker.module}")
