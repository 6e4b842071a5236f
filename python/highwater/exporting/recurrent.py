"""LSTM and GRU layers that torch can export at any length.

torch takes such a layer apart step by step, and so fixes its length. While `kept_whole()` holds,
modules that are traced call ops of ours instead, which stand for all steps of a layer in one
direction; the products with its input stay torch's own.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from highwater.exporting.attributes import replaced

_library = torch.library.Library("highwater", "FRAGMENT")
_library.define(
    "lstm_scan(Tensor gates, Tensor h, Tensor c, Tensor weight, Tensor bias, bool batch_first, "
    "bool backwards) -> (Tensor, Tensor, Tensor)"
)
_library.define(
    "gru_scan(Tensor gates, Tensor h, Tensor weight, Tensor bias, bool batch_first, "
    "bool backwards) -> (Tensor, Tensor)"
)


@contextlib.contextmanager
def kept_whole() -> Iterator[None]:
    """`torch.lstm` and `torch.gru`, which nn.LSTM and nn.GRU call, are ours meanwhile."""
    with replaced((torch._VF, "lstm", _lstm), (torch._VF, "gru", _gru)):
        yield


def _lstm(x: Tensor, state: Sequence[Tensor], weights: Sequence[Tensor], *options):
    h, c = state
    y, (h_last, c_last) = _layers(_lstm_layer, x, (h, c), weights, *options)
    return y, h_last, c_last


def _gru(x: Tensor, h: Tensor, weights: Sequence[Tensor], *options):
    y, (h_last,) = _layers(_gru_layer, x, (h,), weights, *options)
    return y, h_last


def _layers(
    layer: Callable,
    x: Tensor,
    states: tuple[Tensor, ...],
    weights: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    directions = 2 if bidirectional else 1
    each = len(weights) // (num_layers * directions)
    last = []
    for number in range(num_layers):
        outputs = []
        for direction in range(directions):
            index = number * directions + direction
            w_ih, w_hh, *others = weights[index * each : (index + 1) * each]
            b_ih, b_hh = others[:2] if has_biases else (None, w_hh.new_zeros(w_hh.shape[0]))
            gates = torch.nn.functional.linear(x, w_ih, b_ih)
            state = [s[index] for s in states]
            y, *state = layer(gates, state, w_hh, b_hh, batch_first, direction == 1)
            # A projection of the hidden state would be part of each step.
            if len(others) > (2 if has_biases else 0):
                raise NotImplementedError("an LSTM with proj_size")
            outputs.append(y)
            last.append(state)
        x = torch.cat(outputs, -1) if bidirectional else outputs[0]
    return x, tuple(torch.stack(each) for each in zip(*last, strict=True))


def _lstm_layer(gates, state, weight, bias, batch_first, backwards):
    return torch.ops.highwater.lstm_scan(gates, *state, weight, bias, batch_first, backwards)


def _gru_layer(gates, state, weight, bias, batch_first, backwards):
    return torch.ops.highwater.gru_scan(gates, *state, weight, bias, batch_first, backwards)


def _scan(cell: Callable, gates: Tensor, state: list[Tensor], batch_first: bool, backwards: bool):
    """What the ops mean, step by step."""
    steps = list(gates.unbind(1 if batch_first else 0))
    outputs = []
    for gate in reversed(steps) if backwards else steps:
        state = cell(gate, *state)
        outputs.append(state[0])
    if backwards:
        outputs.reverse()
    return torch.stack(outputs, 1 if batch_first else 0), *state


def _lstm_scan(gates, h, c, weight, bias, batch_first, backwards):
    def cell(given, h, c):
        i, f, g, o = (given + torch.nn.functional.linear(h, weight, bias)).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return [o.sigmoid() * c.tanh(), c]

    return _scan(cell, gates, [h, c], batch_first, backwards)


def _gru_scan(gates, h, weight, bias, batch_first, backwards):
    def cell(given, h):
        r, z, n = given.chunk(3, -1)
        hr, hz, hn = torch.nn.functional.linear(h, weight, bias).chunk(3, -1)
        kept = (z + hz).sigmoid()
        fresh = (n + (r + hr).sigmoid() * hn).tanh()
        return [fresh + kept * (h - fresh)]

    return _scan(cell, gates, [h], batch_first, backwards)


def _shapes(gates: Tensor, h: Tensor, *states: Tensor) -> tuple[Tensor, ...]:
    outputs = gates.new_empty((*gates.shape[:2], h.shape[-1]))
    return outputs, *(torch.empty_like(each) for each in (h, *states))


for name, meaning, states in (("lstm_scan", _lstm_scan, 2), ("gru_scan", _gru_scan, 1)):
    _library.impl(name, meaning, "CompositeExplicitAutograd")
    _library.impl(name, lambda gates, *rest, n=states: _shapes(gates, *rest[:n]), "Meta")
