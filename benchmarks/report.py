"""Tables of a benchmark's results, for a terminal and for docs/performance.md."""

from pathlib import Path

# Between which marks of the page tables are put: of a run with a context of its own, and of others.
PLACES = {
    False: ("<!-- ./bench --write-docs writes from here -->", "<!-- to here -->"),
    True: (
        "<!-- ./bench --context 8192 --write-docs writes from here -->",
        "<!-- to here, of long contexts -->",
    ),
}

Table = list[list[str]]


def milliseconds(value: float) -> str:
    """Three digits are more than a busy machine can repeat."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f" ({ratio:,.0f}×)" if ratio >= 10 else f" ({ratio:.2g}×)"


def _step_cell(engine: str, entry: dict, name: str, what: str) -> str:
    if name not in entry["steps"]:
        return "too slow" if name in entry["left_out"] else "–"
    step = entry["steps"][name]
    if step["error"] > entry["tolerance"]:
        return "wrong"
    ratio = "" if engine == entry["compared_with"] else times(step[f"{what}_ratio"])
    return milliseconds(step[f"{what}_ms"]) + ratio


def times_table(model: dict, what: str) -> Table:
    """`what` is "wall" or "cpu"."""
    names = model["steps"]
    return [
        ["", *names],
        *(
            [entry["title"], *(_step_cell(engine, entry, name, what) for name in names)]
            for engine, entry in model["engines"].items()
            if entry["steps"]
        ),
    ]


def facts_table(engines: dict) -> Table:
    rows = [["", "load", "memory", "largest error", "tolerance", "numbers"]]
    for entry in engines.values():
        if not entry["steps"]:
            continue
        memory = entry["memory"]
        grown = memory["peak"] and (memory["peak"] - memory["before_load"]) / 1e6
        rows.append(
            [
                entry["title"],
                f"{entry['load']['wall_ms'] / 1e3:.2f} s",
                f"{grown:,.0f} MB" if grown is not None else "–",
                f"{max(step['error'] for step in entry['steps'].values()):.0e}",
                f"{entry['tolerance']:.0e}",
                entry["verdict"].upper() if entry["verdict"] != "right" else "right",
            ]
        )
    return rows


def sections(results: dict) -> list[tuple[str, list[tuple[str, Table]], list[str]]]:
    """For each model its heading, its tables with what they show, and remarks."""
    found = []
    for name, model in results["models"].items():
        engines = model["engines"]
        heading = f"{name}: {model['about']}"
        tables = [
            ("Wall milliseconds (times Highwater's)", times_table(model, "wall")),
            ("CPU milliseconds of all threads (times Highwater's)", times_table(model, "cpu")),
            ("Load time, memory that loading and running add, and numbers", facts_table(engines)),
        ]
        remarks = [
            f"{entry['title']}: {entry['what'] or 'not measured'}"
            + (f"; {entry['failed']}" if entry["failed"] else "")
            + _other_baseline(engines, entry)
            for entry in engines.values()
        ]
        found.append((heading, tables, remarks))
    return found


def _other_baseline(engines: dict, entry: dict) -> str:
    other = engines.get(entry["compared_with"])
    if not other or other["title"] == "Highwater" or not entry["steps"]:
        return ""
    return f"; compared with {other['title']}"


def conditions(results: dict) -> str:
    machine, settings = results["machine"], results["settings"]
    return (
        f"{results['made']}, {machine['cores']} cores of {machine['processor']}. "
        f"Load average before: {machine['load_before']:.1f}; while it measured, other processes "
        f"took {machine['taken_by_others']:.0%} of the machine. Medians of {settings['repeats']} "
        f"runs, or of as many as fit into {settings['patience']:g} s."
    )


def as_text(results: dict) -> str:
    lines = []
    for heading, tables, remarks in sections(results):
        lines += [heading, ""]
        for title, table in tables:
            widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
            lines.append(f"  {title}")
            for first, *rest in table:
                cells = (f"{cell:>{w}}" for cell, w in zip(rest, widths[1:], strict=True))
                lines.append("  " + "   ".join([f"{first:<{widths[0]}}", *cells]).rstrip())
            lines.append("")
        lines += [f"  {remark}" for remark in remarks] + [""]
    return "\n".join([*lines, conditions(results)])


def as_markdown(results: dict, plots: dict[str, list[Path]] | None = None) -> str:
    """`plots` are files beside the page, by model."""
    lines = [conditions(results), ""]
    for name, (heading, tables, remarks) in zip(results["models"], sections(results), strict=True):
        lines += [f"### {heading}", ""]
        for plot in (plots or {}).get(name, []):
            kind = plot.stem.rsplit("-", 1)[-1]
            lines += [f"![{name}: time of a {kind}, engine by engine]({plot.name})", ""]
        for title, (header, *rows) in tables:
            lines += [f"{title}:", ""]
            lines.append("| " + " | ".join(header) + " |")
            lines.append("|---|" + "---:|" * (len(header) - 1))
            lines += ["| " + " | ".join(row) + " |" for row in rows]
            lines.append("")
        lines += [f"- {remark}" for remark in remarks] + [""]
    return "\n".join(lines).rstrip() + "\n"


def write_into(page: Path, results: dict, plots: dict[str, list[Path]] | None = None) -> None:
    """Puts tables and plots between the page's marks, in place of the ones before."""
    text = page.read_text()
    begin, end = PLACES[results["settings"]["context"] is not None]
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"{page.name} must hold '{begin}' and later '{end}', each once")
    before, after = text[: text.index(begin)], text[text.index(end) :]
    page.write_text(f"{before}{begin}\n{as_markdown(results, plots)}{after}")
