"""Where tiles of several sizes meet: along columns of products, and pixels of convolutions."""

import torch
from support.any_batch import any_batch
from support.live import BOTH_KINDS, HALF, MATMUL, check_live
from support.modules import live
from torch import nn
from torch.nn import functional as F

# Whole tiles, and so many more that each of the smaller ones is needed.
LENGTHS = (200, 129, 1, 7, 133, 37, 161, 64, 97, 150, 172, 200)


class Products(nn.Module):
    """Of rows that make whole tiles, and of some that are over."""

    def forward(self, x, w, batch):
        return (
            torch.mm(x, w),
            torch.addmm(w[0], x[:21], w, alpha=0.5, beta=2.0),
            torch.bmm(x[:18].view(2, 9, 24), batch),
        )


def operands(n):
    return torch.randn(48, 24), torch.randn(24, n), torch.randn(2, 24, n)


def operand_dims():
    return None, {1: live(most=max(LENGTHS))}, {2: live(most=max(LENGTHS))}


def test_columns():
    program = check_live(
        Products(),
        operands,
        operand_dims(),
        lengths=LENGTHS,
        tolerance=MATMUL,
        kinds=BOTH_KINDS,
    )
    assert len(program.routes) > 1


def test_columns_in_half_precision():
    check_live(
        Products(),
        operands,
        operand_dims(),
        lengths=LENGTHS,
        tolerance=HALF,
        force_fp16=True,
    )


class Convolutions(nn.Module):
    """With groups that are no whole tiles of channels, a bias and none, and what can follow."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(64, 44, 3, padding=1, groups=2)
        self.second = nn.Conv1d(44, 44, 3, padding=1, bias=False)
        self.third = nn.ConvTranspose1d(44, 35, 3, padding=1)

    def forward(self, x):
        y = F.gelu(self.first(x))
        y = F.relu(y + self.second(y))
        return self.third(y)


def test_pixels():
    torch.manual_seed(1)
    with any_batch():
        program = check_live(
            Convolutions(),
            lambda n: (torch.randn(3, 64, n),),
            ({2: live(most=max(LENGTHS))},),
            lengths=LENGTHS,
            tolerance=MATMUL,
            kinds=("gpu", "software"),
        )
    assert any("conv_tile_thin" in kernel for route in program.routes for kernel in route)
