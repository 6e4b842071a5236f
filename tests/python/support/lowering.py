"""Turns a torch module into the bytes of a .pte program, and says what a program holds.

Every Python test lowers through `lower`, with the partitioner that users call. What it gives is
kept between runs: to export takes a twentieth of a second, and to lower ten times as long.
"""

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import torch
from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchProgramManager, to_edge_transform_and_lower
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.tensor import TensorShapeDynamism
from highwater import _native, exporting
from highwater.exporting import lowering as own_lowering
from highwater.exporting import recurrent
from highwater.exporting.partitioner import HighwaterPartitioner

from support import export_key, fast_export, lowered_cache

BACKENDS = {"VulkanBackend", "HighwaterBackend"}
SOURCES = (__file__, *fast_export.SOURCES, *Path(exporting.__file__).parent.glob("*.py"))

fast_export.apply()


def lower_program(module, example_inputs, dynamic_shapes=None, **options):
    """Exports and lowers `module`; see `lower_exported`, other options are the partitioner's."""
    with torch.no_grad():
        return lower_exported(_export(module, example_inputs, dynamic_shapes), **options)


def _export(module, example_inputs, dynamic_shapes, own=False):
    with recurrent.kept_whole() if own else nullcontext():
        return torch.export.export(
            module, tuple(example_inputs), dynamic_shapes=dynamic_shapes, strict=False
        )


def lower_exported(
    exported, skip_dim_order=False, transform_passes=(), own=False, **options
) -> ExecutorchProgramManager:
    """With `skip_dim_order` casts stay `aten._to_copy`, as the exporters of language models do.

    What `transform_passes` do to the program need not be what ExecuTorch calls valid. With `own` it
    is HighwaterPartitioner that decides, as in `highwater export`.
    """
    if own:
        return own_lowering.lower(exported, HighwaterPartitioner(**options))
    edge = to_edge_transform_and_lower(
        exported,
        transform_passes=list(transform_passes),
        partitioner=[VulkanPartitioner(options)],
        compile_config=EdgeCompileConfig(
            _skip_dim_order=skip_dim_order, _check_ir_validity=not transform_passes
        ),
    )
    return edge.to_executorch()


def lower(module, example_inputs, dynamic_shapes=None, **options) -> bytes:
    """The program of `lower_program`; of equal exports, in any process or run, one is lowered."""
    with torch.no_grad():
        exported = _export(module, example_inputs, dynamic_shapes, options.get("own", False))
        return lowered_cache.cached(
            f"{export_key.of(exported)} {sorted(options.items())} {_ops_if(options)}",
            SOURCES,
            lambda: bytes(lower_exported(exported, **options).buffer),
        )


def _ops_if(options) -> str:
    """What our own partitioner hands over depends on what the engine has."""
    return _native.supported_ops() if options.get("own") else ""


@dataclass(frozen=True)
class ProgramOps:
    """The operators of a program, in order: inside our delegates, and left to the CPU."""

    delegated: tuple[str, ...]
    cpu: tuple[str, ...]


def program_ops(pte: bytes) -> ProgramOps:
    file = _native.File(pte)
    delegated, cpu = [], []
    for name, method in file.methods.items():
        others = set(method["delegates"]) - BACKENDS
        assert not others, f"delegated to {others}, not to {BACKENDS}"
        delegated += file.delegated_ops(name)
        cpu += [op.rstrip(".") for op in method["cpu_ops"]]
    return ProgramOps(tuple(delegated), tuple(cpu))


def output_is_dynamic(pte: bytes) -> list[bool]:
    """For each output, whether the program lets the runtime resize it."""
    plan = deserialize_pte_binary(pte).program.execution_plan[0]
    outputs = [plan.values[index].val for index in plan.outputs]
    return [
        getattr(output, "shape_dynamism", None) is not TensorShapeDynamism.STATIC
        for output in outputs
    ]


def assert_delegated(pte: bytes, *expected: str) -> ProgramOps:
    """Everything runs on our delegate, and each of the `expected` operators is in it."""
    ops = program_ops(pte)
    assert not ops.cpu, f"left to the CPU: {', '.join(ops.cpu)}"
    missing = [name for name in expected if name not in ops.delegated]
    assert not missing, f"not delegated: {missing}; the program has {', '.join(ops.delegated)}"
    return ops
