"""From a torch module to a program of one delegate. It needs the extra ``highwater[export]``.

``to_pte`` does all of it. ``quantized`` is its first step, for those who want to try a module in
fewer bits in torch; ``HighwaterPartitioner`` is for those who call ExecuTorch themselves.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from highwater.errors import HighwaterError
from highwater.exporting import advice, experts, inputs, lowering, quantization, recurrent
from highwater.exporting.partitioner import HighwaterPartitioner

__all__ = ["QUANTIZATIONS", "HighwaterPartitioner", "quantized", "to_pte"]

HALF = "fp16"
QUANTIZATIONS = (*quantization.OF_WEIGHTS, quantization.STATIC, HALF)


def to_pte(
    module: Any,
    example: Sequence[Any],
    dynamic_shapes: Any = None,
    *,
    quantize: str | None = None,
    group_size: int = 32,
    calibration: Iterable[Any] = (),
    half: bool = False,
    partial: bool = False,
) -> bytes:
    """The bytes of a .pte file that ``highwater.load`` takes.

    ``example`` and ``dynamic_shapes`` are as ``torch.export.export`` takes them. ``quantize`` is as
    ``quantized`` has it. With ``half`` the program computes in 16 bits, in whatever its weights are
    kept. What Highwater cannot run is an error, unless ``partial`` leaves it to the CPU; such a
    program needs ExecuTorch's runtime.
    """
    options = {"group_size": group_size, "calibration": calibration}
    with advice.noted("quantizing"):
        module = quantized(module, example, dynamic_shapes, quantize, **options)
    with advice.noted("exporting"):
        exported = trace(module, tuple(example), dynamic_shapes)
    signature = inputs.Signature(exported, dynamic_shapes)
    partitioner = HighwaterPartitioner(half or quantize == HALF)
    with advice.noted("lowering"):
        program = lowering.lower(exported, partitioner, signature.constant_method())
    if partitioner.refused and not partial:
        raise HighwaterError(
            f"Highwater cannot run {in_words(partitioner.refused)}. Write the module in other ops, "
            "or let the CPU do this with partial=True."
        )
    return program.buffer


def quantized(
    module: Any,
    example: Sequence[Any],
    dynamic_shapes: Any,
    how: str | None,
    *,
    group_size: int = 32,
    calibration: Iterable[Any] = (),
) -> Any:
    """The module in fewer bits: what it computes in torch is what its program will.

    4w keeps the weights of linear layers in 4 bits, with a scale for each ``group_size`` of them.
    8da4w rounds what they are multiplied with to 8 bits as well, row by row. int8 has weights and
    what lies between the layers in 8 bits, with scales from ``calibration``: inputs such as the
    model will get, each a tuple; of modules that attend or norm rows it takes linear layers alone,
    and what lies between them stays floats. fp16 changes nothing here, for it is the program that
    computes in 16 bits. The module itself stays as it is.
    """
    if how in quantization.OF_WEIGHTS:
        return quantization.weights_quantized(module, how, group_size)
    if how == quantization.STATIC:
        given = (tuple(example), dynamic_shapes, calibration)
        return quantization.calibrated(module, *given, trace)
    if how not in (None, HALF):
        known = ", ".join(QUANTIZATIONS)
        raise HighwaterError(f"There is no quantization {how!r}; there are: {known}.")
    return module


def trace(module: Any, example: tuple[Any, ...], dynamic_shapes: Any) -> Any:
    """``torch.export.export``, with recurrent layers whose length stays live, and with experts
    whose sizes do not depend on values."""
    import torch

    # Of one tensor that stands for two inputs, torch would make one input.
    copies = (x.clone() if isinstance(x, torch.Tensor) else x for x in example)
    with torch.no_grad(), recurrent.kept_whole(), experts.all_computed():
        return torch.export.export(module, tuple(copies), dynamic_shapes=dynamic_shapes)


def in_words(refused: dict[str, str]) -> str:
    return ", ".join(f"{op} ({reason})" for op, reason in sorted(refused.items()))
