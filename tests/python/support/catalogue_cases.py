"""The wheel's catalogue of operator cases, each as a static program and as a live one.

A case brings its module, its inputs, its golden and its tolerance. Of our own is the live variant:
the same module exported again with one dimension dynamic, to be run over a sequence of lengths.
"""

import copy
import functools
import inspect
from dataclasses import dataclass
from itertools import pairwise

import torch
from executorch.backends.webgpu.test.op_tests import cases as _registers_the_suites  # noqa: F401
from executorch.backends.webgpu.test.op_tests.test_suite import (
    Case,
    InputSpec,
    WebGPUTestSuite,
    op_test_registry,
)
from highwater import _native

from support import lowered_cache, lowering

# Short dims are exported with room to grow, so that they too have several lengths to visit.
SMALLEST_BOUND = 8

SOURCES = (__file__, *lowering.SOURCES)


@dataclass(frozen=True)
class CatalogueCase:
    op: str
    suite: WebGPUTestSuite
    case: Case

    @property
    def name(self) -> str:
        return f"{self.op}/{self.case.name or 'case'}"

    @property
    def atol(self) -> float:
        return self.suite.atol if self.case.atol is None else self.case.atol

    @property
    def rtol(self) -> float:
        return self.suite.rtol if self.case.rtol is None else self.case.rtol

    def module(self) -> torch.nn.Module:
        return _module(self.name)

    def golden(self, inputs) -> list[torch.Tensor]:
        module = self.module()
        with torch.no_grad():
            if self.case.golden_fn is not None:
                outputs = self.case.golden_fn(module, inputs)
            elif self.suite.golden_dtype == "float64":
                wide = [x.double() if x.is_floating_point() else x for x in inputs]
                outputs = copy.deepcopy(module).double()(*wide)
            else:
                outputs = module(*inputs)
        return list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]


@dataclass(frozen=True)
class Program:
    """A lowered case. `live` is None for a static program."""

    pte: bytes
    live: "LiveDim | None" = None


@dataclass(frozen=True)
class StaticOnly:
    reason: str


@dataclass(frozen=True)
class LiveDim:
    """Which dims of which inputs share the one dynamic size, and the lengths to visit."""

    dims: tuple[tuple[int, int], ...]
    bound: int
    lengths: tuple[int, ...]

    def shapes(self, module, inputs):
        size = torch.export.Dim("live", min=min(self.lengths), max=self.bound)
        shapes = tuple(
            {dim: size for at, dim in self.dims if at == index} or None
            for index in range(len(inputs))
        )
        parameters = inspect.signature(module.forward).parameters.values()
        variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        return (shapes,) if variadic else shapes

    def inputs(self, full, length: int, step: int):
        """The inputs of one step: `length` long, and other values at every step, so that results
        left over from an earlier step are never right by accident."""
        live = list(full)
        for index, dim in self.dims:
            live[index] = torch.roll(live[index], step, dim).narrow(dim, 0, length).contiguous()
        return tuple(live)


@functools.cache
def all_cases() -> dict[str, CatalogueCase]:
    cases = [
        CatalogueCase(op, suite, case)
        for op, suite in op_test_registry.items()
        for case in suite.cases
    ]
    return {case.name: case for case in cases}


# Building a quantized module takes seconds, and a case needs it for two programs and the goldens.
@functools.lru_cache(maxsize=1)
def _module(name: str) -> torch.nn.Module:
    case = all_cases()[name]
    # Program and golden come from two constructions when the program comes from the cache.
    torch.manual_seed(0)
    return case.suite.module_factory(**case.case.construct)


def static_inputs(case: CatalogueCase):
    torch.manual_seed(0)
    return tuple(_materialize(spec) for spec in case.case.inputs)


def static_program(case: CatalogueCase) -> Program:
    return lowered_cache.cached(f"{case.name} static", SOURCES, lambda: _lower_static(case))


def live_program(case: CatalogueCase) -> Program | StaticOnly:
    key = f"{case.name} live {_native.supported_ops()}"  # by which our own partitioner decides
    return lowered_cache.cached(key, SOURCES, lambda: _lower_live(case))


def live_inputs(case: CatalogueCase, live: LiveDim):
    """The inputs at the bound, of which each step takes a part."""
    torch.manual_seed(0)
    specs = case.case.export_inputs or case.case.inputs
    return tuple(
        _materialize_at_bound(spec, [dim for at, dim in live.dims if at == index], live.bound)
        for index, spec in enumerate(specs)
    )


def _materialize(spec) -> torch.Tensor:
    shape, gen = (spec.shape, spec.gen) if isinstance(spec, InputSpec) else (spec, "randn")
    if gen == "randn":
        return torch.randn(*shape)
    if gen == "ramp":
        return torch.linspace(-1.0, 1.0, torch.Size(shape).numel()).reshape(shape)
    tensor = gen(shape)
    if tensor.dtype == torch.bool:
        return tensor
    return tensor.to(torch.float32 if tensor.is_floating_point() else torch.int32)


def _materialize_at_bound(spec, dims, bound: int) -> torch.Tensor:
    shape, gen = (spec.shape, spec.gen) if isinstance(spec, InputSpec) else (spec, "randn")
    wanted = tuple(bound if dim in dims else size for dim, size in enumerate(shape))
    try:
        tensor = _materialize(InputSpec(wanted, gen))
    except (AssertionError, RuntimeError):
        tensor = None
    if tensor is not None and tuple(tensor.shape) == wanted:
        return tensor
    # The generator makes one shape only: repeat what it makes.
    tensor = _materialize(spec)
    for dim in dims:
        repeats = [1] * tensor.dim()
        repeats[dim] = -(-bound // tensor.shape[dim])
        tensor = tensor.repeat(repeats).narrow(dim, 0, bound).contiguous()
    return tensor


def _lower_static(case: CatalogueCase) -> Program:
    torch.manual_seed(0)
    specs = case.case.export_inputs or case.case.inputs
    inputs = tuple(_materialize(spec) for spec in specs)
    return Program(lowering.lower(case.module(), inputs, case.case.dynamic_shapes))


def _lower_live(case: CatalogueCase) -> Program | StaticOnly:
    specs = case.case.export_inputs or case.case.inputs
    shapes = [tuple(getattr(spec, "shape", spec)) for spec in specs]
    if not any(shapes):
        return StaticOnly("it has no input with a dimension")
    cpu_when_static = set(lowering.program_ops(static_program(case).pte).cpu)
    module = case.module()
    reason = ""
    for dims, bound in _candidates(shapes):
        live = LiveDim(dims, bound, (bound,))
        inputs = live_inputs(case, live)
        lengths, why_not = _lengths_that_run(module, live, inputs)
        if len(set(lengths)) < 3:
            reason = reason or f"eager torch runs too few lengths of dim {dims[0][1]}: {why_not}"
            continue
        live = LiveDim(dims, bound, lengths)
        # Some that ExecuTorch's partitioner cannot take live are taken by ours.
        for own in (False, True):
            lowered = _lower_at(case, live, inputs, cpu_when_static, own=own)
            if isinstance(lowered, Program):
                return lowered
            reason = lowered.reason
    return StaticOnly(reason)


def _lower_at(case, live: LiveDim, inputs, cpu_when_static, *, own) -> Program | StaticOnly:
    module, dim = case.module(), live.dims[0][1]
    try:
        pte = lowering.lower(module, inputs, live.shapes(module, inputs), own=own)
    except Exception as error:  # noqa: BLE001 - export fails in many ways
        return StaticOnly(f"torch does not export dim {dim} dynamically: {_first_line(error)}")
    left = set(lowering.program_ops(pte).cpu) - cpu_when_static
    if left:
        return StaticOnly(f"the partitioner leaves {', '.join(sorted(left))} of it to the CPU")
    if _outputs_made_static(case, live, inputs, pte):
        return StaticOnly(f"dim {dim} is dynamic, but the exporter makes an output static")
    return Program(pte, live)


def _outputs_made_static(case, live: LiveDim, inputs, pte: bytes) -> bool:
    longest = case.golden(live.inputs(inputs, live.bound, 0))
    shortest = case.golden(live.inputs(inputs, min(live.lengths), 0))
    return any(
        a.shape != b.shape and not dynamic
        for a, b, dynamic in zip(longest, shortest, lowering.output_is_dynamic(pte), strict=True)
    )


def _candidates(shapes):
    """Dims to try, best first: the leading one if it is more than 1, then the longest.

    Other inputs may share the size: those at the same place from the left, from the right as in
    broadcasting, anywhere, or none.
    """
    for at, shape in enumerate(shapes):
        order = sorted(range(len(shape)), key=lambda dim: -shape[dim])
        if shape and shape[0] > 1:
            order = [0, *(dim for dim in order if dim)]
        for dim in order:
            size = shape[dim]
            from_right = dim - len(shape)
            same = [(i, d) for i, other in enumerate(shapes) for d in _dims_of(other, size)]
            ties = (
                tuple((i, d) for i, d in same if d == dim),
                tuple((i, d) for i, d in same if d - len(shapes[i]) == from_right),
                tuple(same),
                ((at, dim),),
            )
            for dims in dict.fromkeys(ties):
                for bound in dict.fromkeys((max(size, SMALLEST_BOUND), size)):
                    yield dims, bound


def _dims_of(shape, size: int) -> list[int]:
    return [dim for dim, n in enumerate(shape) if n == size]


def _lengths_that_run(module, live: LiveDim, inputs):
    """The part of the length sequence that eager torch accepts, and what it says of the rest."""
    why_not = ""
    runs = []
    for length in length_sequence(live.bound):
        try:
            with torch.no_grad():
                module(*live.inputs(inputs, length, 0))
            runs.append(length)
        except Exception as error:  # noqa: BLE001 - the module may raise anything
            why_not = _first_line(error)
    kept = [a for a, b in pairwise([*runs, None]) if a != b]
    return tuple(kept), why_not


def length_sequence(bound: int) -> tuple[int, ...]:
    """The bound, down by primes to 1, and up again past a length already visited."""
    primes = [_prime_up_to(bound * part // 100) for part in (80, 30)]
    lengths = [bound, *primes, 3, 2, 1, _prime_up_to(bound * 55 // 100), bound]
    return tuple(length for length in lengths if 1 <= length <= bound)


def _prime_up_to(limit: int) -> int:
    for n in range(limit, 2, -1):
        if all(n % d for d in range(2, int(n**0.5) + 1)):
            return n
    return max(1, limit)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:160] if lines else ''}"
