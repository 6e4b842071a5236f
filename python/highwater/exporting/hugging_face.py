"""Models as Hugging Face keeps them: where they are, and what config.json says, in the words of
`export_llama`. `hugging_face_weights` does the same for weights."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.errors import HighwaterError, need

KINDS = ("llama", "mistral", "qwen2", "qwen3")
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")
PATTERNS = ["*.json", "model*.safetensors"]  # what is wanted of a model on the hub

_LLAMA3_ROPE = {"low_freq_factor": 1, "original_max_position_embeddings": 8192}


@dataclass(frozen=True)
class Model:
    folder: Path
    params: dict[str, Any]  # as in export_llama's params.json
    window: int | None  # how far attention looks back, if that has an end
    bos_id: int | None
    eos_ids: tuple[int, ...]

    @property
    def tokenizer_files(self) -> list[Path]:
        return [self.folder / name for name in TOKENIZER_FILES if (self.folder / name).is_file()]


def find(name: str) -> Path:
    """The folder `name`, or the model of that name from the hub or its cache."""
    if Path(name).is_dir():
        return Path(name)
    what = f"There is no folder {name}; to look for it on Hugging Face's hub"
    hub = need("huggingface_hub", "export", what)
    try:
        return Path(hub.snapshot_download(name, allow_patterns=PATTERNS))
    except Exception as error:
        raise HighwaterError(
            f"There is no folder {name}, and a model of that name could not be had from Hugging "
            f"Face's hub ({type(error).__name__}). If this machine is offline, copy the model's "
            "folder here and give its path."
        ) from error


def read(folder: Path) -> Model:
    config = read_json(folder / "config.json")
    return Model(
        folder=folder,
        params=_params(config),
        window=config.get("sliding_window") if config.get("use_sliding_window", True) else None,
        bos_id=config.get("bos_token_id"),
        eos_ids=_ends(folder, config),
    )


def read_json(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise HighwaterError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise HighwaterError(f"{path} is not JSON: {error}.") from error


def _ends(folder: Path, config: dict[str, Any]) -> tuple[int, ...]:
    """The tokens that end a text; chat models name more of them for generation."""
    configs = [config]
    if (folder / "generation_config.json").is_file():
        configs.insert(0, read_json(folder / "generation_config.json"))
    found: list[int] = []
    for ids in (each.get("eos_token_id") for each in configs):
        found += ids if isinstance(ids, list) else [] if ids is None else [ids]
    return tuple(dict.fromkeys(found))


def _params(config: dict[str, Any]) -> dict[str, Any]:
    kind = config.get("model_type")
    if kind not in KINDS:
        raise HighwaterError(
            f"Models of the type {kind!r} are not known here; there are recipes for "
            f"{', '.join(KINDS)}. A function of your own can export it: see "
            "highwater export --help."
        )
    if config.get("hidden_act", "silu") != "silu":
        raise HighwaterError(
            f"The activation {config['hidden_act']!r} is not known; it must be silu."
        )
    try:
        params = {
            "dim": config["hidden_size"],
            "n_layers": config["num_hidden_layers"],
            "n_heads": config["num_attention_heads"],
            "n_kv_heads": config.get("num_key_value_heads") or config["num_attention_heads"],
            "hidden_dim": config["intermediate_size"],
            "vocab_size": config["vocab_size"],
            "norm_eps": config["rms_norm_eps"],
        }
    except KeyError as error:
        raise HighwaterError(f"config.json has no {error.args[0]}.") from error
    if config.get("head_dim"):
        params["head_dim"] = config["head_dim"]
    if kind == "qwen2" or config.get("attention_bias"):
        params["attention_qkv_bias"] = True
    if kind == "qwen3":
        params |= {"use_qk_norm": True, "qk_norm_before_rope": True}
    return params | _rope(config)


def _rope(config: dict[str, Any]) -> dict[str, Any]:
    # Newer files keep all of it in one place.
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    theta = rope.get("rope_theta") or config.get("rope_theta") or 10000.0
    kind = rope.get("rope_type") or rope.get("type") or "default"
    part = rope.get("partial_rotary_factor") or config.get("partial_rotary_factor") or 1
    if part != 1:
        raise HighwaterError(
            f"config.json asks to rotate {part} of each head; only all of it is known."
        )
    if kind == "default":
        return {"rope_theta": theta, "use_hf_rope": True}
    if kind == "llama3" and all(rope.get(key) == value for key, value in _LLAMA3_ROPE.items()):
        # export_llama scales only rope in Meta's layout: hugging_face_weights turns them into it.
        return {
            "rope_theta": theta,
            "use_scaled_rope": True,
            "rope_scale_factor": rope["factor"],
            "high_freq_factor": rope["high_freq_factor"],
        }
    raise HighwaterError(
        f"config.json asks for rotary embeddings that are scaled as {kind!r} with {rope}, which "
        "export_llama cannot do."
    )
