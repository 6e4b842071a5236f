"""Loading a model, with a display of how far it has come."""

from pathlib import Path

import highwater
from highwater.cli import terminal
from highwater.shipped import find_model

STAGES = {
    "weights": "sending weights to the device",
    "kernels": "compiling kernels",
    "first runs": "running each kernel for the first time",
}


def load(name: str, *, adapter: str | None = None, half_cache: bool = False) -> highwater.Model:
    """The model of that name or path. What takes over a second is shown on stderr."""
    path: Path = find_model(name)
    with terminal.Progress() as progress:
        progress.step(f"reading {path}")

        def told(stage: str, done: int, total: int) -> None:
            if done == 0:
                progress.step(f"{STAGES.get(stage, stage)} ({total})")

        return highwater.load(path, device=adapter, half_cache=half_cache, progress=told)
