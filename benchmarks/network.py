"""Networks that turn one input into one output, and keep nothing between calls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from benchmarks import files
from benchmarks.environments import WITHOUT_TORCH
from benchmarks.model import (
    GGUF,
    HIGHWATER,
    ONNX,
    REFERENCE,
    TORCH,
    XNNPACK,
    Form,
    Maker,
    Model,
    Step,
)

if TYPE_CHECKING:
    import numpy as np

EXPORTER = Maker(
    "network_export",
    ("executorch",),
    (
        "benchmarks/network_export.py",
        "benchmarks/network_sources.py",
        "benchmarks/mobilenet.py",
        "benchmarks/encoder.py",
    ),
)
# The same, by Highwater's own exporter.
OWN_EXPORTER = replace(
    EXPORTER, sources=(*EXPORTER.sources, *files.below("python/highwater/exporting"))
)
# torch writes ONNX, with packages that ONNX Runtime's environment has.
WRITER = Maker(
    "network_onnx",
    ("executorch", WITHOUT_TORCH),
    (*EXPORTER.sources, "benchmarks/network_onnx.py", "benchmarks/requirements.txt"),
)
FLOAT32 = Form("float32", 1e-3)
# Adding floats in another order makes a few int8 values differ by one, and layer by layer these
# become more: torch without its faster convolutions is 0.02 from torch. Another image is 0.13 to
# 0.28 away.
INT8 = Form("int8", 0.05)


@dataclass(frozen=True)
class Network(Model):
    forms: ClassVar[dict[str, Form]] = dict.fromkeys((HIGHWATER, XNNPACK, ONNX, TORCH), FLOAT32)
    lacks: ClassVar[dict[str, str]] = {GGUF: "llama.cpp is for language models"}
    makers: ClassVar[dict[str, Maker]] = {
        HIGHWATER: OWN_EXPORTER,
        **dict.fromkeys((XNNPACK, TORCH, REFERENCE), EXPORTER),
        ONNX: WRITER,
    }

    def inputs(self, step: Step, reference: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
        return (reference[f"{step.name}.input"],)

    def expected(self, step: Step, reference: dict[str, np.ndarray]) -> np.ndarray:
        return reference[f"{step.name}.output"].reshape(-1)


@dataclass(frozen=True)
class MobileNet(Network):
    classes: int = 1000
    sizes: tuple[tuple[int, int], ...] = ((96, 160), (224, 224))  # height and width, live both
    largest: int = 224

    def about(self) -> str:
        return f"MobileNetV2 in float32, {self.classes} classes"

    def steps(self, lengths: list[int], quick: bool) -> list[Step]:
        found = [Step(f"{height}×{width}", height * width) for height, width in self.sizes]
        return found[:1] if quick else found


@dataclass(frozen=True)
class Int8MobileNet(MobileNet):
    forms: ClassVar[dict[str, Form]] = dict.fromkeys((HIGHWATER, XNNPACK, ONNX), INT8)
    lacks: ClassVar[dict[str, str]] = {
        **Network.lacks,
        TORCH: "torch computes int8 by floats that it rounds: it gives the numbers, not times",
    }

    def about(self) -> str:
        return f"MobileNetV2 in int8, {self.classes} classes"


@dataclass(frozen=True)
class Encoder(Network):
    width: int
    layers: int
    heads: int
    hidden: int
    vocabulary: int
    lengths: tuple[int, ...] = (16, 128)
    longest: int = 512

    def about(self) -> str:
        return (
            f"a text encoder in float32, dim {self.width}, {self.layers} layers, "
            f"{self.heads} heads, hidden {self.hidden}, vocabulary {self.vocabulary}"
        )

    def steps(self, lengths: list[int], quick: bool) -> list[Step]:
        found = [Step(f"{n} tokens", n) for n in self.lengths]
        return found[:1] if quick else found
