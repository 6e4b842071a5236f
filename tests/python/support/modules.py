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


class Together(nn.Module):
    """Functions or modules of the same inputs as one program, because to lower one takes longer
    than to run it. Its outputs have the names of the functions."""

    def __init__(self, functions: dict):
        super().__init__()
        self.functions = functions
        for index, function in enumerate(functions.values()):
            if isinstance(function, nn.Module):
                self.add_module(str(index), function)

    def forward(self, *inputs):
        return {name: function(*inputs) for name, function in self.functions.items()}


def shapes(*per_input):
    """Dynamic shapes for `Fn` and `Together`, whose inputs are one variadic parameter."""
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
