"""Makes the programs of the page See: the first two nets of MTCNN, which finds faces.

    python web/tools/export_faces.py FOLDER

Their weights are those of the package facenet-pytorch (MIT): FOLDER is where it is installed, such
as build/zoo. The programs are part of the repository, so that the page needs no torch.
"""

import sys
from pathlib import Path

import torch
from highwater.export import to_pte
from torch import nn
from torch.export import Dim

PAGES = Path(__file__).resolve().parents[1] / "pages" / "faces"
LARGEST = 288  # the longest side that the first net is given, in pixels
MOST_FACES = 64  # that are looked at in one call


class Proposals(nn.Module):
    """For each place of a picture of any size: is there a face of 12 pixels, and where exactly?"""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.prelu1 = nn.Conv2d(3, 10, 3), nn.PReLU(10)
        self.conv2, self.prelu2 = nn.Conv2d(10, 16, 3), nn.PReLU(16)
        self.conv3, self.prelu3 = nn.Conv2d(16, 32, 3), nn.PReLU(32)
        self.conv4_1, self.conv4_2 = nn.Conv2d(32, 2, 1), nn.Conv2d(32, 4, 1)

    def forward(self, picture):
        x = self.prelu1(self.conv1(picture))
        x = self.prelu2(self.conv2(nn.functional.max_pool2d(x, 2, ceil_mode=True)))
        x = self.prelu3(self.conv3(x))
        return self.conv4_1(x).softmax(1), self.conv4_2(x)


class Refinement(nn.Module):
    """Of any number of cuttings of 24 by 24 pixels: is it a face, and where exactly?"""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.prelu1 = nn.Conv2d(3, 28, 3), nn.PReLU(28)
        self.conv2, self.prelu2 = nn.Conv2d(28, 48, 3), nn.PReLU(48)
        self.conv3, self.prelu3 = nn.Conv2d(48, 64, 2), nn.PReLU(64)
        self.dense4, self.prelu4 = nn.Linear(576, 128), nn.PReLU(128)
        self.dense5_1, self.dense5_2 = nn.Linear(128, 2), nn.Linear(128, 4)

    def forward(self, cuttings):
        x = nn.functional.max_pool2d(self.prelu1(self.conv1(cuttings)), 3, 2, ceil_mode=True)
        x = nn.functional.max_pool2d(self.prelu2(self.conv2(x)), 3, 2, ceil_mode=True)
        x = self.prelu3(self.conv3(x))
        # The weights were learnt with columns before rows.
        x = self.prelu4(self.dense4(x.permute(0, 3, 2, 1).reshape(x.shape[0], 576)))
        return self.dense5_1(x).softmax(1), self.dense5_2(x)


def export(module: nn.Module, weights: Path, example: tuple[int, ...], live: dict) -> bytes:
    module.load_state_dict(torch.load(weights, weights_only=True))
    return to_pte(module.eval(), (torch.randn(*example),), (live,))


def main(packages: Path) -> None:
    weights = packages / "facenet_pytorch" / "data"
    PAGES.mkdir(exist_ok=True)
    # Even, because the pool would round odd sides up.
    sides = {2 + i: 2 * Dim(name, min=6, max=LARGEST // 2) for i, name in enumerate("hw")}
    found = export(Proposals(), weights / "pnet.pt", (1, 3, 48, 64), sides)
    (PAGES / "proposals.pte").write_bytes(found)
    count = {0: Dim("faces", min=1, max=MOST_FACES)}
    refined = export(Refinement(), weights / "rnet.pt", (2, 3, 24, 24), count)
    (PAGES / "refinement.pte").write_bytes(refined)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
