"""What the tests of training share: the labels of rows, and frozen layers with a gradient."""

import executorch.backends.vulkan.custom_ops_lib  # noqa: F401  (registers et_vk's operators)
import torch
from torch import nn

ops = torch.ops.et_vk


def labels(n: int, classes: int) -> torch.Tensor:
    """Some of them say that their row does not count."""
    return torch.randint(-1, classes, (n,))


def random_q4(outputs: int, inputs: int, group: int):
    weights = torch.randint(0, 256, (outputs, inputs // 2), dtype=torch.uint8)
    return weights, 0.02 + 0.1 * torch.rand(-(-inputs // group), outputs)


class Q4Layer(nn.Module):
    """A layer with frozen weights of 4 bits, and the gradient of its input."""

    def __init__(self, outputs, inputs, group):
        super().__init__()
        weights, scales = random_q4(outputs, inputs, group)
        self.register_buffer("weights", weights)
        self.register_buffer("scales", scales)
        self.group = group

    def forward(self, x):
        return ops.linear_q4gsw(x, self.weights, self.scales, self.group)

    def backward(self, d):
        return ops.linear_q4gsw_backward(d, self.weights, self.scales, self.group)
