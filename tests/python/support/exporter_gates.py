"""Ops that the engine can run, and that the exporter leaves to the CPU or cannot write at all."""

import copy
from contextlib import contextmanager

import torch
from executorch.backends.vulkan import custom_ops_lib as _registers_the_ops  # noqa: F401
from executorch.backends.vulkan import utils
from executorch.backends.vulkan.op_registry import allow_node, vulkan_supported_ops
from executorch.exir.dialects._ops import ops as exir_ops
from executorch.exir.pass_base import ExportPass


@contextmanager
def opened(*ops: str):
    """Programs lowered inside may have these ops with arguments of all dtypes and kinds."""
    targets = [_edge_op(op) for op in ops]
    before = {target: vulkan_supported_ops[target] for target in targets}
    try:
        for target in targets:
            features = copy.copy(before[target])
            features.inputs_dtypes = utils.DtypeSetList(utils.ALL_T)
            features.outputs_dtypes = utils.DtypeSetList(utils.ALL_T)
            features.are_node_inputs_supported_fn = allow_node
            vulkan_supported_ops[target] = features
        yield
    finally:
        vulkan_supported_ops.update(before)


def _edge_op(name: str):
    namespace, op, overload = name.split(".")
    return getattr(getattr(getattr(exir_ops.edge, namespace), op), overload)


# torch refuses to export an op whose results are its arguments, as those of adamw_step are. So
# modules call a twin without that, for which the op is put before anything is partitioned.
_library = torch.library.Library("highwater_test", "DEF")
_library.define(
    "adamw_step(Tensor param, Tensor m, Tensor v, Tensor grad, float lr, float beta1, float beta2, "
    "float eps, float weight_decay, float bias_correction1, float bias_correction2) -> "
    "(Tensor, Tensor, Tensor)"
)


def _adamw_step(param, m, v, *others):
    return torch.ops.et_vk.adamw_step(param.clone(), m.clone(), v.clone(), *others)


def _adamw_step_shapes(param, m, v, *others):
    return tuple(torch.empty_like(x) for x in (param, m, v))


_library.impl("adamw_step", _adamw_step, "CompositeExplicitAutograd")
_library.impl("adamw_step", _adamw_step_shapes, "Meta")
adamw_step = torch.ops.highwater_test.adamw_step


class PutAdamwStep(ExportPass):
    """For the `transform_passes` of a program whose module calls `adamw_step`."""

    def call_operator(self, op, args, kwargs, meta):
        if op == exir_ops.edge.highwater_test.adamw_step.default:
            op = exir_ops.edge.et_vk.adamw_step.default
        return super().call_operator(op, args, kwargs, meta)
