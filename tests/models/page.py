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
numbers. *ms* is one call at the bound on {adapter}, a software adapter, and *torch* the same
on the same two cores: that says which models are slow for their size, and nothing about a GPU.
*Lowered in* is all the way from a module to the bytes of the file.

Weights come from the package that is named, or are random, in a small configuration of the model.

| model | weights | live | dispatches | error | file | lowered in | ms | torch |
|---|---|---|---:|---:|---:|---:|---:|---:|
"""
TAIL = """
What is not there: mixtures of experts (Mixtral), whose routing transformers exports by way of an op
of its own; and vision transformers that resample their positions to the size of the picture, which
takes live fractions.
"""


def main() -> None:
    rows = [json.loads(file.read_text()) for file in (ROOT / "build/results/models").glob("*.json")]
    rows.sort(key=lambda row: (row["weights"].startswith("random"), row["name"].lower()))
    head = HEAD.format(adapter=rows[0]["adapter"])
    (ROOT / "docs/models.md").write_text(head + "".join(map(_line, rows)) + TAIL)


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
