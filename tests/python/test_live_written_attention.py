"""Attention that a model writes out, as products about a softmax, runs as attention."""

import torch
from support.live import BOTH_KINDS, SDPA, LiveProgram, check_live
from support.modules import live
from torch import nn

HEADS = 3


def split(x):
    return x.unflatten(-1, (HEADS, -1)).transpose(1, 2)


def written_out(q, k, v, scale):
    return scale(q @ k.transpose(-1, -2)).softmax(-1) @ v


class Ways(nn.Module):
    """Scaled in each way and not at all, of itself and of others, heads turned back and not."""

    def forward(self, x, others):
        q, k = split(x), split(others)
        return (
            written_out(q, q, q, lambda s: s * 0.25).transpose(1, 2).flatten(2),
            written_out(q, k, k, lambda s: s / 3.5).transpose(1, 2).flatten(2),
            written_out(q, k, k, lambda s: s),
        )


def two_lengths(n):
    return torch.randn(1, n[0], 8 * HEADS), torch.randn(1, n[1], 8 * HEADS)


def kernels(program: LiveProgram) -> set[str]:
    return {kernel.split("/")[0] for route in program.routes for kernel in route}


def test_ways():
    program = check_live(
        Ways(),
        two_lengths,
        ({1: live(most=67)}, {1: live("others", most=71)}),
        lengths=((67, 71), (1, 71), (37, 2), (64, 64), (5, 67), (33, 1), (67, 71)),
        tolerance=SDPA,
        kinds=BOTH_KINDS,
    )
    assert not {k for k in kernels(program) if k.startswith(("matmul_", "softmax"))}


class Masked(nn.Module):
    """A mask may hide all keys, of which a softmax makes another thing than attention."""

    def forward(self, x, mask):
        q = split(x)
        return ((q @ q.transpose(-1, -2) + mask).softmax(-1) @ q).transpose(1, 2).flatten(2)


def test_a_mask_stays_with_its_softmax():
    length = live(most=31)
    program = check_live(
        Masked(),
        lambda n: (torch.randn(1, n, 8 * HEADS), torch.full((1, 1, n, n), -3e38)),
        ({1: length}, {2: length, 3: length}),
        lengths=(31, 2, 17, 31),
        tolerance=SDPA,
        over_bound=False,
    )
    assert "softmax" in kernels(program)
