"""Makes files of a network: programs for the backends of ExecuTorch, the module for torch itself,
and what torch makes of each step's input.

    python -m benchmarks.network_export MODEL FILE=OUTPUT...

runs in a process of its own, because exporters change theirs.
"""

import logging
import sys
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402
import torch  # noqa: E402
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner  # noqa: E402
from executorch.exir import ExecutorchProgramManager, to_edge_transform_and_lower  # noqa: E402
from highwater.export import HighwaterPartitioner  # noqa: E402
from highwater.exporting import known_shapes, lowering  # noqa: E402
from torch.export import ExportedProgram  # noqa: E402

from benchmarks import files  # noqa: E402
from benchmarks.model import HIGHWATER, REFERENCE, TORCH, XNNPACK  # noqa: E402
from benchmarks.models import named  # noqa: E402
from benchmarks.network import Network  # noqa: E402
from benchmarks.network_sources import Source, source  # noqa: E402

# Lowers several times faster, to the same bytes.
sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "python"))
from support import fast_export  # noqa: E402


def for_highwater(exported: ExportedProgram) -> ExecutorchProgramManager:
    return lowering.lower(exported, HighwaterPartitioner())


def for_xnnpack(exported: ExportedProgram) -> ExecutorchProgramManager:
    with known_shapes.remembered():
        edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
        return edge.to_executorch()


LOWERED = {HIGHWATER: for_highwater, XNNPACK: for_xnnpack}


def reference(network: Source) -> dict[str, np.ndarray]:
    arrays = {}
    with torch.no_grad():
        for step, x in network.inputs.items():
            arrays[f"{step}.input"] = x.numpy()
            arrays[f"{step}.output"] = network.module(x).numpy()
    return arrays


def make(model: Network, outputs: dict[str, Path]) -> None:
    logging.disable(logging.WARNING)
    fast_export.apply()
    network = source(model)
    for name, output in outputs.items():
        with files.completed(output) as partial:
            write(name, network, partial)


def write(name: str, network: Source, output: Path) -> None:
    if name == REFERENCE:
        np.savez(output, **reference(network))
    elif name == TORCH:
        torch.save(network.module, output)
    else:
        with output.open("wb") as file:
            LOWERED[name](network.exported()).write_to_file(file)


if __name__ == "__main__":
    chosen, *pairs = sys.argv[1:]
    make(named(chosen), {k: Path(v) for k, v in (pair.split("=", 1) for pair in pairs)})
