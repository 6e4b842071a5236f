"""Makes lowering several times faster, for as long as the process lives. The programs that come out
are the same, byte for byte.
"""

import functools
import logging
import warnings
import weakref

from executorch.exir.pass_manager import ExportedProgramPassManager
from executorch.exir.program._program import contains_any_call_fn_target_op
from highwater.exporting import quickly
from torch._decomp.decompositions_for_rng import PhiloxStateTracker
from torch._logging import _internal as torch_logging
from torch._ops import OpOverload
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram
from torch.fx.traceback import NodeSource

from support import late_code

# The namespaces of operators whose outputs' shapes follow from their inputs' shapes.
PACKAGES = ("et_vk", "quantized_decomposed", "torchao")

# What decides how programs are lowered.
SOURCES = (__file__, late_code.__file__, quickly.__file__)

_for_good = (quickly.lowering(), quickly.quantizing())


def apply() -> None:
    for meanwhile in _for_good:
        meanwhile.__enter__()
    late_code.apply()
    _share_provenance()
    _check_once()
    _forget_random_states()
    _know_shapes_of_packages()
    _decompose_what_there_is()
    _calm_messages()


def _share_provenance() -> None:
    """Each step copies, for each node, the list of all nodes that it came from; nothing changes an
    entry of it."""
    NodeSource.__deepcopy__ = lambda source, memo: source


def _check_once() -> None:
    """ExecuTorch verifies a program before each of forty passes, and again when one is made of what
    they gave."""
    ExportedProgramPassManager.check = lambda manager, program: None


def _forget_random_states() -> None:
    """Each trace makes a dozen tensors for states of random numbers, which exports do not keep."""
    PhiloxStateTracker.__enter__ = lambda tracker: tracker
    PhiloxStateTracker.__exit__ = lambda tracker, *error: None


def _know_shapes_of_packages() -> None:
    """torch remembers which shapes its own operators give, and asks others again in each pass: the
    quantized ones then run through all that they stand for."""
    validate = FakeTensorMode._validate_cache_key

    def accepts(op) -> bool:
        schema = op._schema
        gives_tensors = all(str(returned.type) == "Tensor" for returned in schema.returns)
        return op.namespace in PACKAGES and gives_tensors and not (schema.is_mutable or op.is_view)

    @functools.wraps(validate)
    def validate_others(mode, op, *arguments):
        if not (isinstance(op, OpOverload) and accepts(op)):
            validate(mode, op, *arguments)

    FakeTensorMode._validate_cache_key = validate_others


def _decompose_what_there_is() -> None:
    """Lowering decomposes a program three times, and each time traces all of it anew. What one of
    them gave is as a table leaves it that has none of its operators."""
    decompose = ExportedProgram.run_decompositions
    decomposed = weakref.WeakSet()

    @functools.wraps(decompose)
    def decompose_if_needed(program, table=None, **options):
        again = table and program in decomposed
        if again and not contains_any_call_fn_target_op(program.graph_module, table):
            return program
        result = decompose(program, table, **options)
        decomposed.add(result)
        return result

    ExportedProgram.run_decompositions = decompose_if_needed


def _calm_messages() -> None:
    """The partitioner turns the root logger up and reports each node it leaves; torch formats a
    trace of every step as soon as anyone, such as pytest, has a handler for all that there is."""
    logging.getLogger().setLevel(logging.WARNING)
    logging.getLogger("torch.fx.passes.infra.partitioner").setLevel(logging.ERROR)
    torch_logging.trace_log = logging.Logger("nobody listens")
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
