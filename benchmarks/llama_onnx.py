"""Writes a Llama as ONNX, out of the operators that ONNX Runtime has for language models.

    python -m benchmarks.llama_onnx MODEL model.onnx=OUTPUT WEIGHTS

It is what ONNX Runtime's own model builder makes of a Llama: 4-bit products, one for query, key and
value; attention that turns by position and appends to its cache; a sum and its norm in one.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks import files
from benchmarks.llama import Llama
from benchmarks.models import named

MICROSOFT = "com.microsoft"
# Activations in 8 bits: the model builder's default, and the fastest on a CPU.
ACCURACY_LEVEL = 4


class Graph:
    """Collects nodes and weights. Every operator returns the name of its output."""

    def __init__(self, model: Llama, weights: dict[str, np.ndarray]):
        self.model = model
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, array: np.ndarray) -> str:
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def add(self, op: str, inputs: list[str], outputs: int = 1, domain: str = "", **attributes):
        base = f"{op}_{len(self.nodes)}"
        names = [base if i == 0 else f"{base}_{i}" for i in range(outputs)]
        self.nodes.append(
            helper.make_node(op, inputs, names, name=base, domain=domain, **attributes)
        )
        return names[0] if outputs == 1 else names

    def linear(self, x: str, *names: str) -> str:
        """The product with one matrix, or with several that are stacked to one."""
        values = np.concatenate([self.weights[f"{name}.values"] for name in names])
        scales = np.concatenate([self.weights[f"{name}.scales"] for name in names])
        rows, columns = values.shape
        group = self.model.group
        packed = pack(values).reshape(rows, columns // group, group // 2)
        return self.add(
            "MatMulNBits",
            [
                x,
                self.constant(f"{names[0]}.packed", packed),
                self.constant(f"{names[0]}.scales", scales),
            ],
            domain=MICROSOFT,
            K=columns,
            N=rows,
            bits=4,
            block_size=group,
            accuracy_level=ACCURACY_LEVEL,
        )

    def embedding(self, tokens: str, name: str) -> str:
        packed = self.constant(f"{name}.packed", pack(self.weights[f"{name}.values"]))
        scales = self.constant(f"{name}.scales", self.weights[f"{name}.scales"])
        return self.add(
            "GatherBlockQuantized",
            [packed, tokens, scales],
            domain=MICROSOFT,
            bits=4,
            block_size=self.model.group,
            gather_axis=0,
            quantize_axis=1,
        )

    def norm(self, x: str, name: str) -> str:
        weight = self.constant(name, self.weights[name])
        return self.add(
            "SimplifiedLayerNormalization", [x, weight], axis=-1, epsilon=self.model.norm_eps
        )

    def sum_and_norm(self, x: str, y: str, name: str) -> tuple[str, str]:
        """The sum, and its norm."""
        normed, _, _, total = self.add(
            "SkipSimplifiedLayerNormalization",
            [x, y, self.constant(name, self.weights[name])],
            outputs=4,
            domain=MICROSOFT,
            epsilon=self.model.norm_eps,
        )
        # Statistics that nobody reads are outputs without a name.
        self.nodes[-1].output[1:3] = ["", ""]
        return total, normed

    def attention(self, x: str, layer: int) -> str:
        name = f"layers.{layer}.attention"
        cosines, sines = rotary_tables(self.model)
        node = self.add(
            "GroupQueryAttention",
            [
                self.linear(x, f"{name}.wq", f"{name}.wk", f"{name}.wv"),
                "",
                "",
                f"past_key_{layer}",
                f"past_value_{layer}",
                "last_positions",
                "total_length",
                self.constant("cosines", cosines),
                self.constant("sines", sines),
            ],
            outputs=3,
            domain=MICROSOFT,
            num_heads=self.model.heads,
            kv_num_heads=self.model.kv_heads,
            do_rotary=1,
            rotary_interleaved=1,
        )[0]
        self.nodes[-1].output[1:] = [f"key_{layer}", f"value_{layer}"]
        return self.linear(node, f"{name}.wo")

    def feed_forward(self, x: str, layer: int) -> str:
        name = f"layers.{layer}.feed_forward"
        gate = self.linear(x, f"{name}.w1")
        gate = self.add("Mul", [gate, self.add("Sigmoid", [gate])])
        return self.linear(self.add("Mul", [gate, self.linear(x, f"{name}.w3")]), f"{name}.w2")


def pack(values: np.ndarray) -> np.ndarray:
    """Two in a byte, the first in its lower half, and each 8 more than it stands for."""
    shifted = (values + 8).astype(np.uint8)
    return shifted[:, ::2] | shifted[:, 1::2] << 4


def rotary_tables(model: Llama) -> tuple[np.ndarray, np.ndarray]:
    half = np.arange(0, model.head_dim, 2) / model.head_dim
    angles = np.outer(np.arange(model.context), model.rope_theta**-half)
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def llama(model: Llama, weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    graph = Graph(model, weights)
    x = graph.embedding("tokens", "tok_embeddings")
    normed = graph.norm(x, "layers.0.attention_norm.weight")
    for layer in range(model.layers):
        attended = graph.attention(normed, layer)
        x, normed = graph.sum_and_norm(x, attended, f"layers.{layer}.ffn_norm.weight")
        after = layer + 1
        last = after == model.layers
        name = "norm.weight" if last else f"layers.{after}.attention_norm.weight"
        x, normed = graph.sum_and_norm(x, graph.feed_forward(normed, layer), name)
    last_token = graph.constant("last_token", np.array(-1, np.int64))
    logits = graph.linear(graph.add("Gather", [normed, last_token], axis=1), "output")
    graph.add("Identity", [logits])
    graph.nodes[-1].output[0] = "logits"
    return _as_model(graph)


def _as_model(graph: Graph) -> onnx.ModelProto:
    model = graph.model
    cache = [1, model.kv_heads, "cached", model.head_dim]
    layers = range(model.layers)

    def tensor(name, dims, dtype=TensorProto.FLOAT):
        return helper.make_tensor_value_info(name, dtype, dims)

    inputs = [
        tensor("tokens", [1, "count"], TensorProto.INT64),
        tensor("last_positions", [1, 1], TensorProto.INT32),
        tensor("total_length", [], TensorProto.INT32),
        *(tensor(f"past_{what}_{i}", cache) for i in layers for what in ("key", "value")),
    ]
    outputs = [
        tensor("logits", [1, model.vocabulary]),
        *(tensor(f"{what}_{i}", cache) for i in layers for what in ("key", "value")),
    ]
    return helper.make_model(
        helper.make_graph(graph.nodes, model.name, inputs, outputs, list(graph.constants.values())),
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)],
        ir_version=10,
    )


if __name__ == "__main__":
    chosen, output, arrays = sys.argv[1:]
    with files.completed(Path(output.split("=", 1)[1])) as partial:
        onnx.save(llama(named(chosen), dict(np.load(arrays))), partial)
