"""A decoder written the way model hubs write theirs: out of plain torch, with nothing fused.

Rotary embeddings are slices, a negation and a concatenation, heads are repeated by expansion, and
the causal mask is a comparison of two ranges.
"""

import torch
import torch.nn.functional as F
from torch import nn

from support.modules import RmsNorm

VOCABULARY = 96
WIDTH = 48
HEADS = 4
KV_HEADS = 2
HEAD = WIDTH // HEADS
LAYERS = 2
BOUND = 64


def rotate_half(x):
    low, high = x[..., : HEAD // 2], x[..., HEAD // 2 :]
    return torch.cat((-high, low), dim=-1)


def repeat_heads(x, times):
    batch, heads, length, width = x.shape
    x = x[:, :, None].expand(batch, heads, times, length, width)
    return x.reshape(batch, heads * times, length, width)


class Rotation(nn.Module):
    """Cosines and sines for the positions of tokens: computed from them, or taken from a table."""

    def __init__(self, from_table: bool):
        super().__init__()
        self.from_table = from_table
        frequencies = 1000.0 ** (-torch.arange(0, HEAD, 2) / HEAD)
        self.register_buffer("frequencies", frequencies)
        angles = torch.arange(BOUND)[:, None] * frequencies
        self.register_buffer("table", torch.cat((angles, angles), dim=-1))

    def forward(self, positions):
        if self.from_table:
            angles = self.table[: positions.shape[1]][positions]
        else:
            angles = self.frequencies[None, :, None] @ positions[:, None].float()
            angles = torch.cat((angles, angles), dim=1).transpose(1, 2)
        return angles.cos()[:, None], angles.sin()[:, None]


class Attention(nn.Module):
    def __init__(self, fused: bool):
        super().__init__()
        self.fused = fused
        self.q = nn.Linear(WIDTH, HEADS * HEAD, bias=False)
        self.k = nn.Linear(WIDTH, KV_HEADS * HEAD, bias=False)
        self.v = nn.Linear(WIDTH, KV_HEADS * HEAD, bias=False)
        self.out = nn.Linear(HEADS * HEAD, WIDTH, bias=False)

    def forward(self, x, cos, sin, mask):
        batch, length, _ = x.shape
        q, k, v = (
            layer(x).view(batch, length, -1, HEAD).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        k, v = (repeat_heads(t, HEADS // KV_HEADS) for t in (k, v))
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        else:
            scores = q @ k.transpose(2, 3) * HEAD**-0.5 + mask
            y = F.softmax(scores, dim=-1, dtype=torch.float32) @ v
        return self.out(y.transpose(1, 2).reshape(batch, length, -1))


class Layer(nn.Module):
    def __init__(self, fused: bool):
        super().__init__()
        self.before_attention = RmsNorm(WIDTH)
        self.attention = Attention(fused)
        self.before_gate = RmsNorm(WIDTH)
        self.gate = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
        self.up = nn.Linear(WIDTH, 2 * WIDTH, bias=False)
        self.down = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def forward(self, x, cos, sin, mask):
        x = x + self.attention(self.before_attention(x), cos, sin, mask)
        y = self.before_gate(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    """Tokens [B, S] and their positions [B, S] to logits [B, S, VOCABULARY]."""

    def __init__(self, *, rotation_from_table: bool, fused_attention: bool):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.rotation = Rotation(rotation_from_table)
        self.layers = nn.ModuleList(Layer(fused_attention) for _ in range(LAYERS))
        self.norm = RmsNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens, positions):
        x = self.embedding(tokens)
        cos, sin = self.rotation(positions)
        order = torch.arange(tokens.shape[1])
        seen = order[None, :] <= order[:, None]
        mask = torch.where(seen, 0.0, torch.finfo(x.dtype).min)
        for layer in self.layers:
            x = layer(x, cos, sin, mask)
        return self.head(self.norm(x))
