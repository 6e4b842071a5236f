"""Which quantized layers become ops of their own: those that ExecuTorch's patterns can pack."""

import contextlib
from collections.abc import Callable
from typing import Any

from executorch.backends.vulkan.patterns import fusable_patterns
from executorch.backends.vulkan.utils import is_view_copy_node
from executorch.exir.dialects._ops import ops as exir_ops
from torch.fx import Graph

from highwater.exporting.attributes import replaced


def may_be_in(graph: Graph) -> bool:
    return any("quantize" in str(node.target) for node in graph.nodes)


def only_packable() -> contextlib.AbstractContextManager[None]:
    """What cannot be packed is not matched, and so stays a layer of floats."""
    packable = {"quantized_convolution": _is_packable_conv, "quantized_linear": _is_packable_linear}
    return replaced(
        *(
            (fusable_patterns[name], "detector_fn", _if(check, fusable_patterns[name].detector_fn))
            for name, check in packable.items()
        )
    )


def _if(check: Callable[[Any], bool], detect: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def detect_packable(node: Any) -> Any:
        match = detect(node)
        return match if match is not None and check(match) else None

    return detect_packable


def _is_packable_conv(match: Any) -> bool:
    """Of two spatial dims; and if each channel has a kernel of its own, whole quads of channels."""
    sizes = match.weight_node.meta["val"].shape
    by_channel = not match.transposed and sizes[1] == 1 and match.groups == sizes[0]
    return len(sizes) == 4 and not (by_channel and sizes[0] % 4)


def _is_packable_linear(match: Any) -> bool:
    """Of rows; and not of a product with a weight that lies the other way round."""
    # A view beside a layer is taken for one that torch made of the layer, and left out. Here layers
    # are whole, so that it is the module's own.
    if match.anchor_node.target == exir_ops.edge.aten.linear.default:
        given = match.anchor_node.args[0]
        if is_view_copy_node(given):
            if match.dequantize_input_node is not None:
                return False
            match.pattern_input_node = given
        if getattr(match, "output_view_copy_node", None) is not None:
            match.output_node = match.anchor_node
            match.quantize_output_node = None
            match.all_nodes.remove(match.output_view_copy_node)
    sizes = match.weight_node.meta["val"].shape
    columns = match.anchor_node.meta["val"].shape[-1]
    return match.pattern_input_node.meta["val"].dim() > 1 and sizes[0] == columns
