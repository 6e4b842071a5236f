"""Runs single catalogue cases; lives in a process that a crash of the engine may end."""

import re
import time
import traceback

import torch

from support import catalogue_cases, live, lowering
from support.catalogue_outcome import FAILED, PASSED, STATIC, STATIC_ONLY, UNSUPPORTED, Outcome

# Parallelism comes from the number of workers.
torch.set_num_threads(1)


def answer(connection) -> None:
    """Answers each (case, mode) with an outcome, until the other side hangs up."""
    connection.send(None)
    while True:
        try:
            name, mode = connection.recv()
        except EOFError:
            return
        connection.send(run(name, mode))


def run(name: str, mode: str) -> Outcome:
    start = time.monotonic()

    def outcome(status, detail="", group=""):
        return Outcome(name, mode, status, detail, group, time.monotonic() - start)

    case = catalogue_cases.all_cases()[name]
    try:
        if mode == STATIC:
            _run_static(case)
        else:
            program = catalogue_cases.live_program(case)
            if isinstance(program, catalogue_cases.StaticOnly):
                return outcome(STATIC_ONLY, program.reason)
            _run_live(case, program)
    except live.LoadError as error:
        if error.unsupported:
            return outcome(UNSUPPORTED, str(error), _unsupported_part(str(error)))
        return outcome(FAILED, f"it does not load: {error}")
    except AssertionError as error:
        return outcome(FAILED, str(error))
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is this case's failure
        traceback.print_exc()
        return outcome(FAILED, f"{type(error).__name__}: {error}")
    return outcome(PASSED)


def _run_static(case) -> None:
    program = catalogue_cases.static_program(case)
    if case.case.required:
        assert lowering.program_ops(program.pte).delegated, "nothing of it was delegated"
    _check(case, live.LiveProgram(program.pte), catalogue_cases.static_inputs(case), "")


def _run_live(case, program) -> None:
    loaded = live.LiveProgram(program.pte)
    full = catalogue_cases.live_inputs(case, program.live)
    dims = ", ".join(f"{dim} of input {at}" for at, dim in program.live.dims)
    before = "load"
    for step, length in enumerate(program.live.lengths):
        inputs = program.live.inputs(full, length, step)
        _check(case, loaded, inputs, f"at length {length} (dim {dims}) after {before}")
        before = f"length {length}"


def _check(case, loaded, inputs, where: str) -> None:
    golden = case.golden(inputs)
    outputs = loaded.run(*inputs)
    assert len(outputs) == len(golden), f"{len(outputs)} outputs, not {len(golden)}"
    tolerance = live.Tolerance(case.atol, case.rtol)
    for index, (got, want) in enumerate(zip(outputs, golden, strict=True)):
        dtype = torch.float32 if want.is_floating_point() else want.dtype
        live.assert_same(got, want.to(dtype), tolerance, f"output {index} {where}".strip())


def _unsupported_part(message: str) -> str:
    """The operator in the engine's message, or else the sentence that says it."""
    operator = re.search(r"\b[a-z_]\w*\.\w+\.\w+\b", message)
    if operator:
        return operator.group()
    sentence = re.search(r"[^:;.\n]*is not supported", message)
    return sentence.group().strip() if sentence else message[:80]
