"""Loading a model, with a display of how far it has come."""

from typing import Any

import click

import highwater
from highwater.cli import terminal
from highwater.files import Source

STAGES = {
    "weights": "sending weights to the device",
    "kernels": "compiling kernels",
    "first runs": "running each kernel for the first time",
}

half_cache = click.option(
    "--half-cache/--whole-cache",
    default=None,
    help="Keep the attention cache as float16, or as it is.  [default: a GPU's shader-f16 decides]",
)


def load(model: Source, *, adapter: str | None = None, **options: Any) -> highwater.Model:
    """The model of that name or path. What takes over a second is shown on stderr."""
    with terminal.Progress() as progress:
        progress.step(f"reading {model}")

        def told(stage: str, done: int, total: int) -> None:
            if done == 0:
                progress.step(f"{STAGES.get(stage, stage)} ({total})")

        return highwater.load(model, device=adapter, progress=told, **options)
