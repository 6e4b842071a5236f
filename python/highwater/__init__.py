"""Highwater: PyTorch models on WebGPU with live shapes.

`highwater.load("model.pte")` gives a model that runs at any live shape up to its bound, and, if it
is a language model, generates text.

Where ExecuTorch is installed, importing this package also registers the delegates
``HighwaterBackend`` and ``VulkanBackend`` with its runtime. From then on
``executorch.runtime.Runtime.get().load_program(...)`` runs what ``HighwaterPartitioner``,
``VulkanPartitioner`` and ``WebGPUPartitioner`` export, on WebGPU.
"""

import os
import tempfile

# Vulkan's loader complains on stderr where this is missing, as it is in most containers.
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())

from highwater import delegate
from highwater.adapters import devices
from highwater.delegate import last_error, last_load, last_run
from highwater.errors import HighwaterError
from highwater.generation import Generation, Sampling, Statistics
from highwater.model import Model, load
from highwater.ops import Op, supported_ops
from highwater.tokenizers import Tokenizer, load_tokenizer

__all__ = [
    "Generation",
    "HighwaterError",
    "Model",
    "Op",
    "Sampling",
    "Statistics",
    "Tokenizer",
    "devices",
    "last_error",
    "last_load",
    "last_run",
    "load",
    "load_tokenizer",
    "supported_ops",
]
__version__ = "0.1.0"

delegate.register()
