"""The whole idea in one test: a graph made once at its bound is right at every live shape.

Each case is one small model, lowered and loaded once, then replayed over a sequence of live shapes:
down by odd steps, to a single row, and up again. Torch says what each answer is. A length over the
bound is refused in between, and changes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from support.live import (
    BOTH_KINDS,
    EXACT,
    LENGTHS,
    Q4,
    RMS,
    SDPA,
    TRANSCENDENTAL,
    Tolerance,
    check_live,
)
from support.llama_session import Session
from support.llm_modules import CachedAttention, RopeAt, q4_embedding, q4_linear
from support.modules import WIDTH, Fn, RmsNorm, live, shapes
from torch import nn

# Enough to come by every border at which a product of matrices may change its kernel.
ROWS = (128, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 37, 64, 100, 127, 128, 2, 1, 33)
# How many new tokens, and how many came before: a prompt, an answer, the next prompt.
TURNS = ((128, 0), (13, 0), (1, 13), (1, 14), (5, 15), (1, 20), (107, 21), (1, 0), (37, 1))


class Cascade(nn.Module):
    """Each op takes its live shape from the one before it."""

    def __init__(self, layer):
        super().__init__()
        self.norm = RmsNorm()
        self.layer = layer

    def forward(self, x, y):
        h = x + y
        return torch.sigmoid(self.layer(self.norm(h))) * h


def pieces(x):
    """Slices, joins and views, whose dims are sums and products of the live one."""
    joined = torch.cat([x, x[:, 8:24].repeat(1, 4), torch.ones(3, 64)], 0)
    heads = joined.view(joined.shape[0], 8, 8).transpose(0, 1)
    return heads, heads.select(1, -1), joined[:, 3:40]


def tokens(n):
    return (torch.randint(0, 100, (1, n)),)


def rows(n):
    return (torch.randn(1, n, WIDTH),)


def heads(*counts):
    """Tensors with so many heads each, for new tokens after a live position."""
    return lambda turn: (
        *(torch.randn(1, turn[0], count, 16) for count in counts),
        torch.tensor([turn[1]]),
    )


@dataclass(frozen=True)
class Case:
    module: Callable[[], nn.Module]
    inputs: Callable[[Any], tuple]
    dynamic: Any
    tolerance: Tolerance
    op: str
    sequence: tuple = LENGTHS
    routes: int = 1  # at least so many different lists of kernels


S = live()
ONE_ROW_DIM = ({1: S},)
CASES = {
    "rms_norm": Case(RmsNorm, rows, ONE_ROW_DIM, RMS, "et_vk.rms_norm.default"),
    "rms_norm, static": Case(RmsNorm, rows, None, RMS, "et_vk.rms_norm.default", (8, 8, 8)),
    "a cascade": Case(
        lambda: Cascade(nn.Linear(WIDTH, WIDTH)),
        lambda n: rows(n) + rows(n),
        ({1: S}, {1: S}),
        RMS,
        "aten.linear.default",
        routes=2,
    ),
    "a cascade of 4 bits": Case(
        lambda: Cascade(q4_linear(WIDTH, WIDTH)),
        lambda n: rows(n) + rows(n),
        ({1: S}, {1: S}),
        Q4,
        "et_vk.linear_q4gsw.default",
        routes=2,
    ),
    "slices, joins and views": Case(
        lambda: Fn(pieces),
        lambda n: (torch.randn(n, 64),),
        shapes({0: S}),
        EXACT,
        "aten.cat.default",
    ),
    "linear_q4gsw": Case(
        lambda: q4_linear(WIDTH, 72),
        lambda n: (torch.randn(n, WIDTH),),
        ({0: S},),
        Q4,
        "et_vk.linear_q4gsw.default",
        ROWS,
        routes=2,
    ),
    "sdpa_with_kv_cache": Case(
        lambda: CachedAttention(kv_heads=2, head_dim=16, capacity=128),
        heads(6, 2, 2),
        ({1: S}, {1: S}, {1: S}, None),
        SDPA,
        "sdpa_with_kv_cache.default",
        TURNS,
        routes=2,
    ),
    "embedding_q4gsw": Case(
        lambda: q4_embedding(100, WIDTH), tokens, ONE_ROW_DIM, Q4, "et_vk.embedding_q4gsw.default"
    ),
    "rope": Case(
        lambda: RopeAt(head_dim=16, capacity=128),
        heads(6, 2),
        ({1: S}, {1: S}, None),
        TRANSCENDENTAL,
        "et_vk.apply_rotary_emb.default",
        TURNS,
    ),
    "sigmoid": Case(
        lambda: Fn(torch.sigmoid), rows, shapes({1: S}), TRANSCENDENTAL, "aten.sigmoid.default"
    ),
    "select(-1)": Case(
        lambda: Fn(lambda x: x.select(1, -1)), rows, shapes({1: S}), EXACT, "aten.select_copy.int"
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_one_graph_serves_every_live_shape(name):
    case = CASES[name]
    program = check_live(
        case.module(),
        case.inputs,
        case.dynamic,
        ops=[case.op],
        lengths=case.sequence,
        tolerance=case.tolerance,
        kinds=BOTH_KINDS,
    )
    assert len(program.routes) >= case.routes, f"only {program.routes}"


@pytest.mark.parametrize("model", ["fp32", "4w"])
def test_so_does_a_whole_model(model):
    session = Session(model)
    for count in (31, 1, 1, 7, 1, 17, 1, 2, 1):
        session.step(count)
    session.reject(3)
    session.step(2)
