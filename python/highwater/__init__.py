"""Highwater: PyTorch models on WebGPU with live shapes.

Importing this package registers the delegate ``VulkanBackend`` with ExecuTorch's runtime. From then
on ``executorch.runtime.Runtime.get().load_program(...)`` runs what ``VulkanPartitioner`` and
``WebGPUPartitioner`` export, on WebGPU, at any live shape up to the exported bound.
"""

from highwater._library import (
    HighwaterError,
    devices,
    last_error,
    last_load,
    last_run,
    supported_ops,
)

__all__ = [
    "HighwaterError",
    "devices",
    "last_error",
    "last_load",
    "last_run",
    "supported_ops",
]
__version__ = "0.1.0"
