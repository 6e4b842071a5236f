"""Quick lowering gives the programs that plain lowering gives, and leaves torch as it was. So does
that of the tests, which changes more of torch, and for good."""

from pathlib import Path

from support import subprocesses

# In a process of its own: the other tests are never without it.
SCRIPT = """
import contextlib
import torch
from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.backends.vulkan.patterns import fusable_patterns
from executorch.backends.vulkan.patterns.rope import RotaryEmbeddingPattern
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.passes import _quant_patterns_and_replacements  # has the quantized operators
from highwater.exporting import known_shapes, lowering, quickly
from highwater.exporting.attributes import replaced
from highwater.exporting.partitioner import HighwaterPartitioner
from torch.export import exported_program

class Quantized(torch.nn.Module):
    def forward(self, x):
        quantize = torch.ops.quantized_decomposed.quantize_per_tensor
        return quantize(torch.softmax(torch.relu(x) * 2, -1), 0.25, 3, -128, 127, torch.int8)

ROWS = torch.export.Dim("rows", min=1, max=8)

PROGRAMS = {
    "et_vk.apply_rotary_emb.default": (
        RotaryEmbeddingPattern(), [torch.randn(1, 5, heads, 32) for heads in (4, 2)]
        + [torch.randn(5, 16) for _ in range(2)], None),
    "quantized_decomposed.quantize_per_tensor.default": (
        Quantized(), [torch.randn(5, 16)], ({0: ROWS},)),
}

def lower(exported):
    edge = to_edge_transform_and_lower(exported, partitioner=[VulkanPartitioner()])
    return bytes(edge.to_executorch().buffer)

def state():
    makers = [entry.get_graphs_fn for entry in fusable_patterns.values()]
    return makers, exported_program._override_composite_implicit_decomp

before, made = state(), {}
for op, (module, inputs, dynamic) in PROGRAMS.items():
    exported = torch.export.export(module, tuple(inputs), dynamic_shapes=dynamic)
    with quickly.lowering(), quickly.without_absent_rotations(exported):
        quick = lower(exported)
    assert state() == before, "torch is not as it was"
    assert op.encode() in quick, f"there is no {op}"
    assert lower(exported) == quick, f"another program with {op}"
    made[op] = exported, quick

class Layers(torch.nn.Sequential):
    def __init__(self):
        torch.manual_seed(0)
        super().__init__(torch.nn.Linear(16, 8), torch.nn.BatchNorm1d(8), torch.nn.GELU())

def own():
    example = (torch.randn(5, 16),)
    exported = torch.export.export(Layers().eval(), example, dynamic_shapes=({0: ROWS},))
    return bytes(lowering.lower(exported, HighwaterPartitioner()).buffer)

remembered = own()
with replaced((known_shapes, "remembered", contextlib.nullcontext)):
    assert own() == remembered, "another program if passes remember shapes"

sys.path.append(sys.argv[1])
from support import fast_export
fast_export.apply()
for op, (exported, quick) in made.items():
    assert lower(exported) == quick, f"another program with {op} in tests"
print("the same")
"""


def test_programs_are_the_same():
    run = subprocesses.run(SCRIPT, Path(__file__).parent, seconds=600)
    assert run.stdout.endswith("the same\n"), run.stderr[-2000:]
