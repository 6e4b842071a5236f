"""A partitioner that hands over what Highwater's own table of ops can run."""

from collections.abc import Callable
from typing import Any

import torch
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
from executorch.exir.backend.utils import tag_constant_data, tag_mutated_buffer
from torch.fx import Node
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from highwater.exporting import backend, rewrites, support


class HighwaterPartitioner(Partitioner):
    """For ``to_edge_transform_and_lower``, in place of ExecuTorch's ``VulkanPartitioner``.

    With ``half`` the delegate computes in 16 bits. After a partition, ``refused`` says of each op
    that was left to the CPU why that is.
    """

    def __init__(self, half: bool = False) -> None:
        self.refused: dict[str, str] = {}
        options = [CompileSpec(backend.HALF, b"1")] if half else []
        self.delegation_spec = DelegationSpec(backend.HighwaterBackend.__name__, options)

    def ops_to_not_decompose(
        self, program: torch.export.ExportedProgram
    ) -> tuple[list[torch._ops.OpOverload], Callable[[Node], bool] | None]:
        # Without a function that says which calls of an op are kept, ExecuTorch takes a path that
        # is shorter, and right about views. So an op is kept whole or taken apart everywhere.
        return support.kept_whole(program.graph), None

    def transform_for_pre_decomposition(
        self, program: torch.export.ExportedProgram
    ) -> torch.export.ExportedProgram:
        return rewrites.before_decomposition(program)

    def partition(self, program: torch.export.ExportedProgram) -> PartitionResult:
        supported = _Supported(self.refused)
        parts = CapabilityBasedPartitioner(
            program.graph_module, supported, allows_single_node_partition=True
        ).propose_partitions()
        tags = {}
        for part in parts:
            tag = f"highwater{part.id}"
            tags[tag] = self.delegation_spec
            for node in part.nodes:
                node.meta["delegation_tag"] = tag
        tag_constant_data(program)
        tag_mutated_buffer(program)
        return PartitionResult(tagged_exported_program=program, partition_tags=tags)


class _Supported(OperatorSupportBase):
    def __init__(self, refused: dict[str, str]) -> None:
        self._refused = refused

    def is_node_supported(self, submodules: Any, node: Node) -> bool:
        if node.op != "call_function":
            return False
        reason = support.reason_against(node)
        if reason is not None:
            self._refused.setdefault(support.name_of(node.target), reason)
        return reason is None
