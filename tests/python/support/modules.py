"""The small modules that the live tests export."""

import torch
from torch import nn

WIDTH = 64


class Fn(nn.Module):
    """A function as a module: `torch.export` wants one, with one parameter per input."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def shapes(*per_input):
    """Dynamic shapes for `Fn`, whose inputs are one variadic parameter."""
    return (tuple(per_input),)


def live(name="s", least=1, most=128):
    return torch.export.Dim(name, min=least, max=most)


def rms_norm(x, weight, eps=1e-6):
    """Written out, because the partitioner fuses this form and not `nn.RMSNorm`."""
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


class RmsNorm(nn.Module):
    def __init__(self, width=WIDTH, start=0.5, stop=1.5):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(start, stop, width))

    def forward(self, x):
        return rms_norm(x, self.weight)
