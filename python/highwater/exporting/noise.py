"""Keeps the chatter of torch, torchao and ExecuTorch in a log, and hears one thing in it: why the
partitioner left a node to the CPU."""

import contextlib
import logging
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_SKIPPED = re.compile(
    r"\[Vulkan Partitioner\] Due to \[(?P<reason>.*)\], skipping .*? = (?P<op>[\w.:]+)\(", re.DOTALL
)


class Reasons(logging.Handler):
    """Why ops were left to the CPU, in the partitioner's words, by the op's plain name."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.by_op: dict[str, set[str]] = defaultdict(set)

    def emit(self, record: logging.LogRecord) -> None:
        skipped = _SKIPPED.search(record.getMessage())
        if skipped:
            # "no valid representations for op …" goes on with all the op's tensors.
            reason = skipped["reason"].split(" for op ")[0]
            self.note(skipped["op"], reason)

    def note(self, op: str, reason: str) -> None:
        self.by_op[plain_name(op)].add(reason)

    def of(self, op: str) -> str | None:
        """`op` may be spelled as the partitioner does or as programs do."""
        return "; ".join(sorted(self.by_op.get(plain_name(op), ()))) or None


def plain_name(op: str) -> str:
    """`mul` of `aten.mul.Scalar`, of `aten::mul.Scalar_out` and of `edge.aten.mul.Scalar`."""
    name = op.removeprefix("edge.").replace("::", ".").split(".")
    plain = name[1] if len(name) > 1 else name[0]
    return "view_copy" if plain == "et_view" else plain  # a view that the CPU need not copy


class Log:
    """A file of all that was said."""

    def __init__(self) -> None:
        descriptor, name = tempfile.mkstemp(prefix="highwater-export-", suffix=".log")
        self.path = Path(name)
        # Never closed: loggers that are made meanwhile keep it as their stderr for good.
        self.file = os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", buffering=1)

    def tail(self, count: int = 20) -> str:
        self.file.flush()
        return "\n".join(self.path.read_text(errors="replace").splitlines()[-count:])

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


@contextlib.contextmanager
def kept(log: Log, aloud: bool) -> Iterator[Reasons]:
    """Everything that is said on stdout or stderr goes to `log`; if `aloud`, to stderr instead,
    because stdout is for the report."""
    reasons = Reasons()
    stream = sys.stderr if aloud else log.file
    with (
        _descriptors_to(stream),
        contextlib.redirect_stdout(stream),
        contextlib.redirect_stderr(stream),
        _loggers_to(logging.StreamHandler(stream), reasons),
    ):
        yield reasons


@contextlib.contextmanager
def _descriptors_to(stream: IO[str]) -> Iterator[None]:
    """For what C++ says, and programs that are started."""
    try:
        target = stream.fileno()
    except (OSError, AttributeError):  # a test's stderr is no file
        yield
        return
    saved = [(number, os.dup(number)) for number in (1, 2)]
    sys.__stdout__.flush()
    try:
        for number, _ in saved:
            os.dup2(target, number)
        yield
    finally:
        for number, copy in saved:
            os.dup2(copy, number)
            os.close(copy)


@contextlib.contextmanager
def _loggers_to(*handlers: logging.Handler) -> Iterator[None]:
    """Also keeps `export_llama` from setting logging up its own way, which it does only once."""
    root, traces = logging.getLogger(), logging.getLogger("torch.__trace")
    saved = root.handlers[:], root.level, traces.level
    root.handlers[:] = handlers
    root.setLevel(logging.INFO)
    # torch writes down every step that it takes as soon as there is a handler.
    traces.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        root.handlers[:] = saved[0]
        root.setLevel(saved[1])
        traces.setLevel(saved[2])
