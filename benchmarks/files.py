"""The files of a model: what they are called, and how they are made and kept.

A file's name holds a hash of all that it was made from, so that one that is there is right.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from benchmarks import environments
from benchmarks.models import Model

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / "build" / "bench"

VULKAN = "vulkan.pte"
XNNPACK = "xnnpack.pte"
WEIGHTS = "weights.npz"
REFERENCE = "reference.npz"
ONNX = "model.onnx"

EXPORTER = ("benchmarks/export.py", "tests/python/support/fast_export.py", "requirements.txt")
WRITER = ("benchmarks/onnx_graph.py", "benchmarks/requirements.txt")


def path(name: str, model: Model) -> Path:
    sources = EXPORTER + (WRITER if name == ONNX else ())
    digest = hashlib.sha256(b"".join((ROOT / source).read_bytes() for source in sources))
    key = model.fingerprint(digest.hexdigest())
    stem, suffix = name.split(".")
    return CACHE / "models" / model.name / f"{stem}-{key}.{suffix}"


def make(names: Iterable[str], model: Model, say) -> dict[str, Path]:
    """The files, made if they are not there. `say` is told what takes long."""
    paths = {name: path(name, model) for name in names}
    missing = {name: target for name, target in paths.items() if not target.exists()}
    if ONNX in missing:
        weights = make([WEIGHTS], model, say)[WEIGHTS]
        _run("onnxruntime", "onnx_graph", model, {ONNX: missing.pop(ONNX)}, say, weights)
    if missing:
        _run("executorch", "export", model, missing, say)
    return paths


def _run(environment: str, maker: str, model: Model, wanted: dict[str, Path], say, *more) -> None:
    """Starts one of the modules that make files, in a process of its own. A file gets its name when
    it is complete."""
    partial = {name: target.with_name(f"{os.getpid()}-{name}") for name, target in wanted.items()}
    what = f"{model.name}: {', '.join(wanted)}"
    log = log_file(f"{model.name}-{maker}-{next(iter(wanted))}")
    python = environments.python(environment, say)
    say("Exporting " + what)
    pairs = [f"{name}={target}" for name, target in partial.items()]
    for target in wanted.values():
        target.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output:
        done = subprocess.run(
            [python, "-m", f"benchmarks.{maker}", model.name, *pairs, *more],
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
