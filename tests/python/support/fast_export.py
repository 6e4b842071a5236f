"""Makes lowering several times faster: does once in a process what torch and the partitioner do
again for every program. The programs that come out are the same, byte for byte.
"""

import contextlib
import functools
import gc
import logging
import warnings

import torch._export.utils as export_utils
from executorch.backends.vulkan.patterns import fusable_patterns
from executorch.backends.xnnpack.quantizer import xnnpack_quantizer_utils
from torch._subclasses.fake_impls import op_implementations_dict
from torch.export import decomp_utils, exported_program


def apply() -> None:
    _cache_fusion_patterns()
    _cache_operator_walks()
    _replay_decomposition_overrides()
    _skip_absent_batch_norms()
    _calm_garbage_collection()
    _calm_messages()


def _cache_fusion_patterns() -> None:
    """The partitioner exports the modules of its fusion patterns anew for each program."""
    for pattern in fusable_patterns.values():
        if pattern.get_graphs_fn is not None:
            pattern.get_graphs_fn = functools.cache(pattern.get_graphs_fn)


def _cache_operator_walks() -> None:
    """torch walks all registered operators for each decomposition, once per namespace. It does not
    cache because a program may register operators in between; these tests do not."""
    export_utils._materialize_cpp_cia_ops = functools.cache(export_utils._materialize_cpp_cia_ops)
    collect = functools.cache(export_utils._collect_all_valid_cia_ops)
    exported_program._collect_all_valid_cia_ops = collect
    decomp_utils._collect_all_valid_cia_ops = collect


def _replay_decomposition_overrides() -> None:
    """A decomposition registers kernels for hundreds of composite operators, one by one, and takes
    them away afterwards. The first time is torch's own; we note what it registered, and from then
    on put the same entries back."""
    override = exported_program._override_composite_implicit_decomp
    preserve = export_utils._special_op_to_preserve_cia
    recorded = {}

    @contextlib.contextmanager
    def replay(decompositions):
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

    exported_program._override_composite_implicit_decomp = replay


def _registered(ops):
    return {op: dict(op.py_kernels) for op in ops}


def _register(kernels) -> None:
    for op, table in kernels.items():
        op.py_kernels.clear()
        op.py_kernels.update(table)
        op._dispatch_cache.clear()


def _skip_absent_batch_norms() -> None:
    """The quantizer of some catalogue modules compiles a dozen patterns with a batch norm in them,
    also for a module without any."""
    annotate = xnnpack_quantizer_utils._do_annotate_conv_bn

    @functools.wraps(annotate)
    def annotate_if_present(graph_module, *arguments, **options):
        if not any("batch_norm" in str(node.target) for node in graph_module.graph.nodes):
            return []
        return annotate(graph_module, *arguments, **options)

    xnnpack_quantizer_utils._do_annotate_conv_bn = annotate_if_present


def _calm_garbage_collection() -> None:
    """Lowering makes many objects and few cycles, and each full collection would visit the millions
    of objects that the imported packages hold."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def _calm_messages() -> None:
    """The partitioner turns the root logger up and reports each node it leaves; torch formats a
    trace of every step as soon as anyone, such as pytest, has a handler."""
    logging.getLogger().setLevel(logging.WARNING)
    logging.getLogger("torch.fx.passes.infra.partitioner").setLevel(logging.ERROR)
    logging.getLogger("torch.__trace").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
