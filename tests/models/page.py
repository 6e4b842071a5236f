"""Writes docs/models.md from what the last `./test models` found."""

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEAD = """\
# Models

<!-- Written by tests/models/page.py from what `./test models` found. -->

Each of these models was exported as [`highwater export`](exporting.md) does it into **one delegate,
with nothing on the CPU**. It was loaded once and run at its bound, at its least, at primes, and
grown again. Then it was called beyond each of its bounds, which is refused, and rightly once more.

*Error* is the largest difference from eager torch over all of it, beside the largest of torch's
numbers; for models in 4 and 8 bits, from the module that [`quantized`](exporting.md#in-fewer-bits)
gives, which has the same roundings in it. *ms* is one call at the bound on {adapter},
a software adapter, and *torch* the same on the same two cores. Two models were tried at a time, and
torch, whose threads wait for each other, suffers more from that: alone it may be several times
faster. The times say which models are slow for their size, and nothing about a GPU;
[Performance](performance.md) compares engines.
*Lowered in* is the processor's time all the way from a module to the bytes of the file; – where it
has not been measured yet.

Weights come from the package that is named, or are random, in a small configuration of the model.

| model | weights | live | dispatches | error | file | lowered in | ms | torch |
|---|---|---|---:|---:|---:|---:|---:|---:|
"""
TAIL = """
In Mixtral, and whatever else transformers has of mixtures, [each expert computes all
rows](exporting.md#what-it-does-that-others-do-not) here, and those that it was not chosen for count
nothing. What MiniLM gives in int8, where [only linear layers](exporting.md#in-fewer-bits) are of
integers, is at a cosine of 0.98 or more with what its floats give, for inputs that it was not
calibrated with. The times of these two and of the ViTs of any size were taken while other work
filled the cores: both columns are too long.
"""


def main() -> None:
    rows = [json.loads(file.read_text()) for file in (ROOT / "build/results/models").glob("*.json")]
    head = HEAD.format(adapter=rows[0]["adapter"])
    page = ROOT / "docs/models.md"
    lines = _lines_of(page.read_text()) | {row["name"]: _line(row) for row in rows}
    ordered = sorted(lines.values(), key=lambda line: ("| random" in line, line.lower()))
    page.write_text(head + "".join(ordered) + TAIL)


def _lines_of(page: str) -> dict[str, str]:
    """Those of models that the last run left out stay as they are."""
    lines = page.partition("|---|")[2].splitlines(keepends=True)[1:]
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines if line[0] == "|"}


def _line(row: dict) -> str:
    live = ", ".join(f"{name} {least}…{most}" for name, (least, most) in row["live"].items())
    cells = (
        row["name"],
        row["weights"] if row["weights"].startswith("random") else f"`{row['weights']}`",
        live,
        row["dispatches"],
        f"{row['error']:.0e}",
        f"{row['bytes'] / 1e6:.1f} MB",
        f"{row['lowered_in']:.0f} s",
        f"{row['ms']:.1f}",
        f"{row['torch_ms']:.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |\n"


if __name__ == "__main__":
    main()
