"""A module in fewer bits, by torchao's and ExecuTorch's own quantizers."""

import copy
import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn

from highwater.errors import HighwaterError, first_line
from highwater.exporting import quickly

# Layers with weights in 4 bits: alone, or with what they are multiplied with in 8 bits, too.
OF_WEIGHTS = ("4w", "8da4w")
# Weights and what lies between the layers in 8 bits, with scales that calibration data give.
STATIC = "int8"

_OF_TRANSFORMERS = {
    getattr(torch.ops.aten, name)
    for name in ("scaled_dot_product_attention", "layer_norm", "rms_norm", "matmul", "bmm")
}

Trace = Callable[[nn.Module, tuple[Any, ...], Any], torch.export.ExportedProgram]


def weights_quantized(module: nn.Module, kind: str, group_size: int) -> nn.Module:
    """A copy, with those linear layers in 4 bits whose weights are whole groups."""
    from torchao.quantization.granularity import PerGroup
    from torchao.quantization.quant_api import (
        Int8DynamicActivationIntxWeightConfig,
        IntxWeightOnlyConfig,
        quantize_,
    )

    layers = [layer for layer in module.modules() if _is_linear(layer)]
    if not any(layer.in_features % group_size == 0 for layer in layers):
        widths = ", ".join(map(str, sorted({layer.in_features for layer in layers})))
        found = f"they take {widths} numbers" if layers else "there are no such layers"
        raise HighwaterError(
            f"{kind} makes groups of {group_size} weights in linear layers, and no layer here has "
            f"whole ones: {found}."
        )
    config = IntxWeightOnlyConfig if kind == "4w" else Int8DynamicActivationIntxWeightConfig
    module = copy.deepcopy(module)
    quantize_(
        module,
        config(torch.int4, PerGroup(group_size)),
        filter_fn=lambda layer, name: _is_linear(layer) and layer.in_features % group_size == 0,
    )
    return module


def _is_linear(layer: nn.Module) -> bool:
    # The one within nn.MultiheadAttention only lends its weights.
    borrowed = isinstance(layer, nn.modules.linear.NonDynamicallyQuantizableLinear)
    return isinstance(layer, nn.Linear) and not borrowed


def calibrated(
    module: nn.Module,
    example: tuple[Any, ...],
    dynamic_shapes: Any,
    calibration: Iterable[Any],
    trace: Trace,
) -> nn.Module:
    """The graph of `module` with all roundings to int8 in it, as torch would compute them.

    Transformers have linear layers that compute in int8, with floats between them; other modules
    all in int8 that ExecuTorch's quantizer takes.
    """
    from executorch.backends.xnnpack.quantizer import xnnpack_quantizer as xnnpack
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    graph = trace(module, example, dynamic_shapes).module()
    config = xnnpack.get_symmetric_quantization_config(is_per_channel=True)
    quantizer = xnnpack.XNNPACKQuantizer()
    if _has_large_numbers(graph):
        floats_between = dataclasses.replace(config, output_activation=None)
        quantizer.set_operator_type(torch.ops.aten.linear.default, floats_between)
    else:
        quantizer.set_global(config)
    # Sums of positions and masks are whole numbers, and must stay it. The quantizer would also make
    # float tensors of all numbers, and so floats of what these are added to.
    quantizer.set_filter_function(_gives_floats)
    quantizer.transform_for_annotation = lambda graph: graph
    with quickly.quantizing():
        prepared = prepare_pt2e(graph, quantizer)
    if not _run_with_each(calibration, prepared):
        raise HighwaterError(
            "int8 needs calibration data: a list of inputs such as the model will get, from which "
            "the range of every tensor is taken."
        )
    return convert_pt2e(prepared)


def _has_large_numbers(graph: torch.fx.GraphModule) -> bool:
    """Whether it attends or norms rows. What such modules hand from layer to layer has a few
    numbers that are far larger than the others, of which one scale for all would leave nothing."""
    packets = (getattr(node.target, "overloadpacket", None) for node in graph.graph.nodes)
    return any(packet in _OF_TRANSFORMERS for packet in packets)


def _gives_floats(node: torch.fx.Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _run_with_each(calibration: Iterable[Any], prepared: nn.Module) -> int:
    """Gives how many there were."""
    count = 0
    for inputs in calibration:
        count += 1
        try:
            with torch.no_grad():
                prepared(*(inputs if isinstance(inputs, (tuple, list)) else (inputs,)))
        except Exception as error:
            raise HighwaterError(
                f"The module cannot be run with the calibration data's input number {count}: "
                f"{first_line(str(error))}. They must fit the dynamic shapes, and each is a tuple."
            ) from error
    return count
