"""The cases of ExecuTorch's own dynamic-shape test: its exporter, its inputs, its answers.

The letters are those of its backends/webgpu/test/native/test_dynamic_shape.cpp, which has no E.
A, B and C are one program there too: at the bound, below it, and one load at all lengths in turn.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from executorch.backends.webgpu.test.ops.dynamic_shape import test_dynamic_shape_export as theirs
from support.live import LiveProgram, Tolerance, assert_same
from support.lowered_cache import cached
from support.modules import live

ROWS = (1, 1, -1, theirs.HIDDEN)


@dataclass(frozen=True)
class Case:
    """`export` writes `name`.pte and, for each length, a file for each input and answer.

    The dims of a file tell its live dim by -1.
    """

    name: str
    export: Callable[[str], None]
    lengths: tuple[int, ...]
    inputs: dict[str, tuple[int, ...]]
    answers: dict[str, tuple[int, ...]]
    atol: float


def of_rows(name, module, lengths, bound=theirs.MAXS, dynamic=True) -> Case:
    def export(folder):
        dims = {"x": {2: live(most=bound)}} if dynamic else None
        example = torch.randn(1, 1, bound, theirs.HIDDEN)
        theirs._export(module, (example,), dims, f"{folder}/{name}.pte")
        theirs._write_goldens(module, name, folder, set(lengths))

    return Case(name, export, lengths, {"input": ROWS}, {"golden": ROWS}, 1e-3)


CASES = {
    "A, B, C": of_rows("dyn_rms", theirs.RmsNormModule(theirs.HIDDEN), (128, 1, 64, 8, 128)),
    "D": of_rows("static_rms", theirs.RmsNormModule(theirs.HIDDEN), (8, 8), 8, dynamic=False),
    "F": of_rows("dyn_rms_chain", theirs.RmsChainModule(theirs.HIDDEN), (128, 16, 1)),
    "G": of_rows("dyn_residual", theirs.RmsResidualModule(theirs.HIDDEN), (128, 32, 1)),
    "H": of_rows("dyn_rmsmul", theirs.RmsMulModule(theirs.HIDDEN), (128, 32, 1)),
    "I": Case(
        "dyn_linear",
        theirs._export_dynamic_linear,
        (128, 32, 1),
        {"input": (-1, 64)},
        {"golden": (-1, 128)},
        5e-3,
    ),
    "J": Case(
        "sdpa_dyn",
        theirs._export_dynamic_sdpa,
        (64, 16, 1),
        {
            "q": (1, -1, 8, 16),
            "k": (1, -1, 2, 16),
            "v": (1, -1, 2, 16),
            "kc": (1, 64, 2, 16),
            "vc": (1, 64, 2, 16),
        },
        {"golden": (1, -1, 8, 16)},
        2e-3,
    ),
    "K": Case(
        "emb_dyn",
        theirs.export_dynamic_embedding_cases,
        (16, 8, 1),
        {"idx": (-1,)},
        {"golden": (-1, 64)},
        5e-3,
    ),
    "L": Case(
        "rope_dyn",
        theirs._export_dynamic_rope,
        (16, 8, 1),
        {"xq": (1, -1, 8, 64), "xk": (1, -1, 2, 64), "fc": (-1, 32), "fs": (-1, 32)},
        {"gq": (1, -1, 8, 64), "gk": (1, -1, 2, 64)},
        1e-3,
    ),
    "M": of_rows("dyn_sigmoid", theirs.SigmoidModule(), (128, 32, 1)),
    "N": Case(
        "dyn_select",
        theirs._export_dynamic_select,
        (128, 32, 1),
        {"input": (2, 1, -1, 64)},
        {"golden": (1, -1, 64)},
        1e-3,
    ),
}


def exported(case: Case) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        case.export(folder)
        return {path.name: path.read_bytes() for path in Path(folder).glob(f"{case.name}.*")}


@pytest.mark.parametrize("letters", CASES)
def test_a_case(letters):
    case = CASES[letters]
    files = cached(
        f"{case.name} {case.lengths}", (__file__, theirs.__file__), lambda: exported(case)
    )

    def tensors(length, parts):
        for part, dims in parts.items():
            content = files[f"{case.name}.S{length}.{part}.bin"]
            numbers = np.frombuffer(content, "<i8" if part == "idx" else "<f4")
            yield torch.from_numpy(numbers.copy()).reshape(dims)

    def check(program, length):
        outputs = program.run(*tensors(length, case.inputs))
        for answer in tensors(length, case.answers):
            # Attention gives its caches back as well, for which there is no answer.
            (output,) = [x for x in outputs if x.shape == answer.shape]
            assert_same(output, answer, Tolerance(case.atol), f"{case.name} at {length}")

    pte = files[f"{case.name}.pte"]
    for length in set(case.lengths):
        check(LiveProgram(pte), length)
    program = LiveProgram(pte)
    for length in (*case.lengths, *reversed(case.lengths)):
        check(program, length)
