"""The program: export_llama's own path, with the weights of the checkpoint in 4 bits."""

import contextlib
import io
import json
import logging
import tempfile
from pathlib import Path

import torch
from executorch.examples.models.llama import export_llama_lib
from executorch.extension.llm.export.config.llm_config import LlmConfig

from training.places import CALL, CHECKPOINT, CONTEXT, GROUP, PARAMS, PROGRAM
from training.tokens import BEGIN, END, load_tokenizer


def config(output: Path = PROGRAM) -> LlmConfig:
    tokenizer = load_tokenizer()
    found = LlmConfig()
    found.base.checkpoint = str(CHECKPOINT)
    found.base.params = str(PARAMS)
    # What a runner needs to know where a text begins and ends.
    found.base.metadata = json.dumps(
        dict(get_bos_id=tokenizer.token_to_id(BEGIN), get_eos_ids=[tokenizer.token_to_id(END)])
    )
    found.model.use_kv_cache = True
    found.model.use_sdpa_with_kv_cache = True
    found.model.enable_dynamic_shape = True
    found.export.max_seq_length = CALL
    found.export.max_context_length = CONTEXT
    found.export.output_name = str(output)
    found.quantization.qmode = "4w"
    found.quantization.group_size = GROUP
    found.quantization.embedding_quantize = f"4,{GROUP}"
    found.backend.vulkan.enabled = True
    return found


def export(output: Path = PROGRAM) -> None:
    """Writes the program only when it is whole."""
    with tempfile.TemporaryDirectory() as folder, _quiet():
        path = Path(folder) / "model.pte"
        export_llama_lib.export_llama(config(path))
        output.write_bytes(path.read_bytes())


def eager() -> torch.nn.Module:
    """What the program was exported from, in torch: the same 4-bit weights and an empty cache.

    It takes tokens [1, n] and the place of the first one, `{"input_pos": tensor([place])}`, and
    gives the logits of the token after the last one.
    """
    with _quiet():
        return export_llama_lib.get_llama_model(config())[0].eval()


def eager_for_every_token() -> torch.nn.Module:
    """The same without a cache: takes tokens [1, n], and gives the logits after each of them."""
    whole = config()
    whole.model.use_kv_cache = False
    whole.model.use_sdpa_with_kv_cache = False
    whole.export.max_seq_length = CONTEXT
    whole.debug.generate_full_logits = True
    with _quiet():
        return export_llama_lib.get_llama_model(whole)[0].eval()


@contextlib.contextmanager
def _quiet():
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)
