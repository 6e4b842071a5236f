"""What training adds to inference: losses, gradients, and weights that are quantized anew."""

import pytest
import torch
import torch.nn.functional as F
from support.exporter_gates import opened
from support.live import (
    BOTH_KINDS,
    HALF,
    LENGTHS,
    MATMUL,
    Tolerance,
    check_live,
)
from support.modules import Fn, live, shapes
from support.training_modules import Q4Layer, labels, random_q4

FUSED_CE = "et_vk.fused_ce.default"
LINEAR_DW = "et_vk.linear_dW.default"
LINEAR_Q4 = "et_vk.linear_q4gsw.default"
BACKWARD = "et_vk.linear_q4gsw_backward.default"
REQUANT = "et_vk.q4gsw_requant.default"

ops = torch.ops.et_vk

GRADIENT = Tolerance(1e-5, 1e-4)


@pytest.mark.parametrize("classes", [1, 11, 64, 300])
def test_cross_entropy(classes):
    check_live(
        Fn(lambda x, y: ops.fused_ce(x, y, 40.0)),
        lambda n: (5 * torch.randn(n, classes), labels(n, classes)),
        shapes({0: live(least=0)}, {0: live(least=0)}),
        ops=[FUSED_CE],
        lengths=(*LENGTHS, 0, 5),
        tolerance=GRADIENT,
        kinds=BOTH_KINDS,
    )


def test_cross_entropy_of_live_classes():
    check_live(
        Fn(lambda x, y: ops.fused_ce(x, y, 4.0)),
        lambda n: (torch.randn(6, n), labels(6, n)),
        shapes({1: live()}, None),
        ops=[FUSED_CE],
        tolerance=GRADIENT,
        kinds=BOTH_KINDS,
    )


def test_cross_entropy_is_torchs_own():
    def loss_and_gradient(x, y):
        with torch.enable_grad():
            x = x.clone().requires_grad_()
            loss = F.cross_entropy(x, y.long(), ignore_index=-1, reduction="sum") / 8
            return loss.detach(), torch.autograd.grad(loss, x)[0]

    program = check_live(
        Fn(lambda x, y: ops.fused_ce(x, y, 8.0)),
        lambda n: (torch.randn(n, 50) * 20, labels(n, 50)),
        shapes({0: live(most=16)}, {0: live(most=16)}),
        lengths=(16, 7, 1),
        tolerance=GRADIENT,
    )
    program.check(loss_and_gradient, torch.randn(13, 50) * 20, labels(13, 50), tolerance=GRADIENT)


def test_cross_entropy_of_labels_that_do_not_exist():
    module = Fn(lambda x, y: ops.fused_ce(x, y, 4.0))
    program = check_live(
        module,
        lambda n: (torch.randn(n, 9), labels(n, 9)),
        shapes({0: live(most=16)}, {0: live(most=16)}),
        lengths=(16, 3),
        tolerance=GRADIENT,
    )
    program.check_rejects(torch.randn(2, 9), torch.tensor([3, 9]))
    program.check_rejects(torch.randn(3, 9), torch.tensor([3, 8]))
    program.check(module, torch.randn(2, 9), torch.tensor([0, 8]), tolerance=GRADIENT)


def test_cross_entropy_of_halves():
    check_live(
        Fn(lambda x, y: ops.fused_ce(x, y, 4.0)),
        lambda n: (torch.randn(n, 30).half(), labels(n, 30)),
        shapes({0: live(most=40)}, {0: live(most=40)}),
        lengths=(40, 31, 1, 7, 40),
        tolerance=HALF,
        kinds=BOTH_KINDS,
    )


@pytest.mark.parametrize("sizes", [(11, 8), (16, 24), (5, 3)])
def test_gradient_of_a_weight(sizes):
    outputs, inputs = sizes
    check_live(
        Fn(ops.linear_dW.default),
        lambda n: (torch.randn(2, n, outputs), torch.randn(2, n, inputs)),
        shapes({1: live(least=0)}, {1: live(least=0)}),
        ops=[LINEAR_DW],
        lengths=(*LENGTHS, 0, 5),
        tolerance=Tolerance(1e-4, 1e-4),
        kinds=BOTH_KINDS,
    )


def test_gradient_of_a_live_weight():
    program = check_live(
        Fn(ops.linear_dW.default),
        lambda n: (torch.randn(12, n), torch.randn(12, n)),
        shapes({1: live("a")}, {1: live("b")}),
        ops=[LINEAR_DW],
        tolerance=MATMUL,
        kinds=BOTH_KINDS,
    )
    program.check_rejects(torch.randn(12, 5), torch.randn(11, 5))


def test_gradient_of_a_weight_in_halves():
    check_live(
        Fn(ops.linear_dW.default),
        lambda n: (torch.randn(n, 8).half(), torch.randn(n, 12).half()),
        shapes({0: live(most=40)}, {0: live(most=40)}),
        lengths=(40, 31, 1, 7, 40),
        tolerance=Tolerance(of_largest=1e-2),
        kinds=BOTH_KINDS,
    )


class Q4Gradient(Q4Layer):
    def forward(self, d):
        return self.backward(d)


# outputs, inputs, group: whole tiles; odd outputs; groups of half a word; rows of odd bytes.
@pytest.mark.parametrize("sizes", [(24, 64, 32), (7, 32, 16), (8, 24, 4), (12, 20, 10)])
def test_gradient_through_4_bits(sizes):
    torch.manual_seed(1)
    with opened(BACKWARD):
        check_live(
            Q4Gradient(*sizes),
            lambda n: (torch.randn(n, sizes[0]),),
            ({0: live(least=0)},),
            ops=[BACKWARD],
            lengths=(*LENGTHS, 0, 5),
            tolerance=MATMUL,
            kinds=BOTH_KINDS,
        )


def test_gradient_through_4_bits_in_batches_of_halves():
    torch.manual_seed(1)
    with opened(BACKWARD):
        check_live(
            Q4Gradient(24, 64, 32),
            lambda n: (torch.randn(2, n, 24),),
            ({1: live(most=40)},),
            ops=[BACKWARD],
            lengths=(40, 31, 1, 7, 40),
            tolerance=Tolerance(of_largest=1e-2),
            kinds=BOTH_KINDS,
            force_fp16=True,
        )


# columns, group
@pytest.mark.parametrize("sizes", [(32, 16), (7, 4), (1, 8), (30, 5)])
def test_requantization(sizes):
    columns, group = sizes

    def inputs(n):
        _, scales = random_q4(n, columns + columns % 2, group)
        scales[0, n // 2] = 0
        latent = torch.randn(n, columns)
        # Just between two codes.
        latent[0] = 2.5 * scales.t()[0, torch.arange(columns) // group]
        return latent, scales

    with opened(REQUANT):
        check_live(
            Fn(lambda latent, scales: ops.q4gsw_requant(latent, scales, group)),
            inputs,
            shapes({0: live()}, {1: live()}),
            ops=[REQUANT],
            kinds=BOTH_KINDS,
        )


def test_what_was_requantized_is_what_a_layer_reads():
    with opened(REQUANT, LINEAR_Q4):
        check_live(
            Fn(lambda x, w, s: ops.linear_q4gsw(x, ops.q4gsw_requant(w, s, 32), s, 32)),
            lambda n: (torch.randn(n, 64), torch.randn(24, 64), 0.1 + torch.rand(2, 24)),
            shapes({0: live()}, None, None),
            ops=[REQUANT, LINEAR_Q4],
            tolerance=MATMUL,
            kinds=BOTH_KINDS,
        )
