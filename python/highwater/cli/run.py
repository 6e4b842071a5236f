"""`highwater run`: runs a model at one live shape after another."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import highwater
from highwater.cli import inputs as given_inputs
from highwater.cli import loading, terminal
from highwater.errors import check_installed
from highwater.shipped import find_model

CLOSE = 1e-3  # relative to the largest value: what the software and the device may differ by


@dataclass
class Run:
    """One call, and what came of it."""

    inputs: list[str]
    outputs: list[Any]
    seconds: float
    accounts: dict[str, Any]
    error: float | None = None  # against the reference, relative to its largest value

    def as_json(self) -> dict[str, Any]:
        return {
            "inputs": self.inputs,
            "outputs": [_facts(x) for x in self.outputs],
            "seconds": self.seconds,
            "error": self.error,
            **{k: v for k, v in self.accounts.items() if k != "seconds"},
        }


@click.command()
@click.argument("model")
@given_inputs.option
@click.option("--seed", default=0, show_default=True, help="Of random inputs.")
@click.option(
    "--check",
    "reference",
    metavar="FILE.py:FUNCTION",
    help="Compare with the torch module that this function returns, as for `highwater export`.",
)
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save outputs to this folder, as run0_output0.npy and so on.",
)
@click.option("--adapter", help="The adapter to use: its number, or a part of its name.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known, as JSON.")
def command(
    model: str,
    inputs: tuple[str, ...],
    seed: int,
    reference: str | None,
    save: Path | None,
    adapter: str | None,
    as_json: bool,
) -> None:
    """Runs MODEL at the live shapes of the inputs, loaded once, and tells what came of it.

    Several values for an input, with commas between them, are several runs in turn; an input with
    one value has it in all of them.

    \b
      highwater run model.pte --input 1x128x64,1x37x64,1x1x64
      highwater run model.pte --input 0=photo.npy --save outputs
      highwater run model.pte --input 0=1x37x64 --check model.py:gate
    """
    calls = calls_of(inputs)
    path = find_model(model)  # before torch is imported, which takes longer
    eager = _reference(reference) if reference else None
    with loading.load(path, adapter=adapter) as loaded:
        runs = [_run(loaded, given, seed, eager) for given in calls]
        if save:
            _save(runs, save)
        if as_json:
            terminal.say_json([run.as_json() for run in runs])
        else:
            _print(loaded, runs)
    worst = max((run.error for run in runs if run.error is not None), default=0.0)
    if worst > CLOSE:
        raise terminal.Failure(
            f"The largest error, {worst:.2g} of the largest value, is over {CLOSE:g}."
            f"{_about_weights(reference, eager)}"
        )


def calls_of(inputs: Sequence[str]) -> list[list[str]]:
    """The inputs of each run."""
    keys = [text.rpartition("=")[0] for text in inputs]
    values = [text.rpartition("=")[2].split(",") for text in inputs]
    count = max((len(v) for v in values), default=1)
    for text, choices in zip(inputs, values, strict=True):
        if len(choices) not in (1, count):
            raise click.UsageError(
                f"--input {text} has {len(choices)} values, and another input has {count}: "
                "give one, or as many."
            )
    return [
        [
            (f"{key}=" if key else "") + choices[i % len(choices)]
            for key, choices in zip(keys, values, strict=True)
        ]
        for i in range(count)
    ]


def _reference(source: str) -> Any:
    from highwater.exporting import torch_module

    check_installed("torch", "export", "--check")
    with terminal.Progress() as progress:
        progress.step(f"loading {source}")
        return torch_module.load(source).module


def _about_weights(source: str, module: Any) -> str:
    """A hint, if the function makes other weights whenever it is called."""
    import torch

    from highwater.exporting import torch_module

    again = torch_module.load(source).module.state_dict()
    if all(torch.equal(weight, again[name]) for name, weight in module.state_dict().items()):
        return ""
    return (
        f" {source} makes random weights: it gives others when it is called again, and so the "
        "program was exported with others. Seed them in the function, with torch.manual_seed, or "
        "load them, and export again."
    )


def _run(model: highwater.Model, given: list[str], seed: int, eager: Any) -> Run:
    values = given_inputs.arrays(model.inputs, given, seed)
    start = time.perf_counter()
    answer = model.forward(*values)
    seconds = time.perf_counter() - start
    outputs = list(answer) if isinstance(answer, tuple) else [answer]
    run = Run(given_inputs.labels(model.inputs, values), outputs, seconds, model.last_run)
    if eager is not None:
        run.error = _largest_error(eager, values, outputs)
    return run


def _largest_error(eager: Any, values: list[Any], outputs: list[Any]) -> float:
    import numpy as np
    import torch

    tensors = [v if isinstance(v, int) else torch.from_numpy(v) for v in values]
    with torch.no_grad():
        wanted = torch.utils._pytree.tree_leaves(eager(*tensors))
    if len(wanted) != len(outputs):
        raise terminal.Failure(f"The model gives {len(outputs)} outputs, torch {len(wanted)}.")
    worst = 0.0
    for i, (got, want) in enumerate(zip(outputs, wanted, strict=True)):
        want = np.asarray(want, dtype=np.float64)
        if want.shape != np.shape(got):
            raise terminal.Failure(
                f"Output {i} has dims {list(np.shape(got))}; torch says {list(want.shape)}."
            )
        if want.size:
            scale = max(np.abs(want).max(), 1e-12)
            worst = max(worst, float(np.abs(np.asarray(got, np.float64) - want).max() / scale))
    return worst


def _save(runs: list[Run], folder: Path) -> None:
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    for r, run in enumerate(runs):
        for o, output in enumerate(run.outputs):
            np.save(folder / f"run{r}_output{o}.npy", output)
    terminal.remark(f"Outputs are in {folder}.")


def _facts(output: Any) -> dict[str, Any]:
    if isinstance(output, int):
        return {"value": output}
    facts = {"dims": list(output.shape), "dtype": str(output.dtype)}
    if output.size:
        numbers = output.astype("float64")
        facts |= {"min": numbers.min(), "max": numbers.max(), "mean": numbers.mean()}
    return facts


def _described(output: Any) -> str:
    facts = _facts(output)
    if "value" in facts:
        return str(facts["value"])
    dims = "x".join(map(str, facts["dims"])) or "one element"
    if "mean" not in facts:
        return f"{dims} {facts['dtype']}"
    return f"{dims} {facts['dtype']}, {facts['min']:.4g} to {facts['max']:.4g}"


def _print(model: highwater.Model, runs: list[Run]) -> None:
    terminal.say(f"{model.path} on {model.adapter}, loaded once")
    checked = any(run.error is not None for run in runs)
    header = ["inputs", "outputs", "time", "dispatches", *(["error"] if checked else [])]
    rows = [
        [
            "; ".join(run.inputs),
            "; ".join(map(_described, run.outputs)),
            f"{run.seconds * 1e3:.2f} ms",
            str(run.accounts["dispatches"]),
            *([f"{run.error:.1e}"] if run.error is not None else []),
        ]
        for run in runs
    ]
    terminal.say(terminal.table(header, rows))
