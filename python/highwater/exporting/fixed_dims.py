"""Says which dim it was when ExecuTorch's graph builder finds a constant where a live dim was.

torch may fix a dim after it has promised to keep it live: when it takes an op apart for ExecuTorch,
as it does with `nn.GRU`, and an `if` on a size is in there.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from highwater.errors import HighwaterError
from highwater.exporting.inputs import Input


@contextlib.contextmanager
def told(inputs: Sequence[Input]) -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        node = _size(error)
        if node is None:
            raise
        raise HighwaterError(_in_words(node, inputs)) from error


def _size(error: RuntimeError) -> Any:
    """The `sym_size` that the graph builder could not take; None if the error is another one."""
    if not str(error).startswith("Cannot create value for node"):
        return None
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    node = trace.tb_frame.f_locals.get("node") if trace else None
    return node if "sym_size" in str(getattr(node, "target", "")) else None


def _in_words(node: Any, inputs: Sequence[Input]) -> str:
    tensor, dim = node.args
    ranges = {given.name: given.dims for given in inputs if given.dims}
    live = f", which is live ({ranges[tensor.name][dim]})," if tensor.name in ranges else ""
    return (
        f"Dim {dim} of {tensor.name}{live} was fixed at {node.meta['val']} when torch took the "
        "module apart for ExecuTorch: some op in it asks for the number, as nn.GRU does. Leave the "
        "dim out of the dynamic shapes, or write that op in terms of others."
    )
