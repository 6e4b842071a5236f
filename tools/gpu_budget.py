"""Writes docs/gpu-budget.md: what a GPU should take, worked out and not measured.

python tools/gpu_budget.py            writes it
python tools/gpu_budget.py --check    fails if it is not as it would be written

The budgets of the kernels are written here, too; tests/python/test_gpu_kernels.py holds them to it.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "gpu-budget.md"

# Of each kernel: the products of one round of its innermost unrolled loop, for one invocation, and
# how many instructions all of the kernel may have for each of them.
KERNELS = {
    "q4_slices/1x16_residual": (4 * 32, 5.5),
    "q4_slices/1x16_norm": (4 * 32, 6.2),
    "q4_slices/1x8_swiglu_norm": (4 * 32, 6.3),
    "q4_slices/4x16_residual": (4 * 4 * 32, 2.7),
    "q4_slices/8x8_residual": (8 * 2 * 32, 2.9),
    "q4_slices/4x8_swiglu": (4 * 4 * 32, 2.6),
    "q4_blocks/12x64_residual": (3 * 4 * 32, 2.9),
    "q4_blocks/16x64_residual": (4 * 4 * 32, 2.6),
    "attention_split/4x64": (2 * 4 * 32, 6.0),
    # Of slices, a round of several quads of the depth and one of a single quad.
    "matmul_slices/linear_1x32": ((4 + 1) * 16, 5.8),
    "matmul_slices/linear_1x32 of halves": ((4 + 1) * 16, 5.8),
    "matmul_slices/linear_4x32": ((4 + 1) * 4 * 16, 2.6),
    "matmul_slices/linear_8x32": ((2 + 1) * 8 * 16, 2.5),
    "matmul_block/linear_32x64": (8 * 16, 6.6),
    "matmul_block/linear_32x64 of halves": (8 * 16, 7.2),
}
# What is not unrolled to the end was counted by hand in RADV's assembly: a round of eight, and what
# is around it. q4_blocks/32x64 has 196 instructions for 128 products, and 275 more for eight such
# rounds; attention_block/32x64 has 4,470 for the 2,048 products of a tile of 32 keys, and at a head
# dim of 128 8,635 for 4,096.
PREFILL_INSTRUCTIONS = 1.8
PREFILL_ATTENTION_INSTRUCTIONS = 2.2


@dataclass(frozen=True)
class Device:
    name: str
    bytes_a_second: float
    products_a_second: float  # fused multiply-adds of float32, and any other instruction as well


DEVICES = (
    Device("laptop, 100 GB/s, 2 T products/s", 100e9, 2.0e12),
    Device("Apple-like, 273 GB/s, 4 T products/s", 273e9, 4.0e12),
    Device("desktop, 1 TB/s, 15 T products/s", 1000e9, 15.0e12),
)
DISPATCHES = (3e-6, 10e-6)  # seconds for each, at best and in a browser
OF_BANDWIDTH = 0.85  # what a kernel that reads side by side reaches of it
OF_INSTRUCTIONS = 0.7  # what a kernel reaches of the rate at which instructions can be issued


class Llama:
    """Llama 3.2 1B, 4-bit in groups of 32 with scales of float32, caches of float16."""

    layers, dim, heads, kv_heads, head_dim, hidden, vocabulary = 16, 2048, 32, 8, 64, 8192, 128256
    kv_dim = kv_heads * head_dim
    layer_weights = 2 * dim * dim + 2 * dim * kv_dim + 3 * dim * hidden
    head_weights = vocabulary * dim
    bytes_a_weight = 0.5 + 4 / 32
    # q with k and v, rope with the cache, attention, merge, output, gate with up, down; and the
    # embedding, a row, logits, and two for the token. Norms and residuals are parts of products;
    # of a prompt, norms are not.
    dispatches = 7 * layers + 5
    prompt_dispatches = 9 * layers + 5

    @classmethod
    def cache_bytes(cls, context: int) -> int:
        return 2 * cls.layers * context * cls.kv_dim * 2


def slower(device: Device, read: float, instructions: float) -> float:
    """Whichever takes longer: to read so many bytes, or to issue so many instructions."""
    return max(
        read / (device.bytes_a_second * OF_BANDWIDTH),
        instructions / (device.products_a_second * OF_INSTRUCTIONS),
    )


def decode_seconds(device: Device, context: int, dispatch: float) -> float:
    weights = Llama.layers * Llama.layer_weights + Llama.head_weights
    instructions = weights * KERNELS["q4_slices/1x8_swiglu_norm"][1]
    products = 2 * Llama.layers * context * Llama.heads * Llama.head_dim
    return (
        slower(device, weights * Llama.bytes_a_weight, instructions)
        + slower(device, Llama.cache_bytes(context), products * KERNELS["attention_split/4x64"][1])
        + Llama.dispatches * dispatch
    )


def prefill_seconds(device: Device, length: int, dispatch: float) -> float:
    weights = Llama.layers * Llama.layer_weights
    products = Llama.layers * Llama.heads * Llama.head_dim * length * (length + 1)
    head = Llama.head_weights * Llama.bytes_a_weight
    return (
        slower(device, weights * Llama.bytes_a_weight, weights * length * PREFILL_INSTRUCTIONS)
        + slower(device, Llama.cache_bytes(length), products * PREFILL_ATTENTION_INSTRUCTIONS)
        + slower(device, head, Llama.head_weights * KERNELS["q4_slices/1x16_norm"][1])
        + Llama.prompt_dispatches * dispatch
    )


HEAD = """# What a GPU should take

<!-- Written by tools/gpu_budget.py; `./test docs` compares the two. -->

**Nothing on this page was measured on a GPU.** Highwater was developed without one. The times
are worked out from what can be counted without one: how many bytes and dispatches the planner
asks for, and how many instructions Mesa's driver for AMD makes of a kernel. They say what to
expect if the assumptions hold, and which kernel to look at if it turns out otherwise.

Whoever has a GPU can tell in one command, whose output is made to be pasted into an issue. `kjv` is
the model that ships; a Llama of one's own says more:

```sh
highwater bench kjv --report
```

"""

ASSUMPTIONS = f"""
## What is assumed

- A kernel takes as long as it takes to read its bytes at {OF_BANDWIDTH:.0%} of the bandwidth,
  or to issue its instructions at {OF_INSTRUCTIONS:.0%} of the rate of products, whichever is
  longer. Every instruction counts as much as a product; on some GPUs conversions and shifts are
  slower.
- Kernels follow each other without overlap, and each dispatch costs {DISPATCHES[0] * 1e6:.0f}
  or {DISPATCHES[1] * 1e6:.0f} µs beside its work. Work of the host is not counted.
- The weights and the cache are read from memory once a token, and nothing else is worth
  counting.
- The program is Llama 3.2 1B in 4 bits, groups of 32 with scales of float32, and the caches of
  float16 that a GPU with `shader-f16` has: {Llama.dispatches} dispatches for a token that is the
  likeliest. Choosing by top-k and top-p takes up to eight more.
- Prompts are products of {PREFILL_INSTRUCTIONS} instructions each, with tiles that are full,
  and attention of {PREFILL_ATTENTION_INSTRUCTIONS}: as many as `q4_blocks/32x64` and
  `attention_block/32x64` have a product, in all of their loops.

ExecuTorch's own WebGPU backend publishes 188 tokens a second at 128, 96 at 8192, and 2,291 for
a prompt of 512, on an Apple M4 Pro, of GPU time alone.

## What is held by tests

Of each kernel that matters, `tests/python/test_gpu_kernels.py` compiles the text for an RDNA 2
card that is not there. No register may be spilled. Instructions a product are all that the
kernel has, by the products of one round of its innermost loop:

| kernel | instructions a product, at most |
| --- | --- |
"""

PLANS = """
The same test works out from the kernels' own index expressions that no eight invocations wait
for a bank of workgroup memory. `tests/cpp/ops/gpu_plans_test.cpp` plans a Llama of these sizes:
what reads over 256 kB has at least 32 workgroups, from 9 rows on no more than a quarter of the
lanes of a product has nothing to do, up to 8 rows read the weights once, and a step of up to 5 rows
moves at most 1.3 times the bytes of its weights and caches.

What is not there: reductions by subgroups, and products of 8-bit integers.
"""


def table(title: str, seconds, tokens: int, sizes: tuple[int, ...]) -> str:
    lines = [f"| {title} |", "| --- |"]
    for size in sizes:
        for dispatch in DISPATCHES:
            lines[0] += f" {size}, {dispatch * 1e6:.0f} µs |"
            lines[1] += " --- |"
    for device in DEVICES:
        line = f"| {device.name} |"
        for size in sizes:
            for dispatch in DISPATCHES:
                time = seconds(device, size, dispatch)
                line += f" {time * 1e3:.1f} ms, {(tokens or size) / time:.0f} tokens/s |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def page() -> str:
    return "".join(
        [
            HEAD,
            "## A token\n\nBy the tokens before it, and the cost of a dispatch.\n\n",
            table("decode", decode_seconds, 1, (128, 8192)),
            "\n## A prompt\n\n",
            table("prefill", prefill_seconds, 0, (512,)),
            ASSUMPTIONS,
            "".join(f"| `{name}` | {most} |\n" for name, (_, most) in KERNELS.items()),
            PLANS,
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        PAGE.write_text(page())
    elif PAGE.read_text() != page():
        sys.exit(f"{PAGE} is not as tools/gpu_budget.py writes it; run it")


if __name__ == "__main__":
    main()
