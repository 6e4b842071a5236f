"""Casts, copies, and tensors that are not float32, across the border and inside."""

import pytest
import torch
from support.live import EXACT, FLOAT, HALF, check_live
from support.modules import Fn, Together, live, shapes

MAKERS = {
    torch.float32: lambda *shape: torch.randn(shape) * 20,
    torch.float16: lambda *shape: (torch.randn(shape) * 20).half(),
    torch.int32: lambda *shape: torch.randint(-99, 99, shape, dtype=torch.int32),
    torch.int64: lambda *shape: torch.randint(-99, 99, shape),
    torch.bool: lambda *shape: torch.rand(shape) > 0.5,
}

CASTS = {
    torch.float32: (torch.int32, torch.int64, torch.bool, torch.float16),
    torch.int32: (torch.float32, torch.bool),
    torch.int64: (torch.float32, torch.int32),
    torch.bool: (torch.float32, torch.int32, torch.int64),
    torch.float16: (torch.float32,),
}


class Cast(torch.nn.Module):
    def __init__(self, to):
        super().__init__()
        self.to_dtype = to

    def forward(self, x):
        return x.to(self.to_dtype)


def _name(value):
    return str(value).removeprefix("torch.")


@pytest.mark.parametrize("source", CASTS, ids=_name)
@pytest.mark.parametrize("width", [24, 23])
def test_casts(source, width):
    """Width 23 leaves a tail where bools are packed four to a word."""
    check_live(
        Together({_name(target): Cast(target) for target in CASTS[source]}),
        lambda n: (MAKERS[source](n, width),),
        shapes({0: live()}),
        tolerance={
            _name(target): HALF if torch.float16 in (source, target) else EXACT
            for target in CASTS[source]
        },
    )


def test_casts_as_language_models_export_them():
    check_live(
        Fn(lambda x: x.to(torch.int32).to(torch.float32) * 0.5),
        lambda n: (MAKERS[torch.float32](n, 24),),
        shapes({0: live()}),
        ops=["aten._to_copy.default"],
        skip_dim_order=True,
    )


@pytest.mark.parametrize("dtype", MAKERS, ids=_name)
def test_clone(dtype):
    """The partitioner drops the clone, which leaves a delegate whose output is its input."""
    check_live(
        Fn(lambda x: x.clone()),
        lambda n: (MAKERS[dtype](n, 23),),
        shapes({0: live()}),
        tolerance=EXACT,
    )


# Bytes do not line up with words here: odd widths, and dims that move.
BOOL_GRAPHS = {
    "view": (lambda x: x.view(-1, 3), "aten.view_copy.default"),
    "permute": (lambda x: x.permute(1, 0), "aten.permute_copy.default"),
    "select": (lambda x: x.select(1, -1), "aten.select_copy.int"),
    "slice": (lambda x: x[:, 1:8], "aten.slice_copy.Tensor"),
    "unsqueeze": (lambda x: x.unsqueeze(0), "aten.unsqueeze_copy.default"),
}


@pytest.mark.parametrize("graph", BOOL_GRAPHS)
def test_bools_that_move(graph):
    function, name = BOOL_GRAPHS[graph]
    check_live(
        Fn(function),
        lambda n: (MAKERS[torch.bool](n, 9),),
        shapes({0: live()}),
        ops=[name],
        tolerance=EXACT,
    )


def test_int64_outside_is_32_bit_inside():
    check_live(
        Fn(lambda x, y: (x + y, x.to(torch.float32) * 0.5, x.unsqueeze(0))),
        lambda n: (MAKERS[torch.int64](n, 24), MAKERS[torch.int64](n, 24)),
        shapes({0: live()}, {0: live()}),
        tolerance=EXACT,
    )


def test_half_arithmetic():
    check_live(
        Fn(lambda x, y: x * y + x),
        lambda n: (MAKERS[torch.float16](n, 23) / 20, MAKERS[torch.float16](n, 23) / 20),
        shapes({0: live()}, {0: live()}),
        tolerance=HALF,
    )


@pytest.mark.parametrize("width", [24, 23])
def test_force_fp16_keeps_float32_at_the_border(width):
    check_live(
        Fn(lambda x, y: torch.sigmoid(x) * y + x),
        lambda n: (torch.randn(n, width), torch.randn(n, width)),
        shapes({0: live()}, {0: live()}),
        tolerance=HALF,
        force_fp16=True,
    )


def test_several_outputs_of_several_types():
    check_live(
        Fn(lambda x: (x + 1.0, x.to(torch.int32), x.to(torch.bool), x.select(0, -1))),
        lambda n: (MAKERS[torch.float32](n, 23),),
        shapes({0: live()}),
        tolerance=FLOAT,
    )
