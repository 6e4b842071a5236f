"""What came out of an export, for people."""

from collections.abc import Iterator

from highwater.cli import terminal
from highwater.exporting.report import Report


def as_text(report: Report) -> str:
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    size, seconds = terminal.size(report.program.size), terminal.duration(report.seconds)
    yield f"{terminal.paint(str(report.output), 'strong')}: {size}, in {seconds}"
    yield from (f"{path}: copied" for path in report.beside)
    yield "\nInputs"
    yield from (f"  {given}" for given in report.inputs)
    if report.program.metadata:
        yield "\nMetadata"
        yield from (f"  {name}: {value}" for name, value in report.program.metadata.items())
    yield from _delegated(report)
    yield from _cpu(report)


def _delegated(report: Report) -> Iterator[str]:
    total, parts = report.program.delegated.total(), report.program.delegates
    if not total:
        yield terminal.paint("\nNothing runs on Highwater.", "bad")
        return
    where = "For Highwater" if report.unsupported else "On Highwater"
    yield f"\n{where}: {counted(total, 'op')} in {counted(parts, 'delegate')}"
    kinds = report.program.delegated.most_common()
    width = max(len(name) for name, _ in kinds)
    for name, count in kinds:
        trouble = f"  {terminal.paint('cannot run', 'bad')}" * (name in report.unsupported)
        yield f"  {name:<{width}}  × {count}{trouble}"


def _cpu(report: Report) -> Iterator[str]:
    if not report.cpu:
        yield terminal.paint("\nOn the CPU: nothing", "good")
        return
    total = sum(left.count for left in report.cpu)
    yield terminal.paint(f"\nOn the CPU: {counted(total, 'op')}", "warning")
    width = max(len(left.op) for left in report.cpu)
    for left in report.cpu:
        reason = left.reason or "the partitioner does not say why"
        yield f"  {left.op:<{width}}  × {left.count}  {reason}"


def counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
