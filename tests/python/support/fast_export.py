"""Makes lowering several times faster, for as long as the process lives. The programs that come out
are the same, byte for byte.
"""

import functools
import logging
import warnings

from executorch.backends.xnnpack.quantizer import xnnpack_quantizer_utils
from highwater.exporting import quickly

# What decides how programs are lowered.
SOURCES = (__file__, quickly.__file__)

_for_good = quickly.lowering()


def apply() -> None:
    _for_good.__enter__()
    _skip_absent_batch_norms()
    _calm_messages()


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


def _calm_messages() -> None:
    """The partitioner turns the root logger up and reports each node it leaves; torch formats a
    trace of every step as soon as anyone, such as pytest, has a handler."""
    logging.getLogger().setLevel(logging.WARNING)
    logging.getLogger("torch.fx.passes.infra.partitioner").setLevel(logging.ERROR)
    logging.getLogger("torch.__trace").setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
