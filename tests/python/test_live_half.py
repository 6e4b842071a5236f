"""float16 in memory, by both kinds of kernel: as words that hold two, and as it is."""

import highwater
import pytest
import torch
from support.live import HALF, check_live
from support.modules import WIDTH, Fn, RmsNorm, live, shapes
from torch import nn

KERNELS = ["software", "gpu"]


@pytest.fixture(autouse=True, params=KERNELS)
def kernels(request, monkeypatch):
    monkeypatch.setenv("HIGHWATER_KERNELS", request.param)


def test_the_device_knows_halves():
    # Without the feature, both kinds of kernel would be tested with words alone.
    assert any("shader-f16" in device["features"] for device in highwater.devices())


@pytest.mark.parametrize("width", [8, 23])
def test_arithmetic(width):
    check_live(
        Fn(lambda a, b: torch.relu(a * b) - a),
        lambda n: (torch.randn(n, width).half(), torch.randn(n, width).half()),
        shapes({0: live()}, {0: live()}),
        tolerance=HALF,
    )


def test_mixed_with_other_types():
    check_live(
        Fn(lambda a, b: (a.float() + b, a > 0)),
        lambda n: (torch.randn(n, 10).half(), torch.randn(n, 10)),
        shapes({0: live()}, {0: live()}),
        tolerance=HALF,
    )


def test_rms_norm():
    check_live(
        RmsNorm().half(),
        lambda n: (torch.randn(1, n, WIDTH).half(),),
        ({1: live()},),
        ops=["et_vk.rms_norm.default"],
        tolerance=HALF,
    )


@pytest.mark.parametrize("features", [(32, 48), (20, 7)])
def test_linear(features):
    torch.manual_seed(0)
    check_live(
        nn.Linear(*features).half(),
        lambda n: (torch.randn(n, features[0]).half(),),
        ({0: live()},),
        ops=["aten.linear.default"],
        tolerance=HALF,
    )


def test_infinities_and_the_largest_values():
    extremes = torch.tensor([float("inf"), -float("inf"), 65504.0, -65504.0, 6e-8, -0.0])
    check_live(
        Fn(lambda a: -a),
        lambda n: (extremes.half().repeat(n, 1),),
        shapes({0: live()}),
        tolerance=HALF,
    )
