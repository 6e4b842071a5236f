"""Where the time of a run goes: by op, by kernel, dispatch by dispatch.

    profile = highwater.profiling.profile("model.pte", x, repeat=5)
    for kernel in profile.by("kernel"):
        print(kernel.name, kernel.count, kernel.duration_ns, kernel.share)
    profile.write_trace("trace.json")  # for Perfetto, or chrome://tracing

The times are the device's own where it can tell them (WebGPU's feature timestamp-query), and else
those of the host, which submits each dispatch and waits for it.
"""

import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Literal

from highwater import _native
from highwater._executorch import ExecutorchMethod
from highwater.files import Source, open_file, open_runner

Session = _native.Session | ExecutorchMethod
Clock = Literal["", "device", "host"]
By = Literal["op", "kernel", "dispatch"]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Dispatch:
    """One run of one kernel."""

    kernel: str
    op: str  # the exporter's name, or hw.… where a pass merged several
    node: int  # the exporter's number of it
    grid: tuple[int, int]  # workgroups
    reads: list[Shape]  # live shapes of the tensors that the op reads, constants included
    writes: list[Shape]  # and of those that it makes
    start_ns: int  # from the start of the first
    duration_ns: int
    delegate: int = 0  # its number, in a program of several

    @property
    def end_ns(self) -> int:
        return self.start_ns + self.duration_ns


@dataclass(frozen=True)
class Share:
    """Dispatches that have something in common."""

    name: str
    count: int
    duration_ns: int
    share: float  # of the time of all dispatches


@dataclass(frozen=True)
class Span:
    """When the host was in a delegate: in nanoseconds from the start of the call."""

    begin_ns: int
    submitted_ns: int
    end_ns: int


@dataclass(frozen=True)
class Timeline:
    """One profiled run as it was."""

    clock: str
    dispatches: list[Dispatch]
    submitted_ns: int  # from the start of the call to the first submit
    empty_ns: int  # by the host's clock a submit of nothing takes so long, by the device's 0
    seconds: float  # all of the run
    delegates: tuple[Span, ...] = ()  # where ExecuTorch runs several, or ops between them

    @property
    def total_ns(self) -> int:
        return sum(d.duration_ns for d in self.dispatches)

    @property
    def spans(self) -> tuple[Span, ...]:
        end = max(round(self.seconds * 1e9), self.submitted_ns)
        return self.delegates or (Span(0, self.submitted_ns, end),)


@dataclass(frozen=True)
class Profile:
    """Several profiled runs with the same inputs."""

    adapter: str
    timelines: list[Timeline]
    run_seconds: float  # the median of runs that were not profiled
    # Of these, what was not in delegates: ops on the CPU, and ExecuTorch's own work. None if all of
    # the program is one delegate, which needs no ExecuTorch.
    cpu_seconds: float | None = None

    @property
    def delegates(self) -> int:
        return len(self.timelines[0].spans)

    @property
    def clock(self) -> str:
        """`device` or `host`."""
        return self.timelines[0].clock

    @property
    def dispatches(self) -> list[Dispatch]:
        """In order. Start and duration are each the median of all runs."""
        return [
            dataclasses.replace(
                same[0],
                start_ns=round(median(d.start_ns for d in same)),
                duration_ns=round(median(d.duration_ns for d in same)),
            )
            for same in zip(*(t.dispatches for t in self.timelines), strict=True)
        ]

    @property
    def total_ns(self) -> int:
        """The time of all dispatches."""
        return sum(d.duration_ns for d in self.dispatches)

    @property
    def empty_ns(self) -> int:
        """What is in each duration, if the clock is the host's, though the device did nothing."""
        return min(t.empty_ns for t in self.timelines)

    @property
    def profiled_seconds(self) -> float:
        """What a profiled run takes, all in all."""
        return median(t.seconds for t in self.timelines)

    def by(self, what: By) -> list[Share]:
        """Times by `op` or by `kernel`, the longest first; or by `dispatch`, in order."""
        dispatches = self.dispatches
        total = sum(d.duration_ns for d in dispatches) or 1
        if what == "dispatch":
            return [
                Share(self._name(d), 1, d.duration_ns, d.duration_ns / total) for d in dispatches
            ]
        groups: dict[str, list[int]] = {}
        for d in dispatches:
            groups.setdefault(d.op if what == "op" else d.kernel, []).append(d.duration_ns)
        shares = [Share(name, len(t), sum(t), sum(t) / total) for name, t in groups.items()]
        return sorted(shares, key=lambda share: -share.duration_ns)

    def _name(self, d: Dispatch) -> str:
        delegate = f"delegate {d.delegate}, " if self.delegates > 1 else ""
        return f"{d.kernel} ({delegate}node {d.node})"

    def as_json(self) -> dict[str, Any]:
        return {
            "adapter": self.adapter,
            "clock": self.clock,
            "repeat": len(self.timelines),
            "total_ns": self.total_ns,
            "empty_ns": self.empty_ns,
            "run_seconds": self.run_seconds,
            "cpu_seconds": self.cpu_seconds,
            "profiled_seconds": self.profiled_seconds,
            "delegates": self.delegates,
            "ops": [dataclasses.asdict(share) for share in self.by("op")],
            "kernels": [dataclasses.asdict(share) for share in self.by("kernel")],
            "dispatches": [dataclasses.asdict(d) for d in self.dispatches],
        }

    def trace(self, name: str = "model") -> dict[str, Any]:
        """The typical run in Chrome's trace format, with ops and kernels as threads."""
        typical = sorted(self.timelines, key=lambda t: t.total_ns)[(len(self.timelines) - 1) // 2]
        return _trace(typical, name, self.adapter)

    def write_trace(self, path: str | Path, name: str = "model") -> None:
        Path(path).write_text(json.dumps(self.trace(name)), encoding="utf-8")


def open_session(
    model: Source, *, method: str = "forward", adapter: str = "", **options: Any
) -> Session:
    """What `profile` runs, with options as `_native.Session.open` takes them."""
    return open_runner(open_file(model), method, {**options, "adapter": adapter}, generates=False)


def profile(
    model: Source | Session,
    *inputs: Any,
    repeat: int = 1,
    clock: Clock = "",
    method: str = "forward",
    adapter: str = "",
) -> Profile:
    """Runs a model, or a session, `repeat` times with the same inputs, and times it.

    A model is a `.pte` file, a folder with one in it, or the name of one that ships with Highwater.
    A run that is not counted comes first, because it does what is done only once.
    """
    session = model
    if not isinstance(session, Session):
        session = open_session(session, method=method, adapter=adapter)
    session.run(*inputs)
    timelines, plain, cpu = [], [], []
    for _ in range(max(repeat, 1)):
        timelines.append(_timeline(session, inputs, clock))
        # After a plain run, so that both kinds meet the same caches and clocks.
        session.run(*inputs)
        plain.append(_seconds(session))
        cpu.append(plain[-1] - session.run_accounts["seconds"])
    in_pieces = isinstance(session, ExecutorchMethod)
    return Profile(session.adapter, timelines, median(plain), median(cpu) if in_pieces else None)


def _seconds(session: Session) -> float:
    """What the last run took, all in all."""
    if isinstance(session, ExecutorchMethod):
        return session.call_seconds
    return session.run_accounts["seconds"]


def _timeline(session: Session, inputs: Sequence[Any], clock: Clock) -> Timeline:
    _, told = session.profile(*inputs, clock=clock)
    return Timeline(
        told["clock"],
        [Dispatch(**record) for record in told["dispatches"]],
        told["submitted_ns"],
        told["empty_ns"],
        _seconds(session),
        tuple(Span(*span) for span in told.get("spans", ())),
    )


HOST, OPS, KERNELS = 1, 2, 3  # the threads of a trace
PROCESS = 1


def _trace(timeline: Timeline, name: str, adapter: str) -> dict[str, Any]:
    begin = timeline.submitted_ns
    kernels = [
        _complete(KERNELS, d.kernel, begin + d.start_ns, d.duration_ns, _details([d]))
        for d in timeline.dispatches
    ]
    ops = [
        _complete(
            OPS, op[0].op, begin + op[0].start_ns, op[-1].end_ns - op[0].start_ns, _details(op)
        )
        for op in _by_node(timeline.dispatches)
    ]
    host = list(_host(timeline, adapter))
    clock = "GPU timestamps" if timeline.clock == "device" else "the host's clock"
    threads = {HOST: "host", OPS: "ops", KERNELS: f"kernels ({clock})"}
    names = [_name("process_name", {"name": f"{name} on {adapter}"})]
    for thread, title in threads.items():
        names.append(_name("thread_name", {"name": title}, thread))
        names.append(_name("thread_sort_index", {"sort_index": thread}, thread))
    return {"displayTimeUnit": "ms", "traceEvents": [*names, *host, *ops, *kernels]}


def _host(timeline: Timeline, adapter: str) -> Iterator[dict[str, Any]]:
    """What the host did, in a delegate and between two."""
    done = 0
    for span in timeline.spans:
        if span.begin_ns > done:
            yield _complete(HOST, "ops on the CPU, ExecuTorch", done, span.begin_ns - done, {})
        upload, wait = span.submitted_ns - span.begin_ns, span.end_ns - span.submitted_ns
        yield _complete(HOST, "plan, upload, encode", span.begin_ns, upload, {})
        yield _complete(HOST, "wait, read back", span.submitted_ns, wait, {"adapter": adapter})
        done = span.end_ns
    end = round(timeline.seconds * 1e9)
    if timeline.delegates and end > done:
        yield _complete(HOST, "ops on the CPU, ExecuTorch", done, end - done, {})


def _by_node(dispatches: list[Dispatch]) -> list[list[Dispatch]]:
    """Neighbours that belong to the same op."""
    nodes: list[list[Dispatch]] = []
    for d in dispatches:
        if nodes and _node(nodes[-1][0]) == _node(d):
            nodes[-1].append(d)
        else:
            nodes.append([d])
    return nodes


def _node(d: Dispatch) -> tuple[int, str, int]:
    return d.delegate, d.op, d.node


def _details(dispatches: list[Dispatch]) -> dict[str, Any]:
    first = dispatches[0]
    details: dict[str, Any] = {"op": first.op, "node": first.node}
    if len(dispatches) == 1:
        details["grid"] = list(first.grid)
    else:
        details["dispatches"] = len(dispatches)
    details["reads"] = ", ".join(map(_shape, first.reads))
    details["writes"] = ", ".join(map(_shape, first.writes))
    return details


def _shape(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "scalar"


def _complete(
    thread: int, name: str, start_ns: int, duration_ns: int, details: dict[str, Any]
) -> dict[str, Any]:
    """An event with a start and a duration; the format counts in microseconds."""
    return {
        "name": name,
        "ph": "X",
        "pid": PROCESS,
        "tid": thread,
        "ts": start_ns / 1000,
        "dur": duration_ns / 1000,
        "args": details,
    }


def _name(kind: str, details: dict[str, Any], thread: int = 0) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": PROCESS, "tid": thread, "args": details}
