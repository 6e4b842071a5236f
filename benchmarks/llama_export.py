"""Makes files of a Llama: programs for the backends of ExecuTorch, the weights as arrays, and the
logits that torch itself gives.

    python -m benchmarks.llama_export MODEL FILE=OUTPUT...

runs in a process of its own, because the exporters change theirs: they turn on logging, and set
torch's defaults.
"""

import functools
import json
import logging
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from benchmarks import files
from benchmarks.llama import Llama
from benchmarks.model import REFERENCE, WEIGHTS
from benchmarks.models import named

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from executorch.examples.models.llama import export_llama_lib  # noqa: E402
from executorch.examples.models.llama.llama_transformer import construct_transformer  # noqa: E402
from executorch.examples.models.llama.model_args import ModelArgs  # noqa: E402
from executorch.extension.llm.export.config.llm_config import LlmConfig  # noqa: E402
from highwater.exporting import known_shapes  # noqa: E402

# Lowers several times faster, to the same bytes.
sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "python"))
from support import fast_export  # noqa: E402


def write_checkpoint(model: Llama, folder: Path) -> None:
    (folder / "params.json").write_text(json.dumps(model.llama_params()))
    torch.manual_seed(0)
    empty = construct_transformer(
        ModelArgs(max_seq_len=8, max_context_len=8, use_kv_cache=False, **model.llama_params())
    )
    weights = {}
    for name, weight in empty.state_dict().items():
        if not name.endswith("weight"):
            continue
        noise = torch.randn_like(weight)
        if "norm" in name:
            weights[name] = 1 + 0.1 * noise
        elif "embeddings" in name:
            weights[name] = noise
        else:
            # Keeps what flows through at one scale, whatever the depth.
            weights[name] = noise / weight.shape[1] ** 0.5
    torch.save(weights, folder / "weights.pth")


def config(model: Llama, folder: Path, backend: str | None, output: Path | None) -> LlmConfig:
    config = LlmConfig()
    config.base.checkpoint = str(folder / "weights.pth")
    config.base.params = str(folder / "params.json")
    config.model.use_kv_cache = True
    config.model.use_sdpa_with_kv_cache = True
    config.model.enable_dynamic_shape = True
    # The exporter's bound on a prompt is one less than this.
    config.export.max_seq_length = model.longest_prompt + 1
    config.export.max_context_length = model.context
    config.export.output_name = str(output)
    config.quantization.group_size = model.group
    config.quantization.embedding_quantize = f"4,{model.group}"
    # Searches for better scales, which random weights do not need.
    config.quantization.use_hqq = False
    config.quantization.qmode = "4w"
    if backend == "highwater":
        config.backend.vulkan.enabled = True
    if backend == "xnnpack":
        config.quantization.qmode = "8da4w"  # XNNPACK has no kernels for 4 bits by float
        config.backend.xnnpack.enabled = True
        config.backend.xnnpack.extended_ops = True
    return config


def prompt(model: Llama) -> np.ndarray:
    """One long text. A prefill of n tokens takes the first n of it."""
    return np.random.default_rng(1).integers(0, model.vocabulary, model.context)


def reference(eager: torch.nn.Module, model: Llama, text: np.ndarray) -> np.ndarray:
    """The logits after so many tokens of the text, in the order of `checked_lengths`: those that a
    prefill must give, and those of a token that is decoded after the ones before it."""
    eager.generate_full_logits = True
    lengths = np.array(model.checked_lengths())
    kept = []
    for part in model.portions(0, lengths[-1]):
        end = part.position + part.work
        tokens = torch.from_numpy(text[None, part.position : end])
        with torch.no_grad():
            logits = eager(tokens, {"input_pos": torch.tensor([part.position])})[0].numpy()
        wanted = lengths[(part.position < lengths) & (lengths <= end)]
        kept.append(logits[wanted - part.position - 1].astype(np.float32))
    return np.concatenate(kept)


def arrays(eager: torch.nn.Module) -> dict[str, np.ndarray]:
    """The quantized weights: `NAME.values` from -8 to 7 and `NAME.scales`, and the norms' own."""
    found = {}
    for name, weight in eager.state_dict().items():
        if hasattr(weight, "qdata"):
            assert not weight.zero_point.any(), f"{name} is not quantized symmetrically"
            found[name.replace(".weight", ".values")] = weight.qdata.numpy()
            found[name.replace(".weight", ".scales")] = weight.scale.numpy()
        elif "norm" in name:
            found[name] = weight.numpy()
    packed = eager.tok_embeddings.weight.numpy()
    # Two in a byte, the first in its upper half.
    pairs = np.stack([packed >> 4, packed & 15], axis=-1).reshape(len(packed), -1)
    found["tok_embeddings.values"] = pairs.astype(np.int8) - 8
    found["tok_embeddings.scales"] = eager.tok_embeddings.scales.numpy()
    return found


def lower(backend: str, model: Llama, checkpoint: Path, output: Path) -> None:
    # It takes no other ending.
    program = checkpoint / "model.pte"
    with known_shapes.remembered():
        export_llama_lib.export_llama(config(model, checkpoint, backend, program))
    shutil.move(program, output)


def make(model: Llama, outputs: dict[str, Path]) -> None:
    logging.disable(logging.WARNING)
    fast_export.apply()
    with tempfile.TemporaryDirectory() as temporary:
        checkpoint = Path(temporary)
        write_checkpoint(model, checkpoint)
        for name, output in outputs.items():
            with files.completed(output) as partial:
                write(name, model, checkpoint, partial)


def write(name: str, model: Llama, checkpoint: Path, output: Path) -> None:
    if name == WEIGHTS:
        np.savez(output, **arrays(eager(model, checkpoint)))
    elif name == REFERENCE:
        text = prompt(model)
        logits = reference(eager(model, checkpoint), model, text)
        np.savez(output, prompt=text, logits=logits, lengths=model.checked_lengths())
    else:
        lower(Path(name).stem, model, checkpoint, output)


@functools.cache
def eager(model: Llama, checkpoint: Path) -> torch.nn.Module:
    return export_llama_lib.get_llama_model(config(model, checkpoint, None, None))[0].eval()


if __name__ == "__main__":
    chosen, *pairs = sys.argv[1:]
    make(named(chosen), {k: Path(v) for k, v in (pair.split("=", 1) for pair in pairs)})
