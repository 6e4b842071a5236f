"""Keeps lowered programs between runs, so that a developer waits for lowering once.

An entry is good for one set of package versions and one text of the files that made it; anything
else lowers again. Nothing depends on the folder: deleting it only costs time.
"""

import functools
import hashlib
import importlib.metadata
import os
import pickle
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "build" / "lowered"
PACKAGES = ("torch", "executorch", "torchao")


@functools.cache
def _fingerprint(sources: tuple[str, ...]) -> bytes:
    digest = hashlib.sha256()
    for package in PACKAGES:
        digest.update(f"{package}={importlib.metadata.version(package)};".encode())
    for source in sources:
        digest.update(Path(source).read_bytes())
    return digest.digest()


def cached(key: str, sources: tuple[str, ...], make):
    """The pickled result of `make()` for `key`, made by the code in the files `sources`."""
    digest = hashlib.sha256(_fingerprint(sources) + key.encode()).hexdigest()
    entry = FOLDER / digest[:2] / digest[2:]
    try:
        return pickle.loads(entry.read_bytes())
    except (OSError, EOFError, pickle.UnpicklingError):
        pass
    value = make()
    entry.parent.mkdir(parents=True, exist_ok=True)
    # Two processes may make the same entry: each writes its own file and the rename is atomic.
    partial = entry.with_suffix(f".{os.getpid()}")
    partial.write_bytes(pickle.dumps(value))
    partial.replace(entry)
    return value
