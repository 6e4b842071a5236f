"""The small program that the packaging tests run from C++ and from Python."""

import functools

import torch
from support import lowering
from torch import nn

WIDTH = 64
BOUND = 128
LENGTHS = (128, 100, 37, 64, 1, 128)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(0.5, 1.5, WIDTH))

    def forward(self, x):
        norm = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight
        return x + torch.sigmoid(norm) * x[:, -1:]


@functools.cache
def pte() -> bytes:
    length = torch.export.Dim("length", min=1, max=BOUND)
    return lowering.lower(Model(), (torch.randn(1, BOUND, WIDTH),), ({1: length},))


def run_module_input(length: int) -> torch.Tensor:
    """What examples/run_module feeds its program."""
    index = torch.arange(length * WIDTH)
    return (index.remainder(17) / 8.0 - 1.0).reshape(1, length, WIDTH)
