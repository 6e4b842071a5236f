"""`highwater inspect`: what is inside a .pte file, and what is run of it at which live shapes."""

from pathlib import Path

import click

from highwater.cli import terminal


@click.command()
@click.argument("model")
@click.option("--method", default="", help="Only this method.")
@click.option(
    "--at",
    multiple=True,
    metavar="SHAPE",
    help="A live shape to look at, as in S=37,P=12; may be given several times. 0.1=37 is dim 1 of "
    "input 0. What is not named is as usual: dims at their bound, positions at 0.",
)
@click.option("--kernels", is_flag=True, help="List what every node runs at these shapes.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write a page with the graph, the memory plan and sliders for what is live.",
)
def command(
    model: str, method: str, at: tuple[str, ...], kernels: bool, as_json: bool, html: Path | None
) -> None:
    """Shows what is inside MODEL, without running it.

    MODEL is a .pte file, a folder that holds a model.pte, or the name of a model that ships with
    Highwater.

    Live dims are given as functions of the inputs: S, T, … stand for dims of the inputs, P, Q, …
    for integers such as a position. They are found by asking the engine's planner, and so are the
    kernels that it would run on the adapter that `highwater devices` shows. HIGHWATER_KERNELS=gpu
    or software plans for the other kind.
    """
    # Here, because it loads the library.
    from highwater import inspect
    from highwater.inspect.text import painted_text

    report = inspect.read(model, method, at, wgsl=html is not None)
    if html is not None:
        html.write_text(inspect.as_page(report), encoding="utf-8")
        terminal.remark(f"{html} is written, {terminal.size(html.stat().st_size)}.")
    if as_json:
        terminal.say_json(inspect.as_json(report))
    elif html is None:
        terminal.say(painted_text(report, kernels))
