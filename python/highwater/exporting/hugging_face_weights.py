"""The weights of Hugging Face's Llamas and Qwens, under the names and in the layout that
`export_llama` takes."""

import re
from pathlib import Path
from typing import Any

from highwater.errors import HighwaterError, need
from highwater.exporting.hugging_face import Model, read_json

# Their names of a layer's parts, and export_llama's.
_PARTS = {
    "self_attn.q_proj": "attention.wq",
    "self_attn.k_proj": "attention.wk",
    "self_attn.v_proj": "attention.wv",
    "self_attn.o_proj": "attention.wo",
    "self_attn.q_norm": "attention.q_norm_fn",
    "self_attn.k_norm": "attention.k_norm_fn",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "feed_forward.w1",
    "mlp.down_proj": "feed_forward.w2",
    "mlp.up_proj": "feed_forward.w3",
}
_WHOLE = {
    "model.embed_tokens.weight": "tok_embeddings.weight",
    "model.norm.weight": "norm.weight",
    "lm_head.weight": "output.weight",
}
_IN_LAYER = re.compile(r"model\.layers\.(?P<layer>\d+)\.(?P<part>.+)\.(?P<kind>weight|bias)")


def write_checkpoint(model: Model, path: Path) -> None:
    """The weights under export_llama's names, as a file for it."""
    import torch

    weights = {}
    for file in _weight_files(model.folder):
        for name, weight in _load(file).items():
            renamed = _rename(name)
            if renamed is not None:
                weights[renamed] = _to_pairs(renamed, weight, model.params)
    if "output.weight" not in weights and "tok_embeddings.weight" in weights:
        weights["output.weight"] = weights["tok_embeddings.weight"]
    torch.save(weights, path)


def _weight_files(folder: Path) -> list[Path]:
    """Not simply all there are: some folders hold the same weights a second time."""
    index = folder / "model.safetensors.index.json"
    names = {"model.safetensors"}
    if index.is_file():
        names = set(read_json(index)["weight_map"].values())
    for name in sorted(names):
        if not (folder / name).is_file():
            raise HighwaterError(f"{folder} has no {name}.")
    return [folder / name for name in sorted(names)]


def _load(file: Path) -> dict[str, Any]:
    safetensors = need("safetensors", "export", f"{file}")
    load_file = need("safetensors.torch", "export", f"{file}").load_file
    try:
        return load_file(file)
    except safetensors.SafetensorError as error:
        raise HighwaterError(f"{file} is not a safetensors file: {error}.") from error


def _rename(name: str) -> str | None:
    """None for what is computed anyway."""
    if name.endswith("rotary_emb.inv_freq"):
        return None
    in_layer = _IN_LAYER.fullmatch(name)
    if in_layer and in_layer["part"] in _PARTS:
        return f"layers.{in_layer['layer']}.{_PARTS[in_layer['part']]}.{in_layer['kind']}"
    if name in _WHOLE:
        return _WHOLE[name]
    raise HighwaterError(f"The checkpoint has {name}, which is no part of a Llama or Qwen.")


def _to_pairs(name: str, weight: Any, params: dict[str, Any]) -> Any:
    """Hugging Face's rope turns the first half of a head against the second. Meta's turns pairs of
    neighbours, so the rows of q and k that belong together become neighbours."""
    if params.get("use_hf_rope") or not re.search(r"\.(wq|wk|q_norm_fn|k_norm_fn)\.", name):
        return weight
    head = params.get("head_dim") or params["dim"] // params["n_heads"]
    halves = weight.unflatten(0, (-1, 2, head // 2))
    return halves.transpose(1, 2).flatten(0, 2).contiguous()
