"""Tensors made from numbers, and padding, with live sizes."""

import pytest
import torch
from executorch.backends.vulkan import custom_ops_lib as _registers_the_ops  # noqa: F401
from support import lowering
from support.live import BOTH_KINDS, EXACT, FLOAT, HALF, LENGTHS, LiveProgram, check_live
from support.modules import Fn, live, shapes

# name: function of a live x [n, 24] whose result it is added to, operator
FILLS = {
    "full": (lambda x: torch.full((x.shape[0], 24), 2.5), "aten.full.default"),
    "full, minus infinity": (
        lambda x: torch.full((x.shape[0], 24), -torch.inf),
        "aten.full.default",
    ),
    "full_like": (lambda x: torch.full_like(x, -3), "aten.full_like.default"),
    "zeros": (lambda x: torch.zeros(x.shape[0], 24), "aten.full.default"),
    "ones": (lambda x: torch.ones(x.shape[0], 24), "aten.full.default"),
    "zeros_like": (torch.zeros_like, "aten.full_like.default"),
    "ones_like": (torch.ones_like, "aten.full_like.default"),
    "full, static": (lambda x: torch.full((24,), 0.5), "aten.full.default"),
}


@pytest.mark.parametrize("fill", FILLS)
def test_fills(fill):
    make, name = FILLS[fill]
    check_live(
        Fn(lambda x: x + make(x)),
        lambda n: (torch.randn(n, 24),),
        shapes({0: live()}),
        ops=[name],
    )


DTYPES = {"float": torch.float32, "int": torch.int32, "bool": torch.bool, "half": torch.float16}


@pytest.mark.parametrize("dtype", DTYPES)
def test_full_of_each_dtype(dtype):
    check_live(
        Fn(lambda x: (torch.full((x.shape[0], 7), 1, dtype=DTYPES[dtype]), x + 1.0)),
        lambda n: (torch.randn(n, 7),),
        shapes({0: live()}),
        ops=["aten.full.default"],
    )


# name: function of x [n, 24]
ARANGES = {
    "to the size": lambda x: torch.arange(x.shape[0]),
    "from 3": lambda x: torch.arange(3, x.shape[0] + 3),
    "by twos": lambda x: torch.arange(0, 2 * x.shape[0], 2),
    "from the size on": lambda x: torch.arange(x.shape[0], 2 * x.shape[0]),
    "int32": lambda x: torch.arange(x.shape[0], dtype=torch.int32),
    "float": lambda x: torch.arange(x.shape[0], dtype=torch.float32),
    "static, by halves": lambda x: torch.arange(0.5, 8.0, 0.5),
    "static, backwards": lambda x: torch.arange(10, 0, -3),
}


@pytest.mark.parametrize("arange", ARANGES)
def test_arange(arange):
    check_live(
        Fn(lambda x: (ARANGES[arange](x), x + 1.0)),
        lambda n: (torch.randn(n, 24),),
        shapes({0: live()}),
        ops=["aten.arange.start_step"],
    )


def test_a_causal_mask():
    def mask(x):
        n = x.shape[0]
        rows = torch.arange(n).unsqueeze(1)
        columns = torch.arange(n).unsqueeze(0)
        return torch.where(columns <= rows, x, torch.full_like(x, -1e9))

    size = live()
    check_live(
        Fn(mask),
        lambda n: (torch.randn(n, n),),
        shapes({0: size, 1: size}),
        ops=["aten.arange.start_step", "aten.where.self"],
        tolerance=EXACT,
    )


def test_of_no_size():
    module = Fn(lambda x: (x + torch.full((x.shape[0], 6), 2.0), torch.arange(x.shape[0])))
    pte = lowering.lower(module, (torch.randn(128, 6),), shapes({0: live(least=0)}))
    program = LiveProgram(pte)
    for length in (0, *LENGTHS, 0):
        program.check(module, torch.randn(length, 6), tolerance=FLOAT)


# name: shape at length n, the live dim, the padding
PADS = {
    "last": (lambda n: (n, 24), 0, (1, 2)),
    "last, whole quads": (lambda n: (n, 24), 0, (4, 8)),
    "last, the live dim": (lambda n: (5, n), 1, (2, 1)),
    "the live dim before the last": (lambda n: (n, 24), 0, (0, 0, 3, 2)),
    "one side only": (lambda n: (2, n, 7), 1, (0, 0, 0, 5)),
    "images": (lambda n: (1, 3, n, 8), 2, (1, 1, 1, 1)),
    "rank 4, every other dim": (lambda n: (2, n, 3, 4), 1, (1, 0, 0, 0, 2, 1)),
    "cutting": (lambda n: (n, 24), 0, (-2, -3)),
    "cutting and adding": (lambda n: (3, n, 24), 1, (-4, 3, 1, 0)),
}


@pytest.mark.parametrize("pad", PADS)
def test_pads(pad):
    shape, at, padding = PADS[pad]
    check_live(
        Fn(lambda x: torch.nn.functional.pad(x, padding, value=0.5)),
        lambda n: (torch.randn(shape(n)),),
        shapes({at: live()}),
        ops=["aten.constant_pad_nd.default"],
        tolerance=EXACT,
    )


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.bool, torch.float16])
def test_pads_of_other_dtypes(dtype):
    check_live(
        Fn(lambda x: torch.nn.functional.pad(x, (1, 2), value=1)),
        lambda n: (torch.randint(0, 2, (n, 7)).to(dtype),),
        shapes({0: live()}),
        ops=["aten.constant_pad_nd.default"],
        tolerance=HALF,
    )


def test_padding_nothing():
    module = Fn(lambda x: torch.nn.functional.pad(x, (0, 0, 1, 1)))
    pte = lowering.lower(module, (torch.randn(128, 6),), shapes({0: live(least=0)}))
    program = LiveProgram(pte)
    for length in (0, *LENGTHS, 0):
        program.check(module, torch.randn(length, 6), tolerance=EXACT)


# name: the dims of x at (height, width), its live dims
PRIORS = {
    "a batch": (lambda h, w: (2, 3, h, w), {2: live("h", most=40), 3: live("w", most=40)}),
    "a plane": (lambda h, w: (h, w), {0: live("h", most=40), 1: live("w", most=40)}),
}


@pytest.mark.parametrize("kind", [torch.float32, torch.float16], ids=["float", "half"])
@pytest.mark.parametrize("name", PRIORS)
def test_places_of_a_grid(name, kind):
    dims, dynamic = PRIORS[name]
    check_live(
        Fn(lambda x: torch.ops.et_vk.grid_priors(x, 8, 0.5)),
        lambda size: (torch.randn(dims(*size)).to(kind),),
        shapes(dynamic),
        ops=["et_vk.grid_priors.default"],
        lengths=((40, 40), (31, 7), (1, 37), (13, 1), (1, 1), (0, 5), (40, 40)),
        tolerance=EXACT,
        kinds=BOTH_KINDS,
    )
