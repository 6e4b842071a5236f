"""The files of a model: what they are called, and how they are made and kept.

A file's name holds a hash of all that it was made from, so that one that is there is right.
"""

import hashlib
import os
import subprocess
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

EXPORTER = ("benchmarks/export.py", "tests/python/fast_export.py", "requirements.txt")
WRITER = ("benchmarks/onnx_graph.py", "benchmarks/requirements.txt")


def path(name: str, model: Model) -> Path:
    sources = EXPORTER + (WRITER if name == ONNX else ())
    digest = hashlib.sha256(b"".join((ROOT / source).read_bytes() for source in sources))
    key = model.fingerprint(digest.hexdigest())
    stem, suffix = name.split(".")
    return CACHE / "models" / model.name / f"{stem}-{key}.{suffix}"


def make(name: str, model: Model, say) -> Path:
    """The file, made if it is not there. `say` is told what takes long."""
    target = path(name, model)
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{os.getpid()}-{target.name}")
    if name == ONNX:
        weights = make(WEIGHTS, model, say)
        python = environments.python("onnxruntime", say)
        command = [python, "-m", "benchmarks.onnx_graph", model.name, weights, partial]
    else:
        python = environments.python("executorch", say)
        command = [python, "-m", "benchmarks.export", name, model.name, partial]
    say(f"Making {model.name}/{name}")
    log = log_file(f"{model.name}-{name}")
    with log.open("w") as output:
        done = subprocess.run(
            command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode:
        partial.unlink(missing_ok=True)
        raise environments.Unavailable(
            f"making {model.name}/{name} failed: see {log.relative_to(ROOT)}"
        )
    partial.replace(target)
    return target


def log_file(name: str) -> Path:
    log = CACHE / "logs" / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    return log
