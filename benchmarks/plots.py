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

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 215, 68, 52
# On light paper and on dark. Told apart by everybody, also by those who see few colors.
COLORS = {
    "light": ("#0072b2", "#d55e00", "#009e73", "#b3568a", "#3a9bd0", "#b87f00", "#6b7280"),
    "dark": ("#4aa8e8", "#ff8a4c", "#2fc79c", "#e39ac4", "#a5d8f5", "#f2b632", "#a3aab8"),
}
MOST_LABELS = 6


def _colors(paper: str) -> str:
    return " ".join(f".c{i} {{ --ink: {color}; }}" for i, color in enumerate(COLORS[paper]))


STYLE = f"""
      .paper {{ fill: #ffffff; }}
      text {{ fill: #0f172a; }}
      .grid {{ stroke: #e2e8f0; }}
      .note {{ fill: #475569; font-size: 13px; }}
      .head {{ font-weight: bold; font-size: 16px; }}
      .wall, .cpu {{ fill: none; stroke: var(--ink); stroke-width: 2; stroke-linejoin: round; }}
      .cpu {{ stroke-width: 1.5; stroke-dasharray: 2 4; }}
      circle {{ fill: var(--ink); }}
      {_colors("light")}
      @media (prefers-color-scheme: dark) {{
        .paper {{ fill: #1e222b; }}
        text {{ fill: #e2e8f0; }}
        .grid {{ stroke: #3a4150; }}
        .note {{ fill: #94a3b8; }}
        {_colors("dark")}
      }}
"""
LINES = "solid: wall time; dotted: CPU time of all threads"


@dataclass(frozen=True)
class Point:
    x: int
    wall_ms: float
    cpu_ms: float


@dataclass(frozen=True)
class Curve:
    title: str
    points: list[Point]  # x ascending


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
                Point(int(step.removeprefix(prefix)), taken["wall_ms"], taken["cpu_ms"])
                for step, taken in engine["steps"].items()
                if step.startswith(prefix) and taken["error"] <= engine["tolerance"]
            ]
            if len(points) >= FEWEST_POINTS:
                curves.append(Curve(engine["title"], sorted(points, key=lambda p: p.x)))
        if curves:
            yield name, axis, curves


def as_svg(title: str, x_title: str, curves: list[Curve]) -> str:
    points = [point for curve in curves for point in curve.points]
    x_values = [point.x for point in points]
    y_values = [value for point in points for value in (point.wall_ms, point.cpu_ms)]
    x = Axis(min(x_values), max(x_values), LEFT, WIDTH - RIGHT)
    y_lines = _round_numbers(min(y_values), max(y_values))
    y = Axis(y_lines[0], y_lines[-1], HEIGHT - BOTTOM, TOP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="14">',
        f"  <title>{escape(title)}</title>",
        f"  <style>{STYLE}  </style>",
        f'  <rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        f'  <text class="head" x="{LEFT}" y="26">{escape(title)}</text>',
        f'  <text class="note" x="{LEFT}" y="46">{LINES}</text>',
        f'  <text class="note" x="{LEFT}" y="{HEIGHT - 12}">{escape(x_title)}</text>',
    ]
    for value in sorted(set(x_values)):
        at = x.place(value)
        lines.append(_line(at, TOP, at, HEIGHT - BOTTOM))
        lines.append(_label(at, HEIGHT - BOTTOM + 18, f"{value:,}", "middle"))
    for value in _labelled(y_lines):
        at = y.place(value)
        lines.append(_line(LEFT, at, WIDTH - RIGHT, at))
        lines.append(_label(LEFT - 8, at + 5, _duration(value), "end"))
    lines += _curves(curves, x, y)
    return "\n".join([*lines, "</svg>", ""])


def write(folder: Path, results: dict) -> dict[str, list[Path]]:
    """Writes all plots into a folder, and says which each model has."""
    written: dict[str, list[Path]] = {}
    for model_name, model in results["models"].items():
        for name, x_title, curves in of_model(model):
            path = folder / f"bench-{model_name.replace('@', '-')}-{name}.svg"
            path.write_text(as_svg(f"{model_name}: time of a {name}", x_title, curves))
            written.setdefault(model_name, []).append(path)
    return written


def _curves(curves: list[Curve], x: Axis, y: Axis) -> Iterator[str]:
    # Names stand where curves end, from top to bottom, and never on each other.
    below = TOP - 14.0
    by_end = sorted(enumerate(curves), key=lambda item: -item[1].points[-1].wall_ms)
    for number, curve in by_end:
        color = f"c{number % len(COLORS['light'])}"
        wall = [(x.place(point.x), y.place(point.wall_ms)) for point in curve.points]
        cpu = [(x.place(point.x), y.place(point.cpu_ms)) for point in curve.points]
        below = max(below + 18, wall[-1][1] + 5)
        yield _polyline(f"cpu {color}", cpu)
        yield _polyline(f"wall {color}", wall)
        for a, b in wall:
            yield f'  <circle class="{color}" cx="{a:.1f}" cy="{b:.1f}" r="3.5"/>'
        yield _label(x.end + 30, below, curve.title, "start")
        yield _polyline(f"wall {color}", [(x.end + 8, below - 5), (x.end + 24, below - 5)])


def _round_numbers(least: float, most: float) -> list[float]:
    """Numbers such as 10, 20 and 50 about a range."""
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    found = [float(f"{first}e{power}") for power in powers for first in (1, 2, 5)]
    start = max(i for i, value in enumerate(found) if value <= least)
    end = min(i for i, value in enumerate(found) if value >= most and i > start)
    return found[start : end + 1]


def _labelled(values: list[float]) -> list[float]:
    """Those that have a line; of many, the powers of ten."""
    if len(values) <= MOST_LABELS:
        return values
    return [value for value in values if f"{value:e}".startswith("1.0")]


def _duration(milliseconds: float) -> str:
    return f"{milliseconds / 1e3:g} s" if milliseconds >= 1e3 else f"{milliseconds:g} ms"


def _polyline(name: str, places: list[tuple[float, float]]) -> str:
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    return f'  <polyline class="{name}" points="{path}"/>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'  <line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'  <text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
