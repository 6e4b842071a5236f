"""Experts that compute all rows give what transformers' own give for those they are chosen for."""

import pytest
import torch
from highwater.exporting import experts
from torch import nn
from transformers.integrations import moe

COUNT, WIDTH, INNER, CHOSEN = 5, 12, 7, 2


class Config:
    _experts_implementation = "batched_mm"


def experts_of(**kind) -> nn.Module:
    class Experts(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.num_experts = COUNT
            self.act_fn = nn.SiLU()
            gated = kind.get("has_gate", True)
            first = "gate_up_proj" if gated else "up_proj"
            outputs = 2 * INNER if gated else INNER
            self._add(first, outputs, WIDTH)
            self._add("down_proj", WIDTH, INNER)
            self.post_expert_norm = nn.LayerNorm(WIDTH)

        def _add(self, name, outputs, inputs):
            sizes = (inputs, outputs) if kind.get("is_transposed") else (outputs, inputs)
            self.register_parameter(name, nn.Parameter(torch.randn(COUNT, *sizes)))
            self.register_parameter(f"{name}_bias", nn.Parameter(torch.randn(COUNT, outputs)))

        def forward(self, x, chosen, shares):
            raise AssertionError("one of transformers' implementations is called instead")

    return moe.use_experts_implementation(**kind)(Experts)(Config())


@pytest.mark.parametrize(
    "kind",
    [
        {},
        {"has_bias": True},
        {"is_transposed": True, "has_bias": True},
        {"has_gate": False},
        {"has_post_expert_norm": True, "has_bias": True},
    ],
    ids=str,
)
def test_experts(kind):
    torch.manual_seed(0)
    module = experts_of(**kind).eval()
    for rows in (17, 1):
        x = torch.randn(rows, WIDTH)
        shares, chosen = torch.rand(rows, COUNT).topk(CHOSEN)
        with torch.no_grad():
            wanted = module(x, chosen, shares)
            with experts.all_computed():
                given = module(x, chosen, shares)
        torch.testing.assert_close(given, wanted, rtol=1e-4, atol=1e-4)
