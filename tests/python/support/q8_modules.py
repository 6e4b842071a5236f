"""Layers of int8 as exporters write them, each with what it must come to.

Scales are powers of two unless a test wants others: then torch's sums of floats are exact as well,
and results agree to the last bit, halves included.
"""

import copy
import dataclasses
import importlib

import torch
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from torch import nn
from torch.nn import functional as F
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

importlib.import_module("executorch.backends.vulkan.custom_ops_lib")

VK = torch.ops.et_vk
Q = torch.ops.quantized_decomposed
X_SCALE, X_ZERO = 2.0**-4, 9
Y_SCALE, Y_ZERO = 2.0**-1, -6
INT8 = (-128, 127, torch.int8)


def pixels(*size):
    """Floats that int8 holds as they are."""
    return (torch.randint(-128, 128, size) - X_ZERO) * X_SCALE


def int8(*size):
    return torch.randint(-127, 128, size, dtype=torch.int8)


def quantized(x):
    return Q.quantize_per_tensor(x, X_SCALE, X_ZERO, *INT8)


def padded(x):
    """Exporters pad last dims to whole quads."""
    return F.pad(x, (0, -x.shape[-1] % 4)).contiguous()


class Layer(nn.Module):
    """An int8 layer: `golden` has the numbers, `exported` the calls that exporters write."""

    def __init__(self, columns, bias, relu):
        super().__init__()
        self.relu = relu
        self.scales = nn.Buffer(2.0 ** -(torch.arange(columns) % 3 + 5.0))
        self.bias = nn.Buffer(torch.randint(-900, 900, (columns,)) / 8) if bias else None
        self.sees_golden = False

    def golden(self):
        module = copy.deepcopy(self)
        module.sees_golden = True
        return module

    @property
    def activation(self):
        return "relu" if self.relu else "none"

    def dequantized(self, weight, dim=0):
        dims = [1] * weight.dim()
        dims[dim] = -1
        return weight.double() * self.scales[: weight.shape[dim]].double().view(dims)

    def pack(self, weight, sums):
        """What the program holds, as exporters lay it out."""
        self.packed = nn.Buffer(weight.contiguous())
        self.sums = nn.Buffer(padded(sums))
        self.padded_scales = nn.Buffer(padded(self.scales))
        self.padded_bias = None if self.bias is None else nn.Buffer(padded(self.bias))

    def finished(self, y):
        y = y.float().relu() if self.relu else y.float()
        return Q.quantize_per_tensor(y, Y_SCALE, Y_ZERO, *INT8)

    def forward(self, x):
        return self.expected(x) if self.sees_golden else self.exported(quantized(x))


class Linear(Layer):
    def __init__(self, depth, columns, bias=True, relu=False, op="q8ta_linear"):
        super().__init__(columns, bias, relu)
        self.weight = nn.Buffer(int8(columns, depth))
        self.pack(self.weight, self.weight.sum(1, dtype=torch.int32))
        self.op = op

    def exported(self, x):
        return getattr(VK, self.op)(
            x, X_SCALE, X_ZERO, self.packed, self.sums, self.padded_scales,
            Y_SCALE, Y_ZERO, self.padded_bias, self.activation,
        )  # fmt: skip

    def expected(self, x):
        bias = None if self.bias is None else self.bias.double()
        return self.finished(F.linear(x.double(), self.dequantized(self.weight), bias))


class Conv(Layer):
    """Its weight is torch's; the exporter has channels innermost."""

    def __init__(
        self, channels, columns, kernel, bias=True, relu=False, op="q8ta_conv2d", **window
    ):
        super().__init__(columns, bias, relu)
        self.window = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1, **window}
        self.kernel = kernel
        self.weight = nn.Buffer(int8(columns, channels // self.window["groups"], *kernel))
        self.op = op
        packed = padded(self.weight.permute(0, 2, 3, 1).flatten(1))
        if op == "q8ta_conv2d_dw":
            packed = self.weight.permute(2, 3, 1, 0).reshape(*kernel, -1)
        self.pack(packed, self.weight.sum((1, 2, 3), dtype=torch.int32))

    def pairs(self, *names):
        both = [self.window[name] for name in names]
        return [list(n) if isinstance(n, tuple) else [n, n] for n in both]

    def exported(self, x):
        return getattr(VK, self.op)(
            x, X_SCALE, X_ZERO, self.packed, self.sums, self.padded_scales, Y_SCALE, Y_ZERO,
            self.padded_bias, list(self.kernel), *self.pairs(*self.order()),
            self.window["groups"], self.activation,
        )  # fmt: skip

    def order(self):
        return ("stride", "padding", "dilation")

    def expected(self, x):
        bias = None if self.bias is None else self.bias.double()
        return self.finished(
            F.conv2d(x.double(), self.dequantized(self.weight), bias, **self.window)
        )


class ConvTranspose(Conv):
    """Its weight is [columns, channels of a group, …], and groups share their scales."""

    def __init__(self, channels, columns, kernel, **options):
        options = {"output_padding": 0, **options}
        super().__init__(channels, columns, kernel, op="q8ta_conv2d_transposed", **options)

    def order(self):
        return ("stride", "padding", "output_padding", "dilation")

    def expected(self, x):
        groups = self.window["groups"]
        columns, depth = self.weight.shape[:2]
        by_group = self.weight.unflatten(0, (groups, columns // groups))
        weight = by_group.transpose(1, 2).flatten(0, 1)
        assert weight.shape[:2] == (groups * depth, columns // groups)
        bias = None if self.bias is None else self.bias.double()
        return self.finished(
            F.conv_transpose2d(x.double(), self.dequantized(weight, 1), bias, **self.window)
        )


def quantized_by_torch(module, example, dynamic_shapes, output=True):
    """A module of floats after torch's own static quantization, as users do it."""
    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=False)
    if not output:
        config = dataclasses.replace(config, output_activation=None)
    quantizer = XNNPACKQuantizer().set_global(config)
    exported = torch.export.export(module.eval(), (example,), dynamic_shapes=dynamic_shapes)
    prepared = prepare_pt2e(exported.module(), quantizer)
    prepared(example)
    return convert_pt2e(prepared)
