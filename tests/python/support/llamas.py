"""Small Llamas with random weights, exported the way people export real ones.

`build(variant)` gives the program and a maker of fresh eager models, whose caches start empty;
`greedy` is what torch says to a prompt.
"""

import contextlib
import copy
import functools
import io
import json
import logging
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch
from executorch.examples.models.llama import export_llama_lib
from executorch.examples.models.llama.llama_transformer import construct_transformer
from executorch.examples.models.llama.model_args import ModelArgs
from executorch.extension.llm.export.config.llm_config import LlmConfig

from support import (
    fast_export,
    lowered_cache,
    lowering,  # noqa: F401  (caches the partitioner's patterns)
)

BOUND = 32  # tokens in one call; export_llama makes it one less
CONTEXT = 64  # tokens in the cache
LONG_CONTEXT = 8192
VOCABULARY = 256
LAYERS = 2
PARAMS = dict(
    dim=64,
    n_layers=LAYERS,
    n_heads=4,
    n_kv_heads=2,
    vocab_size=VOCABULARY,
    hidden_dim=96,
    norm_eps=1e-5,
    rope_theta=10000.0,
    multiple_of=32,
)
# Where what a variant is about is within a layer, or not in the layers at all.
ONE_LAYER = dict(n_layers=1)
QWEN = dict(use_hf_rope=True, use_qk_norm=True, qk_norm_before_rope=True, head_dim=16)


@dataclass(frozen=True)
class Variant:
    quantization: str | None = None
    embedding: str | None = None
    half: bool = False
    full_logits: bool = False
    dynamic: bool = True
    cache: bool = True
    context: int = CONTEXT
    params: dict = field(default_factory=dict)


VARIANTS = {
    "fp32": Variant(),
    "4w": Variant("4w", "4,32"),
    "8da4w": Variant("8da4w", "4,32"),
    "4w_half": Variant("4w", "4,32", half=True, params=ONE_LAYER),
    "4w_full_logits": Variant("4w", "4,32", full_logits=True, params=ONE_LAYER),
    "4w_static": Variant("4w", "4,32", dynamic=False, params=ONE_LAYER),
    "4w_no_cache": Variant("4w", "4,32", cache=False, params=ONE_LAYER),
    "4w_long": Variant("4w", "4,32", context=LONG_CONTEXT, params=ONE_LAYER),
    "qwen3_4w": Variant("4w", "4,32", params=QWEN),
}


@dataclass
class Llama:
    pte: bytes
    fresh: Callable[[], torch.nn.Module]


def _write_checkpoint(folder: Path, params: dict) -> None:
    (folder / "params.json").write_text(json.dumps(params))
    torch.manual_seed(0)
    model = construct_transformer(
        ModelArgs(max_seq_len=BOUND, max_context_len=CONTEXT, use_kv_cache=False, **params)
    )
    weights = {k: v.clone() for k, v in model.state_dict().items() if k.endswith("weight")}
    for name, weight in weights.items():
        noise = torch.randn_like(weight)
        weights[name] = 1 + 0.1 * noise if "norm" in name else noise * 0.1
    torch.save(weights, folder / "weights.pth")


def make_config(folder: Path, variant: Variant) -> LlmConfig:
    config = LlmConfig()
    config.base.checkpoint = str(folder / "weights.pth")
    config.base.params = str(folder / "params.json")
    config.model.use_kv_cache = variant.cache
    config.model.use_sdpa_with_kv_cache = variant.cache
    config.model.enable_dynamic_shape = variant.dynamic
    config.export.max_seq_length = BOUND
    config.export.max_context_length = variant.context
    config.export.output_name = str(folder / "model.pte")
    config.quantization.qmode = variant.quantization
    config.quantization.group_size = 32 if variant.quantization else None
    config.quantization.embedding_quantize = variant.embedding
    config.backend.vulkan.enabled = True
    config.backend.vulkan.force_fp16 = variant.half
    config.debug.generate_full_logits = variant.full_logits
    return config


@functools.cache
def build(name: str) -> Llama:
    variant = VARIANTS[name]
    with tempfile.TemporaryDirectory() as temporary, _quiet():
        folder = Path(temporary)
        _write_checkpoint(folder, {**PARAMS, **variant.params})
        config = make_config(folder, variant)
        eager = export_llama_lib.get_llama_model(copy.deepcopy(config))[0].eval()
        sources = (__file__, *fast_export.SOURCES)
        pte = lowered_cache.cached(f"llama {name}", sources, lambda: _export(config))
    return Llama(pte, lambda: copy.deepcopy(eager))


def _export(config: LlmConfig) -> bytes:
    export_llama_lib.export_llama(config)
    return Path(config.export.output_name).read_bytes()


@contextlib.contextmanager
def _quiet():
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)


def greedy(
    model: torch.nn.Module, prompt: list[int], count: int, start: int = 0, at_once: int = BOUND
) -> list[int]:
    """The `count` most likely tokens after `prompt`, whose first token is the text's `start`-th.

    `model` reads at most `at_once` tokens in a call. It keeps what it has read, so that its next
    prompt may go on from there.
    """
    parts = [prompt[i : i + at_once] for i in range(0, len(prompt), at_once)]
    position, said = start, []
    with torch.no_grad():
        while len(said) < count:
            for part in parts:
                tokens, place = torch.tensor([part]), {"input_pos": torch.tensor([position])}
                logits = torch.utils._pytree.tree_leaves(model(tokens, place))[0]
                position += len(part)
            # Of all tokens that were read, or just of the last.
            said.append(int(logits.reshape(-1, logits.shape[-1])[-1].argmax()))
            parts = [said[-1:]]
    return said
