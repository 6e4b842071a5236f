"""Models that run for long: random live shapes, bad calls in between, and loads without end."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import highwater
import numpy as np
import torch
from highwater.export import to_pte
from torch import nn

from soak.footprint import Growth

# Of the largest element.
NEAR = 1e-3
BAD_CALLS_EVERY = 17


@dataclass
class Tally:
    """What came of a part of a soak."""

    what: str
    done: int = 0
    refused: int = 0  # bad calls, as they must be
    findings: list[str] = field(default_factory=list)
    growth: Growth = field(default_factory=Growth)

    def finish(self) -> None:
        self.findings += self.growth.trouble()

    def __str__(self) -> str:
        wrong = len(self.findings)
        return f"{self.done} {self.what}, {self.refused} bad calls refused, {wrong} wrong; " + str(
            self.growth
        )


class Llama:
    """The model that ships, at any number of tokens from any position of one text.

    The text is always the same, so that each position has one answer: what one pass over all of it
    gave.
    """

    COUNT = 60

    def __init__(self, seed: int) -> None:
        self.model = highwater.load("kjv")
        self.random = random.Random(seed)
        self.text = [self.random.randrange(100) for _ in range(self.COUNT)]
        self.answers = [self._run(0, end) for end in range(1, self.COUNT + 1)]
        self._run(0, self.COUNT)

    def _run(self, start: int, end: int) -> np.ndarray:
        tokens = np.array([self.text[start:end]], np.int64)
        return np.asarray(self.model(tokens, np.array([start], np.int64))).reshape(-1)

    def step(self) -> str:
        start = self.random.randrange(self.COUNT)
        # Mostly as generation does: a token at a time.
        most = self.COUNT - start
        count = 1 if self.random.random() < 0.5 else self.random.randint(1, most)
        got, want = self._run(start, start + count), self.answers[start + count - 1]
        error = np.abs(got - want).max() / np.abs(want).max()
        return "" if error < NEAR else f"{count} tokens from {start}: off by {error:.2g}"

    def bad_call(self) -> None:
        kind = self.random.randrange(3)
        if kind == 0:  # more tokens than the bound
            self.model(np.zeros((1, 1000), np.int64), np.array([0], np.int64))
        elif kind == 1:  # a position after the context's end
            self.model(np.zeros((1, 1), np.int64), np.array([10**6], np.int64))
        else:
            self.model(np.zeros((1, 1), np.float32), np.array([0], np.int64))


class Picture:
    """A small network for pictures of any height and width. The same picture, by its seed and its
    size, must always give the same bits."""

    MOST = 48

    def __init__(self, seed: int) -> None:
        torch.manual_seed(seed)
        self.module = _network().eval()
        height = torch.export.Dim("height", min=4, max=self.MOST)
        width = torch.export.Dim("width", min=4, max=self.MOST)
        example = torch.randn(1, 3, self.MOST, self.MOST)
        content = to_pte(self.module, (example,), ({2: height, 3: width},))
        self.model = highwater.load(content)
        self.random = random.Random(seed)
        self.seen: dict[tuple[int, int], bytes] = {}

    def step(self) -> str:
        size = self.random.randint(4, self.MOST), self.random.randint(4, self.MOST)
        torch.manual_seed(size[0] * 1000 + size[1])
        picture = torch.randn(1, 3, *size)
        got = self.model(picture)
        bits = got.numpy().tobytes()
        if size in self.seen:
            return "" if bits == self.seen[size] else f"a picture of {size} gave other bits"
        self.seen[size] = bits
        with torch.no_grad():
            want = self.module(picture)
        error = float((got - want).abs().max() / want.abs().max())
        return "" if error < NEAR else f"a picture of {size}: off by {error:.2g}"

    def bad_call(self) -> None:
        shapes = ((1, 3, 999, 8), (1, 3, 8, 2), (2, 3, 8, 8), (3, 8, 8))
        self.model(torch.zeros(self.random.choice(shapes)))


def _network() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, 2, 1),
        nn.BatchNorm2d(16),
        nn.Hardswish(),
        nn.Conv2d(16, 16, 3, 1, 1, groups=16),
        nn.ReLU(),
        nn.Conv2d(16, 24, 1),
        nn.MaxPool2d(3, 1, 1),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(24, 10),
    )


def steps(make: Callable[[int], Llama | Picture], seed: int, looks: int) -> Iterator[Tally]:
    """Steps without end, with bad calls in between; looks at the process every so many steps."""
    runner = make(seed)
    tally = Tally(f"steps of the {make.__name__}")
    tally.growth.look()
    while True:
        if found := runner.step():
            tally.findings.append(found)
        elif runner.model.last_run["gpu_objects"]:
            tally.findings.append(f"step {tally.done} made GPU objects")
        tally.done += 1
        if tally.done % BAD_CALLS_EVERY == 0:
            _refuse(runner, tally)
        if tally.done % looks == 0:
            tally.growth.look()
        yield tally


def _refuse(runner: Llama | Picture, tally: Tally) -> None:
    try:
        runner.bad_call()
    except highwater.HighwaterError:
        tally.refused += 1
    else:
        tally.findings.append(f"after step {tally.done} a bad call was taken")


def loads(seed: int, looks: int) -> Iterator[Tally]:
    """Loads and closes, each with one run; some are left to the garbage collector."""
    chance = random.Random(seed)
    tally = Tally("loads of the Llama")
    tokens, start = np.array([[1, 2, 3]], np.int64), np.array([0], np.int64)
    first = None
    while True:
        model = highwater.load("kjv")
        bits = np.asarray(model(tokens, start)).tobytes()
        first = first or bits
        if bits != first:
            tally.findings.append(f"load {tally.done} gave other bits")
        if chance.random() < 0.8:
            model.close()
        del model
        tally.done += 1
        if tally.done % looks == 0:
            tally.growth.look()
        yield tally


def run(work: Iterator[Tally], seconds: float, most: int | None = None) -> Iterator[Tally]:
    """For so long, or so often."""
    end = time.monotonic() + seconds
    tally = None
    for tally in work:
        yield tally
        if time.monotonic() > end or (most is not None and tally.done >= most):
            break
    if tally is not None:
        tally.growth.look()
        tally.finish()
