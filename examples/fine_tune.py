"""Fine-tunes the model that ships, on the device: adapters beside frozen weights of 4 bits.

    pip install 'highwater[export]' tokenizers
    python examples/fine_tune.py README.md 20

A step is one program: model, loss, torch's gradients, Adam. The adapters go to adapter.npz.
"""

import sys
from pathlib import Path

import highwater
import numpy as np
import torch
from executorch.backends.vulkan import custom_ops_lib  # noqa: F401  (has the ops of et_vk)
from highwater.export import to_pte
from highwater.tokenizers import load_tokenizer
from torch import nn
from torch.func import functional_call
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.append(str(Path(__file__).parents[1]))
from training.llama import Llama
from training.places import CHECKPOINT, TOKENIZER

GROUP, RANK, LENGTH, RATE, WINDOWS = 32, 4, 64, 0.02, 4
DECOMPOSED = torch._decomp.get_decompositions([torch.ops.aten.silu_backward])


class Adapted(nn.Module):
    def __init__(self, layer: nn.Linear):
        super().__init__()
        groups = layer.weight.detach().unflatten(1, (-1, GROUP))
        scales = groups.abs().amax(-1, keepdim=True) / 7.5
        codes = ((groups / scales).round().clamp(-8, 7) + 8).flatten(1).to(torch.uint8)
        self.register_buffer("weight", codes[:, ::2] | codes[:, 1::2] << 4)
        self.register_buffer("scales", scales[..., 0].T.contiguous())
        self.a = nn.Parameter(torch.randn(RANK, layer.in_features) / layer.in_features**0.5)
        self.b = nn.Parameter(torch.zeros(layer.out_features, RANK))

    def forward(self, x):
        frozen = torch.ops.et_vk.linear_q4gsw(x, self.weight, self.scales, GROUP)
        return frozen + nn.functional.linear(nn.functional.linear(x, self.a), self.b)


def main(text: str, steps: int) -> None:
    model = Llama().requires_grad_(False)
    model.load_state_dict(torch.load(CHECKPOINT, weights_only=True))
    for attention in (block.attention for block in model.layers[-2:]):
        attention.wq, attention.wv = Adapted(attention.wq), Adapted(attention.wv)
    adapters = {name: p.detach() for name, p in model.named_parameters() if p.requires_grad}

    def step(tokens, labels, *state):
        with torch.enable_grad(), sdpa_kernel(SDPBackend.MATH):
            leaves = [value.detach().requires_grad_() for value in state[::3]]
            (logits,) = functional_call(model, dict(zip(adapters, leaves, strict=True)), (tokens,))
            loss, slopes = torch.ops.et_vk.fused_ce(logits.detach(), labels, float(LENGTH))
            slopes = torch.autograd.grad(logits, leaves, slopes)
        news = [loss]  # Adam's, without the corrections of its first steps
        each = state[::3], state[1::3], state[2::3], slopes
        for value, mean, square, slope in zip(*each, strict=True):
            mean, square = 0.8 * mean + 0.2 * slope, 0.9 * square + 0.1 * slope * slope
            news += value - RATE * mean / (square.sqrt() + 1e-6), mean, square
        return news

    state = [x for v in adapters.values() for x in (v, torch.zeros_like(v), torch.zeros_like(v))]
    given = torch.zeros(1, LENGTH).long(), torch.zeros(LENGTH).int(), *state
    traced = make_fx(step, DECOMPOSED, _allow_non_fake_inputs=True)(*given)
    tokens = np.array(load_tokenizer(TOKENIZER, None).encode(Path(text).read_text()))
    with highwater.load(to_pte(traced, given)) as device:
        for at in np.arange(steps) % WINDOWS * LENGTH:
            labels = tokens[at + 1 : at + LENGTH + 1].astype(np.int32)
            loss, *state = device(tokens[None, at : at + LENGTH], labels, *state)
            print(f"{float(loss):.3f}")
    np.savez("adapter.npz", **dict(zip(adapters, state[::3], strict=True)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
