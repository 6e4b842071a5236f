"""From a delegated graph to the blob that Highwater reads: the format of ExecuTorch's Vulkan
exporter, by way of its patterns and its writer, without what only Vulkan's textures need."""

from functools import partial

# First: the passes below and this package import each other.
import executorch.backends.vulkan  # noqa: F401
from executorch.backends.transforms.fuse_conv_with_clamp import FuseClampPass
from executorch.backends.transforms.fuse_view_copy import FuseViewCopyTransform
from executorch.backends.vulkan._passes import (
    FoldQDQPass,
    FuseQuantizedOpsTransform,
    RemoveRedundantOpsTransform,
)
from executorch.backends.vulkan._passes.fuse_patterns import FusePatternsPass
from executorch.backends.vulkan.serialization.vulkan_graph_builder import VkGraphBuilder
from executorch.backends.vulkan.serialization.vulkan_graph_serialize import serialize_vulkan_graph
from executorch.backends.vulkan.vulkan_preprocess import apply_passes
from executorch.backends.xnnpack._passes import FuseBatchNormPass
from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.utils import DelegateMappingBuilder
from executorch.exir.memory_planning import MemoryPlanningAlgorithmSuite, greedy
from executorch.exir.passes import MemoryPlanningPass, SpecPropPass
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from torch.export import ExportedProgram
from torch.export._remove_auto_functionalized_pass import unsafe_remove_auto_functionalized_pass

from highwater.exporting import quantized_patterns, quickly, rewrites

HALF = "half"


class HighwaterBackend(BackendDetails):
    """Its name is what programs call their delegate."""

    @classmethod
    def preprocess(cls, program: ExportedProgram, options: list[CompileSpec]) -> PreprocessResult:
        program = _prepared(unsafe_remove_auto_functionalized_pass(program))
        builder = VkGraphBuilder(
            program,
            DelegateMappingBuilder(generated_identifiers=True),
            force_fp16=any(option.key == HALF for option in options),
        )
        graph = builder.build_graph()
        return PreprocessResult(
            processed_bytes=serialize_vulkan_graph(graph, builder.const_tensors, []),
            debug_handle_map=builder.delegate_mapping_builder.get_delegate_mapping(),
            data_store_output=builder.named_data_store.get_named_data_store_output(),
        )


def _prepared(program: ExportedProgram) -> ExportedProgram:
    # Those of quantized layers take long to find that there are none.
    of_quantized = (FuseQuantizedOpsTransform(), FoldQDQPass(), rewrites.weights_as_floats)
    # While all calls are still as torch would take them. The patterns of rotary embeddings are
    # for one order of dims, and match others too.
    with quickly.without_rotations(), quantized_patterns.only_packable():
        program = apply_passes(
            program,
            [
                FuseBatchNormPass(program),
                rewrites.PromoteDtypes(),
                FusePatternsPass(),
                FuseClampPass(),
                RemoveRedundantOpsTransform(),
                *(of_quantized if quantized_patterns.may_be_in(program.graph) else ()),
                FuseViewCopyTransform(),
            ],
        )
    # From here on with a description of each tensor, at its bound.
    program = apply_passes(program, [SpecPropPass(), *rewrites.LAST])
    # Planning wants to be told that ops without an out variant are no mistake.
    program.graph_module.encounter_to_out_var_failure = True
    plan = MemoryPlanningAlgorithmSuite([partial(greedy, allow_overlapping_allocations=False)])
    return apply_passes(
        program, [ConstraintBasedSymShapeEvalPass(), MemoryPlanningPass(memory_planning_algo=plan)]
    )
