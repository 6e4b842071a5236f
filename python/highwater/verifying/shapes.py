"""Live shapes to try a program at: the bound, the least, and random ones between them."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from highwater.verifying.listing import Program

# Positions in a cache, and other integers of which nothing is known.
MOST_INTEGER = 256


@dataclass(frozen=True)
class Shape:
    """The size of each dim of each tensor; of integers, their values."""

    name: str
    sizes: list[list[int]]


class Shapes:
    """`specs` are the inputs as a session tells them."""

    def __init__(self, program: Program, specs: list[dict[str, Any]], seed: int):
        self._specs = specs
        self._random = random.Random(seed)
        self._lengths: dict[Any, tuple[int, int]] = {}
        self._dims = [self._dims_of(program, i, spec) for i, spec in enumerate(specs)]

    def bound(self) -> Shape:
        return self._shape({length: most for length, (_, most) in self._lengths.items()}, False)

    def least(self) -> Shape:
        return self._shape({length: least for length, (least, _) in self._lengths.items()}, False)

    def random(self) -> Iterator[Shape]:
        """Without end: the engine knows which of them the program takes."""
        while True:
            lengths = {
                length: self._random.randint(least, most)
                for length, (least, most) in self._lengths.items()
            }
            yield self._shape(lengths, True)

    def _dims_of(self, program: Program, i: int, spec: dict[str, Any]) -> list[tuple]:
        """Of each dim: its length, how often, and what is added. A length of None is nothing."""
        told = program.signature[i] if i < len(program.signature) else []
        if spec["kind"] != "tensor":
            return []
        dims = []
        for d, bound in enumerate(spec["bound"]):
            size = told[d] if d < len(told) else {}
            if "length" in size:
                length, times, plus = size["length"], size["times"], size["plus"]
                most = (bound - plus) // max(times, 1)
                least = max(program.lengths[length]["least"], 0)
                before = self._lengths.get(length, (least, most))
                self._lengths[length] = (least, min(before[1], most))
                dims.append((length, times, plus))
            elif "plus" in size or bound <= 1:
                dims.append((None, 0, bound))
            else:
                # Files of others do not say which dims are one length: those of one bound may be.
                self._lengths[f"at most {bound}"] = (1, bound)
                dims.append((f"at most {bound}", 1, 0))
        return dims

    def _shape(self, lengths: dict[Any, int], is_random: bool) -> Shape:
        sizes, names = [], []
        for spec, dims in zip(self._specs, self._dims, strict=True):
            is_number = spec["kind"] != "tensor" or _is_position(spec)
            if is_number:
                sizes.append([self._random.randrange(MOST_INTEGER) if is_random else 0])
                names.append(str(sizes[-1][0]))
            else:
                own = [lengths.get(length, 0) * times + plus for length, times, plus in dims]
                sizes.append(own)
                names.append("x".join(map(str, own)) or "one element")
        return Shape(", ".join(names), sizes)


def _is_position(spec: dict[str, Any]) -> bool:
    count = 1
    for d in spec["bound"]:
        count *= d
    return count == 1 and spec["dtype"].startswith("int")
