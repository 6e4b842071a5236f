"""Random modules of ops that Highwater has, with one live length.

A module is a list of steps, each of which makes a tensor of those before it. Steps are drawn one by
one and tried in torch at several lengths: what torch refuses, or what leaves the range in which
float32 says anything, is drawn again. So a list of steps without some of them is a module, too,
if those that are left do not use them: that is how a failing one is made smaller.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

BOUND = 24
LEAST = 3
TRIED = (BOUND, LEAST, 7)
WIDTH = 8
LARGEST = 1e3

# The inputs: live rows, live rows with heads, a live picture, live indices, and something fixed.
INPUTS: tuple[Callable[[int], Tensor], ...] = (
    lambda n: torch.randn(n, WIDTH),
    lambda n: torch.randn(2, n, WIDTH),
    lambda n: torch.randn(1, 4, n, 6),
    lambda n: torch.randint(0, WIDTH, (n,)),
    lambda n: torch.randn(WIDTH, WIDTH),
)
LIVE_DIM = (0, 1, 2, 0, None)


@dataclass(frozen=True)
class Step:
    """`make` gets the tensors at `takes`: places among the inputs and the steps before."""

    name: str
    takes: tuple[int, ...]
    make: Callable[..., Tensor] = field(compare=False)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f't{i}' for i in self.takes)})"


class RandomModule(nn.Module):
    """Gives what no step of it uses."""

    def __init__(self, steps: dict[int, Step]):
        super().__init__()
        self.steps = steps

    @property
    def results(self) -> list[int]:
        used = {i for step in self.steps.values() for i in step.takes}
        return [place for place in self.steps if place not in used]

    # By name: torch counts what a star gathers as one input.
    def forward(self, rows, heads, picture, indices, fixed) -> tuple[Tensor, ...]:
        values = self.values(rows, heads, picture, indices, fixed)
        return tuple(values[place] for place in self.results)

    def values(self, *inputs: Tensor) -> dict[int, Tensor]:
        values = dict(enumerate(inputs))
        for place, step in self.steps.items():
            values[place] = step.make(*(values[i] for i in step.takes))
        return values

    def without(self, place: int) -> "RandomModule":
        """Without a step, and without all that is made of it."""
        gone = {place}
        kept = {}
        for at, step in self.steps.items():
            if at in gone or gone & set(step.takes):
                gone.add(at)
            else:
                kept[at] = step
        return RandomModule(kept)

    def __str__(self) -> str:
        return "\n".join(f"  t{place} = {step}" for place, step in self.steps.items())


def inputs(length: int, seed: int) -> tuple[Tensor, ...]:
    torch.manual_seed(seed)
    return tuple(make(length) for make in INPUTS)


def dynamic_shapes() -> tuple:
    length = torch.export.Dim("length", min=LEAST, max=BOUND)
    return tuple(None if d is None else {d: length} for d in LIVE_DIM)


def draw(seed: int, count: int) -> RandomModule:
    """A module of so many steps."""
    from soak.steps import draw_step

    chance = random.Random(seed)
    module = RandomModule({})
    given = [inputs(n, seed) for n in TRIED]
    values = [module.values(*each) for each in given]
    tries = 0
    while len(module.steps) < count and tries < 50 * count:
        tries += 1
        step = draw_step(chance, values[0])
        made = _made(step, values)
        if made is None:
            continue
        place = len(INPUTS) + len(module.steps)
        module.steps[place] = step
        for each, result in zip(values, made, strict=True):
            each[place] = result
    return module


def _made(step: Step, values: list[dict[int, Tensor]]) -> list[Tensor] | None:
    """What a step gives at each length; None where it makes no sense."""
    try:
        made = [step.make(*(each[i] for i in step.takes)) for each in values]
    except (RuntimeError, IndexError, ValueError):
        return None
    good = all(_is_tame(x) for x in made) and len({x.dim() for x in made}) == 1
    return made if good else None


def _is_tame(x: Tensor) -> bool:
    if x.numel() == 0 or x.numel() > 40_000 or x.dim() > 5:
        return False
    return not x.is_floating_point() or bool(x.isfinite().all() and x.abs().max() < LARGEST)
