"""References for ops that torch has no kernel for, or whose weights exporters pack.

Each takes what a call is given, in the order of the op's row in docs/ops.md, and is written from
what the op means rather than from any kernel of it. What an op writes into is changed in place, and
None is given where its result stands for nothing.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from highwater.verifying import own_q8


def _nibbles(packed: Tensor, *, low_first: bool) -> Tensor:
    """Two signed numbers of 4 bits in each byte."""
    wide = packed.to(torch.int32) & 0xFF
    low, high = wide & 15, wide >> 4
    pair = (low, high) if low_first else (high, low)
    return (torch.stack(pair, -1).flatten(-2) - 8).float()


def _q4_weight(weights: Tensor, scales: Tensor, group: int, width: int) -> Tensor:
    """[outputs, inputs]; scales are [groups, outputs], and both may be padded."""
    numbers = _nibbles(weights, low_first=True)[:, :width]
    each = scales.float().t()[: len(numbers)].repeat_interleave(group, 1)
    return numbers * each[:, :width]


def _with_bias(y: Tensor, bias: Tensor | None) -> Tensor:
    return y if bias is None else y + bias.float()[: y.shape[-1]]


def linear_q4gsw(x: Tensor, weights: Tensor, scales: Tensor, group: int, bias=None) -> Tensor:
    return _with_bias(x.float() @ _q4_weight(weights, scales, group, x.shape[-1]).t(), bias)


def linear_q4gsw_backward(d: Tensor, weights: Tensor, scales: Tensor, group: int) -> Tensor:
    return d.float() @ _q4_weight(weights, scales, group, weights.shape[1] * 2)


def linear_dq8ca_q4gsw(
    x: Tensor, scale: Tensor, zero: Tensor, weights, _sums, scales, group, bias=None
) -> Tensor:
    """Each row of x is rounded to 8 bits first."""
    scale = scale.float().reshape(*x.shape[:-1], 1)
    zero = zero.float().reshape(*x.shape[:-1], 1)
    rounded = (torch.round(x.float() / scale) + zero).clamp(-128, 127)
    return linear_q4gsw((rounded - zero) * scale, weights, scales, group, bias)


def linear_qcs4w(x: Tensor, weight: Tensor, scales: Tensor) -> Tensor:
    numbers = _nibbles(weight, low_first=False)[:, : x.shape[-1]]
    return x.float() @ (numbers * scales.float()[: len(numbers), None]).t()


def embedding_q4gsw(weight: Tensor, scales: Tensor, group: int, indices: Tensor, linear=False):
    numbers = _nibbles(weight, low_first=bool(linear))
    rows = numbers * scales.float().reshape(len(numbers), -1).repeat_interleave(group, 1)
    return rows[indices.long()]


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    wide = x.float()
    return wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps) * weight.float()


def apply_rotary_emb(xq: Tensor, xk: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """Neighbouring elements are a pair; tables are [positions, pairs]."""
    cos, sin = cos.float()[:, None, :], sin.float()[:, None, :]

    def turned(x: Tensor) -> Tensor:
        a, b = x.float()[..., 0::2], x.float()[..., 1::2]
        return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)

    return turned(xq), turned(xk)


def apply_rotary_emb_hf(xq: Tensor, xk: Tensor, cos: Tensor, sin: Tensor, start: int):
    """An element and the one half a table's width further are a pair; what is beyond stays."""
    rows = slice(start, start + xq.shape[1])
    cos, sin = cos.float()[rows, None, :], sin.float()[rows, None, :]
    width = cos.shape[-1]

    def turned(x: Tensor) -> Tensor:
        part, rest = x.float()[..., :width], x.float()[..., width:]
        first, second = part.chunk(2, -1)
        return torch.cat((part * cos + torch.cat((-second, first), -1) * sin, rest), -1)

    return turned(xq), turned(xk)


def update_cache(value: Tensor, cache: Tensor, start: int) -> None:
    cache[:, start : start + value.shape[1]] = value.to(cache.dtype)


def sdpa_with_kv_cache(
    q: Tensor, k: Tensor, v: Tensor, key_cache: Tensor, value_cache: Tensor, start: int, *options
) -> Tensor:
    """All of [batch, positions, heads, head dim]; the length among the options is a stand-in."""
    _, mask, _, causal, scale = (*options, None, None, None, None, None)[:5]
    update_cache(k, key_cache, start)
    update_cache(v, value_cache, start)
    end = start + q.shape[1]
    shared = q.shape[2] // key_cache.shape[2]

    def heads_first(x: Tensor) -> Tensor:
        return x.float().transpose(1, 2)

    keys = heads_first(key_cache[:, :end]).repeat_interleave(shared, 1)
    values = heads_first(value_cache[:, :end]).repeat_interleave(shared, 1)
    scores = heads_first(q) @ keys.transpose(-1, -2)
    scores = scores * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if causal:
        scores += torch.full((q.shape[1], end), -math.inf).triu(start + 1)
    if mask is not None:
        scores += mask.float()[..., :end]
    return (scores.softmax(-1) @ values).transpose(1, 2)


def select_as_symint(x: Tensor, dim: int, index: int) -> int:
    return int(x.select(dim, index))


def _first(x: Tensor, *_: Any) -> Tensor:
    """Copies, which differ from what they are given in their dtype and in memory alone."""
    return x.clone()


def as_it_is(x: Tensor) -> Tensor:
    """A constant and what is prepacked of it are one, also for those who write into either."""
    return x


TABLE: dict[str, Callable[..., Any]] = {
    "aten._to_copy.default": _first,
    "aten.alias_copy.default": _first,
    "aten.clone.default": _first,
    "aten.detach_copy.default": _first,
    "aten.lift_fresh_copy.default": _first,
    "dim_order_ops._clone_dim_order.default": _first,
    "dim_order_ops._to_dim_order_copy.default": _first,
    "et_vk.apply_rotary_emb.default": apply_rotary_emb,
    "et_vk.apply_rotary_emb_hf.default": apply_rotary_emb_hf,
    "et_vk.embedding_q4gsw.default": embedding_q4gsw,
    "et_vk.linear_dq8ca_q4gsw.default": linear_dq8ca_q4gsw,
    "et_vk.linear_q4gsw.default": linear_q4gsw,
    "et_vk.linear_q4gsw_backward.default": linear_q4gsw_backward,
    "et_vk.linear_qcs4w.default": linear_qcs4w,
    "et_vk.prepack.default": as_it_is,
    "et_vk.rms_norm.default": rms_norm,
    "et_vk.select_as_symint.default": select_as_symint,
    "sdpa_with_kv_cache.default": sdpa_with_kv_cache,
    "sym_size.int": lambda x, dim: x.shape[dim],
    "update_cache.default": update_cache,
    **own_q8.TABLE,
    **{
        name: getattr(operator, name)
        for name in ("add", "eq", "floordiv", "ge", "gt", "le", "lt", "mod", "mul", "ne", "sub")
    },
}
