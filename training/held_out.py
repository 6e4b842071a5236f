"""How well a model foresees a text that it has not seen."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F

from training.places import CONTEXT


@torch.no_grad()
def loss(model: Callable, tokens: torch.Tensor, every: int = 1) -> float:
    """Nats a token, over windows of the context's length that do not overlap.

    A token is foreseen from the ones before it in its window only. `every` skips windows.
    """
    count = (len(tokens) - 1) // CONTEXT
    total = 0.0
    starts = range(0, count * CONTEXT, CONTEXT * every)
    for start in starts:
        window = tokens[start : start + CONTEXT + 1]
        logits = model(window[None, :-1])
        total += F.cross_entropy(logits[0].float(), window[1:]).item()
    return total / len(starts)


def perplexity(nats: float) -> float:
    return math.exp(nats)


def bits_per_byte(nats: float, tokens: int, size: int) -> float:
    return nats / math.log(2) * tokens / size
