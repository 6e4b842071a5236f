"""What ops gave before for the same arguments.

ExecuTorch's passes trace a program anew, one after the other, and each changes little of it. With
live dims torch takes milliseconds to say what an op gives, so that most of the time of an export
would be spent on asking for what is known.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from executorch.exir import pass_base
from torch._guards import active_fake_mode
from torch._higher_order_ops.executorch_call_delegate import executorch_call_delegate
from torch._subclasses import FakeTensor
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from highwater.exporting.attributes import replaced

_Known = dict[Any, tuple[list[Any], Any]]


@contextlib.contextmanager
def remembered() -> Iterator[None]:
    """Passes that run within it ask each op once."""
    known: _Known = {}
    trace = pass_base._ExportPassBase._fx

    def trace_op(self: Any, *call: Any) -> Any:
        if not isinstance(self.interpreter, _Remembering):
            self.interpreter = _Remembering(self.interpreter, known)
        return trace(self, *call)

    with replaced((pass_base._ExportPassBase, "_fx", trace_op)):
        yield


class _Remembering:
    """The interpreter that a pass asks for what a call gives."""

    def __init__(self, interpreter: Any, known: _Known) -> None:
        self._interpreter = interpreter
        self._known = known

    def __getattr__(self, name: str) -> Any:
        return getattr(self._interpreter, name)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        leaves, form = tree_flatten((args, kwargs))
        key = _key(target, leaves, form)
        if key in self._known:
            return self._known[key][1]
        if target is executorch_call_delegate:
            result = _told_by_program(args[0].original_module)
        else:
            result = None
        if result is None:
            result = self._interpreter.call_function(target, args, kwargs)
        if key is not None and all(isinstance(x, FakeTensor) for x in tree_leaves(result)):
            # With the arguments, so that what the key says of them stays true.
            self._known[key] = leaves, result
        return result


def _key(target: Any, leaves: list[Any], form: Any) -> Any:
    """Equal for calls that give the same; None where it is not known of a call what it gives."""
    op = getattr(target, "_op", target)
    is_known = isinstance(op, torch._ops.OpOverload) and not op._schema.is_mutable
    mode = active_fake_mode()
    if mode is None or not (is_known or op is executorch_call_delegate):
        return None
    try:
        key = (op, id(mode), form, *map(_of_argument, leaves))
        hash(key)
    except TypeError:
        return None
    return key


def _of_argument(value: Any) -> Any:
    if isinstance(value, (torch.Tensor, torch.nn.Module)):
        return id(value)
    if isinstance(value, torch.SymInt):
        return "live", value.node.expr
    # 1, 1.0 and True are equal, and not the same to an op.
    return type(value), value


def _told_by_program(program: Any) -> Any:
    """What a delegate gives, from the graph that it was made of; None if it does not tell."""
    signature = program.graph_signature
    mutated = len(signature.buffers_to_mutate) + len(signature.user_inputs_to_mutate)
    (output,) = program.graph.find_nodes(op="output")
    values = [getattr(node, "meta", {}).get("val") for node in output.args[0][mutated:]]
    mode = active_fake_mode()
    if not all(isinstance(x, FakeTensor) and x.fake_mode is mode for x in values):
        return None
    form = program.call_spec.out_spec
    return tree_unflatten(values, form) if form.num_leaves == len(values) else None
