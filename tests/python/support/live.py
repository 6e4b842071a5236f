"""Loads a program once, runs it at one live shape after another, and compares with torch.

Every run is held to the engine's promises as well: nothing is created after load, and a run is one
pass, one submit and at most one write of params.
"""

import copy
import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import highwater
import torch
from executorch.runtime import Runtime
from torch.utils import _pytree as pytree

from support import lowering

BOUND = 128
# Down from the bound, not by divisors; up again after being short; a single row; back to the bound.
LENGTHS = (128, 100, 37, 64, 1, 128)


@dataclass(frozen=True)
class Tolerance:
    """An element is right if it is close absolutely, relatively, or by the largest element."""

    atol: float = 0.0
    rtol: float = 0.0
    of_largest: float = 0.0
    same_argmax: bool = False
    # By how much one in a hundred integers may be off that stand for floats.
    steps: int = 0


EXACT = Tolerance()
FLOAT = Tolerance(1e-5, 1e-5)
# WGSL leaves exp, sin, pow and their relatives some units in the last place more.
TRANSCENDENTAL = Tolerance(1e-4, 1e-4)
RMS = Tolerance(1e-3, 1e-3)
HALF = Tolerance(1e-2, 1e-2)
MATMUL = Tolerance(1e-4, 1e-4)
Q4 = Tolerance(5e-3, 5e-3)
SDPA = Tolerance(2e-3, 2e-3)
# Logits: small ones are differences of large terms.
WHOLE_MODEL = Tolerance(of_largest=1e-3, same_argmax=True)
WHOLE_MODEL_HALF = Tolerance(of_largest=1e-2, same_argmax=True)
# Inputs go through int8: a value on the edge between two may fall to the other side.
THROUGH_INT8 = Tolerance(of_largest=3e-2, same_argmax=True)
DQ8 = Tolerance(of_largest=1e-2)

# The kernels for software adapters and those for GPUs: either kind runs on any adapter.
BOTH_KINDS = ("software", "gpu")


class LoadError(RuntimeError):
    """A program did not load; carries the engine's own words."""

    @property
    def unsupported(self) -> bool:
        return "is not supported" in str(self)


class LiveProgram:
    """One loaded program. Each `run` is checked against the accounts of the engine.

    `routes` are the different lists of kernels that its runs have taken so far.
    """

    def __init__(self, pte: bytes, data_path: Path | None = None):
        try:
            self._program = Runtime.get().load_program(pte, data_path=data_path)
            self._method = self._program.load_method("forward")
        except RuntimeError as error:
            raise LoadError(f"{highwater.last_error()} [{_first_line(error)}]") from error
        self.routes: set[tuple[str, ...]] = set()

    def run(self, *inputs) -> list:
        try:
            outputs = list(self._method.execute(list(inputs)))
        except RuntimeError as error:
            said = highwater.last_error()
            raise RuntimeError(f"the run failed: {said} [{_first_line(error)}]") from error
        account = highwater.last_run()
        check_accounts(account)
        self.routes.add(tuple(account["kernels"]))
        return outputs

    def check(self, module, *inputs, tolerance: Tolerance | dict[str, Tolerance] = FLOAT) -> list:
        """Runs, and compares values, live shapes and dtypes with those of the eager module.

        Where that gives a dict, there may be a tolerance for each of its keys.
        """
        with torch.no_grad():
            expected, _ = pytree.tree_flatten_with_path(module(*inputs))
        actual = self.run(*inputs)
        assert len(actual) == len(expected), f"{len(actual)} outputs, not {len(expected)}"
        shapes = ", ".join(str(list(getattr(x, "shape", [x]))) for x in inputs)
        for got, (path, want) in zip(actual, expected, strict=True):
            name = f"output {pytree.keystr(path)}"
            if isinstance(want, torch.Tensor):
                near = tolerance[path[0].key] if isinstance(tolerance, dict) else tolerance
                assert_same(got, want, near, f"{name} for inputs {shapes}")
            else:
                assert got == want, f"{name} is {got}, not {want}, for inputs {shapes}"
        return actual

    def check_rejects(self, *inputs) -> None:
        try:
            self._method.execute(list(inputs))
        except RuntimeError:
            return
        shapes = ", ".join(str(list(x.shape)) for x in inputs)
        raise AssertionError(f"accepted inputs that do not fit: {shapes}")


def check_accounts(run: dict) -> None:
    """Of a run through ExecuTorch: each delegate of the program is one pass and one submit."""
    work, most = 1 if run["dispatches"] else 0, run["delegates"]
    assert run["gpu_objects"] == 0, f"a run created {run['gpu_objects']} GPU objects: {run}"
    assert work <= run["passes"] <= most, f"a run took {run['passes']} passes: {run}"
    assert work <= run["submits"] <= most, f"a run took {run['submits']} submits: {run}"
    assert run["params_writes"] <= most, f"a run wrote params {run['params_writes']} times: {run}"


def assert_same(got, want, tolerance: Tolerance, what: str, dtype=None) -> None:
    """Compares shape and dtype exactly and values by `tolerance`."""
    dtype = want.dtype if dtype is None else dtype
    assert got.shape == want.shape, f"{what} has shape {list(got.shape)}, not {list(want.shape)}"
    assert got.dtype == dtype, f"{what} is {got.dtype}, not {dtype}"
    if not dtype.is_floating_point:
        differs = got != want.to(dtype)
        error = (got.double() - want.double()).abs()
        few = differs.sum() <= 0.01 * differs.numel() + 1
        wrong = differs & (error > tolerance.steps) if few else differs
    else:
        a, b = got.double(), want.double()
        error = (a - b).abs()
        near = (error <= tolerance.atol) | (error <= tolerance.rtol * b.abs())
        if tolerance.of_largest and b.numel():
            near |= error <= tolerance.of_largest * b.abs().max()
        wrong = ~(near | (a == b) | (a.isnan() & b.isnan()))
    if tolerance.same_argmax:
        assert torch.equal(got.argmax(-1), want.argmax(-1)), f"{what} has another argmax"
    if not wrong.any():
        return
    at = tuple(int(i) for i in wrong.nonzero()[0])
    raise AssertionError(
        f"{what}: {int(wrong.sum())} of {wrong.numel()} elements are wrong, the worst by "
        f"{error[wrong].max():.3g}; the first is at {at}: {got[at].item()}, not {want[at].item()}"
    )


@contextmanager
def kernels_of_kind(kind: str | None):
    """Programs loaded inside use this kind of kernels; None leaves the choice to the engine."""
    before = os.environ.get("HIGHWATER_KERNELS")
    _set_environment("HIGHWATER_KERNELS", before if kind is None else kind)
    try:
        yield
    finally:
        _set_environment("HIGHWATER_KERNELS", before)


def check_live(
    module,
    make_inputs,
    dynamic_shapes,
    *,
    ops=(),
    lengths=LENGTHS,
    tolerance: Tolerance | dict[str, Tolerance] = FLOAT,
    over_bound: bool = True,
    kinds=(None,),
    golden=None,
    **options,
) -> LiveProgram:
    """Lowers `module` at the longest of `lengths` and checks one loaded program at all of them.

    `make_inputs(length)` draws from torch's generator, so that each step has new values. A length
    may be a tuple, such as a length and the position it starts at. `ops` are operators that the
    program must hold, all of it on the delegate. `golden` says what is right, if not the module
    itself. For each of `kinds` of kernels the program is
    loaded anew; a module with state starts anew as well.
    """
    bound = max(lengths)
    torch.manual_seed(0)
    pte = lowering.lower(module, make_inputs(bound), dynamic_shapes, **options)
    lowering.assert_delegated(pte, *ops)
    for kind in kinds:
        with kernels_of_kind(kind):
            program = LiveProgram(pte)
        eager = copy.deepcopy(module if golden is None else golden)
        for step, length in enumerate(lengths):
            torch.manual_seed(step)
            program.check(eager, *make_inputs(length), tolerance=tolerance)
        if over_bound:
            program.check_rejects(*make_inputs(longer_than(bound)))
            program.check(eager, *make_inputs(min(lengths)), tolerance=tolerance)
            program.check(eager, *make_inputs(bound), tolerance=tolerance)
    return program


def longer_than(length):
    return (length[0] + 1, *length[1:]) if isinstance(length, tuple) else length + 1


def _set_environment(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
