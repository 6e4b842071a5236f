"""The recipe for language models: ExecuTorch's `export_llama`, with its options chosen so that the
whole model, cache included, is one delegate."""

import contextlib
import functools
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from highwater.errors import HighwaterError
from highwater.exporting import inputs, quickly
from highwater.exporting.steps import Steps

# The position is the member of a dictionary, whose name torch puts before its own.
_NAMES = {"attn_options_input_pos": "input_pos"}


@dataclass(frozen=True)
class Options:
    quantization: str | None  # 4w, 8da4w or None
    group_size: int
    embedding: tuple[int, int] | None  # bits, group size
    half: bool
    full_logits: bool
    max_seq_length: int
    max_context_length: int
    bos_id: int | None = None
    eos_ids: tuple[int, ...] = ()

    @property
    def metadata(self) -> dict[str, Any]:
        """What runners ask a program for by these names."""
        found: dict[str, Any] = {}
        if self.bos_id is not None:
            found["get_bos_id"] = self.bos_id
        if self.eos_ids:
            found["get_eos_ids"] = list(self.eos_ids)
        return found


def export(
    checkpoint: Path, params: dict[str, Any], options: Options, output: Path, progress: Steps
) -> tuple[inputs.Input, ...]:
    """`checkpoint` and `params` have been through `checkpoint.check`."""
    from executorch.examples.models.llama.export_llama_lib import export_llama

    with tempfile.TemporaryDirectory(prefix="highwater-") as temporary:
        folder = Path(temporary)
        (folder / "params.json").write_text(json.dumps(params))
        # Not the user's path: `export_llama` takes an "int8" in it for a kind of checkpoint.
        (folder / "weights.pth").symlink_to(checkpoint.resolve())
        with quickly.lowering(), _told(options, progress) as seen:
            export_llama(_config(folder, options, output))
    return tuple(seen)


def _config(folder: Path, options: Options, output: Path) -> Any:
    from executorch.extension.llm.export.config.llm_config import LlmConfig

    config = LlmConfig()
    config.base.checkpoint = str(folder / "weights.pth")
    config.base.params = str(folder / "params.json")
    config.base.metadata = json.dumps(options.metadata)
    config.model.use_kv_cache = True
    config.model.use_sdpa_with_kv_cache = True
    config.export.max_seq_length = options.max_seq_length
    config.export.max_context_length = options.max_context_length
    config.export.output_name = str(output)
    config.quantization.qmode = options.quantization
    config.quantization.group_size = options.group_size if options.quantization else None
    if options.embedding:
        config.quantization.embedding_quantize = ",".join(map(str, options.embedding))
    config.backend.vulkan.enabled = True
    config.backend.vulkan.force_fp16 = options.half
    config.debug.generate_full_logits = options.full_logits
    return config


@contextlib.contextmanager
def _told(options: Options, progress: Steps) -> Iterator[list[inputs.Input]]:
    """Has `export_llama` tell `progress` where it is; gives the program's inputs, afterwards."""
    from executorch.extension.llm.export.builder import LLMEdgeManager

    quantizes = options.quantization or options.embedding
    steps = {
        "source_transform": "quantizing" if quantizes else "preparing",
        "export": "exporting",
        "export_to_edge": "exporting for ExecuTorch",
        "to_backend": "lowering",
        "save_to_pte": "writing",
    }
    seen: list[inputs.Input] = []

    def told(method: Any, step: str) -> Any:
        @functools.wraps(method)
        def tell(manager: Any, *args: Any, **kwargs: Any) -> Any:
            progress.step(step)
            if step == "lowering":
                exported = manager.edge_manager.exported_program()
                signature = inputs.Signature(exported, renamed=_NAMES)
                manager.edge_manager._config_methods.update(signature.constant_method())
                seen.extend(signature.inputs)
            return method(manager, *args, **kwargs)

        return tell

    methods = {name: getattr(LLMEdgeManager, name) for name in steps}
    for name, method in methods.items():
        setattr(LLMEdgeManager, name, told(method, steps[name]))
    try:
        yield seen
    finally:
        for name, method in methods.items():
            setattr(LLMEdgeManager, name, method)


def read_params(path: Path, rope_scale: int | None) -> dict[str, Any]:
    try:
        params = json.loads(path.read_text())
    except OSError as error:
        raise HighwaterError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise HighwaterError(f"{path} is not JSON: {error}.") from error
    if not isinstance(params, dict):
        raise HighwaterError(f"{path} must hold a JSON object with dim, n_layers and so on.")
    if params.get("use_scaled_rope"):
        # Meta's files do not say by how much, and it is not the same in all models.
        scale = rope_scale or params.get("rope_scale_factor")
        if scale is None:
            raise HighwaterError(
                f"{path} says use_scaled_rope, but not by how much: add --rope-scale 8 for "
                "Llama 3.1 or --rope-scale 32 for Llama 3.2."
            )
        params["rope_scale_factor"] = scale
    return params
