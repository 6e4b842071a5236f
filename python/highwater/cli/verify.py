"""`highwater verify`: every op of a model on this device against torch."""

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from highwater.cli import inputs as given_inputs
from highwater.cli import terminal
from highwater.errors import HighwaterError, check_installed
from highwater.files import open_file

if TYPE_CHECKING:
    from highwater.verifying.check import Check, Verdict

TRIES = 200  # of random shapes, for one that the program takes
NO_REFERENCE = 3  # exit code


@click.command()
@click.argument("model")
@click.option("--shapes", type=click.IntRange(min=0), default=4, show_default=True)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Of the whole program at each shape, which must give the same bits.",
)
@click.option("--seed", default=0, show_default=True, help="Of shapes and of what inputs hold.")
@click.option("--method", default="forward", show_default=True)
@click.option("--adapter", help="The adapter to use: its number, or a part of its name.")
@click.option("--json", "as_json", is_flag=True, help="Print all that was found, as JSON.")
def command(
    model: str,
    shapes: int,
    runs: int,
    seed: int,
    method: str,
    adapter: str | None,
    as_json: bool,
) -> None:
    """Holds every op of MODEL on this device to torch, at the bound and at random live shapes.

    An op is given on the CPU what it was given on the device, so that a wrong one is found by its
    name. Then the whole program is followed by torch alone, and run over and over, which must
    give the same bits each time.

    The exit code is 0 if all is right, 1 if something is wrong, and 3 if nothing is, but some ops
    have no reference. It needs torch: pip install 'highwater[export]'.

    \b
    Examples:
      highwater verify kjv
      highwater verify model.pte --shapes 10 --seed 7
    """
    file = open_file(model)
    check_installed("torch", "export", "highwater verify")
    check_installed("executorch", "export", "highwater verify")
    with terminal.Progress() as progress:
        progress.step("importing torch")
        checking = _import_quietly()
        progress.step(f"loading {file}")
        check = checking.Check(file.native, method, runs, adapter=adapter or "")
        for name, values in _calls(check, shapes, seed):
            progress.step(f"comparing at {name}")
            check.at(name, values)
    verdict = check.verdict()
    if as_json:
        terminal.say_json(_as_json(verdict))
    else:
        _print(str(file), verdict)
    if not verdict.is_right:
        raise click.exceptions.Exit(1)
    if verdict.missing:
        raise click.exceptions.Exit(NO_REFERENCE)


def _import_quietly() -> Any:
    """torch and its packages have much to say when they are imported."""
    from highwater.exporting import noise

    log = noise.Log()
    with noise.kept(log, aloud=False):
        from highwater.verifying import check, reference

        reference.load_packages()
    log.remove()
    return check


def _calls(check: "Check", count: int, seed: int) -> Iterator[tuple[str, list[Any]]]:
    """Those that the program takes, of the bound, the least and random shapes."""
    from highwater.verifying.shapes import Shapes

    specs = check.plain.inputs
    shapes = Shapes(check.exported, specs, seed)
    seen = set()
    left = count
    fixed = [shapes.bound(), shapes.least()]
    for number, shape in enumerate(
        itertools.chain(fixed, itertools.islice(shapes.random(), TRIES))
    ):
        if number >= len(fixed) and not left:
            return
        if shape.name in seen:
            continue
        seen.add(shape.name)
        texts = [f"{i}={'x'.join(map(str, sizes))}" for i, sizes in enumerate(shape.sizes) if sizes]
        values = given_inputs.arrays(specs, texts, seed + number)
        if _takes(check, values):
            left -= number >= len(fixed)
            yield shape.name, values
        elif number == 0:
            check.plain.run(*values)  # for its words


def _takes(check: "Check", values: list[Any]) -> bool:
    try:
        check.plain.run(*values)
    except HighwaterError:
        return False
    return True


def _print(model: str, verdict: "Verdict") -> None:
    terminal.say(f"{model} on {verdict.adapter}, against torch")
    rows = [
        [r.op, len(r.calls), r.compared, _error(r.error), _error(r.allowed), r.verdict, r.worst]
        for r in sorted(verdict.ops.values(), key=lambda r: (not r.wrong, -r.error, r.op))
    ]
    header = ["op", "calls", "compared", "error", "allowed", "", "farthest off"]
    terminal.say(terminal.table(header, [[str(cell) for cell in row] for row in rows]))
    terminal.say()
    shape_rows = [
        [s.name, _error(s.path_error), _repeated(s, verdict), s.leaves_path or "-"]
        for s in verdict.shapes
    ]
    header = ["inputs", "error of outputs", f"{verdict.runs} runs", "leaves torch's path at"]
    terminal.say(terminal.table(header, shape_rows))
    terminal.say(_summary(verdict))


def _summary(verdict: "Verdict") -> str:
    lines = [""]
    if verdict.missing:
        names = ", ".join(record.op for record in verdict.missing)
        lines.append(f"Not compared, for want of a reference: {names}.")
    if verdict.wrong:
        names = ", ".join(record.op for record in verdict.wrong)
        lines.append(f"{terminal.paint('WRONG', 'bad')}: {names}.")
    elif not verdict.is_right:
        lines.append(f"{terminal.paint('WRONG', 'bad')}: no op by itself, but see the shapes.")
    else:
        compared = sum(record.compared for record in verdict.ops.values())
        shapes = len(verdict.shapes)
        lines.append(f"All of {compared} comparisons at {shapes} live shapes are right.")
    return "\n".join(lines)


def _repeated(shape: Any, verdict: "Verdict") -> str:
    if shape.unequal:
        return "; ".join(shape.unequal)
    return "same bits" if verdict.repeats else "each changes its state"


def _error(error: float) -> str:
    if math.isnan(error):
        return "?"
    return "0" if error == 0 else f"{error:.1e}"


def _as_json(verdict: "Verdict") -> dict[str, Any]:
    return {
        "adapter": verdict.adapter,
        "is_right": verdict.is_right,
        "runs": verdict.runs,
        "ops": [
            {
                "op": r.op,
                "calls": len(r.calls),
                "compared": r.compared,
                "error": _finite(r.error),
                "allowed": r.allowed,
                "verdict": r.verdict,
                "farthest_off": r.worst,
            }
            for r in verdict.ops.values()
        ],
        "shapes": [
            {
                "inputs": s.name,
                "error": _finite(s.path_error),
                "leaves_path": s.leaves_path,
                "unequal": s.unequal,
            }
            for s in verdict.shapes
        ],
    }


def _finite(error: float) -> float | None:
    """JSON has no infinity."""
    return error if math.isfinite(error) else None
