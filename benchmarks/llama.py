"""Llamas with random weights of 4 bits, which read prompts and decode token by token."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from benchmarks.environments import WITHOUT_TORCH
from benchmarks.model import (
    GGUF,
    HIGHWATER,
    ONNX,
    REFERENCE,
    TORCH,
    WEIGHTS,
    XNNPACK,
    Form,
    Maker,
    Model,
    Step,
)

if TYPE_CHECKING:
    import numpy as np

# The programs for ExecuTorch, and what the ONNX graph is made of.
EXPORTER = Maker(
    "llama_export",
    ("executorch",),
    ("benchmarks/llama_export.py",),
)
WRITER = Maker(
    "llama_onnx",
    (WITHOUT_TORCH,),
    (*EXPORTER.sources, "benchmarks/llama_onnx.py", "benchmarks/requirements.txt"),
    reads=(WEIGHTS,),
)
GGUF_WRITER = replace(
    WRITER,
    module="llama_gguf",
    sources=(*EXPORTER.sources, "benchmarks/llama_gguf.py", "benchmarks/requirements.txt"),
)


@dataclass(frozen=True)
class Llama(Model):
    dim: int
    layers: int
    heads: int
    kv_heads: int
    hidden: int
    vocabulary: int
    longest_prompt: int = 512
    context: int = 1024  # tokens that the cache has room for
    decode_at: tuple[int, ...] = (128,)  # tokens in the cache when one more is decoded
    group: int = 32  # weights that share a scale
    norm_eps: float = 1e-5
    rope_theta: float = 10000.0

    # The engines for CPUs round activations to 8 bits, and so may be further from torch.
    forms: ClassVar[dict[str, Form]] = {
        HIGHWATER: Form("4w", 1e-3),
        XNNPACK: Form("8da4w", 0.1),
        ONNX: Form("4-bit products by 8 bits where it can", 0.1),
        GGUF: Form("Q4_0 by 8 bits, cache in float16", 0.1),
    }
    lacks: ClassVar[dict[str, str]] = {
        TORCH: "torch turns 4-bit weights to floats in every call: it gives the numbers, not times"
    }
    makers: ClassVar[dict[str, Maker]] = {
        **dict.fromkeys((HIGHWATER, XNNPACK, WEIGHTS, REFERENCE), EXPORTER),
        ONNX: WRITER,
        GGUF: GGUF_WRITER,
    }

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads

    def about(self) -> str:
        return (
            f"a Llama of 4 bits, dim {self.dim}, {self.layers} layers, {self.heads} heads "
            f"({self.kv_heads} for keys), hidden {self.hidden}, vocabulary {self.vocabulary}"
        )

    def with_context(self, tokens: int) -> Llama:
        """The same with another cache, of which more and more is full when it decodes."""
        places = [128 * 4**power for power in range(20) if 128 * 4**power < tokens - 1]
        name = f"{self.name}@{tokens}"
        return replace(self, name=name, context=tokens, decode_at=(*places, tokens - 1))

    def steps(self, lengths: list[int], quick: bool) -> list[Step]:
        """Prompts, shortest first, and then single tokens after more and more others."""
        prefills = [Step(f"prefill {n}", n) for n in sorted(set(lengths))]
        return [*prefills, *(Step(f"decode at {n}", 1, n) for n in self.decode_at)]

    def portions(self, start: int, end: int) -> list[Step]:
        """Prompts that bring the cache from so many tokens to so many."""
        ends = [*range(self.longest_prompt, end, self.longest_prompt), end]
        later = [n for n in ends if n > start]
        return [
            Step("fill the cache", n - begin, begin)
            for begin, n in zip([start, *later], later, strict=False)
        ]

    def checked_lengths(self) -> list[int]:
        """After how many tokens of the text torch's logits are kept: wherever a step may end."""
        prompts = range(1, self.longest_prompt + 1)
        portions = range(self.longest_prompt, max(self.decode_at), self.longest_prompt)
        tokens = (n + more for n in self.decode_at for more in (0, 1))
        return sorted({*prompts, *portions, *tokens})

    def inputs(self, step: Step, reference: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
        """All steps read the same text, so that the cache always holds the start of it."""
        import numpy as np

        text = reference["prompt"][step.position : step.position + step.work]
        return text[None], np.array([step.position])

    def expected(self, step: Step, reference: dict[str, np.ndarray]) -> np.ndarray:
        (at,) = (reference["lengths"] == step.position + step.work).nonzero()
        return reference["logits"][at[0]]

    def onnx_inputs(self, tokens: np.ndarray, position: np.ndarray) -> dict[str, np.ndarray]:
        import numpy as np

        total = position[0] + tokens.shape[1]
        return {
            "tokens": tokens,
            "last_positions": np.array([[total - 1]], np.int32),
            "total_length": np.array(total, np.int32),
        }

    def onnx_caches(self) -> list[tuple[str, str, tuple[int, ...]]]:
        names = [f"{what}_{layer}" for layer in range(self.layers) for what in ("key", "value")]
        shape = (1, self.kv_heads, self.context, self.head_dim)
        return [(f"past_{name}", name, shape) for name in names]

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
