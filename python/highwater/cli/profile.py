"""`highwater profile`: where the time of a run goes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from highwater.cli import inputs as given_inputs
from highwater.cli import loading, terminal
from highwater.shipped import find_model

if TYPE_CHECKING:
    from highwater.profiling import Dispatch, Profile, Share

BAR = 24  # characters of the longest
CLOCKS = {"device": "GPU timestamps", "host": "the host's clock, a submit and a wait each"}


@click.command()
@click.argument("model")
@given_inputs.option
@click.option("--seed", default=0, show_default=True, help="Of random inputs.")
@click.option(
    "-n",
    "--repeat",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Profiled runs; a dispatch's time is the median of them.",
)
@click.option("--by", type=click.Choice(["op", "kernel", "dispatch"]), help="Just this table.")
@click.option(
    "--trace",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write a run to this file, for ui.perfetto.dev or chrome://tracing.",
)
@click.option("--method", default="forward", show_default=True)
@loading.half_cache
@click.option("--adapter", help="The adapter to use: its number, or a part of its name.")
@click.option(
    "--clock",
    type=click.Choice(["device", "host"]),
    help="Whose clock to take.  [default: the device's, if it has one]",
)
@click.option("--json", "as_json", is_flag=True, help="Print all that was measured, as JSON.")
def command(
    model: str,
    inputs: tuple[str, ...],
    seed: int,
    repeat: int,
    by: str | None,
    trace: Path | None,
    clock: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Tells where the time of a run goes, by op and by kernel.

    MODEL is a .pte file, a folder that holds a model.pte, or the name of a model that ships with
    Highwater. Each dispatch is timed by the device's own clock where it has one (the feature
    timestamp-query), else by the host's. A profiled run is slower than a plain one: its dispatches
    do not overlap. After one run that is not counted, both kinds take turns.

    Where parts of the program are left to the CPU, the tables are of the delegates alone, and what
    the rest takes is said as a whole.

    \b
    Examples:
      highwater profile model.pte
      highwater profile llama.pte -i 1x37 -i input_pos=0 --by kernel
      highwater profile model.pte -i 0=photo.npy --trace trace.json
    """
    from highwater import profiling

    path = find_model(model)
    with terminal.Progress() as progress:
        session = _open(path, progress, **options)
        specs = session.inputs
        values = given_inputs.arrays(specs, inputs, seed)
        progress.step("measuring")
        profile = profiling.profile(session, *values, repeat=repeat, clock=clock or "")
    if trace:
        profile.write_trace(trace, path.name)
    labels = given_inputs.labels(specs, values)
    if as_json:
        report = {"model": str(path), "inputs": labels, **profile.as_json()}
        terminal.say_json(report)
    else:
        _print(profile, path, labels, [by] if by else ["op", "kernel"])
    if trace:
        terminal.remark(f"A run is in {trace}: open it at ui.perfetto.dev or chrome://tracing.")


def _open(path: Path, progress: terminal.Progress, adapter: str | None, **options: Any) -> Any:
    from highwater import profiling

    def told(stage: str, done: int, total: int) -> None:
        if done == 0:
            progress.step(f"{loading.STAGES.get(stage, stage)} ({total})")

    progress.step(f"reading {path}")
    return profiling.open_session(path, adapter=adapter or "", progress=told, **options)


def _print(profile: "Profile", model: Path, labels: list[str], tables: list[Any]) -> None:
    terminal.say(f"{model} on {profile.adapter}: {', '.join(labels)}")
    terminal.say(_summary(profile))
    for by in tables:
        shares = profile.by(by)
        terminal.say()
        if by == "dispatch":
            header = ["kernel", "op", "node", "grid", "makes"]
            about = [_about(dispatch) for dispatch in profile.dispatches]
            if profile.delegates > 1:
                header.insert(0, "delegate")
                for cells, dispatch in zip(about, profile.dispatches, strict=True):
                    cells.insert(0, str(dispatch.delegate))
        else:
            header = [by, "dispatches"]
            about = [[share.name, str(share.count)] for share in shares]
        longest = max((share.share for share in shares), default=0.0)
        rows = [[*cells, *_times(s, longest)] for cells, s in zip(about, shares, strict=True)]
        terminal.say(terminal.table([*header, "time", "share", ""], rows))


def _summary(profile: "Profile") -> str:
    repeat = len(profile.timelines)
    times = f", median of {repeat} runs" if repeat > 1 else ""
    parts = f" in {profile.delegates} delegates" if profile.delegates > 1 else ""
    lines = [
        f"{len(profile.dispatches)} dispatches{parts}, {_time(profile.total_ns)} in all "
        f"({CLOCKS[profile.clock]}{times})",
        f"A plain run takes {_time(profile.run_seconds * 1e9)} of wall time, "
        f"a profiled one {_time(profile.profiled_seconds * 1e9)}.",
    ]
    if profile.cpu_seconds is not None:
        lines.append(
            f"Of the plain run, {_time(profile.cpu_seconds * 1e9)} are ops on the CPU and "
            "ExecuTorch's own work, which the tables leave out."
        )
    if profile.clock == "host":
        lines.append(
            f"An empty submit takes {_time(profile.empty_ns)}: about that much of each "
            "dispatch's time is not its own."
        )
    return "\n".join(lines)


def _about(dispatch: "Dispatch") -> list[str]:
    grid = "×".join(map(str, dispatch.grid))
    makes = ", ".join("x".join(map(str, shape)) for shape in dispatch.writes)
    return [dispatch.kernel, dispatch.op, str(dispatch.node), grid, makes]


def _times(share: "Share", longest: float) -> list[str]:
    bar = _bar(share.share / longest if longest else 0)
    return [_time(share.duration_ns), f"{share.share:.1%}", bar]


def _bar(part: float) -> str:
    """In eighths of a character."""
    eighths = round(part * BAR * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def _time(nanoseconds: float) -> str:
    """With three digits or so."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size or unit == "µs":
            break
    number = nanoseconds / size
    digits = 2 if number < 10 else 1 if number < 100 else 0
    return f"{number:.{digits}f} {unit}"
