"""Any module in fewer bits, by `highwater.export.quantized`: one delegate with torch's numbers."""

import highwater
import pytest
import torch
from highwater.export import quantized, to_pte
from support.live import BOTH_KINDS, DQ8, Q4, THROUGH_INT8, check_live
from support.modules import live
from torch import nn
from torch.nn import functional as F

LENGTHS = (61, 17, 1, 48, 5, 61)


class Layers(nn.Module):
    """Of them, the last has no whole groups of 32. The first takes a view, as after attention."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.Linear(64, 96)
        self.second = nn.Linear(96, 40, bias=False)
        self.last = nn.Linear(40, 12)

    def forward(self, x):
        x = x.unflatten(-1, (16, 4)).transpose(-1, -2).flatten(-2)
        return self.last(torch.relu(self.second(F.gelu(self.first(x)))))


class Convs(nn.Module):
    """Of them, `odd` has not whole quads of channels, and `line` one spatial dim: both stay layers
    of floats."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.channels = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.point = nn.Conv2d(8, 6, 1)
        self.odd = nn.Conv2d(6, 6, 3, padding=1, groups=6)
        self.line = nn.Conv1d(6, 8, 3, padding=1)
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        x = F.relu6(self.norm(self.first(x)))
        x = x + self.channels(x).relu()
        x = self.line(self.odd(self.point(x)).mean(-1))
        x = x[:, :, (torch.arange(x.shape[2]) + 1) % x.shape[2]] + 0.5
        return self.head(x.mean(-1))


class Block(nn.Module):
    """Of a transformer: there, only linear layers compute in int8."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.norm = nn.LayerNorm(64)
        self.heads = nn.Linear(64, 3 * 64)
        self.last = nn.Linear(64, 64)

    def forward(self, x):
        split = self.heads(self.norm(x)).view(*x.shape[:2], 3, 4, 16).permute(2, 0, 3, 1, 4)
        return x + self.last(F.scaled_dot_product_attention(*split).transpose(1, 2).flatten(2))


def rows(n):
    return (torch.randn(2, n, 64),)


def pictures(n):
    return (torch.randn(2, 3, n, 12),)


# how: module, its inputs at a length, the live dim, ops, tolerance
CASES = {
    "4w": (Layers, rows, 1, ["et_vk.linear_q4gsw.default", "aten.linear.default"], Q4),
    "8da4w": (Layers, rows, 1, ["et_vk.linear_dq8ca_q4gsw.default"], DQ8),
    "int8": (
        Convs,
        pictures,
        2,
        [f"et_vk.q8ta_{op}.default" for op in ("conv2d", "conv2d_dw", "conv2d_pw", "add")],
        THROUGH_INT8,
    ),
    "int8 of a transformer": (
        Block,
        rows,
        1,
        ["et_vk.linear_q8ta_q8csw.default", "aten.native_layer_norm.default", "aten.add.Tensor"],
        THROUGH_INT8,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_module_in_fewer_bits(case):
    make, inputs, dim, ops, tolerance = CASES[case]
    how = case.split()[0]
    torch.manual_seed(1)
    example, dynamic = inputs(61), ({dim: live(most=61)},)
    seen = [inputs(n) for n in (61, 7, 23)]
    module = quantized(make().eval(), example, dynamic, how, calibration=seen)
    check_live(
        module,
        inputs,
        dynamic,
        ops=ops,
        lengths=LENGTHS,
        tolerance=tolerance,
        kinds=BOTH_KINDS,
        own=True,
    )


def test_the_module_stays_as_it_is():
    module = Layers().eval()
    x = rows(5)[0]
    before = module(x)
    pte = to_pte(module, rows(9), ({1: live(most=9)},), quantize="4w", half=True)
    assert torch.equal(module(x), before)
    with highwater.load(pte) as model:
        assert (model(x) - before).abs().max() < 0.3 * before.abs().max()
        assert model.inputs[0]["name"] == "x"


@pytest.mark.parametrize(
    "how, options, said",
    [
        ("int8", {}, "int8 needs calibration data"),
        ("int8", {"calibration": [rows(9), rows(12)]}, "data's input number 2: "),
        ("4w", {"group_size": 128}, "groups of 128 weights .* they take 40, 64, 96 numbers"),
        ("5w", {}, "no quantization '5w'; there are: 4w, 8da4w, int8, fp16"),
    ],
)
def test_what_cannot_be_quantized_is_said(how, options, said):
    with pytest.raises(highwater.HighwaterError, match=said):
        to_pte(Layers(), rows(9), quantize=how, **options)


def test_what_torch_raises_has_a_note():
    with pytest.raises(Exception, match="specialized") as raised:
        to_pte(Layers(), rows(9), ({2: live(most=64)},))
    assert any("while exporting" in note for note in raised.value.__notes__)


def test_without_linear_layers_there_is_nothing_to_quantize():
    with pytest.raises(highwater.HighwaterError, match="there are no such layers"):
        to_pte(nn.ReLU(), rows(9), quantize="8da4w")
