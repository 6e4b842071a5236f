"""The models that are measured: Llamas with random weights, of 4 bits in groups of 32.

Nothing here needs a package, so that every process of the benchmark can read it.
"""

import hashlib
import json
from dataclasses import asdict, dataclass

GROUP = 32  # weights that share a scale
LONGEST_PROMPT = 512
CONTEXT = 1024  # tokens that the cache has room for
DECODE_AT = 128  # tokens that are in the cache when one more is decoded


@dataclass(frozen=True)
class Model:
    name: str
    dim: int
    layers: int
    heads: int
    kv_heads: int
    hidden: int
    vocabulary: int
    longest_prompt: int = LONGEST_PROMPT
    context: int = CONTEXT
    decode_at: int = DECODE_AT
    norm_eps: float = 1e-5
    rope_theta: float = 10000.0

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads

    def llama_params(self) -> dict:
        """In the words of ExecuTorch's Llama."""
        return dict(
            dim=self.dim,
            n_layers=self.layers,
            n_heads=self.heads,
            n_kv_heads=self.kv_heads,
            hidden_dim=self.hidden,
            vocab_size=self.vocabulary,
            norm_eps=self.norm_eps,
            rope_theta=self.rope_theta,
        )

    def fingerprint(self, *more: str) -> str:
        """Names a file that is made of this model and of whatever `more` stands for."""
        text = json.dumps([asdict(self), GROUP, *more])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Step:
    """One call of a model: `tokens` new ones, after `position` that are in the cache already."""

    tokens: int
    position: int = 0

    @property
    def name(self) -> str:
        return f"decode at {self.position}" if self.position else f"prefill {self.tokens}"


def steps(model: Model, lengths: list[int]) -> list[Step]:
    """Prompts, shortest first, and then a token after the last that the decode needs."""
    return [*(Step(n) for n in sorted(set(lengths))), Step(1, model.decode_at)]


MODELS = {
    model.name: model
    for model in (
        # For the benchmark's own test: nothing that it says about speed is of use.
        Model("toy", 64, 2, 4, 2, 96, 256, longest_prompt=16, context=32, decode_at=8),
        Model("tiny", 256, 4, 8, 4, 704, 2048),
        Model("mid", 1024, 8, 16, 8, 2816, 32000),
    )
}
