"""Has VulkanPartitioner hand over ops that ExecuTorch's own Vulkan backend does not have."""

from executorch.backends.vulkan import op_registry, utils
from executorch.backends.vulkan.partitioner import vulkan_partitioner
from executorch.exir.dialects._ops import ops as exir_ops
from torch._ops import OpOverload


def take(op: OpOverload) -> None:
    """From here on `op`, such as torch.ops.aten.roll.default, is for the delegate."""
    packet = getattr(getattr(exir_ops.edge, op.namespace), op._schema.name.split("::")[1])
    edge_op = getattr(packet, op._overloadname)
    if edge_op in op_registry.vulkan_supported_ops:
        return
    op_registry.vulkan_supported_ops[edge_op] = op_registry.OpFeatures(
        inputs_storage=utils.CONTIGUOUS_BUFFER, supports_resize=True, supports_highdim=True
    )
    # Else the exporter may take it apart before the partitioner sees it.
    vulkan_partitioner.ops_not_to_decompose.append(op)
