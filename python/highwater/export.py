"""From a torch module to a program of one delegate. It needs the extra ``highwater[export]``.

``to_pte`` does all of it; ``HighwaterPartitioner`` is for those who call ExecuTorch themselves.
"""

from collections.abc import Sequence
from typing import Any

from highwater.errors import HighwaterError
from highwater.exporting import inputs, lowering, recurrent
from highwater.exporting.partitioner import HighwaterPartitioner

__all__ = ["HighwaterPartitioner", "to_pte"]


def to_pte(
    module: Any,
    example: Sequence[Any],
    dynamic_shapes: Any = None,
    *,
    half: bool = False,
    partial: bool = False,
) -> bytes:
    """The bytes of a .pte file that ``highwater.load`` takes.

    ``example`` and ``dynamic_shapes`` are as ``torch.export.export`` takes them. With ``half`` the
    program computes in 16 bits. What Highwater cannot run is an error, unless ``partial`` leaves it
    to the CPU; such a program needs ExecuTorch's runtime.
    """
    exported = trace(module, tuple(example), dynamic_shapes)
    signature = inputs.Signature(exported, dynamic_shapes)
    partitioner = HighwaterPartitioner(half)
    program = lowering.lower(exported, partitioner, signature.constant_method())
    if partitioner.refused and not partial:
        raise HighwaterError(
            f"Highwater cannot run {in_words(partitioner.refused)}. Write the module in other ops, "
            "or let the CPU do this with partial=True."
        )
    return program.buffer


def trace(module: Any, example: tuple[Any, ...], dynamic_shapes: Any) -> Any:
    """``torch.export.export``, with recurrent layers whose length stays live."""
    import torch

    # Of one tensor that stands for two inputs, torch would make one input.
    copies = (x.clone() if isinstance(x, torch.Tensor) else x for x in example)
    with torch.no_grad(), recurrent.kept_whole():
        return torch.export.export(module, tuple(copies), dynamic_shapes=dynamic_shapes)


def in_words(refused: dict[str, str]) -> str:
    return ", ".join(f"{op} ({reason})" for op, reason in sorted(refused.items()))
