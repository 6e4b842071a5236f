"""Attention at live lengths: over caches that grow, from any position on, and without a cache."""

import highwater
import pytest
import torch
from support.live import BOTH_KINDS, EXACT, SDPA, LiveProgram, check_live
from support.llm_modules import CachedAttention, start_of
from support.lowering import assert_delegated, lower
from support.modules import live
from torch import nn

CACHED = "sdpa_with_kv_cache.default"
CAPACITY, MOST = 160, 64
# New tokens, and how many came before: prompts, answers, the end of the cache, a new start. A short
# call late in a long context is cut into parts.
TURNS = ((64, 0), (13, 64), (1, 77), (64, 78), (5, 142), (1, 147), (12, 148), (3, 0), (37, 3))
LIVE = {1: live(most=MOST)}


def qkv(length, heads, kv_heads, head_dim):
    sizes = (heads, kv_heads, kv_heads)
    return tuple(torch.randn(1, length, size, head_dim) for size in sizes)


# name: query heads, kv heads, head dim
HEADS = {
    "grouped": (6, 2, 16),
    "one for all": (4, 1, 8),
    "one for each": (3, 3, 32),
    "large groups": (16, 2, 4),
    "odd quads": (4, 2, 12),
    # On a GPU each chunk of the context is looked at in parts, and quads are not shared evenly.
    "many": (32, 16, 72),
    "no whole quads": (4, 2, 6),
    "rows of no whole quads": (3, 1, 7),
}


@pytest.mark.parametrize("heads", HEADS)
def test_with_a_cache(heads):
    program = check_live(
        CachedAttention(*HEADS[heads][1:], CAPACITY),
        lambda turn: (*qkv(turn[0], *HEADS[heads]), torch.tensor([turn[1]])),
        (LIVE, LIVE, LIVE, None),
        ops=[CACHED],
        lengths=TURNS,
        tolerance=SDPA,
        kinds=BOTH_KINDS,
    )
    if heads == "grouped":
        assert len(program.routes) > 1, f"only {program.routes}"


# 256 is the widest head that a tile takes. Kernels for such heads are long, and so not all run.
@pytest.mark.parametrize(
    ("head_dim", "kinds"), [(128, ("software",)), (256, ("gpu",)), (260, (None,))]
)
def test_wide_heads(head_dim, kinds):
    size = {1: live(most=8)}
    check_live(
        CachedAttention(1, head_dim, capacity=16),
        lambda turn: (*qkv(turn[0], 2, 1, head_dim), torch.tensor([turn[1]])),
        (size, size, size, None),
        ops=[CACHED],
        lengths=((8, 0), (5, 8), (1, 13), (2, 14), (3, 0), (1, 3)),
        tolerance=SDPA,
        kinds=kinds,
    )


class Fused(CachedAttention):
    """The op that does it all, which has the length as an argument as well."""

    def forward(self, q, k, v, position):
        start = start_of(position, q.shape[1], self.k_cache.shape[1])
        return torch.ops.llama.sdpa_with_kv_cache(
            *(q, k, v, self.k_cache, self.v_cache, start, q.shape[1], None, 0.0, True, self.scale)
        )


class Masked(CachedAttention):
    """With a mask over all of the cache instead of causality."""

    def forward(self, q, k, v, position, mask):
        start = start_of(position, q.shape[1], self.k_cache.shape[1])
        torch.ops.llama.update_cache(k, self.k_cache, start)
        torch.ops.llama.update_cache(v, self.v_cache, start)
        return torch.ops.llama.custom_sdpa(
            q, self.k_cache, self.v_cache, start, mask, 0.0, False, self.scale
        )


class From9(CachedAttention):
    """Always from the same position, which is then written in the program."""

    def forward(self, q, k, v):
        torch.ops.llama.update_cache(k, self.k_cache, 9)
        torch.ops.llama.update_cache(v, self.v_cache, 9)
        return torch.ops.llama.custom_sdpa(q, self.k_cache, self.v_cache, 9, None, 0.0, True)


# name: class, scale, what it gets beside q, k and v for a turn, and the live dims of that
FORMS = {
    "a scale": (CachedAttention, 0.7, lambda n, at: (torch.tensor([at]),), (None,)),
    "the fused op": (Fused, None, lambda n, at: (torch.tensor([at]),), (None,)),
    "a mask": (
        Masked,
        0.3,
        lambda n, at: (torch.tensor([at]), torch.randn(n, CAPACITY)),
        (None, {0: live(most=MOST)}),
    ),
    "a fixed position": (From9, None, lambda n, at: (), ()),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_it(form):
    make, scale, more, dynamic = FORMS[form]
    check_live(
        make(2, 16, CAPACITY, scale),
        lambda turn: (*qkv(turn[0], 6, 2, 16), *more(*turn)),
        (LIVE, LIVE, LIVE, *dynamic),
        ops=[CACHED],
        lengths=TURNS,
        tolerance=SDPA,
        kinds=BOTH_KINDS,
    )


def test_past_the_cache_is_refused_and_leaves_it_as_it_was():
    module = CachedAttention(2, 16, CAPACITY)
    inputs = (*qkv(MOST, 6, 2, 16), torch.tensor([0]))
    program = LiveProgram(lower(module, inputs, (LIVE, LIVE, LIVE, None)))
    for length, start in ((64, 0), (64, 64), (31, 128)):
        program.check(module, *qkv(length, 6, 2, 16), torch.tensor([start]), tolerance=SDPA)
        for beyond in (CAPACITY - length + 1, CAPACITY, -1, 2**31 - 1):
            program.check_rejects(*qkv(length, 6, 2, 16), torch.tensor([beyond]))
            assert "run past" in highwater.last_error()
    # Sees all of the cache, and so would see anything that the refused calls had written.
    program.check(module, *qkv(1, 6, 2, 16), torch.tensor([159]), tolerance=SDPA)


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(1, CAPACITY, 2, 6))

    def forward(self, value, position):
        start = start_of(position, value.shape[1], CAPACITY)
        torch.ops.llama.update_cache(value, self.cache, start)
        return self.cache[:, :, :, 1:]


def test_a_cache_alone():
    module = Cache()
    pte = lower(module, (torch.randn(1, MOST, 2, 6), torch.tensor([0])), (LIVE, None))
    assert_delegated(pte, "update_cache.default")
    program = LiveProgram(pte)
    for length, start in ((7, 3), (64, 90), (1, 159), (2, 0), (37, 5), (64, 96)):
        value = torch.randn(1, length, 2, 6)
        program.check_rejects(value, torch.tensor([CAPACITY + 1 - length]))
        program.check(module, value, torch.tensor([start]), tolerance=EXACT)


class Attention(nn.Module):
    def __init__(self, scale=None):
        super().__init__()
        self.scale = scale

    def forward(self, q, k, v, mask=None):
        return torch.ops.et_vk.sdpa.default(q, k, v, mask, self.scale)


# name: scale, batch, heads, head dim, dims of the mask for so many queries and keys
PLAIN = {
    "plain": (None, 1, 4, 16, None),
    "a batch": (None, 3, 2, 8, None),
    "no whole quads": (0.5, 1, 3, 6, None),
    "a mask": (0.2, 2, 4, 16, lambda n, t: (1, 1, n, t)),
    "a mask for each head": (None, 2, 4, 16, lambda n, t: (2, 4, n, t)),
}


@pytest.mark.parametrize("plain", PLAIN)
def test_without_a_cache(plain):
    """Queries and keys have live lengths of their own."""
    scale, batch, heads, head_dim, mask = PLAIN[plain]
    n, t = live("n", least=0), live("t")
    dynamic = ({2: n}, {2: t}, {2: t}, {2: n, 3: t})

    def inputs(lengths):
        queries, keys = lengths
        sizes = (queries, keys, keys)
        masks = (torch.randn(mask(queries, keys)),) if mask else ()
        return (*(torch.randn(batch, heads, size, head_dim) for size in sizes), *masks)

    check_live(
        Attention(scale),
        inputs,
        dynamic if mask else dynamic[:3],
        ops=["et_vk.sdpa.default"],
        lengths=((128, 128), (100, 37), (1, 127), (0, 37), (64, 1), (37, 64), (1, 1), (128, 128)),
        tolerance=SDPA,
        kinds=BOTH_KINDS,
    )
