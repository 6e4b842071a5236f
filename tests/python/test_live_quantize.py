"""Floats to small integers and back at live sizes, by scales that tensors, rows or blocks share."""

import importlib

import pytest
import torch
from executorch.backends.vulkan.patterns.quantized_embedding import QuantizedEmbeddingMatch
from support.live import BOTH_KINDS, EXACT, FLOAT, LENGTHS, LiveProgram, Tolerance, check_live
from support.lowering import assert_delegated, lower
from support.modules import Fn, Together, live, shapes
from support.side_by_side import Case, check_side_by_side

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
def test_of_a_tensor(name):
    """By a scale that the program holds, and by one that it is given."""
    op = getattr(Q, name)

    def both(scale, zero, *kind):
        return Together(
            {
                "held": lambda x, *given: op(x, scale, zero, *kind),
                "given": lambda x, *given: op.tensor(x, *given, *kind),
            }
        )

    def case(size, mapping):
        (dims, dim), how = SIZES[size], MAPPINGS[mapping]

        def make_inputs(n):
            quantize = name == "quantize_per_tensor"
            x = halves(*dims(n)) if quantize else integers(how[-1], *dims(n))
            return x, torch.tensor([how[0]]), torch.tensor([how[1]])

        return Case(both(*how), make_inputs, ({dim: live(least=0)}, None, None))

    check_side_by_side(
        {f"{size}, {mapping}": case(size, mapping) for size, mapping in OF_A_TENSOR},
        ops=[f"quantized_decomposed.{name}.{form}" for form in ("default", "tensor")],
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


def test_to_channels():
    def case(dims, dim, axis):
        count = dims(1)[axis]
        # Exact for powers of two, whatever is the order of a division and a product.
        scales = 2.0 ** (torch.arange(count) % 5 - 3)
        zeros = torch.arange(count) * 7 % 50 - 20
        return Case(
            lambda x: Q.quantize_per_channel(x, scales, zeros, axis % len(dims(1)), *INT8),
            lambda n: (halves(*dims(n)),),
            ({dim: live(least=0)},),
        )

    check_side_by_side(
        {name: case(*channels) for name, channels in CHANNELS.items()},
        ops=["quantized_decomposed.quantize_per_channel.default"],
        lengths=WITH_ZERO,
        tolerance=EXACT,
    )


def test_from_channels():
    torch.manual_seed(0)

    def case(dims, dim, axis):
        count = dims(1)[axis]
        scales = torch.rand(count) + 0.01
        zeros = torch.arange(count) * 7 % 50 - 20

        def back(points):
            return lambda x: Q.dequantize_per_channel(x, scales, points, axis % len(dims(1)), *INT8)

        return Case(
            Together({"zeros": back(zeros), "no zeros": back(None)}),
            lambda n: (integers(torch.int8, *dims(n)),),
            ({dim: live(least=0)},),
        )

    check_side_by_side(
        {name: case(*channels) for name, channels in CHANNELS.items()},
        ops=["quantized_decomposed.dequantize_per_channel.default"],
        lengths=WITH_ZERO,
        tolerance=FLOAT,
    )


def of_rows(x):
    scale, zero = Q.choose_qparams_per_token_asymmetric(x, torch.int8)
    return scale, zero, Q.quantize_per_token(x, scale, zero, *INT8)


def test_of_rows():
    """Each row by a range of its own: small ones, large ones, and some of zeros."""

    def case(dims, dim):
        def make_inputs(n):
            sizes = 10.0 ** torch.randint(-3, 3, (*dims(n)[:-1], 1))
            return (torch.randn(dims(n)) * sizes * (n != 2),)

        return Case(of_rows, make_inputs, ({dim: live()},))

    check_side_by_side(
        {size: case(*SIZES[size]) for size in ("rows", "odd rows", "columns", "rank 4")},
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


def by_range_of_all(x):
    scale, zero = Q.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8)
    return scale, zero, Q.quantize_per_tensor.tensor(x, scale, zero, *INT8)


def test_a_range_of_all():
    def case(dims, dim):
        return Case(
            by_range_of_all, lambda n: (torch.randn(dims(n)) + 0.5 * n % 3,), ({dim: live()},)
        )

    check_side_by_side(
        {name: case(*size) for name, size in SIZES.items()},
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


@pytest.mark.parametrize("name", ["quantize_affine", "dequantize_affine"])
def test_of_blocks(name):
    op = getattr(AO, name)

    def case(dims, dim, size):
        most = [128 if i == dim else d for i, d in enumerate(dims(128))]
        counts = [d // b for d, b in zip(most, size, strict=True)]

        def make_inputs(n):
            per_dim = [n if i == dim else d for i, d in enumerate(counts)]
            scale = 2.0 ** torch.randint(-3, 2, per_dim)
            zero = torch.randint(-20, 20, per_dim, dtype=torch.int32)
            quantize = name == "quantize_affine"
            x = halves(*dims(n)) if quantize else integers(torch.int8, *dims(n))
            return x, scale, zero

        return Case(
            lambda x, scale, zero: op(x, list(size), scale, zero, torch.int8, -128, 127),
            make_inputs,
            ({dim: live()},) * 3,
        )

    check_side_by_side(
        {name: case(*block) for name, block in BLOCKS.items()},
        ops=[f"torchao.{name}.default"],
        tolerance=EXACT,
    )


MAPPINGS_OF_BLOCKS = ("ASYMMETRIC", "SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR")


def test_ranges_of_blocks():
    def case(dims, dim, size):
        def choose(mapping):
            kind = (torch.int8, -128, 127, None, None, torch.int8)
            return lambda x: AO.choose_qparams_affine(x, mapping, list(size), *kind)

        return Case(
            Together({mapping: choose(mapping) for mapping in MAPPINGS_OF_BLOCKS}),
            lambda n: (torch.randn(dims(n)) * 1e-6 ** (n == 37),),
            ({dim: live()},),
        )

    blocks = ("rows", "a part of a row", "a channel of four dims")
    check_side_by_side(
        {name: case(*BLOCKS[name]) for name in blocks},
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


def test_tables(monkeypatch):
    # The exporter rewrites tables whose zero points it finds to be 0, and stumbles over others.
    monkeypatch.setattr(QuantizedEmbeddingMatch, "__init__", no_match)
    torch.manual_seed(0)

    def lookup(width, group, has_zeros):
        weight = integers(torch.uint8, 50, width // 2)
        scales = torch.rand(50, width // group) + 0.1
        zeros = torch.randint(-4, 4, (50, width // group)).float() if has_zeros else None
        return lambda ids: Q.embedding_4bit.dtype(
            weight, scales, zeros, -8, 7, ids, dtype=torch.float32
        )

    check_live(
        Together(
            {
                f"{name}, {'with' if has_zeros else 'without'} zeros": lookup(*table, has_zeros)
                for name, table in TABLES.items()
                for has_zeros in (False, True)
            }
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
