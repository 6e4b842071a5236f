"""What all models of the benchmark have in common.

Nothing here needs a package, so that every process of the benchmark can read it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import numpy as np

# The files of a model. Not every model has all of them.
HIGHWATER = "highwater.pte"
XNNPACK = "xnnpack.pte"
ONNX = "model.onnx"
GGUF = "model.gguf"
TORCH = "torch.pt"
WEIGHTS = "weights.npz"
REFERENCE = "reference.npz"  # what goes in, and what torch makes of it


@dataclass(frozen=True)
class Step:
    """One call of a model, which is one column of a table."""

    name: str
    work: int  # tokens or pixels: the time that a call takes grows with it
    position: int = 0  # tokens that must be in the cache before


@dataclass(frozen=True)
class Form:
    """What a model's numbers are in one of its files, and how far outputs may be from torch's: the
    norm of the difference over the norm of torch's."""

    numbers: str
    tolerance: float


@dataclass(frozen=True)
class Maker:
    """A module that makes files of a model, and what else it takes to do so."""

    module: str
    environments: tuple[str, ...]  # it runs with the Python of the first
    sources: tuple[str, ...]  # files of this repository that decide what comes out
    packages: tuple[str, ...] = ("torch", "executorch", "torchao")  # and packages that do
    reads: tuple[str, ...] = ()  # other files of the model


@dataclass(frozen=True)
class Model:
    name: str

    forms: ClassVar[dict[str, Form]]  # by file: what engines can run
    lacks: ClassVar[dict[str, str]]  # by file: why there is none
    makers: ClassVar[dict[str, Maker]]  # by file

    def about(self) -> str:
        """Its size in a few words."""
        raise NotImplementedError

    def steps(self, lengths: list[int], quick: bool) -> list[Step]:
        """What is measured, least work first. `lengths` are those of prompts, for models that take
        them."""
        raise NotImplementedError

    def portions(self, start: int, end: int) -> list[Step]:
        """Calls that bring a cache from so many tokens to so many."""
        return []

    def inputs(self, step: Step, reference: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
        raise NotImplementedError

    def expected(self, step: Step, reference: dict[str, np.ndarray]) -> np.ndarray:
        raise NotImplementedError

    def onnx_inputs(self, *inputs: np.ndarray) -> dict[str, np.ndarray]:
        """The inputs by the names that they have in the ONNX graph."""
        (only,) = inputs
        return {"input": only}

    def onnx_caches(self) -> list[tuple[str, str, tuple[int, ...]]]:
        """Inputs of the ONNX graph that keep their memory, outputs that write to it, and shapes."""
        return []

    def fingerprint(self, *more: str) -> str:
        """Names a file that is made of this model and of whatever `more` stands for."""
        text = json.dumps([type(self).__name__, asdict(self), *more])
        return hashlib.sha256(text.encode()).hexdigest()[:16]
