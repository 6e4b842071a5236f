"""Mixtures of experts that torch can export.

transformers sorts the rows of a batch by the expert that is to compute them, so that sizes depend
on values. While `all_computed()` holds, each expert computes all rows, and those that it was not
chosen for count nothing: the same numbers, from shapes that are known before them.
"""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from highwater.exporting.attributes import replaced


@contextlib.contextmanager
def all_computed() -> Iterator[None]:
    """Whatever implementation a model of transformers asks for, its experts are ours meanwhile."""
    moe = sys.modules.get("transformers.integrations.moe")
    if moe is None:  # so that no module there can be of it
        yield
        return
    with replaced((moe.ExpertsInterface, "get_interface", lambda *_: _experts)):
        yield


def _experts(experts: Any, x: Tensor, chosen: Tensor, shares: Tensor) -> Tensor:
    """Of rows `x`, each with the experts that were `chosen` for it and their `shares` in it."""
    first = experts.gate_up_proj if experts.has_gate else experts.up_proj
    count = first.shape[0]
    numbers = torch.arange(count)
    share = ((chosen.unsqueeze(-1) == numbers) * shares.unsqueeze(-1)).sum(1)
    # All of them side by side, as one layer; then a row for each row and expert.
    y = nn.functional.linear(x, _rows_of_outputs(experts, first).flatten(0, 1))
    if experts.has_bias:
        bias = experts.gate_up_proj_bias if experts.has_gate else experts.up_proj_bias
        y = y + bias.flatten()
    y = y.reshape(-1, y.shape[-1] // count)
    y = experts._apply_gate(y) if experts.has_gate else experts.act_fn(y)
    down = _rows_of_outputs(experts, experts.down_proj)
    if experts.has_post_expert_norm:
        return _normed(experts, y.reshape(-1, count, y.shape[-1]), down, share)
    # The sum over the experts is part of the product.
    y = y.reshape(-1, count, y.shape[-1]) * share.unsqueeze(-1).to(y.dtype)
    y = nn.functional.linear(y.flatten(1), down.transpose(0, 1).flatten(1))
    if experts.has_bias:
        y = y + share.to(y.dtype) @ experts.down_proj_bias
    return y.to(x.dtype)


def _normed(experts: Any, y: Tensor, down: Tensor, share: Tensor) -> Tensor:
    """A norm comes between the product and the sum."""
    each = torch.matmul(y.transpose(0, 1), down.transpose(1, 2))
    if experts.has_bias:
        each = each + experts.down_proj_bias.unsqueeze(1)
    each = experts.post_expert_norm(each)
    return (each * share.transpose(0, 1).unsqueeze(-1).to(each.dtype)).sum(0).to(y.dtype)


def _rows_of_outputs(experts: Any, weights: Tensor) -> Tensor:
    """An expert's weights with a row for each of its outputs."""
    return weights.transpose(1, 2) if experts.is_transposed else weights
