"""A Llama to train: the layers and the names of its weights are those that export_llama loads."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from training.places import ARCHITECTURE, CONTEXT


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int, kv_heads: int):
        super().__init__()
        self.width = dim // heads
        self.wq = nn.Linear(dim, heads * self.width, bias=False)
        self.wk = nn.Linear(dim, kv_heads * self.width, bias=False)
        self.wv = nn.Linear(dim, kv_heads * self.width, bias=False)
        self.wo = nn.Linear(heads * self.width, dim, bias=False)

    def forward(self, x, cos, sin):
        batch, length, _ = x.shape
        q, k, v = (w(x).view(batch, length, -1, self.width) for w in (self.wq, self.wk, self.wv))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        shared = q.shape[2] // k.shape[2]
        k, v = (t.repeat_interleave(shared, 2) for t in (k, v))
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(y.transpose(1, 2).reshape(batch, length, -1))


class FeedForward(nn.Module):
    def __init__(self, dim: int, hidden: int):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, a: dict):
        super().__init__()
        self.attention = Attention(a["dim"], a["n_heads"], a["n_kv_heads"])
        self.feed_forward = FeedForward(a["dim"], a["hidden_dim"])
        self.attention_norm = nn.RMSNorm(a["dim"], eps=a["norm_eps"])
        self.ffn_norm = nn.RMSNorm(a["dim"], eps=a["norm_eps"])

    def forward(self, x, cos, sin, drop):
        x = x + drop(self.attention(self.attention_norm(x), cos, sin))
        return x + drop(self.feed_forward(self.ffn_norm(x)))


class Llama(nn.Module):
    def __init__(self, architecture: dict = ARCHITECTURE, dropout: float = 0.0):
        super().__init__()
        a = architecture
        self.tok_embeddings = nn.Embedding(a["vocab_size"], a["dim"])
        self.layers = nn.ModuleList(Block(a) for _ in range(a["n_layers"]))
        self.norm = nn.RMSNorm(a["dim"], eps=a["norm_eps"])
        self.output = nn.Linear(a["dim"], a["vocab_size"], bias=False)
        self.drop = nn.Dropout(dropout)
        cos, sin = angles(a["dim"] // a["n_heads"], CONTEXT, a["rope_theta"])
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self._start()

    def forward(self, tokens):
        length = tokens.shape[1]
        cos, sin = self.cos[:length], self.sin[:length]
        x = self.drop(self.tok_embeddings(tokens))
        for layer in self.layers:
            x = layer(x, cos, sin, self.drop)
        return self.output(self.norm(x))

    def _start(self):
        """Every block begins as the identity, and every token as likely as another."""
        for name, weight in self.named_parameters():
            if name.endswith(("wo.weight", "w2.weight", "output.weight")):
                nn.init.zeros_(weight)
            elif "tok_embeddings" in name:
                nn.init.normal_(weight, std=0.5)
            elif weight.dim() == 2:
                nn.init.normal_(weight, std=1 / math.sqrt(weight.shape[1]))


def angles(width: int, length: int, theta: float) -> tuple[torch.Tensor, torch.Tensor]:
    frequencies = theta ** -(torch.arange(0, width, 2) / width)
    turns = torch.outer(torch.arange(length), frequencies)[:, None]  # the same for every head
    return turns.cos(), turns.sin()


def rotate(x, cos, sin):
    """Turns each pair of neighbours by its angle."""
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)
