"""The ops that can run, as the engine's own table has them."""

import json
from dataclasses import dataclass
from functools import cache

from highwater import _native


@dataclass(frozen=True)
class Argument:
    """An argument of an op: its type in torch's notation, and its default as it is written there.

    A ``FloatTensor`` or an ``IntTensor`` is a tensor of such dtypes alone, the latter with bools.
    An ``int`` must be known at export; a ``SymInt`` may follow from live shapes.
    """

    name: str
    type: str
    default: str | None = None


@dataclass(frozen=True)
class Op:
    """A row of the table."""

    name: str
    schema: str
    arguments: tuple[Argument, ...]
    limits: str
    """What torch's op does and this one does not; mostly empty."""


@cache
def supported_ops() -> dict[str, Op]:
    """All ops that can run, by the names that exported programs use."""
    return {
        row["name"]: Op(
            name=row["name"],
            schema=row["schema"],
            arguments=tuple(Argument(**argument) for argument in row["arguments"]),
            limits=row["limits"],
        )
        for row in json.loads(_native.supported_ops())
    }
