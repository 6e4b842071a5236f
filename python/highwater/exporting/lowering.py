"""From an exported program to a .pte, with what Highwater can run in one delegate.

It is `to_edge_transform_and_lower` with HighwaterPartitioner, but shorter. There a program is
traced anew some fifteen times, which takes longer than all else; here half as often, because the
delegate needs neither numbers as tensors nor ExecuTorch's own copies.
"""

from typing import Any

import torch
from executorch.exir import EdgeCompileConfig, EdgeProgramManager, ExecutorchProgramManager
from executorch.exir.dialects._ops import ops as exir_ops
from executorch.exir.passes import constant_prop_pass
from executorch.exir.passes.normalize_transpose_pass import NormalizeTransposePass
from executorch.exir.program import _program
from torch.export import ExportedProgram
from torch.export.decomp_utils import CustomDecompTable

from highwater.exporting import known_shapes, quickly, rewrites
from highwater.exporting.attributes import replaced
from highwater.exporting.partitioner import HighwaterPartitioner

# What is computed from weights alone is computed here; but not what would only make them larger,
# and not what quantized layers are known by.
_NOT_FOLDED = constant_prop_pass._DEFAULT_SKIP_TARGETS | {
    exir_ops.edge.aten.expand_copy.default,
    exir_ops.edge.aten.repeat.default,
}


def lower(
    exported: ExportedProgram,
    partitioner: HighwaterPartitioner,
    constant_methods: dict[str, Any] | None = None,
) -> ExecutorchProgramManager:
    """With the engine's own speed-ups in place: `quickly.lowering()` is entered here."""
    with quickly.lowering(), known_shapes.remembered(), torch.no_grad():
        program = partitioner.transform_for_pre_decomposition(exported)
        kept, _ = partitioner.ops_to_not_decompose(program)
        program = program.run_decompositions(_table_without(kept))
        # What stays on the CPU has any dtype and any order of dims, so the checks are not for us.
        config = EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True)
        passes = ([rewrites.numbers_as_scalars, NormalizeTransposePass()], [])
        with replaced((_program, "_get_aten_to_edge_passes", lambda config: passes)):
            edge = _program._generate_edge_program(config, program, preserve_ops=kept)
        edge = constant_prop_pass.constant_prop_pass(edge, _NOT_FOLDED)
        manager = EdgeProgramManager({"forward": edge}, constant_methods, config, kept)
        return manager.to_backend(partitioner).to_executorch()


def _table_without(kept: list[torch._ops.OpOverload]) -> CustomDecompTable:
    table = _program._default_decomposition_table()
    for op in kept:
        table.pop(op, None)
    return table
