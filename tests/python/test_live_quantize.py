"""Floats to small integers and back at live sizes, by scales that tensors, rows or blocks share."""

import importlib

import pytest
import torch
from executorch.backends.vulkan.patterns.quantized_embedding import QuantizedEmbeddingMatch
from support.live import BOTH_KINDS, EXACT, FLOAT, LENGTHS, LiveProgram, Tolerance, check_live
from support.lowering import assert_delegated, lower
from support.modules import Fn, live, shapes

for module in (
    "executorch.exir.passes._quant_patterns_and_replacements",
    "torchao.quantization",
):
    importlib.import_module(module)

Q = torch.ops.quantized_decomposed
AO = torch.ops.torchao
WITH_ZERO = (*LENGTHS, 0, 3)

INT8 = (-128, 127, torch.int8)
UINT8 = (0, 255, torch.uint8)


def halves(*size):
    """Many lie halfway between two integers when they are divided by a quarter."""
    return torch.randint(-700, 700, size) / 8


def integers(dtype, *size):
    info = torch.iinfo(dtype)
    return torch.randint(info.min, info.max + 1, size).to(dtype)


# name: dims at length n, which of them is n
SIZES = {
    "rows": (lambda n: (n, 12), 0),
    "odd rows": (lambda n: (n, 7), 0),
    "columns": (lambda n: (3, n), 1),
    "a vector": (lambda n: (n,), 0),
    "rank 4": (lambda n: (2, n, 3, 5), 1),
}
# name: scale, zero point, range and dtype
MAPPINGS = {
    "int8": (0.25, 3, *INT8),
    "a scale that is no power of two": (0.0371, -17, *INT8),
    "uint8": (0.5, 128, *UINT8),
    "a part of int8": (0.25, 0, -8, 7, torch.int8),
    "int32": (0.001, 5, -(2**20), 2**20, torch.int32),
}
OF_A_TENSOR = [(size, "int8") for size in SIZES] + [("odd rows", how) for how in MAPPINGS]


@pytest.mark.parametrize("name", ["quantize_per_tensor", "dequantize_per_tensor"])
@pytest.mark.parametrize(("size", "mapping"), OF_A_TENSOR)
def test_of_a_tensor(size, mapping, name):
    (dims, dim), how = SIZES[size], MAPPINGS[mapping]
    op = getattr(Q, name)

    def make_inputs(n):
        if name == "quantize_per_tensor":
            return (halves(*dims(n)),)
        return (integers(how[-1], *dims(n)),)

    check_live(
        Fn(lambda x: op(x, *how)),
        make_inputs,
        shapes({dim: live(least=0)}),
        ops=[f"quantized_decomposed.{name}.default"],
        lengths=WITH_ZERO,
        tolerance=EXACT,
    )
    check_live(
        Fn(lambda x, scale, zero: op.tensor(x, scale, zero, *how[2:])),
        lambda n: (*make_inputs(n), torch.tensor([how[0]]), torch.tensor([how[1]])),
        shapes({dim: live(least=0)}, None, None),
        ops=[f"quantized_decomposed.{name}.tensor"],
        lengths=WITH_ZERO,
        tolerance=EXACT,
    )


# name: dims at length n, which of them is n, and the axis along which each has a scale
CHANNELS = {
    "the last of two": (lambda n: (n, 12), 0, 1),
    "the last of two, odd": (lambda n: (n, 5), 0, 1),
    "the first": (lambda n: (6, n), 1, 0),
    "between others": (lambda n: (2, 5, n, 3), 2, 1),
    "before a last of four": (lambda n: (n, 3, 4), 0, 1),
    "from the end": (lambda n: (2, n, 3), 1, -1),
}


@pytest.mark.parametrize("channels", CHANNELS)
def test_of_channels(channels):
    dims, dim, axis = CHANNELS[channels]
    count = dims(1)[axis]
    # Exact for powers of two, whatever is the order of a division and a product.
    scales = 2.0 ** (torch.arange(count) % 5 - 3)
    zeros = torch.arange(count) * 7 % 50 - 20
    check_live(
        Fn(lambda x: Q.quantize_per_channel(x, scales, zeros, axis % len(dims(1)), *INT8)),
        lambda n: (halves(*dims(n)),),
        shapes({dim: live(least=0)}),
        ops=["quantized_decomposed.quantize_per_channel.default"],
        lengths=WITH_ZERO,
        tolerance=EXACT,
    )
    scales = torch.rand(count) + 0.01
    for points in (zeros, None):
        check_live(
            Fn(
                lambda x, p=points: Q.dequantize_per_channel(
                    x, scales, p, axis % len(dims(1)), *INT8
                )
            ),
            lambda n: (integers(torch.int8, *dims(n)),),
            shapes({dim: live(least=0)}),
            ops=["quantized_decomposed.dequantize_per_channel.default"],
            lengths=WITH_ZERO,
            tolerance=FLOAT,
        )


def of_rows(x):
    scale, zero = Q.choose_qparams_per_token_asymmetric(x, torch.int8)
    return scale, zero, Q.quantize_per_token(x, scale, zero, *INT8)


@pytest.mark.parametrize("size", ["rows", "odd rows", "columns", "rank 4"])
def test_of_rows(size):
    """Each row by a range of its own: small ones, large ones, and some of zeros."""
    dims, dim = SIZES[size]

    def make_inputs(n):
        sizes = 10.0 ** torch.randint(-3, 3, (*dims(n)[:-1], 1))
        return (torch.randn(dims(n)) * sizes * (n != 2),)

    check_live(
        Fn(of_rows),
        make_inputs,
        shapes({dim: live()}),
        ops=[
            "quantized_decomposed.choose_qparams_per_token_asymmetric.default",
            "quantized_decomposed.quantize_per_token.default",
        ],
        lengths=(*LENGTHS, 2, 3),
        tolerance=Tolerance(rtol=1e-6, steps=1),
        kinds=BOTH_KINDS,
    )


def test_rows_and_back():
    check_live(
        Fn(lambda x, s, z: Q.dequantize_per_token(x, s, z, *INT8, torch.float32)),
        lambda n: (integers(torch.int8, n, 7), torch.rand(n, 1), torch.randint(-9, 9, (n, 1))),
        shapes(*[{0: live()}] * 3),
        ops=["quantized_decomposed.dequantize_per_token.default"],
        tolerance=FLOAT,
    )


def test_rows_round_what_they_come_to():
    """Halves go to even after the zero point is added, and not before."""
    scale, zero = torch.full((5, 1), 0.25), torch.tensor([[0], [1], [-2], [3], [-5]])
    check_live(
        Fn(lambda x: Q.quantize_per_token(x, scale, zero, *INT8)),
        lambda n: (halves(5, n),),
        shapes({1: live()}),
        ops=["quantized_decomposed.quantize_per_token.default"],
        tolerance=EXACT,
    )


@pytest.mark.parametrize("size", SIZES)
def test_a_range_of_all(size):
    dims, dim = SIZES[size]

    def function(x):
        scale, zero = Q.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8)
        return scale, zero, Q.quantize_per_tensor.tensor(x, scale, zero, *INT8)

    check_live(
        Fn(function),
        lambda n: (torch.randn(dims(n)) + 0.5 * n % 3,),
        shapes({dim: live()}),
        ops=[
            "quantized_decomposed.choose_qparams.tensor",
            "quantized_decomposed.quantize_per_tensor.tensor",
        ],
        tolerance=Tolerance(1e-6, 1e-6, steps=1),
        kinds=BOTH_KINDS,
    )


def test_there_is_no_range_of_nothing():
    module = Fn(lambda x: Q.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8))
    program = LiveProgram(lower(module, (torch.randn(32, 4),), shapes({0: live(least=0, most=32)})))
    program.check(module, torch.randn(5, 4), tolerance=FLOAT)
    program.check_rejects(torch.randn(0, 4))
    program.check(module, torch.randn(7, 4), tolerance=FLOAT)


# name: dims at length n, which of them is n, the size of a block
BLOCKS = {
    "rows": (lambda n: (n, 12), 0, (1, 12)),
    "a part of a row": (lambda n: (n, 24), 0, (1, 8)),
    "an odd part of a row": (lambda n: (n, 15), 0, (1, 5)),
    "single elements": (lambda n: (n, 6), 0, (1, 1)),
    "several rows": (lambda n: (6, n), 1, (2, 1)),
    "squares": (lambda n: (n, 4, 6), 0, (1, 2, 3)),
    "a channel of four dims": (lambda n: (n, 6, 5, 3), 0, (1, 1, 5, 3)),
}


@pytest.mark.parametrize("block", BLOCKS)
def test_of_blocks(block):
    dims, dim, size = BLOCKS[block]
    most = [128 if i == dim else d for i, d in enumerate(dims(128))]
    counts = [d // b for d, b in zip(most, size, strict=True)]

    def make_inputs(n, dtype=None):
        per_dim = [n if i == dim else d for i, d in enumerate(counts)]
        scale = 2.0 ** torch.randint(-3, 2, per_dim)
        zero = torch.randint(-20, 20, per_dim, dtype=torch.int32)
        x = halves(*dims(n)) if dtype is None else integers(dtype, *dims(n))
        return x, scale, zero

    sizes = live()
    for name, dtype in (("quantize_affine", None), ("dequantize_affine", torch.int8)):
        op = getattr(AO, name)
        check_live(
            Fn(lambda x, scale, zero, op=op: op(x, list(size), scale, zero, torch.int8, -128, 127)),
            lambda n, dtype=dtype: make_inputs(n, dtype),
            shapes({dim: sizes}, {dim: sizes}, {dim: sizes}),
            ops=[f"torchao.{name}.default"],
            tolerance=EXACT,
        )


@pytest.mark.parametrize("mapping", ["ASYMMETRIC", "SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR"])
@pytest.mark.parametrize("block", ["rows", "a part of a row", "a channel of four dims"])
def test_ranges_of_blocks(block, mapping):
    dims, dim, size = BLOCKS[block]
    check_live(
        Fn(
            lambda x: AO.choose_qparams_affine(
                x, mapping, list(size), torch.int8, -128, 127, None, None, torch.int8
            )
        ),
        lambda n: (torch.randn(dims(n)) * 1e-6 ** (n == 37),),
        shapes({dim: live()}),
        ops=["torchao.choose_qparams_affine.default"],
        tolerance=Tolerance(0, 1e-6, steps=1),
        kinds=BOTH_KINDS,
    )


def no_match(self, node):
    self.match_found = False


# name: elements of a row, of a group
TABLES = {
    "one group": (12, 12),
    "groups of four": (12, 4),
    "odd groups": (18, 3),
    "an odd number of bytes": (10, 10),
}


@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize("table", TABLES)
def test_tables(table, has_zeros, monkeypatch):
    # The exporter rewrites tables whose zero points it finds to be 0, and stumbles over others.
    monkeypatch.setattr(QuantizedEmbeddingMatch, "__init__", no_match)
    width, group = TABLES[table]
    torch.manual_seed(width)
    weight = integers(torch.uint8, 50, width // 2)
    scales = torch.rand(50, width // group) + 0.1
    zeros = torch.randint(-4, 4, (50, width // group)).float() if has_zeros else None
    check_live(
        Fn(
            lambda ids: Q.embedding_4bit.dtype(
                weight, scales, zeros, -8, 7, ids, dtype=torch.float32
            )
        ),
        lambda n: (torch.randint(0, 50, (2, n)),),
        shapes({1: live(least=0)}),
        ops=["quantized_decomposed.embedding_4bit.dtype"],
        lengths=WITH_ZERO,
        tolerance=FLOAT,
    )


def test_scales_that_do_not_fit_are_refused():
    module = Fn(lambda x, s, z: Q.quantize_per_token(x, s, z, *INT8))
    rows, others = live("rows", most=32), live("others", most=32)
    pte = lower(
        module,
        (torch.randn(32, 4), torch.rand(32, 1) + 1, torch.zeros(32, 1)),
        shapes({0: rows}, {0: others}, {0: others}),
    )
    assert_delegated(pte)
    program = LiveProgram(pte)
    for n in (32, 5, 7):
        program.check(module, torch.randn(n, 4), torch.rand(n, 1) + 1, torch.zeros(n, 1))
        program.check_rejects(torch.randn(n, 4), torch.rand(n - 2, 1) + 1, torch.zeros(n - 2, 1))
