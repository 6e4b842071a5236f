"""The torch modules of networks, and what they are called with."""

from dataclasses import dataclass

import torch
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
    XNNPACKQuantizer,
    get_symmetric_quantization_config,
)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from benchmarks.encoder import random_encoder
from benchmarks.mobilenet import random_mobilenet
from benchmarks.network import Encoder, Int8MobileNet, MobileNet, Network

# MobileNet halves an image five times. torch knows that sizes are whole only if it is told so.
HALVINGS = 32


@dataclass
class Source:
    module: torch.nn.Module
    example: torch.Tensor  # at the bound
    live: dict[int, torch.export.Dim]  # dims of the input that may change
    inputs: dict[str, torch.Tensor]  # by step

    def exported(self) -> torch.export.ExportedProgram:
        return torch.export.export(self.module, (self.example,), dynamic_shapes=(self.live,))


def source(model: Network) -> Source:
    if isinstance(model, Encoder):
        return encoder(model)
    found = mobilenet(model)
    return quantized(found) if isinstance(model, Int8MobileNet) else found


def images(count: int, height: int, width: int) -> torch.Tensor:
    """Noise, each with a colour of its own: that is what they can be told apart by."""
    return torch.randn(count, 3, 1, 1) + 0.3 * torch.randn(count, 3, height, width)


def mobilenet(model: MobileNet) -> Source:
    torch.manual_seed(1)
    largest = model.largest
    most = largest // HALVINGS
    height, width = (
        HALVINGS * torch.export.Dim(name, min=2, max=most) for name in ("height", "width")
    )
    seen = images(4, largest, largest)
    inputs = {
        step.name: images(1, *size)
        for step, size in zip(model.steps([], quick=False), model.sizes, strict=True)
    }
    network = random_mobilenet(model.classes, seen)
    return Source(network, seen[:1], {2: height, 3: width}, inputs)


def encoder(model: Encoder) -> Source:
    network = random_encoder(
        vocabulary=model.vocabulary,
        longest=model.longest,
        width=model.width,
        layers=model.layers,
        heads=model.heads,
        hidden=model.hidden,
    )
    text = torch.randint(0, model.vocabulary, (1, model.longest))
    inputs = {step.name: text[:, : step.work] for step in model.steps([], quick=False)}
    length = torch.export.Dim("length", min=1, max=model.longest)
    return Source(network, text, {1: length}, inputs)


def quantized(floats: Source) -> Source:
    """In int8, by ExecuTorch's own quantizer. What its module computes is what engines must."""
    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=False)
    prepared = prepare_pt2e(floats.exported().module(), XNNPACKQuantizer().set_global(config))
    with torch.no_grad():
        for image in floats.inputs.values():
            prepared(image)
    return Source(convert_pt2e(prepared), floats.example, floats.live, floats.inputs)
