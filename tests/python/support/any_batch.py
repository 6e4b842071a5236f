"""Convolutions that the engine takes, and ExecuTorch's partitioner leaves to the CPU.

Those are 2-D ones whose batch is not 1, and transposed 1-D ones. Inside `any_batch` programs are
lowered as if it took them."""

from contextlib import contextmanager
from unittest import mock

from executorch.backends.vulkan import op_registry
from executorch.exir.dialects._ops import ops as edge

CONVOLUTION = edge.edge.aten.convolution.default


@contextmanager
def any_batch():
    features = op_registry.get_op_features(CONVOLUTION)
    with mock.patch.object(features, "are_node_inputs_supported_fn", lambda node: True):
        yield
