"""What an exported program is, in a few letters: two with the same key become the same program.

The key is of all that lowering reads: each node with its arguments, dtypes, shapes and strides,
the ranges of live dims, and the bytes of weights and constants. Where the source stands is not in
it, so that a test may move within its file.
"""

import hashlib
import io

import torch
from torch.export import ExportedProgram


def of(exported: ExportedProgram) -> str:
    digest = hashlib.sha256()
    for text in _texts(exported):
        digest.update(text.encode())
        digest.update(b"\n")
    for name, value in sorted({**exported.state_dict, **exported.constants}.items()):
        digest.update(name.encode())
        digest.update(_content(value))
    return digest.hexdigest()


def _texts(exported: ExportedProgram):
    for name, module in exported.graph_module.named_modules():
        if isinstance(module, torch.fx.GraphModule):
            yield f"graph {name}"
            for node in module.graph.nodes:
                yield f"{node.format_node()} {_value(node.meta.get('val'))}"
    yield str(exported.graph_signature)
    yield str(sorted((str(symbol), str(r)) for symbol, r in exported.range_constraints.items()))
    yield str(exported.call_spec)


def _value(value) -> str:
    leaves, structure = torch.utils._pytree.tree_flatten(value)
    return f"{structure} {[_leaf(leaf) for leaf in leaves]}"


def _leaf(leaf) -> str:
    if not isinstance(leaf, torch.Tensor):
        return repr(leaf)
    strides = [str(stride) for stride in leaf.stride()]
    return f"{leaf.dtype} {[str(size) for size in leaf.shape]} {strides} {leaf.device}"


def _content(value) -> bytes:
    """With the layout, and of whatever kind a tensor is."""
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()
