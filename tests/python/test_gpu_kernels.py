"""The kernels that a GPU would spend its time in, as Mesa's driver for AMD compiles them.

There is no GPU here. But registers that do not fit, and instructions that are not products, can be
counted without one.
"""

import sys
from pathlib import Path

import pytest
import torch
from highwater import inspect
from support import banks, radv, spirv
from support.live import kernels_of_kind
from support.llm_modules import CachedAttention
from support.lowering import lower
from support.modules import live
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tools.gpu_budget import KERNELS

# Query heads, kv heads, head dim.
HEADS = ((8, 2, 32), (8, 2, 64), (7, 1, 128), (4, 1, 256))


def attention(heads: int, kv_heads: int, head_dim: int) -> bytes:
    size = {1: live(most=64)}
    return lower(
        CachedAttention(kv_heads, head_dim, capacity=128),
        (
            *(torch.randn(1, 64, h, head_dim) for h in (heads, kv_heads, kv_heads)),
            torch.tensor([0]),
        ),
        (size, size, size, None),
    )


class Dense(nn.Module):
    """Layers alone, with one input, and gating each other; and a product of two live matrices."""

    def __init__(self):
        super().__init__()
        self.wide = nn.Linear(64, 1024)
        self.left, self.right = (nn.Linear(1024, 1024, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(1024, 1024, bias=False) for _ in range(2))

    def forward(self, x):
        x = self.wide(x)
        y = torch.sigmoid(x)
        gated = F.silu(self.gate(y)) * self.up(y)
        return gated, torch.bmm(self.left(x), self.right(x).transpose(1, 2))


def dense(dtype: torch.dtype) -> bytes:
    return lower(Dense().to(dtype), (torch.randn(1, 64, 64, dtype=dtype),), ({1: live(most=64)},))


@pytest.fixture(scope="module")
def texts(tmp_path_factory) -> dict[str, str]:
    """Kernels of a language model, of attention at several head dims, and of dense products."""
    folder = tmp_path_factory.mktemp("kernels")
    files = ["kjv"]
    for heads in HEADS:
        files.append(folder / f"{heads[2]}.pte")
        files[-1].write_bytes(attention(*heads))
    for dtype in (torch.float16, torch.float32):
        files.append(folder / f"{dtype}.pte")
        files[-1].write_bytes(dense(dtype))
    found = {}
    with kernels_of_kind("gpu"):
        for file in files:
            for _, _, program in inspect.read(file, wgsl=True).programs():
                for step in program.steps:
                    wgsl = program.raw["wgsl"][step["wgsl"]]
                    # With halves it is another text.
                    half = " of halves" if wgsl.startswith("enable f16;") else ""
                    found[step["kernel"] + half] = wgsl
    return found


@pytest.fixture(scope="module")
def compiled(texts) -> dict[str, dict[str, int]]:
    """What RADV says of each."""
    return dict(zip(texts, radv.statistics_of(spirv.spirv_of(list(texts.values()))), strict=True))


def test_registers_fit(compiled):
    spilled = {
        name
        for name, told in compiled.items()
        if told["Spilled VGPRs"] or told["Spilled SGPRs"] or told["Scratch size"]
    }
    assert not spilled
    for rows in (1, 4, 8, 12, 16, 20, 32):
        kind = "slices" if rows <= 8 else "block"
        width = 32 if rows <= 8 else 64
        name = f"matmul_{kind}/linear_{rows}x{width}"
        gated = f"matmul_{kind}/linear_{rows}x32_swiglu"
        assert {name, f"{name} of halves", gated} <= set(compiled)
    for h, kv, d in HEADS:
        assert {f"attention_split/{h // kv}x{d}", f"attention_block/32x{d}"} <= set(compiled)


def test_workgroup_memory_is_what_every_device_has(compiled):
    assert all(told["LDS size"] <= 16384 for told in compiled.values())


@pytest.mark.parametrize("kernel", KERNELS)
def test_instructions_a_product(compiled, kernel):
    products, most = KERNELS[kernel]
    assert compiled[kernel]["Instructions"] / products <= most


def test_invocations_do_not_wait_for_each_others_banks(texts):
    seen = 0
    for kernel, text in texts.items():
        if not kernel.startswith(("q4_", "matmul_", "attention_split/", "attention_block/")):
            continue
        for (_, array, index), places in banks.accesses(text).items():
            assert banks.rounds(places) == 1, f"{kernel}: {array}[{index}]"
            seen += 1
    # Of the four kinds of block alone there are as many.
    assert seen > 200


def test_bank_conflicts_are_counted():
    """Four columns lie together, as they would if nobody had thought of banks."""
    text = """var<workgroup> tile: array<vec4<f32>, 256>;
let place = 4u * (lane % 8u);
tile[place + 1u] = x;
let a = tile[lane / 8u];"""
    assert [banks.rounds(places) for places in banks.accesses(text).values()] == [4, 1]
