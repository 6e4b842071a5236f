"""A transformer encoder as BERT has it: learned positions, and norms after each part."""

import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # Written out: torch takes its own attention apart into ops that partitioners leave.
        query, key, value = (self.split(part(x)) for part in (self.query, self.key, self.value))
        scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
        mixed = scores.softmax(-1) @ value
        return self.output(mixed.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, hidden: int):
        super().__init__()
        self.attention = Attention(width, heads)
        self.attention_norm = nn.LayerNorm(width)
        self.widen = nn.Linear(width, hidden)
        self.narrow = nn.Linear(hidden, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.attention_norm(x + self.attention(x))
        return self.norm(x + self.narrow(F.gelu(self.widen(x))))


class Encoder(nn.Module):
    """From tokens to a vector for each."""

    def __init__(self, vocabulary, longest, width, layers, heads, hidden):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(longest, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.Sequential(*(Layer(width, heads, hidden) for _ in range(layers)))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        positions = self.positions.weight[: tokens.shape[1]]
        return self.layers(self.norm(self.words(tokens) + positions))


def random_encoder(**size: int) -> Encoder:
    torch.manual_seed(0)
    network = Encoder(**size)
    for layer in network.modules():
        if isinstance(layer, nn.Linear):
            # Keeps what flows through at one scale, and attention from looking at all alike.
            nn.init.normal_(layer.weight, 0.0, layer.in_features**-0.5)
        if isinstance(layer, nn.LayerNorm):
            nn.init.normal_(layer.weight, 1.0, 0.1)
            nn.init.normal_(layer.bias, 0.0, 0.1)
    return network.eval()
