"""A Llama of 128,256 tokens with random 4-bit weights: exported, loaded, run, and its memory.

    python -m soak.real_size FOLDER [LAYERS] [WIDTH]

16 layers of 2048, as in Llama 3.2 of 1 B, take some minutes of a quiet machine and about 12 GB
of memory to export. What FOLDER holds by now is not made again.
"""

import json
import subprocess
import sys
from pathlib import Path

MOST = 1.2  # of the file
HEAD = 64
VOCABULARY = 128_256


def params(layers: int, width: int) -> dict:
    # Llama 3.2 has one table for both ends, and this one a head of its own.
    return dict(
        dim=width,
        n_layers=layers,
        n_heads=width // HEAD,
        n_kv_heads=width // HEAD // 4,
        vocab_size=VOCABULARY,
        hidden_dim=4 * width,
        norm_eps=1e-5,
        rope_theta=500_000.0,
        multiple_of=256,
    )


def write_checkpoint(folder: Path, layers: int, dim: int) -> None:
    import torch

    hidden, kv = 4 * dim, dim // 4
    shapes = {"tok_embeddings.weight": (VOCABULARY, dim)}
    for i in range(layers):
        layer = {"attention.wq": (dim, dim), "attention.wk": (kv, dim), "attention.wv": (kv, dim)}
        layer |= {"attention.wo": (dim, dim), "feed_forward.w1": (hidden, dim)}
        layer |= {"feed_forward.w2": (dim, hidden), "feed_forward.w3": (hidden, dim)}
        layer |= {"attention_norm": (dim,), "ffn_norm": (dim,)}
        shapes |= {f"layers.{i}.{name}.weight": shape for name, shape in layer.items()}
    shapes |= {"norm.weight": (dim,), "output.weight": (VOCABULARY, dim)}
    torch.manual_seed(0)
    weights = {
        name: torch.ones(shape, dtype=torch.bfloat16)
        if len(shape) == 1
        else torch.empty(shape, dtype=torch.bfloat16).normal_(0, 0.02)
        for name, shape in shapes.items()
    }
    torch.save(weights, folder / "llama.pth")
    (folder / "params.json").write_text(json.dumps(params(layers, dim)))


def export(folder: Path, layers: int, width: int) -> Path:
    model = folder / "model.pte"
    if model.is_file():
        return model
    folder.mkdir(parents=True, exist_ok=True)
    write_checkpoint(folder, layers, width)
    command = "export llama.pth -q 4w --embedding-quantize 4,32 --max-seq-length 33 -o new.pte"
    subprocess.run([sys.executable, "-m", "highwater", *command.split()], cwd=folder, check=True)
    (folder / "llama.pth").unlink()
    (folder / "new.pte").rename(model)
    return model


def measure(model: str) -> dict:
    """Of this process, which should have done nothing else: peaks in bytes, and seconds."""
    import time

    import highwater
    import numpy as np

    def peak() -> int:
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) << 10

    # What any model takes: Python, the driver and its compiler.
    with highwater.load("kjv") as small:
        small(np.array([[1, 2]], np.int64), np.array([0], np.int64))
    before, began = peak(), time.monotonic()
    with highwater.load(model) as loaded:
        seconds, after_load = time.monotonic() - began, peak()
        first = loaded(np.array([[5, 100_000, 128_255]], np.int64), np.array([0], np.int64))
        loaded(np.array([[7]], np.int64), np.array([3], np.int64))
        again = loaded(np.array([[5, 100_000, 128_255]], np.int64), np.array([0], np.int64))
        assert np.isfinite(first).all() and np.array_equal(first, again)
    return {"before": before, "load": after_load, "run": peak(), "seconds": seconds}


def check(folder: Path, layers: int = 16, width: int = 2048) -> tuple[str, bool]:
    model = export(folder, layers, width)
    code = f"import json, soak.real_size as r; print(json.dumps(r.measure({str(model)!r})))"
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
    )
    told = json.loads(done.stdout)
    size = model.stat().st_size
    share = (told["run"] - told["before"]) / size
    said = (
        f"file {size >> 20} MiB, loaded in {told['seconds']:.1f} s; load and run add "
        f"{told['run'] - told['before'] >> 20} MiB at their peak, {share:.2f} of the file "
        f"({told['load'] - told['before'] >> 20} by the load), to {told['before'] >> 20} before"
    )
    return said, share <= MOST


if __name__ == "__main__":
    said, good = check(Path(sys.argv[1]), *map(int, sys.argv[2:]))
    print(said)
    sys.exit(0 if good else f"more than {MOST} of the file")
