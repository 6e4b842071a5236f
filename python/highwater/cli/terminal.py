"""How commands speak: colours, tables, sizes, remarks, failures and progress.

Results go to stdout (`say`, `say_json`), all else to stderr (`remark`), so that
`highwater … --json | jq` works. Colours and lines that move are for terminals; NO_COLOR turns
colours off there, too.

What is said may hold text of others: names in a file, a path, a message, what a model writes.
`shown` is the one way to a terminal, and lets no control character of theirs through. Only what is
asked for as it is (`say_text`) goes as it is to a file or a pipe.
"""

import json
import os
import re
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import IO, Any, Self

import click

STYLES = {
    "good": {"fg": "green"},
    "bad": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow"},
    "strong": {"bold": True},
    "faint": {"dim": True},
}

# Until text is shown, its colours are marks: of the code points that Unicode leaves to programs for
# their own use, so that an escape sequence in a text is never one of ours.
_MARKS = {style: chr(0xFDD0 + i) for i, style in enumerate(STYLES)}
_END = chr(0xFDEF)
_CODES = {mark: click.style("", **STYLES[style], reset=False) for style, mark in _MARKS.items()}
_CODES[_END] = click.style("")
_MARK = re.compile(f"[{chr(0xFDD0)}-{_END}]")

# All but newline and tab; and halves of surrogate pairs, which are bytes of a path or of a file's
# name that are not UTF-8.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_SURROGATE = re.compile(r"[\ud800-\udfff]")  # no encoding has a way to write it

# One with its unit, or a dash where there is none.
_NUMBER = re.compile(r"-|-?[\d.,]+(e[+-]?\d+)? ?[A-Za-zµ%]{0,4}")


def has_colours(stream: IO[str]) -> bool:
    return not os.environ.get("NO_COLOR") and stream.isatty()


def paint(text: str, style: str) -> str:
    """`text` in one of the `STYLES`, where what shows it has colours."""
    return f"{_MARKS[style]}{text}{_END}"


def printable(text: str) -> str:
    """Control characters as one would write them in Python: "\\x1b" for an escape."""
    return _CONTROL.sub(_escaped, text)


def _escaped(character: re.Match[str]) -> str:
    code = ord(character[0])
    if 0xDC80 <= code <= 0xDCFF:  # what Python makes of a byte that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def shown(text: str, *, colours: bool = False) -> str:
    """What a terminal gets of a text: printable, and painted or not."""
    return _MARK.sub(lambda mark: _CODES.get(mark[0], "") if colours else "", printable(text))


def say(text: str = "", *, end: str = "\n") -> None:
    """On stdout."""
    click.echo(shown(text, colours=has_colours(sys.stdout)) + end, nl=False)


def say_text(text: str, style: str | None = None) -> None:
    """On stdout: a text of somebody else's, to the byte where it is no terminal that gets it."""
    if sys.stdout.isatty():
        say(paint(text, style) if style else text, end="")
    else:
        sys.stdout.write(_SURROGATE.sub(_escaped, text))  # click.echo would drop some of it


def say_json(value: Any) -> None:
    """On stdout."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    # What must not be shown as it is can only be in a string, where JSON has a way to write it.
    for kind in (_CONTROL, _MARK):
        text = kind.sub(lambda character: f"\\u{ord(character[0]):04x}", text)
    say(text)


def remark(text: str) -> None:
    """On stderr."""
    click.echo(shown(text, colours=has_colours(sys.stderr)), err=True)


class Failure(click.ClickException):
    """Something could not be done: one clear sentence, and what to do about it. Exit code 1."""

    def show(self, file: IO[str] | None = None) -> None:
        remark(f"{paint('highwater:', 'bad')} {self.message}")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows under a header, in columns; cells that are numbers stand to the right."""
    lines = [list(header), *([printable(str(cell)) for cell in row] for row in rows)]
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
            self._show(f"{paint('✓', 'good')} {self.current}, {duration(self._elapsed())}\n")

    def _clear(self) -> None:
        if self._lives:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _tick(self) -> None:
        while not self._done.wait(0.2):
            with self._lock:
                if self.current is not None and self._elapsed() >= self.PATIENCE:
                    self._clear()
                    seconds = paint(f"{self._elapsed():.0f} s", "faint")
                    self._show(f"… {self.current} {seconds}")

    def _show(self, text: str) -> None:
        self._stream.write(shown(text, colours=has_colours(self._stream)))
        self._stream.flush()


def _own_stderr() -> IO[str]:
    """Stderr as it is now, whatever file descriptor 2 is turned to later."""
    try:
        descriptor = sys.stderr.fileno()
    except (OSError, AttributeError):  # a test's
        return sys.stderr
    return os.fdopen(os.dup(descriptor), "w", encoding=sys.stderr.encoding, errors="replace")
