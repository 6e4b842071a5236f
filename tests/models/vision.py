"""Models of pictures."""

from dataclasses import replace

import timm
import torch
from facenet_pytorch.models import mtcnn
from torch import nn
from torch.export import Dim
from torchvision import models
from torchvision.models.densenet import DenseNet
from torchvision.models.regnet import BlockParams, RegNet
from transformers import (
    Dinov2Config,
    Dinov2Model,
    SegformerConfig,
    SegformerForSemanticSegmentation,
    SiglipVisionConfig,
    SiglipVisionModel,
    SwinConfig,
    SwinModel,
    ViTConfig,
    ViTModel,
)
from zoo import HALF, INT8, Model, called, model


def _batch() -> Dim:
    return Dim("batch", min=1, max=4)


def _settled(module: nn.Module, pictures: torch.Tensor) -> nn.Module:
    """With norms that have seen pictures, so that roundings do not grow from layer to layer."""
    for layer in module.modules():
        if isinstance(layer, nn.BatchNorm2d):
            nn.init.normal_(layer.bias, 1.0, 0.5)
            layer.momentum = None  # takes all statistics from the next pictures
    with torch.no_grad():
        module.train()(pictures)
    return module.eval()


def _any_size(module: nn.Module, most: int = 3) -> Model:
    """Of pictures whose sides are multiples of 32, as the strides of these nets want."""
    height, width = (32 * Dim(name, min=1, max=most) for name in ("rows", "columns"))
    shapes = {0: _batch(), 2: height, 3: width}
    return Model(module.eval(), (torch.randn(2, 3, 64, 96),), (shapes,))


@model("MobileNetV2")
def mobile_net_v2():
    return _any_size(models.mobilenet_v2(width_mult=0.25, num_classes=10))


@model("MobileNetV2, in int8", tolerance=INT8)
def mobile_net_v2_int8():
    floats = models.mobilenet_v2(width_mult=0.25, num_classes=10)
    module = _settled(floats, torch.randn(8, 3, 64, 96))
    # In the graph that is calibrated, torch holds sides to what gives more than one pixel at last.
    height, width = (32 * Dim(name, min=2, max=3) for name in ("rows", "columns"))
    made = Model(module, (torch.randn(1, 3, 64, 96),), ({2: height, 3: width},))
    return made.quantized("int8")


@model("MobileNetV3")
def mobile_net_v3():
    return _any_size(models.mobilenet_v3_small(width_mult=0.5, num_classes=10))


@model("ResNet-18")
def resnet18():
    return _any_size(models.resnet18(num_classes=10))


@model("EfficientNet-lite")
def efficient_net_lite():
    return _any_size(timm.create_model("efficientnet_lite0", num_classes=10))


@model("ConvNeXt")
def convnext():
    return _any_size(timm.create_model("convnext_atto", num_classes=10))


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([_block(3, 8), _block(8, 16), _block(16, 32)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)])
        self.join = nn.ModuleList([_block(32, 16), _block(16, 8)])
        self.last = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        first = self.down[0](x)
        second = self.down[1](nn.functional.max_pool2d(first, 2))
        x = self.down[2](nn.functional.max_pool2d(second, 2))
        x = self.join[0](torch.cat([self.up[0](x), second], 1))
        x = self.join[1](torch.cat([self.up[1](x), first], 1))
        return self.last(x)


def _block(inputs: int, outputs: int) -> nn.Module:
    sizes = ((inputs, outputs), (outputs, outputs))
    layers = [(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU()) for a, b in sizes]
    return nn.Sequential(*layers[0], *layers[1])


@model("U-Net", quick=True)
def u_net():
    return _any_size(UNet())


@model("U-Net, in 16-bit floats", tolerance=HALF)
def u_net_half():
    return replace(_any_size(UNet()), half=True)


_VIT = ViTConfig(
    hidden_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=128,
    image_size=32,
    patch_size=8,
)


@model("ViT")
def vit():
    module = called(ViTModel(_VIT), lambda inner, x: inner(x).last_hidden_state)
    return Model(module, (torch.randn(2, 3, 32, 32),), ({0: _batch()},))


@model("DINOv2")
def dinov2():
    config = Dinov2Config(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=32, patch_size=8
    )
    module = called(Dinov2Model(config), lambda inner, x: inner(x).last_hidden_state)
    return Model(module, (torch.randn(2, 3, 32, 32),), ({0: _batch()},))


@model("SigLIP, pictures")
def siglip():
    config = SiglipVisionConfig(
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        image_size=32,
        patch_size=8,
    )
    module = called(SiglipVisionModel(config), lambda inner, x: inner(x).pooler_output)
    return Model(module, (torch.randn(2, 3, 32, 32),), ({0: _batch()},))


@model("Swin")
def swin():
    config = SwinConfig(
        image_size=64, patch_size=4, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4
    )
    module = called(SwinModel(config), lambda inner, x: inner(x).last_hidden_state)
    return Model(module, (torch.randn(2, 3, 64, 64),), ({0: _batch()},))


def _any_patches(module: nn.Module) -> Model:
    """Of pictures that are up to twice as large as those of its positions, or smaller."""
    height, width = (8 * Dim(name, min=1, max=8) for name in ("rows", "columns"))
    shapes = {0: _batch(), 2: height, 3: width}
    return Model(module, (torch.randn(2, 3, 24, 40),), (shapes,))


@model("ViT, positions interpolated")
def vit_interpolated():
    def call(inner, x):
        return inner(x, interpolate_pos_encoding=True).last_hidden_state

    return _any_patches(called(ViTModel(_VIT), call))


@model("ViT of timm, any size")
def vit_any_size():
    inner = timm.create_model(
        "vit_tiny_patch16_224",
        img_size=32,
        patch_size=8,
        embed_dim=64,
        depth=2,
        num_heads=4,
        num_classes=10,
        dynamic_img_size=True,
    )
    return _any_patches(inner.eval())


@model("DenseNet")
def dense_net():
    blocks = dict(growth_rate=8, block_config=(2, 2, 2, 2), num_init_features=16)
    return _any_size(DenseNet(**blocks, num_classes=10))


@model("RegNet")
def reg_net():
    widths = dict(depth=6, w_0=16, w_a=8.0, w_m=2.0, group_width=8, se_ratio=0.25)
    return _any_size(RegNet(BlockParams.from_init_params(**widths), num_classes=10))


@model("Segformer")
def segformer():
    config = SegformerConfig(
        hidden_sizes=[16, 32, 40, 64],
        depths=[1, 1, 1, 1],
        decoder_hidden_size=32,
        num_labels=4,
        num_attention_heads=[1, 2, 4, 8],
    )
    return _any_size(
        called(SegformerForSemanticSegmentation(config), lambda inner, x: inner(x).logits)
    )


@model("MTCNN, proposals", "facenet-pytorch", quick=True)
def mtcnn_proposals():
    # torch lets odd sides come only with odd ones, because of a pool that rounds up.
    height, width = (2 * Dim(name, min=8, max=64) for name in ("rows", "columns"))
    shapes = {0: _batch(), 2: height, 3: width}
    return Model(mtcnn.PNet().eval(), (torch.randn(2, 3, 48, 64),), (shapes,))


@model("MTCNN, refinement", "facenet-pytorch")
def mtcnn_refinement():
    return Model(mtcnn.RNet().eval(), (torch.randn(2, 3, 24, 24),), ({0: _batch()},))


@model("MTCNN, landmarks", "facenet-pytorch")
def mtcnn_landmarks():
    return Model(mtcnn.ONet().eval(), (torch.randn(2, 3, 48, 48),), ({0: _batch()},))
