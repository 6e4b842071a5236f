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
from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner  # noqa: E402
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner  # noqa: E402
from executorch.exir import to_edge_transform_and_lower  # noqa: E402

from benchmarks.model import REFERENCE, TORCH, VULKAN, XNNPACK  # noqa: E402
from benchmarks.models import named  # noqa: E402
from benchmarks.network import Network  # noqa: E402
from benchmarks.network_sources import Source, source  # noqa: E402

# Lowers several times faster, to the same bytes.
sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "python"))
from support import fast_export  # noqa: E402

PARTITIONERS = {VULKAN: VulkanPartitioner, XNNPACK: XnnpackPartitioner}


def lower(network: Source, partitioner, output: Path) -> None:
    lowered = to_edge_transform_and_lower(network.exported(), partitioner=[partitioner])
    with output.open("wb") as file:
        lowered.to_executorch().write_to_file(file)


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
        if name == REFERENCE:
            np.savez(output, **reference(network))
        elif name == TORCH:
            torch.save(network.module, output)
        else:
            lower(network, PARTITIONERS[name](), output)


if __name__ == "__main__":
    chosen, *pairs = sys.argv[1:]
    make(named(chosen), {k: Path(v) for k, v in (pair.split("=", 1) for pair in pairs)})
