"""MobileNetV2, as its paper has it (https://arxiv.org/abs/1801.04381), with random weights."""

import torch
from torch import nn

# For each stage: how much wider its blocks are inside, channels, blocks, stride of the first.
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
STEM, LAST = 32, 1280


def conv(inputs: int, outputs: int, kernel: int = 1, stride: int = 1, groups: int = 1) -> list:
    return [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]


class Block(nn.Module):
    """Widens, looks around in each channel, and narrows again; its input is added if it fits."""

    def __init__(self, inputs: int, outputs: int, stride: int, widening: int):
        super().__init__()
        inside = inputs * widening
        widen = [*conv(inputs, inside), nn.ReLU6()] if widening > 1 else []
        around = [*conv(inside, inside, 3, stride, groups=inside), nn.ReLU6()]
        self.layers = nn.Sequential(*widen, *around, *conv(inside, outputs))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.adds else self.layers(x)


class MobileNetV2(nn.Module):
    def __init__(self, classes: int):
        super().__init__()
        layers = [*conv(3, STEM, 3, 2), nn.ReLU6()]
        channels = STEM
        for widening, outputs, count, first_stride in STAGES:
            for i in range(count):
                stride = first_stride if i == 0 else 1
                layers.append(Block(channels, outputs, stride, widening))
                channels = outputs
        layers += [*conv(channels, LAST), nn.ReLU6()]
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(LAST, classes)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        pooled = nn.functional.adaptive_avg_pool2d(self.features(image), 1)
        return self.classifier(pooled.flatten(1))


def random_mobilenet(classes: int, images: torch.Tensor) -> MobileNetV2:
    """One that behaves like a trained one: what it says depends on the image, but no rounding error
    grows on the way. Pure noise would make of the smallest difference a large one.

    `images` are those that the norms get their statistics from.
    """
    torch.manual_seed(0)
    network = MobileNetV2(classes)
    for layer in network.modules():
        if isinstance(layer, nn.BatchNorm2d):
            # Most numbers are then within the ReLU6 that follows, which leaves them as they are.
            nn.init.normal_(layer.bias, 1.0, 0.5)
            layer.momentum = None  # takes all statistics from the next images
    with torch.no_grad():
        network.train()(images)
    return network.eval()
