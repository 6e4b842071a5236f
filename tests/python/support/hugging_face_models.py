"""Small models with random weights in the format of Hugging Face, and what torch says of them.

`logits` takes the weights by their names in the files, and spells the model out the way those names
are meant: heads turn by halves, and groups of heads share keys and values.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

VOCABULARY, WIDTH, HIDDEN = 256, 64, 96
HEADS, KV_HEADS = 4, 2
SHARED = {
    "hidden_size": WIDTH,
    "intermediate_size": HIDDEN,
    "vocab_size": VOCABULARY,
    "num_hidden_layers": 1,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "rms_norm_eps": 1e-6,
    "hidden_act": "silu",
}
LLAMA3_ROPE = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
CONFIGS = {
    # Its embedding is its last layer as well, and far frequencies are slowed down.
    "llama": SHARED
    | {
        "model_type": "llama",
        "rope_theta": 500000.0,
        "rope_scaling": LLAMA3_ROPE,
        "tie_word_embeddings": True,
        "bos_token_id": 7,
        "eos_token_id": [8, 9],
    },
    # Its heads are wider than its width says, and are normalized.
    "qwen3": SHARED
    | {
        "model_type": "qwen3",
        "head_dim": 32,
        "rope_theta": 1000000.0,
        "eos_token_id": 5,
        "use_sliding_window": False,
        "sliding_window": 4,
    },
}


@dataclass
class HuggingFaceModel:
    config: dict
    weights: dict[str, torch.Tensor]

    def write(self, folder: Path, files: int = 1) -> Path:
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(self.config))
        names = list(self.weights)
        if files == 1:
            save_file(self.weights, folder / "model.safetensors")
            return folder
        places = {name: f"model-{i % files}.safetensors" for i, name in enumerate(names)}
        for file in sorted(set(places.values())):
            held = {name: self.weights[name] for name in names if places[name] == file}
            save_file(held, folder / file)
        index = {"metadata": {}, "weight_map": places}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        return folder

    @property
    def head(self) -> int:
        return self.config.get("head_dim", WIDTH // HEADS)

    def weight(self, name: str) -> torch.Tensor:
        return self.weights[f"{name}.weight"].float()

    def logits(self, tokens: torch.Tensor) -> torch.Tensor:
        """[S] to [S, VOCABULARY]."""
        embedding = self.weight("model.embed_tokens")
        x = embedding[tokens]
        layer = "model.layers.0"
        x = x + self._attention(f"{layer}.self_attn", self._norm(x, f"{layer}.input_layernorm"))
        y = self._norm(x, f"{layer}.post_attention_layernorm")
        gate, up, down = (self.weight(f"{layer}.mlp.{n}_proj") for n in ("gate", "up", "down"))
        x = x + (F.silu(y @ gate.T) * (y @ up.T)) @ down.T
        tied = "lm_head.weight" not in self.weights
        return self._norm(x, "model.norm") @ (embedding if tied else self.weight("lm_head")).T

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.config["rms_norm_eps"])
        return x * scale * self.weight(name)

    def _attention(self, name: str, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[0]
        q, k, v = (
            (x @ self.weight(f"{name}.{part}_proj").T).view(length, -1, self.head) for part in "qkv"
        )
        if f"{name}.q_norm.weight" in self.weights:
            q, k = self._norm(q, f"{name}.q_norm"), self._norm(k, f"{name}.k_norm")
        q, k = self._turn(q), self._turn(k)
        k, v = (t.repeat_interleave(HEADS // KV_HEADS, dim=1) for t in (k, v))
        q, k, v = (t.transpose(0, 1) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(0, 1).flatten(1) @ self.weight(f"{name}.o_proj").T

    def _turn(self, x: torch.Tensor) -> torch.Tensor:
        half = self.head // 2
        angles = torch.outer(torch.arange(x.shape[0]).float(), self._frequencies())[:, None]
        low, high = x[..., :half], x[..., half:]
        cos, sin = angles.cos(), angles.sin()
        return torch.cat((low * cos - high * sin, high * cos + low * sin), dim=-1)

    def _frequencies(self) -> torch.Tensor:
        frequencies = self.config["rope_theta"] ** (-torch.arange(0, self.head, 2) / self.head)
        rope = self.config.get("rope_scaling")
        if not rope:
            return frequencies
        # Waves that fit into the old context often stay; those that do not even once are slowed.
        turns = rope["original_max_position_embeddings"] * frequencies / (2 * math.pi)
        low, high = rope["low_freq_factor"], rope["high_freq_factor"]
        kept = ((turns - low) / (high - low)).clamp(0, 1)
        return frequencies * (kept + (1 - kept) / rope["factor"])


def make(name: str, dtype=torch.float32) -> HuggingFaceModel:
    config = CONFIGS[name]
    head = config.get("head_dim", WIDTH // HEADS)
    layer = "model.layers.0"
    shapes = {
        "model.embed_tokens": (VOCABULARY, WIDTH),
        "model.norm": (WIDTH,),
        f"{layer}.input_layernorm": (WIDTH,),
        f"{layer}.post_attention_layernorm": (WIDTH,),
        f"{layer}.self_attn.q_proj": (HEADS * head, WIDTH),
        f"{layer}.self_attn.k_proj": (KV_HEADS * head, WIDTH),
        f"{layer}.self_attn.v_proj": (KV_HEADS * head, WIDTH),
        f"{layer}.self_attn.o_proj": (WIDTH, HEADS * head),
        f"{layer}.mlp.gate_proj": (HIDDEN, WIDTH),
        f"{layer}.mlp.up_proj": (HIDDEN, WIDTH),
        f"{layer}.mlp.down_proj": (WIDTH, HIDDEN),
    }
    if config["model_type"] == "qwen3":
        shapes |= {f"{layer}.self_attn.{n}_norm": (head,) for n in "qk"}
    if not config.get("tie_word_embeddings"):
        shapes["lm_head"] = (VOCABULARY, WIDTH)
    generator = torch.Generator().manual_seed(len(name))
    weights = {}
    for key, shape in shapes.items():
        noise = torch.randn(shape, generator=generator)
        # Large enough that heads attend to some tokens more than to others.
        weights[f"{key}.weight"] = (1 + 0.3 * noise if "norm" in key else 0.2 * noise).to(dtype)
    return HuggingFaceModel(config, weights)
