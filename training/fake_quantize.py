"""Training for 4 bits: the forward pass sees each weight as the exporter will round it.

The scales come from the exporter's own quantizer. They move slowly, so they are chosen anew only
now and then; the rounding follows every step.
"""

import torch
from torch import nn
from torch.nn.utils import parametrize
from torchao.quantization.quant_primitives import _choose_qparams_and_quantize_scale_only_hqq

from training.places import GROUP

LOWEST, HIGHEST = -8, 7


class FakeQuantize(nn.Module):
    def __init__(self, weight: torch.Tensor):
        super().__init__()
        self.register_buffer("scale", choose_scale(weight), persistent=False)

    def forward(self, weight):
        grouped = weight.detach().unflatten(1, (-1, GROUP))
        scale = self.scale[:, :, None]
        rounded = (grouped / scale).round().clamp(LOWEST, HIGHEST) * scale
        # The gradient passes as if nothing had been rounded.
        return weight + (rounded.flatten(1) - weight.detach())


def choose_scale(weight: torch.Tensor) -> torch.Tensor:
    _, scale = _choose_qparams_and_quantize_scale_only_hqq(
        weight.detach(), [1, GROUP], LOWEST, HIGHEST
    )
    return scale


def _quantized_layers(model: nn.Module) -> list[nn.Module]:
    return [m for m in model.modules() if isinstance(m, nn.Linear | nn.Embedding)]


def start(model: nn.Module) -> None:
    for layer in _quantized_layers(model):
        if not parametrize.is_parametrized(layer):
            parametrize.register_parametrization(layer, "weight", FakeQuantize(layer.weight))


def choose_scales_again(model: nn.Module) -> None:
    for layer in _quantized_layers(model):
        if parametrize.is_parametrized(layer):
            parametrization = layer.parametrizations.weight
            parametrization[0].scale = choose_scale(parametrization.original)


def plain_weights(model: nn.Module) -> dict[str, torch.Tensor]:
    """The unrounded weights, under the names that they had before."""
    return {
        name.replace("parametrizations.weight.original", "weight"): weight.detach().clone()
        for name, weight in model.named_parameters()
    }
