"""The layers of language models that the live tests export: 4-bit, rotary, and with caches."""

import contextlib
import io

import executorch.backends.vulkan.custom_ops_lib  # noqa: F401  (registers et_vk's operators)
import torch
from executorch.backends.vulkan.quantizer.vulkan_quantizer import (
    VulkanQuantizer,
    get_symmetric_quantization_config,
)
from executorch.examples.models.llama.rope import (
    apply_rotary_emb,
    hf_apply_rotary_emb,
    hf_precompute_freqs_cis,
    precompute_freqs_cis,
)
from executorch.examples.models.llama.source_transformation.quantize import EmbeddingQuantHandler
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  (registers llama's)
from torch import nn
from torchao.quantization.granularity import PerGroup
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.quant_api import (
    Int8DynamicActivationIntxWeightConfig,
    IntxWeightOnlyConfig,
    quantize_,
)


def linear(depth, columns, bias=False):
    """With the same weights at every call, so that a failure is the same as well."""
    torch.manual_seed(depth + columns)
    return nn.Linear(depth, columns, bias=bias).eval()


def q4_linear(depth, columns, group=32, bias=False):
    layer = linear(depth, columns, bias)
    quantize_(layer, IntxWeightOnlyConfig(torch.int4, PerGroup(group)))
    return layer


def dq8_q4_linear(depth, columns, group=32, bias=False):
    """Its input is quantized too, row by row as it comes."""
    layer = linear(depth, columns, bias)
    quantize_(layer, Int8DynamicActivationIntxWeightConfig(torch.int4, PerGroup(group)))
    return layer


def linear_by_column(depth, columns, bits, most_rows=128):
    """One scale a column, as the quantizer of whole graphs makes them."""
    quantizer = VulkanQuantizer().set_global(
        get_symmetric_quantization_config(is_dynamic=False, weight_bits=bits)
    )
    example = torch.randn(most_rows, depth)
    rows = torch.export.Dim("rows", min=1, max=most_rows)
    exported = torch.export.export(
        linear(depth, columns), (example,), dynamic_shapes=({0: rows},), strict=False
    )
    prepared = prepare_pt2e(exported.module(), quantizer)
    prepared(example)
    return convert_pt2e(prepared)


def q4_embedding(vocabulary, width, group=32):
    torch.manual_seed(vocabulary)
    table = nn.Sequential(nn.Embedding(vocabulary, width))
    handler = EmbeddingQuantHandler(table, device="cpu", bitwidth=4, group_size=group, packed=True)
    with contextlib.redirect_stdout(io.StringIO()):
        return handler.quantized_model().eval()


def start_of(position, length, capacity):
    """The number in the tensor `position`, with what the exporter has to know about it."""
    start = position[0].item()
    torch._check_is_size(start)
    torch._check(start + length <= capacity)
    return start


class RopeAt(nn.Module):
    """Turns q and k by the rows of a table from a live position on."""

    def __init__(self, head_dim, capacity, halves=False):
        super().__init__()
        if halves:
            self.turn = hf_apply_rotary_emb
            cosines, sines = hf_precompute_freqs_cis(head_dim, capacity, theta=10000.0)
        else:
            self.turn = apply_rotary_emb
            cosines, sines = precompute_freqs_cis(head_dim, capacity, 10000.0, False, None, None)
        self.register_buffer("cosines", cosines)
        self.register_buffer("sines", sines)

    def forward(self, q, k, position):
        length = q.shape[1]
        start = start_of(position, length, self.cosines.shape[0])
        rows = (table.narrow(0, start, length) for table in (self.cosines, self.sines))
        return self.turn(q, k, *rows)


class CachedAttention(nn.Module):
    """Causal attention over all that came before, as the llama exporter writes it."""

    def __init__(self, kv_heads, head_dim, capacity, scale=None):
        super().__init__()
        self.scale = scale
        for name in ("k_cache", "v_cache"):
            self.register_buffer(name, torch.zeros(1, capacity, kv_heads, head_dim))

    def forward(self, q, k, v, position):
        start = start_of(position, q.shape[1], self.k_cache.shape[1])
        torch.ops.llama.update_cache(k, self.k_cache, start)
        torch.ops.llama.update_cache(v, self.v_cache, start)
        return torch.ops.llama.custom_sdpa(
            q, self.k_cache, self.v_cache, start, None, 0.0, True, self.scale
        )
