"""Writes a network as ONNX, as torch does it.

    python -m benchmarks.network_onnx MODEL model.onnx=OUTPUT

int8 becomes pairs of QuantizeLinear and DequantizeLinear, which ONNX Runtime turns into layers of
int8 when it loads the graph.
"""

import sys
import warnings
from pathlib import Path

from benchmarks import environments, files
from benchmarks.models import named
from benchmarks.network import Network

warnings.filterwarnings("ignore")
# torch is in one environment, and ONNX in another. At the end, so that torch's own packages count.
sys.path.append(str(environments.packages(environments.WITHOUT_TORCH)))

import onnx  # noqa: E402
import torch  # noqa: E402

from benchmarks.network_sources import source  # noqa: E402

OPSET = 21


def as_onnx(model: Network) -> onnx.ModelProto:
    program = torch.onnx.export(
        source(model).exported(),
        input_names=["input"],
        output_names=["output"],
        opset_version=OPSET,
        dynamo=True,
        verbose=False,
    )
    return program.model_proto


def give_weights_their_own_zero_points(graph: onnx.GraphProto) -> None:
    """ONNX Runtime's way around overflows (see `engines`) fails where weights share them."""
    constants = {constant.name: constant for constant in graph.initializer}
    taken = set()
    for node in graph.node:
        if node.op_type != "DequantizeLinear" or node.input[0] not in constants:
            continue
        shared = node.input[2]
        if shared in taken:
            own = graph.initializer.add()
            own.CopyFrom(constants[shared])
            own.name = node.input[2] = f"{node.input[0]}.zero_points"
        taken.add(shared)


def ask_floats_for_their_shape(graph: onnx.GraphProto) -> None:
    """ONNX Runtime's WebGPU plugin does not tell the shape of tokens, which are integers. That of
    their embedding begins with the same dims."""
    tokens = graph.input[0].name
    shapes = [node for node in graph.node if node.op_type == "Shape" and node.input[0] == tokens]
    for shape in shapes:
        (embedding,) = (n for n in graph.node if n.op_type == "Gather" and n.input[1] == tokens)
        shape.input[0] = embedding.output[0]
        # Nodes are in the order in which they run: the embedding comes first now.
        nodes = sorted(graph.node, key=lambda node: node.output[0] != embedding.output[0])
        del graph.node[:]
        graph.node.extend(nodes)


if __name__ == "__main__":
    chosen, output = sys.argv[1:]
    written = as_onnx(named(chosen))
    give_weights_their_own_zero_points(written.graph)
    ask_floats_for_their_shape(written.graph)
    with files.completed(Path(output.split("=", 1)[1])) as partial:
        onnx.save(written, partial)
