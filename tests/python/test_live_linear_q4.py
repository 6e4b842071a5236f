"""Layers of 4-bit weights at live lengths: alone, joined with others, and as tables."""

import pytest
import torch
from support.live import BOTH_KINDS, DQ8, FLOAT, LENGTHS, Q4, LiveProgram, check_live
from support.llm_modules import dq8_q4_linear, linear_by_column, q4_embedding, q4_linear
from support.lowering import lower
from support.modules import RmsNorm, live
from torch import nn
from torch.nn import functional as F

Q4GSW, DQ8CA, QCS4W, EMBEDDING = (
    f"et_vk.{name}.default"
    for name in ("linear_q4gsw", "linear_dq8ca_q4gsw", "linear_qcs4w", "embedding_q4gsw")
)
ROWS = (128, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 37, 100, 64, 128)
WITH_ZERO = (128, 0, 37, 0, 1, 128)

# name: depth, columns, group, whether it has a bias. The exporter takes groups that divide the
# depth, and multiples of 8 columns.
LAYERS = {
    "groups of 32": (96, 48, 32, False),
    "groups of 32 and a bias": (96, 48, 32, True),
    "groups of 64": (192, 24, 64, True),
    "groups of 128": (256, 40, 128, True),
    "one group": (128, 8, 128, False),
    "groups of 8": (40, 16, 8, True),
    "groups of 16": (48, 24, 16, False),
    "groups of 24": (72, 16, 24, True),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_layers(layer):
    depth, columns, group, bias = LAYERS[layer]
    program = check_live(
        q4_linear(depth, columns, group, bias),
        lambda n: (torch.randn(n, depth),),
        ({0: live()},),
        ops=[Q4GSW],
        lengths=ROWS,
        tolerance=Q4,
        kinds=BOTH_KINDS,
    )
    if group % 32 == 0:
        assert len(program.routes) > 1, f"only {program.routes}"


@pytest.mark.parametrize("layer", ["groups of 32 and a bias", "groups of 64", "groups of 24"])
def test_layers_of_quantized_inputs(layer):
    depth, columns, group, bias = LAYERS[layer]
    check_live(
        dq8_q4_linear(depth, columns, group, bias),
        # Rows of very different sizes, each with a scale of its own; and a few of zeros.
        lambda n: (torch.randn(n, depth) * torch.logspace(-2, 2, n).unsqueeze(1) * (n != 2),),
        ({0: live()},),
        ops=[DQ8CA, "torchao.choose_qparams_affine.default"],
        lengths=ROWS,
        tolerance=DQ8,
        kinds=BOTH_KINDS,
    )


@pytest.mark.parametrize(("depth", "columns"), [(64, 48), (32, 7), (40, 16), (96, 1)])
def test_layers_with_one_scale_a_column(depth, columns):
    check_live(
        linear_by_column(depth, columns, bits=4),
        lambda n: (torch.randn(n, depth),),
        ({0: live()},),
        ops=[QCS4W],
        lengths=ROWS,
        tolerance=Q4,
        kinds=BOTH_KINDS,
    )


class Joined(nn.Module):
    """Layers with the same input, which run as one where they can."""

    def __init__(self, columns, combine, bias=False):
        super().__init__()
        self.layers = nn.ModuleList(q4_linear(64, n, bias=bias) for n in columns)
        self.combine = combine

    def forward(self, x):
        return self.combine(*(layer(x) for layer in self.layers))


# name: columns of the layers, what becomes of them, how many calls that is in the program
JOINED = {
    "q, k and v": ((64, 16, 24), lambda q, k, v: (q, k, v), 3),
    "outputs that begin at whole tiles": ((128, 64, 72), lambda q, k, v: (q, k, v), 3),
    "five of them": ((16, 8, 32, 24, 8), lambda *ys: ys, 5),
    "a gate": ((48, 48), lambda g, u: F.silu(g) * u, 5),
    "a gate of an odd number of tiles": ((160, 160), lambda g, u: F.silu(g) * u, 5),
    "a gate, the other way round": ((48, 48), lambda g, u: u * F.silu(g), 5),
    "a gate that is an output too": ((48, 48), lambda g, u: (F.silu(g) * u, g), 5),
}


@pytest.mark.parametrize("joined", JOINED)
def test_joined_layers(joined):
    columns, combine, calls = JOINED[joined]
    program = check_live(
        Joined(columns, combine),
        lambda n: (torch.randn(1, n, 64),),
        ({1: live()},),
        ops=[Q4GSW],
        lengths=ROWS,
        tolerance=Q4,
        kinds=BOTH_KINDS,
    )
    assert max(len(route) for route in program.routes) < calls


class Around(nn.Module):
    """Layers with what comes before and after them: norms, residuals, gates."""

    def __init__(self, make):
        super().__init__()
        self.norms = nn.ModuleList(RmsNorm(96) for _ in range(4))
        self.layers = nn.ModuleList(make(96, 96, 32, bias=i % 2 == 1) for i in range(6))
        self.wide, self.narrow = make(96, 160, 32), make(96, 8, 32)

    def forward(self, x, r):
        norms, layers = self.norms, self.layers
        a = layers[0](norms[0](x))
        b = r + layers[1](a)
        # From here on, a block: the norm of a sum that is read again.
        seen = norms[1](b)
        c = layers[4](F.silu(layers[2](seen)) * layers[3](seen)) + b
        d = norms[2](c)
        return a, c, self.wide(d), self.narrow(d), layers[5](norms[3](r)) + x


@pytest.mark.parametrize("make", [q4_linear, dq8_q4_linear])
def test_what_is_around_layers(make):
    check_live(
        Around(make),
        lambda n: (torch.randn(n, 96) * torch.logspace(-2, 2, n).unsqueeze(1), torch.randn(n, 96)),
        ({0: live()}, {0: live()}),
        ops=[Q4GSW if make is q4_linear else DQ8CA],
        lengths=(128, 1, 2, 5, 9, 37, 1, 128),
        tolerance=Q4 if make is q4_linear else DQ8,
        kinds=BOTH_KINDS,
    )


def test_no_rows():
    check_live(
        q4_linear(64, 24),
        lambda n: (torch.randn(n, 64),),
        ({0: live(least=0)},),
        lengths=WITH_ZERO,
        tolerance=Q4,
    )


@pytest.mark.parametrize(("rows", "width", "group"), [(100, 64, 32), (37, 96, 32), (50, 256, 128)])
def test_tables(rows, width, group):
    check_live(
        q4_embedding(rows, width, group),
        lambda n: (torch.randint(0, rows, (1, n)),),
        ({1: live(least=0)},),
        ops=[EMBEDDING],
        lengths=(*LENGTHS, 0, 3),
        tolerance=FLOAT,
        kinds=BOTH_KINDS,
    )


@pytest.mark.parametrize("wrong", [-1, 100, 2**31, -(2**40)])
def test_an_id_outside_of_the_table_is_refused(wrong):
    module = q4_embedding(100, 64)
    program = LiveProgram(lower(module, (torch.arange(32),), ({0: live(most=32)},)))
    program.check(module, torch.tensor([0, 99, 5]))
    program.check_rejects(torch.tensor([1, wrong, 2]))
    program.check(module, torch.tensor([99, 0]))
