"""What training adds to inference: losses, gradients, and parameters that the program changes."""

import pytest
import torch
import torch.nn.functional as F
from support import lowering
from support.exporter_gates import PutAdamwStep, adamw_step, opened
from support.live import (
    BOTH_KINDS,
    HALF,
    LENGTHS,
    MATMUL,
    LiveProgram,
    Tolerance,
    check_live,
    kernels_of_kind,
)
from support.modules import Fn, live, shapes
from torch import nn

FUSED_CE = "et_vk.fused_ce.default"
LINEAR_DW = "et_vk.linear_dW.default"
LINEAR_Q4 = "et_vk.linear_q4gsw.default"
BACKWARD = "et_vk.linear_q4gsw_backward.default"
REQUANT = "et_vk.q4gsw_requant.default"
ADAMW = "et_vk.adamw_step.default"

ops = torch.ops.et_vk

GRADIENT = Tolerance(1e-5, 1e-4)


def labels(n: int, classes: int) -> torch.Tensor:
    """Some of them say that their row does not count."""
    return torch.randint(-1, classes, (n,))


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


def random_q4(outputs: int, inputs: int, group: int):
    weights = torch.randint(0, 256, (outputs, inputs // 2), dtype=torch.uint8)
    return weights, 0.02 + 0.1 * torch.rand(-(-inputs // group), outputs)


class Q4Layer(nn.Module):
    """A layer with frozen weights of 4 bits, and the gradient of its input."""

    def __init__(self, outputs, inputs, group):
        super().__init__()
        weights, scales = random_q4(outputs, inputs, group)
        self.register_buffer("weights", weights)
        self.register_buffer("scales", scales)
        self.group = group

    def forward(self, x):
        return ops.linear_q4gsw(x, self.weights, self.scales, self.group)

    def backward(self, d):
        return ops.linear_q4gsw_backward(d, self.weights, self.scales, self.group)


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


RATES = {"lr": 0.01, "beta1": 0.9, "beta2": 0.99, "eps": 1e-3, "weight_decay": 0.1}


@pytest.mark.parametrize("corrections", [(1.0, 1.0), (0.1, 0.01)])
def test_a_step_of_a_live_parameter(corrections):
    def step(p, m, v, g):
        return adamw_step(p, m, v, g, *RATES.values(), *corrections)

    check_live(
        Fn(step),
        lambda n: (*(torch.randn(n, 7) for _ in range(2)), torch.rand(n, 7), torch.randn(n, 7)),
        shapes(*[{0: live(least=0)}] * 4),
        ops=[ADAMW],
        lengths=(*LENGTHS, 0, 5),
        tolerance=GRADIENT,
        kinds=BOTH_KINDS,
        transform_passes=[PutAdamwStep()],
    )


def test_a_step_of_halves():
    check_live(
        Fn(lambda p, m, v, g: adamw_step(p, m, v, g, *RATES.values(), 1.0, 1.0)),
        lambda n: tuple(torch.rand(n, 7).half() for _ in range(4)),
        shapes(*[{0: live()}] * 4),
        ops=[ADAMW],
        tolerance=HALF,
        kinds=BOTH_KINDS,
        transform_passes=[PutAdamwStep()],
    )


COUNTED = 16.0


class Adapted(nn.Module):
    """A frozen layer with an adapter of rank 4, before a frozen layer that tells classes apart.

    Each call is a step of training: forward, loss, backward, and the adapter's new parameters.
    """

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.hidden = Q4Layer(32, 64, 32)
        self.head = Q4Layer(12, 32, 32)
        for name, start in {"a": 0.1 * torch.randn(4, 64), "b": torch.zeros(32, 4)}.items():
            self.register_buffer(name, start)
            self.register_buffer(f"{name}_mean", torch.zeros_like(start))
            self.register_buffer(f"{name}_square", torch.zeros_like(start))

    def forward(self, x, y):
        inner = F.linear(x, self.a)
        logits = self.head(self.hidden(x) + F.linear(inner, self.b))
        loss, d_logits = ops.fused_ce(logits, y, COUNTED)
        d_hidden = self.head.backward(d_logits)
        d_b = ops.linear_dW(d_hidden, inner)
        d_a = ops.linear_dW(torch.mm(d_hidden, self.b), x)
        return loss, self.update("a", d_a), self.update("b", d_b)

    def update(self, name, gradient):
        states = [self.get_buffer(f"{name}{part}") for part in ("", "_mean", "_square")]
        news = adamw_step(*states, gradient, *RATES.values(), 1.0, 1.0)
        for state, new in zip(states, news, strict=True):
            state.copy_(new)
        # The exporter mixes up its outputs if one of them is a parameter itself.
        return -news[0]


class TorchsOwn:
    """The same by autograd and torch's optimizer, whose corrections have faded away."""

    def __init__(self, adapted: Adapted):
        with torch.no_grad():
            self.frozen = [
                layer(torch.eye(inputs))
                for layer, inputs in ((adapted.hidden, 64), (adapted.head, 32))
            ]
        self.a = nn.Parameter(adapted.a.clone())
        self.b = nn.Parameter(adapted.b.clone())
        self.optimizer = torch.optim.AdamW(
            [self.a, self.b],
            lr=RATES["lr"],
            betas=(RATES["beta1"], RATES["beta2"]),
            eps=RATES["eps"],
            weight_decay=RATES["weight_decay"],
        )
        for parameter in (self.a, self.b):
            self.optimizer.state[parameter] = {
                "step": torch.tensor(1e5),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }

    def __call__(self, x, y):
        with torch.enable_grad():
            hidden, head = self.frozen
            logits = (x @ hidden + x @ self.a.t() @ self.b.t()) @ head
            loss = F.cross_entropy(logits, y.long(), ignore_index=-1, reduction="sum") / COUNTED
            self.optimizer.zero_grad()
            loss.backward()
        self.optimizer.step()
        return loss.detach(), -self.a.detach(), -self.b.detach()


@pytest.mark.parametrize("kind", BOTH_KINDS)
def test_training_an_adapter(kind):
    with opened(LINEAR_Q4, BACKWARD):
        module = Adapted()
        truth = TorchsOwn(module)
        rows = live(least=2, most=40)
        pte = lowering.lower(
            module,
            (torch.randn(40, 64), labels(40, 12)),
            ({0: rows}, {0: rows}),
            transform_passes=[PutAdamwStep()],
            alias_buffer_mutations=True,
        )
    lowering.assert_delegated(pte, LINEAR_Q4, FUSED_CE, BACKWARD, LINEAR_DW, ADAMW)
    with kernels_of_kind(kind):
        program = LiveProgram(pte)
    torch.manual_seed(0)
    for step, n in enumerate((40, 31, 7, 1, 23, 40, 13, 40, 40, 40)):
        x = torch.randn(n, 64)
        y = labels(n, 12)
        program.check(truth, x, y, tolerance=Tolerance(1e-4, 1e-3))
        if step == 4:
            # A refused call leaves the parameters as they were.
            program.check_rejects(torch.randn(41, 64), labels(41, 12))
            program.check_rejects(torch.randn(5, 64), torch.tensor([0, 1, 2, 3, 12]))
