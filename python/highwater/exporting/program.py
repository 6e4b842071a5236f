"""What a .pte file holds: delegates and their ops, ops for the CPU, and constants about the model.

Only the program is read, not the weights, so that a file of gigabytes takes no longer.
"""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from highwater.exporting import inputs

BACKEND = "VulkanBackend"
_HEADER = 64  # more than the bytes that tell where the program ends


@dataclass
class Program:
    size: int
    delegates: int = 0
    delegated: Counter[str] = field(default_factory=Counter)
    cpu: Counter[str] = field(default_factory=Counter)
    metadata: dict[str, Any] = field(default_factory=dict)


def read(path: Path, method: str = "forward") -> Program:
    """Of the ops, those of `method`."""
    program, segments = _read_flatbuffer(path)
    found = Program(path.stat().st_size)
    for plan in program.execution_plan:
        if plan.name == inputs.METHOD:
            continue
        if plan.name != method:
            found.metadata[plan.name] = _constant(plan)
            continue
        found.delegates += len(plan.delegates)
        for delegate in plan.delegates:
            blob = _delegate_bytes(path, program, segments, delegate)
            if delegate.id == BACKEND:
                found.delegated.update(operator_names(blob))
        for chain in plan.chains:
            for instruction in chain.instructions:
                if type(instruction.instr_args).__name__ == "KernelCall":
                    operator = plan.operators[instruction.instr_args.op_index]
                    found.cpu[f"{operator.name}.{operator.overload}".rstrip(".")] += 1
    return found


def _read_flatbuffer(path: Path) -> tuple[Any, int]:
    """The program, and where in the file its segments start."""
    from executorch.exir._serialize._program import _flatbuffer_to_program, _get_extended_header

    with path.open("rb") as file:
        header = _get_extended_header(file.read(_HEADER))
        file.seek(0)
        if header is None or not header.is_valid():
            return _flatbuffer_to_program(file.read()), 0
        return _flatbuffer_to_program(file.read(header.program_size)), header.segment_base_offset


def _delegate_bytes(path: Path, program: Any, segments: int, delegate: Any) -> bytes:
    index = delegate.processed.index
    if delegate.processed.location.name == "INLINE":
        return bytes(program.backend_delegate_data[index].data)
    segment = program.segments[index]
    with path.open("rb") as file:
        file.seek(segments + segment.offset)
        return file.read(segment.size)


def _constant(plan: Any) -> Any:
    """What a method without arguments says, such as `get_max_seq_len`."""
    values = [next(iter(vars(plan.values[i].val).values()), None) for i in plan.outputs]
    return values[0] if len(values) == 1 else values


def operator_names(blob: bytes) -> list[str]:
    """The ops of a delegate, in order. Its flatbuffer is read in place: the wheel's own reader
    starts a program for it, and stumbles over infinite numbers."""
    import flatbuffers
    from executorch.backends.vulkan.serialization.vulkan_graph_serialize import (
        extract_vk_flatbuffer,
    )
    from flatbuffers.table import Table

    # The n-th field of a table is at 4 + 2n; `VkGraph.chain` and `OperatorCall.name` are second.
    second = 6
    buffer = bytearray(extract_vk_flatbuffer(blob))
    graph = Table(buffer, flatbuffers.encode.Get(flatbuffers.packer.uoffset, buffer, 0))
    chain = graph.Offset(second)
    names = []
    for i in range(graph.VectorLen(chain) if chain else 0):
        call = Table(buffer, graph.Indirect(graph.Vector(chain) + 4 * i))
        names.append(call.String(call.Pos + call.Offset(second)).decode())
    return names
