"""Generating text: pieces as they come, and what it took."""

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from highwater import _native
from highwater.arguments import at_least
from highwater.errors import HighwaterError
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


@dataclass
class Turns:
    """The generations of one model, which share its cache."""

    last: "Generation | None" = None  # that was begun, or asked for a piece


class Generation(Iterator[str]):
    """An iterator over pieces of text. Afterwards: `text`, `tokens`, `statistics`, `stopped_by`.

    It may be left at any piece. `before` are tokens that stand in front of the prompt. Generations
    of one model may be under way at the same time: each has its own text. They share the model's
    cache, and one that goes on after another has it read again what the other has replaced.
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
        before: Sequence[int] = (),
        turns: Turns | None = None,
    ) -> None:
        self.text = ""
        self.tokens: list[int] = []
        self.statistics = Statistics(prompt_tokens=len(prompt))
        self.stopped_by: str | None = (
            None  # "length", "context", "end token", "stop text", "caller"
        )
        self._native = native
        self._turns = turns or Turns()
        self._options = dict(vars(sampling))
        self._limit = at_least(0, "max_new_tokens", max_new_tokens)
        self._capacity = native.capacity
        self._stop = _StopText(stop)
        self._end_tokens = frozenset(end_tokens)
        self._steps = at_least(1, "steps_per_submit", steps_per_submit)
        self._stream = TextStream(tokenizer) if tokenizer else None
        self._begin = [*before, *prompt]
        self._ahead: deque[int] = deque()  # drawn, and not yet taken
        self._has_drawn = False
        self._ended = False
        self._asked = threading.Lock()  # held by the thread that is inside of `__next__`
        self._asker: int | None = None
        native.set_text(self._begin)
        self._turns.last = self

    @property
    def whole(self) -> list[int]:
        """All tokens of the text: what it goes on from, the prompt, and what was given so far."""
        return [*self._begin, *self.tokens]

    def __next__(self) -> str:
        if not self._asked.acquire(blocking=False):
            raise HighwaterError(
                "another thread is waiting for this generation's next piece; generate one for each"
            )
        self._asker = threading.get_ident()
        try:
            piece = self._next_piece()
            self.text += piece
        except BaseException:
            # An interrupt comes anywhere, also between a token and its text.
            self.stopped_by = self.stopped_by or "caller"
            self._ended = True
            raise
        finally:
            self._asker = None
            self._asked.release()
        if not piece:
            raise StopIteration
        return piece

    def close(self) -> None:
        """Ends it here: the text is what was given so far.

        A piece that another thread is waiting for does not come any more; its draw is waited for.
        """
        self.stopped_by = self.stopped_by or "caller"
        if self._asker == threading.get_ident():
            return  # a signal's handler inside of `__next__`, which ends it when it goes on
        with self._asked:
            self._end()

    def _next_piece(self) -> str:
        """Empty after the last."""
        if self._ended:
            return ""
        self._turns.last = self
        while self.stopped_by is None:
            token = self._next_token()
            if self.stopped_by is None and (piece := self._take(token)):
                return piece
        self._end()
        return self._rest()

    def _end(self) -> None:
        """Takes back what was drawn beyond the end, unless another generation has the cache."""
        if not self._ended and self._turns.last is self:
            with suppress(HighwaterError):  # of a model that was closed
                self._native.set_text(self.whole)
        self._ended = True

    def _next_token(self) -> int | None:
        """None at the end: `stopped_by` says which."""
        if not self._ahead:
            self._draw()
        return self._ahead.popleft() if self._ahead else None

    def _draw(self) -> None:
        """One token after the prompt, so that it shows at once, then a batch."""
        text = self.whole
        room = self._capacity - len(text)
        left = min(self._limit - len(self.tokens), room)
        if left <= 0:
            self.stopped_by = "context" if room <= 0 else "length"
            return
        first = not self._has_drawn
        drawn, accounts, seconds = self._native.draw_after(
            text, 1 if first else min(self._steps, left), **self._options
        )
        self._has_drawn = True
        self._ahead.extend(drawn)
        self._count(accounts, seconds, first)

    def _count(self, accounts: dict[str, Any], seconds: float, first: bool) -> None:
        s = self.statistics
        if first:
            s.prefill_seconds += seconds
            return
        s.decode_seconds += seconds
        s.host_seconds += seconds - accounts["wait_seconds"]
        s.waits += accounts["waits"]
        s.submits += accounts["submits"]
        s.read_back_bytes += accounts["read_back_bytes"]

    def _take(self, token: int | None) -> str:
        """Adds a token; the text that is now certain."""
        if token is None:
            return ""
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
        if self._stream is None or self.stopped_by in ("stop text", "caller"):
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
