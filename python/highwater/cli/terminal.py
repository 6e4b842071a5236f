"""How commands speak: colours, tables, sizes, remarks, failures and progress.

Results go to stdout, all else to stderr, so that `highwater … --json | jq` works. Colours and lines
that move are for terminals; NO_COLOR turns colours off there, too.
"""

import os
import re
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import IO, Self

import click

STYLES = {
    "good": {"fg": "green"},
    "bad": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow"},
    "strong": {"bold": True},
    "faint": {"dim": True},
}


# One with its unit, or a dash where there is none.
_NUMBER = re.compile(r"-|-?[\d.,]+(e[+-]?\d+)? ?[A-Za-zµ%]{0,4}")


def has_colours(stream: IO[str] | None = None) -> bool:
    """`stream` is stdout unless given."""
    return not os.environ.get("NO_COLOR") and (stream or sys.stdout).isatty()


def paint(text: str, style: str, stream: IO[str] | None = None) -> str:
    """`text` in one of the `STYLES`, if `stream` shows colours."""
    return click.style(text, **STYLES[style]) if has_colours(stream) else text


def remark(text: str) -> None:
    click.echo(text, err=True)


class Failure(click.ClickException):
    """Something could not be done: one clear sentence, and what to do about it. Exit code 1."""

    def show(self, file: IO[str] | None = None) -> None:
        remark(f"{paint('highwater:', 'bad', sys.stderr)} {self.message}")


def first_line(text: str, most: int = 200) -> str:
    """The start of a message that may be long."""
    line = (text.strip().splitlines() or [""])[0].strip()
    return line if len(line) <= most else f"{line[: most - 1]}…"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows under a header, in columns; cells that are numbers stand to the right."""
    lines = [list(header), *([str(cell) for cell in row] for row in rows)]
    columns = list(zip(*lines, strict=True))
    widths = [max(map(len, column)) for column in columns]
    numeric = [all(map(_NUMBER.fullmatch, column[1:])) for column in columns]

    def line(cells: Sequence[str]) -> str:
        aligned = zip(cells, widths, numeric, strict=True)
        return "  ".join(f"{c:>{w}}" if right else f"{c:<{w}}" for c, w, right in aligned).rstrip()

    head, *body = map(line, lines)
    return "\n".join([paint(head, "faint"), *body])


def size(count: float) -> str:
    """A number of bytes for people."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            break
        count, unit = count / 1024, "TiB"
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


class Progress:
    """What a command is at, on stderr. Each `step` ends the one before.

        with Progress() as progress:
            progress.step("loading")
            ...

    On a terminal, a step that takes over a second has a line with its seconds, and leaves a line
    behind when it is done. Elsewhere it leaves just that line.
    """

    PATIENCE = 1.0

    def __init__(self) -> None:
        self.current: str | None = None
        self._since = 0.0
        self._stream = _own_stderr()
        self._lives = self._stream.isatty()
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        if self._lives:
            self._ticker.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._clear()
            if kind is None:
                self._leave_line()
        self._done.set()
        if self._lives:
            self._ticker.join()
        if self._stream is not sys.stderr:
            self._stream.close()

    def step(self, name: str) -> None:
        """`name` as in "loading": what is being done from now on."""
        with self._lock:
            self._clear()
            self._leave_line()
            self.current, self._since = name, time.monotonic()

    def _elapsed(self) -> float:
        return time.monotonic() - self._since

    def _leave_line(self) -> None:
        if self.current is not None and self._elapsed() >= self.PATIENCE:
            mark = paint("✓", "good", self._stream)
            self._write(f"{mark} {self.current}, {duration(self._elapsed())}\n")

    def _clear(self) -> None:
        if self._lives:
            self._write("\r\x1b[K")

    def _tick(self) -> None:
        while not self._done.wait(0.2):
            with self._lock:
                if self.current is not None and self._elapsed() >= self.PATIENCE:
                    seconds = paint(f"{self._elapsed():.0f} s", "faint", self._stream)
                    self._write(f"\r\x1b[K… {self.current} {seconds}")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _own_stderr() -> IO[str]:
    """Stderr as it is now, whatever file descriptor 2 is turned to later."""
    try:
        descriptor = sys.stderr.fileno()
    except (OSError, AttributeError):  # a test's
        return sys.stderr
    return os.fdopen(os.dup(descriptor), "w", encoding=sys.stderr.encoding, errors="replace")
