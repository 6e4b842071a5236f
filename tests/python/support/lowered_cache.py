"""Keeps lowered programs between runs, so that a developer waits for lowering once.

An entry is good for one set of package versions and one text of the files that made it; anything
else lowers again. Nothing depends on the folder: deleting it only costs time.
"""

import fcntl
import functools
import hashlib
import importlib.metadata
import os
import pickle
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "build" / "lowered"
PACKAGES = ("torch", "executorch", "torchao")
UNREADABLE = (OSError, EOFError, pickle.UnpicklingError)


@functools.cache
def _fingerprint(sources: tuple[str, ...]) -> bytes:
    digest = hashlib.sha256()
    for package in PACKAGES:
        digest.update(f"{package}={importlib.metadata.version(package)};".encode())
    for source in sources:
        digest.update(Path(source).read_bytes())
    return digest.digest()


def cached(key: str, sources: tuple[str, ...], make):
    """The pickled result of `make()` for `key`, made by the code in the files `sources`.

    Of several processes that want the same entry, one makes it and the others wait.
    """
    digest = hashlib.sha256(_fingerprint(sources) + key.encode()).hexdigest()
    entry = FOLDER / digest[:2] / digest[2:]
    try:
        return _read(entry)
    except UNREADABLE:
        entry.parent.mkdir(parents=True, exist_ok=True)
    with entry.with_suffix(".lock").open("w") as lock:
        # Let go of when the file is closed, however this process ends.
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return _read(entry)
        except UNREADABLE:
            value = make()
        # A reader without the lock must not see half of it.
        partial = entry.with_suffix(f".{os.getpid()}")
        partial.write_bytes(pickle.dumps(value))
        partial.replace(entry)
    return value


def _read(entry: Path):
    return pickle.loads(entry.read_bytes())
