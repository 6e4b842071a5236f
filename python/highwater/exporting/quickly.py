"""Lowering without what torch and the partitioner do again for every program, and several times for
one. The programs that come out are the same, byte for byte.

All of it holds within `quickly.lowering()` only: the rest of a process sees torch as it is.
"""

import contextlib
import functools
import gc
from collections.abc import Iterator
from typing import Any

from highwater.exporting.attributes import replaced

# The names of the partitioner's patterns of rotary embeddings.
_ROTATIONS = ("export_llama_rope", "hf_rope")


_is_quick = False


@contextlib.contextmanager
def lowering() -> Iterator[None]:
    """Within another, it has nothing to do."""
    global _is_quick
    if _is_quick:
        yield
        return
    with _patterns_made_once(), _operators_walked_once(), _overrides_replayed(), _calm_collector():
        _is_quick = True
        try:
            yield
        finally:
            _is_quick = False


def _patterns_made_once() -> contextlib.AbstractContextManager[None]:
    """The partitioner exports the modules of its fusion patterns when it looks for them, and again
    for each delegate that it builds."""
    from executorch.backends.vulkan.patterns import fusable_patterns

    entries = [entry for entry in fusable_patterns.values() if entry.get_graphs_fn is not None]
    return replaced(
        *((entry, "get_graphs_fn", functools.cache(entry.get_graphs_fn)) for entry in entries)
    )


def without_absent_rotations(exported: Any) -> contextlib.AbstractContextManager[None]:
    """The patterns of rotary embeddings are exported by way of torch's compiler, which takes longer
    than to lower a small program."""
    if any(map(_may_be_of_a_rotation, exported.graph.nodes)):
        return contextlib.nullcontext()
    return without_rotations()


def without_rotations() -> contextlib.AbstractContextManager[None]:
    """No pattern of rotary embeddings is looked for."""
    from executorch.backends.vulkan.patterns import fusable_patterns

    entries = [fusable_patterns[name] for name in _ROTATIONS if name in fusable_patterns]
    return replaced(*((entry, "get_graphs_fn", list) for entry in entries))


def quantizing() -> contextlib.AbstractContextManager[None]:
    """ExecuTorch's quantizer compiles a dozen patterns with a batch norm in them, also for a module
    without any."""
    from executorch.backends.xnnpack.quantizer import xnnpack_quantizer_utils as quantizer

    annotate = quantizer._do_annotate_conv_bn

    @functools.wraps(annotate)
    def annotate_if_present(graph_module: Any, *arguments: Any, **options: Any) -> Any:
        if not any("batch_norm" in str(node.target) for node in graph_module.graph.nodes):
            return []
        return annotate(graph_module, *arguments, **options)

    return replaced((quantizer, "_do_annotate_conv_bn", annotate_if_present))


def _may_be_of_a_rotation(node: Any) -> bool:
    """One kind subtracts a product from a product, the other puts something negative beside
    something else."""
    name = str(node.target)
    if name.startswith("aten.sub."):
        return all("aten.mul." in str(getattr(each, "target", "")) for each in node.args[:2])
    if name.startswith("aten.cat."):
        return any("aten.neg." in str(getattr(each, "target", "")) for each in node.args[0])
    return False


def _operators_walked_once() -> contextlib.AbstractContextManager[None]:
    """torch walks all registered operators for each decomposition, once a namespace. It does not
    keep them because a program may register operators in between; lowering registers none."""
    import torch._export.utils as utils
    from torch.export import decomp_utils, exported_program

    collect = functools.cache(utils._collect_all_valid_cia_ops)
    return replaced(
        (utils, "_materialize_cpp_cia_ops", functools.cache(utils._materialize_cpp_cia_ops)),
        (exported_program, "_collect_all_valid_cia_ops", collect),
        (decomp_utils, "_collect_all_valid_cia_ops", collect),
    )


def _overrides_replayed() -> contextlib.AbstractContextManager[None]:
    """A decomposition registers kernels for hundreds of composite operators, one by one, and takes
    them away afterwards. The first time is torch's own; what it registered is noted, and from then
    on the same entries are put back."""
    import torch._export.utils as utils
    from torch._subclasses.fake_impls import op_implementations_dict
    from torch.export import exported_program

    override = exported_program._override_composite_implicit_decomp
    preserve = utils._special_op_to_preserve_cia
    recorded: dict[Any, Any] = {}

    @contextlib.contextmanager
    def replay(decompositions: Any) -> Iterator[None]:
        # What is registered depends only on which operators are kept and which are decomposed.
        key = frozenset((op, how is preserve) for op, how in decompositions.items())
        if key not in recorded:
            with override(decompositions):
                rules = {
                    op: op_implementations_dict[op]
                    for op in decompositions
                    if op in op_implementations_dict
                }
                recorded[key] = (_registered(decompositions), rules)
                yield
            return
        before = _registered(decompositions)
        kernels, rules = recorded[key]
        _register(kernels)
        op_implementations_dict.update(rules)
        try:
            yield
        finally:
            _register(before)
            for op in rules:
                op_implementations_dict.pop(op, None)

    return replaced((exported_program, "_override_composite_implicit_decomp", replay))


def _registered(ops: Any) -> dict[Any, dict[Any, Any]]:
    return {op: dict(op.py_kernels) for op in ops}


def _register(kernels: dict[Any, dict[Any, Any]]) -> None:
    for op, table in kernels.items():
        op.py_kernels.clear()
        op.py_kernels.update(table)
        op._dispatch_cache.clear()


@contextlib.contextmanager
def _calm_collector() -> Iterator[None]:
    """Lowering makes many objects and few cycles, and each full collection would visit the millions
    of objects that the imported packages hold."""
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
