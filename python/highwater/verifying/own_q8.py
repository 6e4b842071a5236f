"""References for convolutions of int8. The order of their weights is the exporter's, which
ExecuTorch's own definitions of these ops do not follow: channels are innermost."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F


def _requantized(y: Tensor, scale: float, zero: int, activation: str) -> Tensor:
    y = y.relu() if activation == "relu" else y
    return (torch.round(y / scale) + zero).clamp(-128, 127).to(torch.int8)


def _unpacked(weights: Tensor, channels: int, kernel: list[int]) -> Tensor:
    """[columns, channels of a group, height, width] of rows that are padded."""
    rows = weights[:, : math.prod(kernel) * channels]
    return rows.reshape(len(rows), *kernel, channels).permute(0, 3, 1, 2)


def _conv(
    x: Tensor, x_scale: float, x_zero: int, weight: Tensor, scales: Tensor, bias: Tensor | None,
    window: dict[str, Any],
) -> Tensor:  # fmt: skip
    columns = weight.shape[0]
    real = weight.double() * scales.double()[:columns].view(-1, 1, 1, 1)
    bias = None if bias is None else bias.double()[:columns]
    return F.conv2d((x.double() - x_zero) * x_scale, real, bias, **window)


def conv2d(
    x, x_scale, x_zero, weights, _sums, scales, y_scale, y_zero, bias, kernel, stride, padding,
    dilation, groups, activation,
) -> Tensor:  # fmt: skip
    weight = _unpacked(weights, x.shape[1] // groups, kernel)
    window = dict(stride=stride, padding=padding, dilation=dilation, groups=groups)
    y = _conv(x, x_scale, x_zero, weight, scales, bias, window)
    return _requantized(y, y_scale, y_zero, activation)


def conv2d_dw(
    x, x_scale, x_zero, weights, _sums, scales, y_scale, y_zero, bias, kernel, stride, padding,
    dilation, groups, activation,
) -> Tensor:  # fmt: skip
    """Weights are [height, width, columns]."""
    weight = weights.reshape(*kernel, -1)[..., :groups].permute(2, 0, 1).unsqueeze(1)
    window = dict(stride=stride, padding=padding, dilation=dilation, groups=groups)
    y = _conv(x, x_scale, x_zero, weight, scales, bias, window)
    return _requantized(y, y_scale, y_zero, activation)


def conv2d_transposed(
    x, x_scale, x_zero, weights, _sums, scales, y_scale, y_zero, bias, kernel, stride, padding,
    output_padding, dilation, groups, activation,
) -> Tensor:  # fmt: skip
    """Scales belong to the columns of a group, and all groups share them."""
    weight = _unpacked(weights, x.shape[1] // groups, kernel).unflatten(0, (groups, -1))
    columns, each = weight.shape[0] * weight.shape[1], weight.shape[1]
    real = weight.double() * scales.double()[:each].view(1, -1, 1, 1, 1)
    y = F.conv_transpose2d(
        (x.double() - x_zero) * x_scale,
        real.transpose(1, 2).flatten(0, 1),
        None if bias is None else bias.double()[:columns],
        stride=stride, padding=padding, output_padding=output_padding, dilation=dilation,
        groups=groups,
    )  # fmt: skip
    return _requantized(y, y_scale, y_zero, activation)


TABLE: dict[str, Callable[..., Any]] = {
    "et_vk.q8ta_conv2d.default": conv2d,
    "et_vk.q8ta_conv2d_pw.default": conv2d,
    "et_vk.q8ta_conv2d_dw.default": conv2d_dw,
    "et_vk.q8ta_conv2d_transposed.default": conv2d_transposed,
}
