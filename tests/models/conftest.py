import sys
from pathlib import Path

import torch

# torchvision's own library is made for another build of torch. All it is missed for is to declare
# two ops, which no model here calls; and transformers imports it if it is there.
_ops = torch.library.Library("torchvision", "FRAGMENT")
for _name in ("nms", "qnms"):
    _ops.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "build" / "zoo")]


def pytest_addoption(parser):
    parser.addoption("--part", action="store_true", help="only those that ./test runs")


def pytest_configure(config):
    config.addinivalue_line("markers", "long: not a part of ./test, only of ./test models")


def pytest_collection_modifyitems(config, items):
    """Of the models, with --part, those that stand for the others."""
    if not config.getoption("--part"):
        return
    from zoo import ROWS

    def is_part(item):
        if item.originalname == "test_model":
            return ROWS[item.callspec.params["name"]].quick
        return not item.get_closest_marker("long")

    chosen = [item for item in items if is_part(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen
