"""The files of a model, and how they are made and kept.

A file's name holds a hash of all that it was made from, so that one that is there is right.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from benchmarks import environments
from benchmarks.environments import CACHE, ROOT
from benchmarks.model import Maker, Model


def path(name: str, model: Model) -> Path:
    sources = model.makers[name].sources
    digest = hashlib.sha256(b"".join((ROOT / source).read_bytes() for source in sources))
    key = model.fingerprint(digest.hexdigest())
    stem, suffix = name.split(".")
    return CACHE / "models" / model.name / f"{stem}-{key}.{suffix}"


def make(names: Iterable[str], model: Model, say) -> dict[str, Path]:
    """The files, made if they are not there. `say` is told what takes long."""
    paths = {name: path(name, model) for name in names}
    missing: dict[Maker, dict[str, Path]] = {}
    for name, target in paths.items():
        if not target.exists():
            missing.setdefault(model.makers[name], {})[name] = target
    for maker, wanted in missing.items():
        _run(maker, model, wanted, make(maker.reads, model, say).values(), say)
    return paths


def _run(maker: Maker, model: Model, wanted: dict[str, Path], given: Iterable[Path], say) -> None:
    """Starts a module that makes files in a process of its own. A file gets its name when it is
    complete."""
    partial = {name: target.with_name(f"{os.getpid()}-{name}") for name, target in wanted.items()}
    what = f"{model.name}: {', '.join(wanted)}"
    log = log_file(f"{model.name}-{maker.module}-{next(iter(wanted))}")
    python, *_ = (environments.python(name, say) for name in maker.environments)
    say("Exporting " + what)
    pairs = [f"{name}={target}" for name, target in partial.items()]
    for target in wanted.values():
        target.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output:
        done = subprocess.run(
            [python, "-m", f"benchmarks.{maker.module}", model.name, *pairs, *given],
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode:
        for target in partial.values():
            target.unlink(missing_ok=True)
        raise environments.Unavailable(f"not exported: see {log.relative_to(ROOT)}")
    for name, target in wanted.items():
        partial[name].replace(target)


def log_file(name: str) -> Path:
    log = CACHE / "logs" / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    return log
