"""How far two values are apart, and how far they may be."""

import math
from dataclasses import dataclass
from typing import Any

import torch

# Of the largest element: sums are added up in another order, and WGSL leaves exp, sin, pow and
# their relatives some units in the last place.
OF_FLOAT32 = 1e-4
OF_FLOAT16 = 4e-3
# Where numbers are rounded to integers on the way, one that lies on the edge between two may fall
# to the other side. These stand for floats, and one in a hundred may be the next integer.
ROUNDING = ("quantize", "q8ta", "dq8", "8da", "choose_qparams")
OF_ROUNDED = 3e-2
FEW = 0.01


@dataclass(frozen=True)
class Difference:
    """In parts of the largest element; of integers, the share of those that differ."""

    error: float
    allowed: float
    what: str = ""  # where there is more to say than a number

    @property
    def is_right(self) -> bool:
        return self.error <= self.allowed


def difference(device: Any, expected: Any, ops: str) -> Difference:
    """`ops` are the names of those that made it."""
    if not isinstance(expected, torch.Tensor):
        same = int(device) == int(expected)
        return Difference(0.0 if same else math.inf, 0.0, "" if same else f"{device}≠{expected}")
    if device.shape != expected.shape:
        shapes = f"is {list(device.shape)}, not {list(expected.shape)}"
        return Difference(math.inf, 0.0, shapes)
    rounds = any(word in ops for word in ROUNDING)
    if expected.dtype.is_floating_point:
        return Difference(_of_largest(device, expected), _allowed(expected.dtype, rounds))
    return _of_integers(device, expected, rounds)


def _allowed(dtype: torch.dtype, rounds: bool) -> float:
    if rounds:
        return OF_ROUNDED
    return OF_FLOAT16 if dtype == torch.float16 else OF_FLOAT32


def _of_largest(device: torch.Tensor, expected: torch.Tensor) -> float:
    a, b = device.double(), expected.double()
    same = (a == b) | (a.isnan() & b.isnan())
    if same.all():
        return 0.0
    error = torch.where(same, 0.0, (a - b).abs())
    if not error.isfinite().all():
        return math.inf
    largest = torch.where(b.isfinite(), b.abs(), 0.0).max()
    return float(error.max() / largest) if largest > 0 else math.inf


def _of_integers(device: torch.Tensor, expected: torch.Tensor, rounds: bool) -> Difference:
    off = (device.long() - expected.long()).abs()
    share = float((off > 0).double().mean()) if off.numel() else 0.0
    largest = int(off.max()) if off.numel() else 0
    if not rounds or largest > 1:
        return Difference(share, 0.0, f"by {largest}" if largest else "")
    # A few elements are a large share of a small tensor.
    return Difference(share, max(FEW, 2 / off.numel()))
