"""Writes a Llama as GGUF, as llama.cpp reads it.

    python -m benchmarks.llama_gguf MODEL model.gguf=OUTPUT WEIGHTS

Its Q4_0 is what the other files have, too: numbers from -8 to 7, and a scale for each 32 of them.
But a scale is a 16-bit float there, to which ours is rounded.
"""

import sys
from pathlib import Path

import numpy as np

from benchmarks import files
from benchmarks.llama import Llama
from benchmarks.models import named

# A block of Q4_0: a scale in two bytes, then 32 numbers, two in a byte.
BLOCK = 32
LAYER_PARTS = {
    "attention.wq": "attn_q",
    "attention.wk": "attn_k",
    "attention.wv": "attn_v",
    "attention.wo": "attn_output",
    "attention_norm": "attn_norm",
    "feed_forward.w1": "ffn_gate",
    "feed_forward.w2": "ffn_down",
    "feed_forward.w3": "ffn_up",
    "ffn_norm": "ffn_norm",
}
WHOLE_PARTS = {"tok_embeddings": "token_embd", "norm": "output_norm", "output": "output"}


def gguf_name(name: str) -> str:
    """`layers.3.attention.wq` is `blk.3.attn_q.weight` there."""
    if not name.startswith("layers."):
        return f"{WHOLE_PARTS[name]}.weight"
    _, layer, part = name.split(".", 2)
    return f"blk.{layer}.{LAYER_PARTS[part]}.weight"


def q4_0(values: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Rows of blocks. Byte i of a block has number i in its lower half, and i + 16 in its upper."""
    rows, columns = values.shape
    shifted = (values + 8).astype(np.uint8).reshape(rows, -1, 2, BLOCK // 2)
    packed = shifted[:, :, 0] | shifted[:, :, 1] << 4
    halves = scales.astype(np.float16).reshape(rows, columns // BLOCK, 1).view(np.uint8)
    return np.concatenate([halves, packed], axis=-1).reshape(rows, -1)


def write(model: Llama, weights: dict[str, np.ndarray], output: Path) -> None:
    from gguf import GGMLQuantizationType, GGUFWriter

    if model.group != BLOCK:
        raise ValueError(f"a scale of Q4_0 is for {BLOCK} weights, and not for {model.group}")
    writer = GGUFWriter(output, "llama")
    writer.add_name(model.name)
    writer.add_vocab_size(model.vocabulary)
    writer.add_context_length(model.context)
    writer.add_embedding_length(model.dim)
    writer.add_block_count(model.layers)
    writer.add_feed_forward_length(model.hidden)
    writer.add_head_count(model.heads)
    writer.add_head_count_kv(model.kv_heads)
    writer.add_rope_dimension_count(model.head_dim)
    writer.add_rope_freq_base(model.rope_theta)
    writer.add_layer_norm_rms_eps(model.norm_eps)
    # It is given tokens, and needs no text.
    writer.add_tokenizer_model("none")
    for name, array in weights.items():
        if name.endswith(".values"):
            stem = name.removesuffix(".values")
            blocks = q4_0(array, weights[f"{stem}.scales"])
            writer.add_tensor(gguf_name(stem), blocks, raw_dtype=GGMLQuantizationType.Q4_0)
        elif name.endswith(".weight"):
            writer.add_tensor(gguf_name(name.removesuffix(".weight")), array.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    chosen, output, arrays = sys.argv[1:]
    with files.completed(Path(output.split("=", 1)[1])) as partial:
        write(named(chosen), dict(np.load(arrays)), partial)
