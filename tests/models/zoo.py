"""The table of models: what each module files under it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from highwater.export import quantized
from torch import nn
from torch.export import Dim

PRIMES = (2, 3, 5, 7, 11, 13, 29, 37, 61, 97, 127, 211, 401, 997, 1999)
ROUNDS = 5
# Tolerances: of 16-bit floats, and of int8, where a value on the edge between two may fall to the
# other side, and others after it.
HALF, INT8 = 2e-2, 5e-2


@dataclass(frozen=True)
class Model:
    """A module to export, with its live dims as `torch.export` takes them."""

    module: nn.Module
    example: tuple[torch.Tensor, ...]
    dynamic_shapes: tuple[dict[int, Any], ...]
    half: bool = False  # whether the program computes in 16 bits
    floats: nn.Module | None = None  # what the module was before it was quantized

    def quantized(self, how: str) -> "Model":
        """In fewer bits; what its module computes then is what the program must."""
        seen = list(self.calls())
        module = quantized(self.module, self.example, self.dynamic_shapes, how, calibration=seen)
        return replace(self, module=module, floats=self.module)

    def live(self) -> dict[str, tuple[int, int]]:
        """The lengths by name, with the least and the most of each."""
        dims = [_root(dim) for shapes in self.dynamic_shapes for dim in shapes.values()]
        return {dim.__name__: (dim.min, dim.max) for dim in dims}

    def calls(self, seed: int = 0) -> Iterator[tuple[torch.Tensor, ...]]:
        """At the bound, at the least, at primes, and grown again."""
        for turn in range(ROUNDS):
            lengths = {
                name: _lengths(least, most)[(turn + number * (turn > 1)) % ROUNDS]
                for number, (name, (least, most)) in enumerate(self.live().items())
            }
            yield self.at(lengths, seed + turn)

    def at(self, lengths: dict[str, int], seed: int) -> tuple[torch.Tensor, ...]:
        random = torch.Generator().manual_seed(seed)
        return tuple(
            _like(x, _sizes(x, shapes, lengths), random)
            for x, shapes in zip(self.example, self.dynamic_shapes, strict=True)
        )


@dataclass(frozen=True)
class Row:
    name: str
    weights: str
    make: Callable[[], Model]
    quick: bool  # part of ./test, not only of ./test models
    tolerance: float
    alike: float | None  # the least cosine between what a quantized module and its floats give


ROWS: dict[str, Row] = {}


def model(
    name: str,
    weights: str = "random, small",
    quick: bool = False,
    tolerance: float = 1e-4,
    alike: float | None = None,
):
    """Files the function that makes a model."""

    def file(make: Callable[[], Model]) -> Callable[[], Model]:
        ROWS[make.__name__] = Row(name, weights, make, quick, tolerance, alike)
        return make

    return file


class Calling(nn.Module):
    """A module whose call is written as a function of it and its inputs: at most three."""

    def __init__(self, inner: nn.Module, call: Callable[..., Any]) -> None:
        super().__init__()
        self.inner = inner
        self.call = call


class Calling1(Calling):
    def forward(self, a):
        return self.call(self.inner, a)


class Calling2(Calling):
    def forward(self, a, b):
        return self.call(self.inner, a, b)


class Calling3(Calling):
    def forward(self, a, b, c):
        return self.call(self.inner, a, b, c)


def called(inner: nn.Module, call: Callable[..., Any], inputs: int = 1) -> nn.Module:
    return (Calling1, Calling2, Calling3)[inputs - 1](inner, call).eval()


def _root(dim: Any) -> Dim:
    return getattr(dim, "root", dim)


def _lengths(least: int, most: int) -> tuple[int, ...]:
    primes = [prime for prime in PRIMES if least <= prime <= most] or [most]
    return (most, least, primes[-1], primes[0], max(least, most // 2))


def _sizes(x: torch.Tensor, shapes: dict[int, Any], lengths: dict[str, int]) -> list[int]:
    sizes = list(x.shape)
    for at, dim in shapes.items():
        length = lengths[_root(dim).__name__]
        sizes[at] = dim.fn(length) if hasattr(dim, "fn") else length
    return sizes


def _like(x: torch.Tensor, sizes: list[int], random: torch.Generator) -> torch.Tensor:
    if x.is_floating_point():
        return torch.randn(sizes, generator=random)
    # A mask of ones stays one; else they are ids of a small vocabulary.
    return torch.randint(1, int(x.max()) + 1, sizes, generator=random, dtype=x.dtype)
