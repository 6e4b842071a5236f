"""Finds the faces in a picture of any size: MTCNN's three nets, each of them one program.

    pip install 'highwater[export]' pillow && pip install --no-deps facenet-pytorch
    python examples/faces.py group.jpg

The programs are kept in the folder in which it is started."""

import sys
from importlib.util import find_spec
from pathlib import Path

import highwater
import numpy as np
from PIL import Image

LEAST_FACE, MOST_SIDE, MOST_CROPS = 40, 512, 256  # pixels; pixels and crops in a call
STAGES = {"PNet": (12, 0.6), "RNet": (24, 0.7), "ONet": (48, 0.8)}  # side, how sure to be


def export() -> None:
    import torch
    from highwater.export import to_pte

    # The file of the nets alone: the package would import torchvision.
    folder = Path(find_spec("facenet_pytorch").submodule_search_locations[0])
    nets = {"__file__": str(folder / "models" / "mtcnn.py")}
    exec(Path(nets["__file__"]).read_text().replace("from .utils", "# from .utils"), nets)
    sides = {i: 2 * torch.export.Dim(f"half{i}", min=6, max=MOST_SIDE // 2) for i in (2, 3)}
    crops = {0: torch.export.Dim("crops", max=MOST_CROPS)}
    for name, (side, _) in STAGES.items():
        live, size = (sides, (1, 3, 32, 48)) if name == "PNet" else (crops, (2, 3, side, side))
        pte = to_pte(nets[name]().eval(), (torch.randn(size),), (live,))
        Path(f"{name}.pte").write_bytes(pte)


def look(net: highwater.Model, images: list[Image.Image]) -> tuple[np.ndarray, ...]:
    pixels = (np.stack(images).astype(np.float32) - 127.5) / 128
    return net(pixels.transpose(0, 3, 1, 2))


def best(boxes: np.ndarray, shifts: np.ndarray, sure: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The boxes as a net wants them, without those that mostly lie in a better one."""
    boxes = boxes + shifts * np.tile(boxes[:, 2:] - boxes[:, :2], 2)
    areas, order, kept = (boxes[:, 2:] - boxes[:, :2]).prod(1), np.argsort(-sure), []
    while len(order):
        (one, *_), order = order, order[1:]
        low, high = np.maximum(boxes[one], boxes[order]), np.minimum(boxes[one], boxes[order])
        common = np.clip(high[:, 2:] - low[:, :2], 0, None).prod(1)
        order = order[common < 0.6 * np.minimum(areas[one], areas[order])]
        kept.append(one)
    return boxes[kept], sure[kept]


def faces(nets: dict[str, highwater.Model], image: Image.Image) -> tuple[np.ndarray, np.ndarray]:
    found, scale = np.zeros((9, 0)), min(12 / LEAST_FACE, MOST_SIDE / max(image.size))
    while min(image.size) * scale >= 12:  # the first net, at one scale after the other
        small = image.resize([int(side * scale) // 2 * 2 for side in image.size])
        (shifts,), (sure,) = look(nets["PNet"], [small])
        y, x = np.nonzero(sure[1] > STAGES["PNet"][1])
        boxes = (2 * np.stack([x, y, x, y]) + [[1], [1], [12], [12]]) / scale
        found = np.concatenate([found, [*boxes, *shifts[:, y, x], sure[1, y, x]]], axis=1)
        scale *= 0.709
    boxes, sure = best(found[:4].T, found[4:8].T, found[8])
    for name, (side, least) in [*STAGES.items()][1:]:
        if not len(boxes):
            return boxes, sure
        half = (boxes[:, 2:] - boxes[:, :2]).max(1, keepdims=True) / 2
        boxes = np.tile((boxes[:, :2] + boxes[:, 2:]) / 2, 2) + half * [-1, -1, 1, 1]
        crops = [image.crop(tuple(box)).resize((side, side)) for box in boxes[:MOST_CROPS]]
        shifts, *_, sure = look(nets[name], crops)
        good = np.nonzero(sure[:, 1] > least)[0]
        boxes, sure = best(boxes[good], shifts[good], sure[good, 1])
    return boxes, sure


if __name__ == "__main__":
    Path("ONet.pte").exists() or export()
    models = {name: highwater.load(f"{name}.pte") for name in STAGES}
    for box, sure in zip(*faces(models, Image.open(sys.argv[1]).convert("RGB")), strict=True):
        print("{:.2f}  from {:.0f}, {:.0f} to {:.0f}, {:.0f}".format(sure, *box))
