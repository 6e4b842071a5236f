"""Plots of a benchmark's results, as SVG: the time of a Llama's steps against the length of a
prompt, and against the tokens that are in the cache. Both axes are logarithmic."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

# What begins a step's name, which ends in a number; what the number is, and the plot's name.
KINDS = {
    "prefill ": ("tokens of the prompt, all at once", "prefill"),
    "decode at ": ("tokens in the cache, one more is decoded", "decode"),
}
FEWEST_POINTS = 3  # two make no curve

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 215, 48, 52
# Told apart by everybody, also where colors are not.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#777777")

STYLE = """
      .paper { fill: #ffffff; }
      text { fill: #0f172a; }
      .grid { stroke: #e2e8f0; }
      .note { fill: #475569; font-size: 13px; }
      .head { font-weight: bold; font-size: 16px; }
      .curve { fill: none; stroke-width: 2; stroke-linejoin: round; }
      @media (prefers-color-scheme: dark) {
        .paper { fill: #1e222b; }
        text { fill: #e2e8f0; }
        .grid { stroke: #3a4150; }
        .note { fill: #94a3b8; }
      }
"""


@dataclass(frozen=True)
class Curve:
    title: str
    points: list[tuple[float, float]]  # x and milliseconds, x ascending


@dataclass(frozen=True)
class Axis:
    """Maps numbers to places by their logarithms."""

    least: float
    most: float
    start: float
    end: float

    def place(self, value: float) -> float:
        share = math.log(value / self.least) / math.log(self.most / self.least)
        return self.start + share * (self.end - self.start)


def of_model(model: dict) -> Iterator[tuple[str, str, list[Curve]]]:
    """The name of each plot, what its x axis shows, and its curves; few lengths make none."""
    for prefix, (axis, name) in KINDS.items():
        curves = []
        for engine in model["engines"].values():
            points = [
                (int(step.removeprefix(prefix)), taken["wall_ms"])
                for step, taken in engine["steps"].items()
                if step.startswith(prefix) and taken["error"] <= engine["tolerance"]
            ]
            if len(points) >= FEWEST_POINTS:
                curves.append(Curve(engine["title"], sorted(points)))
        if curves:
            yield name, axis, curves


def as_svg(title: str, x_title: str, curves: list[Curve]) -> str:
    x_values = [x for curve in curves for x, _ in curve.points]
    y_values = [y for curve in curves for _, y in curve.points]
    x = Axis(min(x_values), max(x_values), LEFT, WIDTH - RIGHT)
    y_lines = _powers(min(y_values), max(y_values), 10)
    y = Axis(y_lines[0], y_lines[-1], HEIGHT - BOTTOM, TOP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="14">',
        f"  <title>{escape(title)}</title>",
        f"  <style>{STYLE}  </style>",
        f'  <rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        f'  <text class="head" x="{LEFT}" y="26">{escape(title)}</text>',
        f'  <text class="note" x="{LEFT}" y="{HEIGHT - 12}">{escape(x_title)}</text>',
    ]
    for value in sorted(set(x_values)):
        at = x.place(value)
        lines.append(_line(at, TOP, at, HEIGHT - BOTTOM))
        lines.append(_label(at, HEIGHT - BOTTOM + 18, f"{value:,}", "middle"))
    for value in y_lines:
        at = y.place(value)
        lines.append(_line(LEFT, at, WIDTH - RIGHT, at))
        lines.append(_label(LEFT - 8, at + 5, f"{value:g} ms", "end"))
    lines += _curves(curves, x, y)
    return "\n".join([*lines, "</svg>", ""])


def write(folder: Path, results: dict) -> dict[str, list[Path]]:
    """Writes all plots into a folder, and says which each model has."""
    written: dict[str, list[Path]] = {}
    for model_name, model in results["models"].items():
        for name, x_title, curves in of_model(model):
            path = folder / f"bench-{model_name.replace('@', '-')}-{name}.svg"
            path.write_text(as_svg(f"{model_name}: wall time of a {name}", x_title, curves))
            written.setdefault(model_name, []).append(path)
    return written


def _curves(curves: list[Curve], x: Axis, y: Axis) -> Iterator[str]:
    # Names stand where curves end, from top to bottom, and never on each other.
    below = TOP - 14.0
    by_end = sorted(enumerate(curves), key=lambda item: -item[1].points[-1][1])
    for number, curve in by_end:
        color = COLORS[number % len(COLORS)]
        places = [(x.place(a), y.place(b)) for a, b in curve.points]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        yield f'  <polyline class="curve" stroke="{color}" points="{path}"/>'
        for a, b in places:
            yield f'  <circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{color}"/>'
        below = max(below + 18, places[-1][1] + 5)
        yield _label(x.end + 30, below, curve.title, "start")
        yield (
            f'  <polyline class="curve" stroke="{color}" '
            f'points="{x.end + 8:.1f},{below - 5:.1f} {x.end + 24:.1f},{below - 5:.1f}"/>'
        )


def _powers(least: float, most: float, base: int) -> list[float]:
    """The powers about a range; two at least."""
    first, last = math.floor(math.log(least, base)), math.ceil(math.log(most, base))
    return [float(base) ** power for power in range(first, max(last, first + 1) + 1)]


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'  <line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'  <text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
