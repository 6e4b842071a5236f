"""Files for the tests of `highwater inspect`."""

import torch

from support.lowering import lower
from support.modules import Fn, live, shapes
from support.partitioner import take


def gate() -> bytes:
    """x and y have the same length, and z another one."""

    def forward(x, y, z):
        row = torch.sigmoid(x) * y + x[:, -1:]
        return row.reshape(-1), torch.cat([row, z], 1) * 2.0

    length, other = live("length", most=48), live("other", most=9)
    inputs = (torch.randn(1, 48, 16), torch.randn(1, 48, 16), torch.randn(1, 9, 16))
    return lower(Fn(forward), inputs, shapes({1: length}, {1: length}, {1: other}))


def split() -> bytes:
    """The CPU keeps what stands between two delegates."""
    module = Fn(lambda x: torch.sigmoid(torch.asinh(torch.tanh(x) * 0.5)) * 2.0)
    return lower(module, (torch.randn(1, 32, 8),), shapes({1: live(most=32)}))


def unsupported() -> bytes:
    """An op that the partitioner takes and the engine does not have."""
    take(torch.ops.aten.cosh.default)
    return lower(Fn(torch.cosh), (torch.randn(1, 4, 8, 8),))
