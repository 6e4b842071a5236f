"""What SECURITY.md says of files that hold more than data: no code in them runs."""

import pickle
from pathlib import Path

import click
import numpy as np
import pytest
import torch
from highwater.cli import inputs
from highwater.errors import HighwaterError
from highwater.exporting import checkpoint


class Bomb:
    """Unpickled, it writes a file."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_a_bomb_goes_off_where_it_is_let(tmp_path):
    pickle.loads(pickle.dumps(Bomb(tmp_path / "ran")))
    assert (tmp_path / "ran").exists(), "or the tests below would prove nothing"


def test_a_checkpoint_is_read_as_weights_alone(tmp_path):
    torch.save({"model": Bomb(tmp_path / "ran")}, tmp_path / "weights.pth")
    with pytest.raises(HighwaterError, match="weights only"):
        checkpoint._shapes(tmp_path / "weights.pth")
    assert not (tmp_path / "ran").exists()


def test_an_array_is_read_without_its_objects(tmp_path):
    np.save(tmp_path / "x.npy", np.array([Bomb(tmp_path / "ran")], object), allow_pickle=True)
    place = inputs.Place(0, "x", "float32", (1,))
    with pytest.raises(click.UsageError, match="allow_pickle=False"):
        inputs._saved(place, str(tmp_path / "x.npy"))
    assert not (tmp_path / "ran").exists()
