"""A report for people, as text."""

from collections import Counter
from collections.abc import Iterator

from highwater.cli import terminal
from highwater.inspect.report import Json, Program, Report, Shape

MEMORY = {
    "constants": "weights and tables, as buffers",
    "images": "weights that are read as images",
    "caches": "constants that ops write into",
    "kept": "computed by the first run",
    "inputs": "what the caller gives",
    "shared": "activations, outputs and scratch",
    "params": "what plans tell kernels",
    "read_back": "outputs on their way to the host",
}
SHOWN = 12  # lines of a list that could be long


def as_text(report: Report, kernels: bool = False) -> str:
    """`kernels` lists what every single node runs."""
    return terminal.shown(painted_text(report, kernels))


def painted_text(report: Report, kernels: bool = False) -> str:
    """For `terminal.say`."""
    return "\n".join(_lines(report, kernels))


def plural(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def dims_text(dims: list) -> str:
    return f"[{', '.join(map(str, dims))}]"


def _lines(report: Report, kernels: bool) -> Iterator[str]:
    raw = report.raw
    title = terminal.paint(report.path.name, "strong")
    yield f"{title}  {terminal.size(raw['bytes'])}, {_target(raw['target'])}"
    if raw["named_data"]:
        data = plural(raw["named_data"], "piece")
        yield f"{data} of named data, {terminal.size(raw['named_data_bytes'])}"
    constants = [m for m in raw["methods"] if _is_metadata(m)]
    if constants:
        yield f"says of itself: {', '.join(map(_metadata, constants))}"
    for method in raw["methods"]:
        if not _is_metadata(method):
            yield ""
            yield from _method_lines(method, kernels)


def _target(target: Json) -> str:
    kind = f"{target['kernels']} kernels"
    if "adapter" in target:
        return f"planned for {target['adapter']} with {kind}"
    why = " ".join(target["why_no_adapter"].split())
    return f"planned with {kind} for no adapter in particular: {why}"


def _is_metadata(method: Json) -> bool:
    outputs = all("integer" in value for value in method["outputs"])
    return outputs and not method["delegates"] and not method["cpu_ops"]


def _metadata(method: Json) -> str:
    return " ".join([method["name"], *(str(value["integer"]) for value in method["outputs"])])


def _method_lines(method: Json, kernels: bool) -> Iterator[str]:
    yield terminal.paint(f"Method {method['name']}", "strong")
    for kind, label in (("inputs", "in"), ("outputs", "out")):
        for i, value in enumerate(method[kind]):
            yield f"  {label:<3} {i}  {_border(value)}"
    count = plural(len(method["delegates"]), "delegate")
    if method["cpu_ops"]:
        ops = ", ".join(f"{op} ×{n}" for op, n in method["cpu_ops"].items())
        yield f"  {count}; on the CPU stay {plural(sum(method['cpu_ops'].values()), 'op')}: {ops}"
    else:
        yield f"  {count}; nothing stays on the CPU"
    for i, delegate in enumerate(method["delegates"]):
        yield ""
        yield terminal.paint(
            f"Delegate {i}, {delegate['name']}, {terminal.size(delegate['bytes'])}", "strong"
        )
        if not delegate["ours"]:
            yield "  is not for Highwater"
        elif "error" in delegate:
            yield f"  cannot be read: {delegate['error']}"
        else:
            yield from _program_lines(Program(delegate["program"]), delegate["sources"], kernels)


def _border(value: Json) -> str:
    name = f"{value['name']}: " if "name" in value else ""
    if "dtype" in value:
        live = ", live" if value["dynamic"] else ""
        if value["dynamic"] and value["least"]:
            return f"{name}{value['dtype']} {_ranges(value['least'], value['bound'])}{live}"
        return f"{name}{value['dtype']} of at most {dims_text(value['bound'])}{live}"
    return name + ("an integer" if "integer" in value else "something that only the CPU takes")


def _ranges(least: list[int], most: list[int]) -> str:
    """[1, 2…128, 64]"""
    return dims_text([b if a == b else f"{a}…{b}" for a, b in zip(least, most, strict=True)])


def _indent(text: str) -> Iterator[str]:
    return (f"  {line}" for line in text.splitlines())


def _program_lines(program: Program, sources: list[str], kernels: bool) -> Iterator[str]:
    raw = program.raw
    if program.trouble:
        yield f"  {terminal.paint('does not run:', 'bad')} {program.trouble}"
    yield from _op_lines(raw)
    if "error" in raw:
        return
    yield from _live_lines(program, sources)
    if not program.trouble:
        yield from _form_lines(program)
        yield from _route_lines(program)
        yield from _shape_lines(program, kernels)
    yield from _memory_lines(raw)


def _op_lines(raw: Json) -> Iterator[str]:
    exported, runs = raw["exported_ops"], raw["ops"]
    yield (
        f"  {plural(sum(exported.values()), 'op')} exported, {sum(runs.values()):,} after passes; "
        f"{plural(raw['constants'], 'constant')}, {terminal.size(raw['constant_bytes'])}"
    )
    rows = [
        (op, str(exported.get(op, "")), str(runs.get(op, "")), "no" * (op in raw["unsupported"]))
        for op in sorted(exported | runs)
    ]
    header = ["op", "exported", "nodes", "supported" if raw["unsupported"] else ""]
    yield from _indent(terminal.table(header, rows))


def _live_lines(program: Program, sources: list[str]) -> Iterator[str]:
    yield ""
    if not program.symbols:
        yield "  Nothing is live: all shapes are fixed"
    for symbol in program.symbols:
        places = " and ".join(symbol["places"])
        yield f"  {symbol['name']} is {places}, {symbol['least']} to {symbol['most']:,}"
    for ids, label in ((program.raw["inputs"], "in"), (program.raw["outputs"], "out")):
        for i, value in enumerate(ids):
            origin = f"  {sources[i]}" if label == "in" and i < len(sources) else ""
            yield f"  {label:<3} {i}  {_value(program.values[value])}{origin}"


def _value(value: Json) -> str:
    if "dims" not in value:
        return f"integer {' '.join(value['scalar'])}".strip()
    return f"{value['dtype']} {dims_text(value['dims'])}"


def _form_lines(program: Program) -> Iterator[str]:
    """The dims that activations have, most frequent first."""
    counts: Counter[str] = Counter()
    for value in program.values.values():
        if value["role"] in ("activation", "view", "scalar", "output", "kept"):
            counts[_value(value)] += 1
    yield ""
    yield "  What is computed"
    for form, count in counts.most_common(SHOWN):
        yield f"    {count:>4} × {form}"
    if len(counts) > SHOWN:
        yield f"    and {plural(len(counts) - SHOWN, 'other form')}; --json has them all"
    for value in program.values.values():
        if "?" in value.get("dims", value.get("scalar", [])):
            yield from _table_lines(program, value["id"])


def _table_lines(program: Program, value: int) -> Iterator[str]:
    """What has no formula, as it was seen along each symbol."""
    yield f"    %{value} follows no simple formula:"
    for symbol in program.symbols:
        seen = []
        for position in symbol["positions"][:SHOWN]:
            shape = program.on_grid(**{symbol["name"]: position})
            if shape.refused is None and value in shape.dims:
                seen.append(f"{position} {dims_text(shape.dims[value])}")
        yield f"      at {symbol['name']} = {', '.join(seen)}"


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least}–{most}"


def _route_lines(program: Program) -> Iterator[str]:
    """For each symbol with borders, which kernels run in which stretch of it."""
    for symbol in program.symbols:
        if not symbol["borders"]:
            continue
        if len(symbol["borders"]) > SHOWN:
            yield f"  Kernels change at {len(symbol['borders'])} values of {symbol['name']}"
            continue
        ranges = program.ranges(symbol)
        shapes = _along(program, symbol["name"], [place for _, _, place in ranges])
        routes: Counter[tuple[str, ...]] = Counter()
        for n, node in enumerate(program.nodes):
            route = [_route(program, node, shape, n) for shape in shapes]
            if len(set(route)) > 1:
                routes[(node["op"], *route)] += 1
        rows = [(f"{op} ×{count}", *route) for (op, *route), count in routes.items()]
        others = [f"{k}={v}" for k, v in shapes[0].symbols.items() if k != symbol["name"]]
        where = f", at {', '.join(others)}" if others else ""
        yield ""
        yield f"  Kernels that change with {symbol['name']}{where}"
        header = ["", *(f"{symbol['name']} {_range(*ends)}" for *ends, _ in ranges)]
        yield from _indent(terminal.table(header, rows))


def _along(program: Program, name: str, values: list[int]) -> list[Shape]:
    """With the others as usual; or small, where some position leaves no room for a long input."""
    shapes = [program.on_grid(**{name: value}) for value in values]
    if all(shape.refused is None for shape in shapes):
        return shapes
    least = {s["name"]: s["positions"][0] for s in program.symbols}
    return [program.on_grid(**{**least, name: value}) for value in values]


def _route(program: Program, node: Json, shape: Shape, n: int) -> str:
    if shape.refused is not None:
        return "refused"
    names = Counter(program.kernels_of(node, shape.nodes[n]))
    return " + ".join(name if k == 1 else f"{k} {name}" for name, k in names.items()) or "-"


def _shape_lines(program: Program, kernels: bool) -> Iterator[str]:
    for shape in program.shapes():
        yield ""
        if shape.refused is not None:
            yield f"  At {shape.name} the planner refuses: {shape.refused}"
            continue
        outputs = (shape.dims.get(value) for value in program.raw["outputs"])
        given = ", ".join(dims_text(dims) for dims in outputs if dims is not None)
        yield (
            f"  At {shape.name}: {plural(len(shape.kernels), 'dispatch', 'dispatches')}, "
            f"{plural(shape.workgroups, 'workgroup')}; reads at most {terminal.size(shape.read)}, "
            f"writes at most {terminal.size(shape.written)}; gives {given or 'integers'}"
        )
        if kernels:
            yield from _indent(_node_table(program, shape))
        else:
            counts = Counter(shape.kernels).most_common()
            yield f"    {', '.join(f'{kernel} ×{count}' for kernel, count in counts)}"


def _node_table(program: Program, shape: Shape) -> str:
    rows = []
    for n, (node, state) in enumerate(zip(program.nodes, shape.nodes, strict=True)):
        made = [dims_text(dims) for dims in state["dims"]] + [str(s) for s in state["scalars"]]
        ran = zip(program.kernels_of(node, state), state["runs"], strict=True)
        runs = [f"{kernel} {x}" + (f"×{y}" if y > 1 else "") for kernel, (_, x, y) in ran]
        once = " (once)" if node.get("once") else ""
        rows.append((str(n), node["op"] + once, " ".join(made), " + ".join(runs) or "-"))
    return terminal.table(["node", "op", "gives", "kernels and workgroups"], rows)


def _memory_lines(raw: Json) -> Iterator[str]:
    memory = raw["memory"]
    total = sum(memory[kind] for kind in MEMORY)
    rows = [
        (kind.replace("_", " "), terminal.size(memory[kind]), about)
        for kind, about in MEMORY.items()
        if memory[kind]
    ]
    yield ""
    yield f"  Memory on the device, {terminal.size(total)}"
    yield from _indent(terminal.table(["", "size", ""], rows))
    shared = sum(buffer["kind"] == "shared" for buffer in raw["buffers"])
    yield (
        f"  {plural(shared, 'buffer')} of {terminal.size(memory['shared'])} are shared: at most "
        f"{terminal.size(memory['shared_peak'])} are in use at once, and a buffer for each value "
        f"would take {terminal.size(memory['shared_if_apart'])}"
    )
    for trouble in raw["troubles"]:
        yield f"  {terminal.paint('Would not run here:', 'bad')} {trouble}"
