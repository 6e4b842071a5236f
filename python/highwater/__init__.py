"""Highwater: PyTorch models on WebGPU with live shapes.

`highwater.load("model.pte")` gives a model that runs at any live shape up to its bound, and, if it
is a language model, generates text.

Importing this package also registers the delegate ``VulkanBackend`` with ExecuTorch's runtime. From
then on ``executorch.runtime.Runtime.get().load_program(...)`` runs what ``VulkanPartitioner`` and
``WebGPUPartitioner`` export, on WebGPU.
"""

from highwater._library import devices, last_error, last_load, last_run
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
