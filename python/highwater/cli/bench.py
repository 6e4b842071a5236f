"""`highwater bench`: how fast a model is at chosen live shapes."""

import platform
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import click

import highwater
from highwater.cli import inputs as given_inputs
from highwater.cli import loading, terminal
from highwater.files import ModelFile, check_generates, open_file

PREFILLS = "1,16,64,128"


class Numbers(click.ParamType):
    """Whole numbers with commas between them."""

    name = "numbers"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[int]:
        try:
            numbers = [int(part) for part in str(value).split(",")]
        except ValueError:
            numbers = []
        if not numbers or min(numbers) < 1:
            self.fail(f"{value!r} is not a list of whole numbers such as 1,16,64", param, ctx)
        return numbers


@click.command()
@click.argument("model")
@click.option(
    "--prefill",
    type=Numbers(),
    default=PREFILLS,
    show_default=True,
    help="Lengths of prompts, for a language model.",
)
@click.option(
    "--context", default=128, show_default=True, help="Tokens before those that are decoded."
)
@click.option(
    "--steps",
    type=Numbers(),
    default="1,4,16",
    show_default=True,
    help="Decoding steps in one submit.",
)
@given_inputs.option
@click.option("--repeat", "-n", default=5, show_default=True, type=click.IntRange(1))
@click.option("--adapter", help="The adapter to use: its number, or a part of its name.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
@click.option("--report", is_flag=True, help="Print them as Markdown, to paste into an issue.")
@click.pass_context
def command(
    click_context: click.Context,
    model: str,
    prefill: list[int],
    context: int,
    steps: list[int],
    inputs: tuple[str, ...],
    repeat: int,
    adapter: str | None,
    as_json: bool,
    report: bool,
) -> None:
    """Measures MODEL: prompts and decoding of a language model, or runs at given inputs.

    Times are medians. CPU time is that of all threads of this process; on a software adapter it is
    what the work costs, whatever else the machine does. `./bench` in the repository compares
    Highwater with other engines.

    \b
      highwater bench kjv
      highwater bench kjv --report
      highwater bench model.pte --input 1x128x64,1x1x64
    """
    if as_json and report:
        raise click.UsageError("--json and --report are two forms of the same; take one.")
    file = open_file(model)
    _check_options(click_context, file, inputs)
    with loading.load(file, adapter=adapter) as loaded, terminal.Progress() as progress:
        progress.step("measuring")
        if loaded.is_language_model and not inputs:
            rows = _language_model(loaded, prefill, context, steps, repeat)
        else:
            rows = _runs(loaded, inputs, repeat)
        load_seconds = loaded.load_accounts["seconds"]
        about = {"model": model, "adapter": loaded.adapter, "load_seconds": load_seconds}
    if as_json:
        terminal.say_json({**about, "rows": rows})
        return
    if report:
        terminal.say(_markdown(about, rows))
        return
    terminal.say(f"{model} on {about['adapter']}, loaded in {load_seconds:.1f} s")
    terminal.say(terminal.table(["what", *_COLUMNS], [_cells(row) for row in rows]))


def _markdown(about: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """All that somebody needs to know who was not there."""
    system = f"{platform.platform()}, Python {platform.python_version()}"
    facts = [
        ("Highwater", highwater.__version__),
        ("adapter", about["adapter"]),
        ("system", system),
        ("loaded in", f"{about['load_seconds']:.1f} s"),
    ]
    lines = [f"**highwater bench {about['model']}**", "", "| | |", "| --- | --- |"]
    lines += [f"| {name} | {value} |" for name, value in facts]
    lines += ["", _row(["what", *_COLUMNS]), _row(["---"] * (len(_COLUMNS) + 1))]
    lines += [_row(_cells(row)) for row in rows]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _check_options(context: click.Context, file: ModelFile, inputs: tuple[str, ...]) -> None:
    """Options for texts are not silently ignored where there is none."""
    for name in ("prefill", "context", "steps"):
        if context.get_parameter_source(name) is click.core.ParameterSource.DEFAULT:
            continue
        if inputs:
            raise click.UsageError(f"--{name} is for texts; it does not go with --input.")
        try:
            check_generates(file)
        except highwater.HighwaterError as error:
            raise click.UsageError(f"--{name} is for language models: {error}.") from None


_COLUMNS = ("wall", "CPU", "tokens/s", "host a token", "waits a token", "bytes back a token")


def _cells(row: dict[str, Any]) -> list[str]:
    def ms(key: str) -> str:
        return f"{row[key] * 1e3:.2f} ms" if key in row else "-"

    def number(key: str, form: str) -> str:
        return format(row[key], form) if key in row else "-"

    return [
        row["what"],
        ms("wall"),
        ms("cpu"),
        number("rate", ".1f"),
        ms("host"),
        number("waits", ".3f"),
        number("read_back", ".0f"),
    ]


def _timed(work: Callable[[], Any], repeat: int) -> dict[str, float]:
    """Medians, after a run that does not count."""
    work()
    walls, cpus = [], []
    for _ in range(repeat):
        wall, cpu = time.perf_counter(), _cpu_seconds()
        work()
        walls.append(time.perf_counter() - wall)
        cpus.append(_cpu_seconds() - cpu)
    return {"wall": statistics.median(walls), "cpu": statistics.median(cpus)}


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _runs(model: highwater.Model, inputs: tuple[str, ...], repeat: int) -> list[dict[str, Any]]:
    from highwater.cli.run import calls_of

    rows = []
    for given in calls_of(inputs):
        values = given_inputs.arrays(model.inputs, given)
        times = _timed(lambda values=values: model.forward(*values), repeat)
        rows.append({"what": "; ".join(given_inputs.labels(model.inputs, values)), **times})
    return rows


def _language_model(
    model: highwater.Model, prefill: list[int], context: int, steps: list[int], repeat: int
) -> list[dict[str, Any]]:
    generator = model.generator()
    rows = []
    for length in prefill:
        if length > generator.longest_step:
            terminal.remark(f"Prompts are at most {generator.longest_step} tokens; not {length}.")
            continue
        prompt = [7 * i % generator.vocabulary for i in range(length)]

        def read(prompt: list[int] = prompt) -> None:
            generator.rewind(0)
            generator.append(prompt)
            generator.draw(1)

        times = _timed(read, repeat)
        rows.append({"what": f"prompt of {length}", **times, "rate": length / times["wall"]})
    for count in steps:
        rows.append(_decoding(generator, context, count, repeat))
    return rows


def _decoding(generator: Any, context: int, count: int, repeat: int) -> dict[str, Any]:
    """Per token, with `count` of them in one submit."""
    context = min(context, generator.capacity - count)
    generator.rewind(0)
    generator.append([7 * i % generator.vocabulary for i in range(context)])
    accounts: list[dict[str, Any]] = []

    def decode() -> None:
        generator.rewind(context)
        generator.draw(count)
        accounts.append(generator.accounts)

    times = _timed(decode, repeat)
    middle = sorted(accounts[1:], key=lambda a: a["seconds"] - a["wait_seconds"])[repeat // 2]
    return {
        "what": f"decoding at {context}, {count} in a submit",
        "wall": times["wall"] / count,
        "cpu": times["cpu"] / count,
        "rate": count / times["wall"],
        "host": (middle["seconds"] - middle["wait_seconds"]) / count,
        "waits": middle["waits"] / count,
        "read_back": middle["read_back_bytes"] / count,
    }
