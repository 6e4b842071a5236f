"""One exported program, one load, many lengths: each answer is checked against torch.

Run it by `./demo`, which sets everything up first.
"""

import hashlib
import importlib.metadata
import logging
import os
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from textwrap import wrap

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402
from torch import nn  # noqa: E402

BOUND = 128
WIDTH = 256
LENGTHS = (128, 100, 37, 64, 1, 128)
CLOSE_ENOUGH = 1e-4
CACHE = Path(__file__).resolve().parents[1] / "build" / "demo"


class RmsNorm(nn.Module):
    """Written out: the partitioner fuses this form into one op, and not `nn.RMSNorm`."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(0.5, 1.5, WIDTH))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Block(nn.Module):
    """A norm whose halves gate each other, around a residual."""

    def __init__(self):
        super().__init__()
        self.norm = RmsNorm()

    def forward(self, x):
        left, right = self.norm(x).split(WIDTH // 2, dim=-1)
        return x + torch.cat([left * torch.sigmoid(right), right * torch.sigmoid(left)], dim=-1)


class Model(nn.Module):
    """Two blocks; then every position looks at the last one, wherever that is today."""

    def __init__(self):
        super().__init__()
        self.first = Block()
        self.second = Block()

    def forward(self, x):
        y = self.second(self.first(x))
        return y + torch.tanh(y[:, -1:])


class Style:
    """Colour for a terminal, plain text for anything else."""

    def __init__(self, stream):
        self.on = stream.isatty() and "NO_COLOR" not in os.environ

    def __call__(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def bold(self, text):
        return self("1", text)

    def dim(self, text):
        return self("2", text)

    def good(self, text):
        return self("32", text)

    def bad(self, text):
        return self("31;1", text)


def export(model: nn.Module) -> bytes:
    """Exports with a length of 1 to BOUND, all of it for the delegate."""
    from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
    from executorch.exir import to_edge_transform_and_lower

    length = torch.export.Dim("length", min=1, max=BOUND)
    example = (torch.randn(1, BOUND, WIDTH),)
    exported = torch.export.export(model, example, dynamic_shapes=({1: length},))
    lowered = to_edge_transform_and_lower(exported, partitioner=[VulkanPartitioner()])
    return bytes(lowered.to_executorch().buffer)


def exported_once(model: nn.Module) -> tuple[Path, bool]:
    """The program as a file, and whether it was there already."""
    packages = (f"{name} {importlib.metadata.version(name)}" for name in ("torch", "executorch"))
    maker = Path(__file__).read_text() + "\n".join(packages)
    path = CACHE / f"{hashlib.sha256(maker.encode()).hexdigest()[:16]}.pte"
    if path.exists():
        return path, True
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_bytes(export(model))
    partial.replace(path)
    return path, False


class KernelSets:
    """Names a run's kernels by a letter; most runs use the same."""

    def __init__(self):
        self.sets: list[Counter] = []

    def letter(self, kernels: list[str]) -> str:
        count = Counter(kernels)
        if count not in self.sets:
            self.sets.append(count)
        return chr(ord("A") + self.sets.index(count))

    def legend(self) -> list[str]:
        """Each set in words, the first in full and the others by how they differ from it."""
        first, *others = self.sets
        lines = [f"A  {_listed(first)}"]
        for index, other in enumerate(others):
            letter = chr(ord("B") + index)
            lines.append(f"{letter}  A with {_listed(other - first)} for {_listed(first - other)}")
        return [line for text in lines for line in wrap(text, 92, subsequent_indent="   ")]


def _listed(kernels: Counter) -> str:
    return ", ".join(f"{n}× {name}" if n > 1 else name for name, n in kernels.items()) or "nothing"


def adapter_name() -> str:
    import highwater

    names = {device["name"] for device in highwater.devices()}
    chosen = os.environ.get("HIGHWATER_ADAPTER", "the best adapter")
    return names.pop() if len(names) == 1 else chosen


def main() -> int:
    style = Style(sys.stdout)
    torch.manual_seed(0)
    model = Model().eval()

    what = f"[1, length, {WIDTH}] with 1 ≤ length ≤ {BOUND}"
    print(style.bold("Export  ") + what, end="", flush=True)
    start = time.perf_counter()
    path, cached = exported_once(model)
    how = "already there" if cached else f"{time.perf_counter() - start:.1f} s"
    print(f", {path.stat().st_size / 1024:.1f} KiB " + style.dim(f"({how})"))

    import highwater
    from executorch.runtime import Runtime

    start = time.perf_counter()
    program = Runtime.get().load_program(path)
    method = program.load_method("forward")
    load = highwater.last_load()
    print(
        style.bold("Load    ") + f"once, on {adapter_name()}: "
        f"{load['gpu_objects']} GPU objects, {load['gpu_bytes'] / 1024:.0f} KiB "
        + style.dim(f"({time.perf_counter() - start:.1f} s)")
    )

    def run(length: int):
        x = torch.randn(1, length, WIDTH)
        (y,) = method.execute([x])
        account = highwater.last_run()
        with torch.no_grad():
            expected = model(x)
        assert y.shape == expected.shape, f"{y.shape} instead of {expected.shape}"
        return length, (y - expected).abs().max().item(), account

    # Twice over: what the second walk costs is what every later call costs.
    for length in LENGTHS:
        run(length)
    rows = [run(length) for length in LENGTHS]

    print(style.bold("Run     ") + "at one length after another\n")
    print(
        style.dim(
            f"{'length':>8}{'kernels':>10}{'dispatches':>13}{'largest error':>16}{'time':>12}"
        )
    )
    kernels = KernelSets()
    wrong = 0
    for length, error, account in rows:
        ok = error <= CLOSE_ENOUGH
        wrong += not ok
        print(
            f"{length:8}{kernels.letter(account['kernels']):>10}{account['dispatches']:13}"
            + (style.good if ok else style.bad)(f"{error:16.1e}")
            + f"{account['seconds'] * 1e3:9.1f} ms"
        )
    print()
    for line in kernels.legend():
        print(style.dim(f"  {line}"))

    def most(name: str) -> int:
        return max(account[name] for _, _, account in rows)

    print(
        f"\nThe most that a run took: {most('passes')} pass, {most('submits')} submit, "
        f"{most('params_writes')} params write, {most('gpu_objects')} GPU objects created, "
        f"{most('heap_allocations')} heap allocations."
    )
    if wrong:
        print(style.bad(f"{wrong} of {len(rows)} runs differ from torch."))
        return 1
    print(style.good(f"All {len(rows)} runs agree with torch."))
    return 0


if __name__ == "__main__":
    sys.exit(main())
