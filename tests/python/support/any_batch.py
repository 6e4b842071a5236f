"""ExecuTorch's partitioner leaves a 2-D convolution whose batch is not 1 to the CPU, and transposed
1-D ones. The engine takes both: inside `any_batch` programs are lowered as if the partitioner did."""

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
