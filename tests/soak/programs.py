"""Random programs of ops on the device against torch, at the bound and below it."""

import contextlib
import io
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import highwater
import torch
from highwater.export import to_pte
from support import fast_export

from soak import random_module
from soak.random_module import BOUND, LEAST, RandomModule

STEPS = 10  # of a module
KINDS = ("software", "gpu")
# Of the largest element. What rounding is to the inputs may be more to the outputs: a module is
# asked how much it makes of a small change.
NEAR = 1e-4
CHANGE = 1e-6
OF_CHANGE = 30


class LeftOut(Exception):
    """torch, or the exporter, has reasons of its own not to make a program."""


@dataclass
class Tally:
    """What came of a number of programs."""

    programs: int = 0
    calls: int = 0
    steps: Counter = field(default_factory=Counter)
    left_out: Counter = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        left_out = sum(self.left_out.values())
        return (
            f"{self.programs} programs of {len(self.steps)} kinds of steps, {self.calls} calls "
            f"on the device, {left_out} left out, {len(self.findings)} wrong"
        )


def export(module: RandomModule) -> bytes:
    example = random_module.inputs(BOUND, 0)
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return to_pte(module, example, random_module.dynamic_shapes())
    except highwater.HighwaterError as error:
        raise LeftOut(f"the exporter: {str(error)[:90]}") from error
    except Exception as error:
        # torch's own, of many kinds: a length that it would fix, a shape that it cannot follow.
        raise LeftOut(f"torch: {type(error).__name__}: {str(error)[:90]}") from error


def lengths(seed: int) -> list[int]:
    """Down, to the least, up again; one that is too long stands for a call that must be refused."""
    chance = random.Random(seed)
    between = [chance.randint(LEAST, BOUND) for _ in range(3)]
    return [BOUND, between[0], LEAST, BOUND + 1, between[1], BOUND, between[2]]


def trouble(module: RandomModule, seed: int, count: Callable[[], None] = lambda: None) -> str:
    """What is wrong with a module's program, in words; nothing if all is right."""
    content = export(module)
    for kind in KINDS:
        os.environ["HIGHWATER_KERNELS"] = kind
        try:
            with highwater.load(content) as model:
                found = _trouble_of(model, module, seed, count)
        except highwater.HighwaterError as error:
            found = f"it does not load: {error}"
        finally:
            del os.environ["HIGHWATER_KERNELS"]
        if found:
            return f"with kernels for {kind}: {found}"
    return ""


def _trouble_of(model, module: RandomModule, seed: int, count: Callable[[], None]) -> str:
    for number, length in enumerate(lengths(seed)):
        inputs = random_module.inputs(length, seed + number)
        count()
        if length > BOUND:
            with contextlib.suppress(highwater.HighwaterError):
                model(*inputs)
                return f"length {length} is over the bound of {BOUND}, and was taken"
            continue
        try:
            given = model(*inputs)
        except highwater.HighwaterError as error:
            return f"at length {length}, call {number}: {error}"
        given = given if isinstance(given, tuple) else (given,)
        if found := _compare(module, inputs, given):
            return f"at length {length}, call {number}: {found}"
        if model.last_run["gpu_objects"]:
            return f"call {number} made GPU objects"
    return ""


def _compare(module: RandomModule, inputs: tuple, given: tuple) -> str:
    with torch.no_grad():
        wanted = module(*inputs)
        changed = module(*map(_changed, inputs))
    for place, got, want, other in zip(module.results, given, wanted, changed, strict=True):
        if got.shape != want.shape:
            return f"t{place} is {list(got.shape)}, not {list(want.shape)}"
        a, b = got.double(), want.double()
        allowed = NEAR * b.abs().max() + OF_CHANGE * (other.double() - b).abs().max() + 1e-6
        error = (a - b).abs().max()
        if not error <= allowed:
            return f"t{place} is off by {error:.3g}; {allowed:.3g} is allowed"
    return ""


def _changed(x: torch.Tensor) -> torch.Tensor:
    return x * (1 + CHANGE * torch.randn_like(x)) if x.is_floating_point() else x


def smaller(module: RandomModule, seed: int) -> RandomModule:
    """Without the steps that are not needed for something to be wrong."""
    place = max(module.steps)
    while place >= min(module.steps, default=place + 1):
        if place in module.steps:
            less = module.without(place)
            with contextlib.suppress(LeftOut):
                if less.steps and trouble(less, seed):
                    module = less
        place -= 1
    return module


def check(seed: int, tally: Tally) -> None:
    """One program."""
    module = random_module.draw(seed, STEPS)

    def count() -> None:
        tally.calls += 1

    try:
        found = trouble(module, seed, count)
    except LeftOut as reason:
        tally.left_out[str(reason)] += 1
        return
    tally.programs += 1
    tally.steps.update(step.name.split()[0] for step in module.steps.values())
    if found:
        least = smaller(module, seed)
        again = trouble(least, seed) or found
        tally.findings.append(f"seed {seed}: {again}\n{least}")


def run(seconds: float, first_seed: int = 0) -> Iterator[Tally]:
    """Program after program, for so long; tells how far it has come."""
    fast_export.apply()
    tally = Tally()
    end = time.monotonic() + seconds
    seed = first_seed
    while time.monotonic() < end:
        check(seed, tally)
        seed += 1
        yield tally
