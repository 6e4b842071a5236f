"""Generating text: pieces as they come, and what it took."""

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from highwater import _native
from highwater.tokenizers import TextStream, Tokenizer


@dataclass(frozen=True)
class Sampling:
    """How the next token is chosen; temperature 0 takes the likeliest."""

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0


@dataclass
class Statistics:
    """What a generation took."""

    prompt_tokens: int = 0
    new_tokens: int = 0
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    host_seconds: float = 0.0  # of decoding: all but waiting for the device
    waits: int = 0
    submits: int = 0
    read_back_bytes: int = 0

    @property
    def prefill_rate(self) -> float:
        """Tokens of the prompt a second."""
        return self.prompt_tokens / self.prefill_seconds if self.prefill_seconds else 0.0

    @property
    def decode_rate(self) -> float:
        """Tokens a second, after the first."""
        decoded = self.new_tokens - 1
        return decoded / self.decode_seconds if self.decode_seconds and decoded > 0 else 0.0


class Generation(Iterator[str]):
    """An iterator over pieces of text. Afterwards: `text`, `tokens`, `statistics`, `stopped_by`.

    It may be left at any piece; `close()` then takes back what the device drew beyond it.
    """

    def __init__(
        self,
        native: _native.Generator,
        prompt: Sequence[int],
        tokenizer: Tokenizer | None,
        *,
        max_new_tokens: int,
        sampling: Sampling,
        stop: Sequence[str],
        end_tokens: Sequence[int],
        steps_per_submit: int,
        lock: AbstractContextManager[Any] | None = None,
    ) -> None:
        self.text = ""
        self.tokens: list[int] = []
        self.statistics = Statistics(prompt_tokens=len(prompt))
        self.stopped_by: str | None = (
            None  # "length", "context", "end token", "stop text", "caller"
        )
        self._native = native
        self._lock = lock or nullcontext()
        self._options = dict(vars(sampling))
        self._limit = max_new_tokens
        self._stop = _StopText(stop)
        self._end_tokens = frozenset(end_tokens)
        self._steps = max(1, steps_per_submit)
        self._stream = TextStream(tokenizer) if tokenizer else None
        with self._lock:
            native.append(list(prompt))
            self._begin = native.length
        self._pieces = self._run()

    def __next__(self) -> str:
        return next(self._pieces)

    def close(self) -> None:
        """Ends it here: the session's text is what was given so far."""
        self._pieces.close()

    def _run(self) -> Iterator[str]:
        try:
            while self.stopped_by is None:
                for token in self._draw():
                    piece = self._take(token)
                    if piece:
                        self.text += piece
                        yield piece
                    if self.stopped_by is not None:
                        break
            if rest := self._rest():
                self.text += rest
                yield rest
        finally:
            self.stopped_by = self.stopped_by or "caller"
            with self._lock:
                self._native.rewind(min(self._native.length, self._begin + len(self.tokens)))

    def _draw(self) -> list[int]:
        """The next tokens: one after the prompt, so that it shows at once, then a batch."""
        room = self._native.capacity - self._native.length
        left = min(self._limit - len(self.tokens), room)
        if left <= 0:
            self.stopped_by = "context" if room <= 0 else "length"
            return []
        first = self._native.length == self._begin
        with self._lock:
            start = time.perf_counter()
            drawn = self._native.draw(1 if first else min(self._steps, left), **self._options)
            self._count(time.perf_counter() - start, first)
        return drawn

    def _count(self, seconds: float, first: bool) -> None:
        s, accounts = self.statistics, self._native.accounts
        if first:
            s.prefill_seconds += seconds
            return
        s.decode_seconds += seconds
        s.host_seconds += seconds - accounts["wait_seconds"]
        s.waits += accounts["waits"]
        s.submits += accounts["submits"]
        s.read_back_bytes += accounts["read_back_bytes"]

    def _take(self, token: int) -> str:
        """Adds a token; the text that is now certain."""
        if token in self._end_tokens:
            self.stopped_by = "end token"
            return ""
        self.tokens.append(token)
        self.statistics.new_tokens += 1
        if self._stream is None:
            return ""
        piece = self._stop.add(self._stream.add(token), len(self.tokens))
        if self._stop.found_at is not None:
            self.stopped_by = "stop text"
            del self.tokens[self._stop.found_at :]
        return piece

    def _rest(self) -> str:
        if self._stream is None or self.stopped_by == "stop text":
            return ""
        return self._stop.held + self._stream.end()


@dataclass
class _StopText:
    """Looks for stop texts, which may be spread over several pieces."""

    texts: Sequence[str]
    held: str = ""  # may be the beginning of one
    found_at: int | None = None  # how many tokens lie before it
    _ends: list[tuple[int, int]] = field(default_factory=list)  # (characters, tokens) so far
    _given: int = 0

    def add(self, piece: str, tokens: int) -> str:
        """What of the piece, and of what was held back, can be given."""
        before = self._given + len(self.held)
        self._ends.append((before + len(piece), tokens))
        text = self.held + piece
        hits = [at for at in (text.find(stop) for stop in self.texts if stop) if at >= 0]
        if hits:
            at = min(hits)
            whole = [n for characters, n in self._ends if characters <= self._given + at]
            self.found_at = max(whole, default=0)
            return text[:at]
        keep = max((_overlap(text, stop) for stop in self.texts if stop), default=0)
        self.held = text[len(text) - keep :]
        given = text[: len(text) - keep]
        self._given += len(given)
        return given


def _overlap(text: str, stop: str) -> int:
    """How many characters at the end of the text are the beginning of the stop text."""
    for size in range(min(len(text), len(stop) - 1), 0, -1):
        if text.endswith(stop[:size]):
            return size
    return 0
