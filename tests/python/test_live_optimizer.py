"""Steps of an optimizer within a program, alone and after a forward and a backward pass."""

import pytest
import torch
import torch.nn.functional as F
from support import lowering
from support.exporter_gates import PutAdamwStep, adamw_step, opened
from support.live import (
    BOTH_KINDS,
    HALF,
    LENGTHS,
    LiveProgram,
    Tolerance,
    check_live,
    kernels_of_kind,
)
from support.modules import Fn, live, shapes
from support.training_modules import Q4Layer, labels
from torch import nn

FUSED_CE = "et_vk.fused_ce.default"
LINEAR_DW = "et_vk.linear_dW.default"
LINEAR_Q4 = "et_vk.linear_q4gsw.default"
BACKWARD = "et_vk.linear_q4gsw_backward.default"
ADAMW = "et_vk.adamw_step.default"

ops = torch.ops.et_vk

GRADIENT = Tolerance(1e-5, 1e-4)

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
