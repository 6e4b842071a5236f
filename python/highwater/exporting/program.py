"""What a .pte file holds: delegates, ops, ops for the CPU, and constants about the model."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from highwater import _native


@dataclass
class Program:
    size: int
    delegates: int = 0
    delegated: Counter[str] = field(default_factory=Counter)
    cpu: Counter[str] = field(default_factory=Counter)
    metadata: dict[str, Any] = field(default_factory=dict)


def read(path: Path, method: str = "forward") -> Program:
    """Of the ops, those of `method`."""
    file = _native.File(path)
    methods = file.methods
    found = Program(path.stat().st_size)
    if own := methods.pop(method, None):
        found.delegates = len(own["delegates"])
        found.delegated.update(file.delegated_ops(method))
        found.cpu.update(op.rstrip(".") for op in own["cpu_ops"])
    found.metadata = {name: _constant(told) for name, told in methods.items()}
    return found


def _constant(method: dict[str, Any]) -> Any:
    """What a method without arguments says, such as `get_max_seq_len`."""
    values = method["integers"] or method["texts"]
    return values[0] if len(values) == 1 else values
