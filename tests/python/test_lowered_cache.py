"""The cache of lowered programs: which exports are the same, and several processes at once."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from support import export_key, lowered_cache, lowering
from support.modules import live

MAKER = """
import sys, time
from pathlib import Path
from support import lowered_cache

folder, how = Path(sys.argv[1]), sys.argv[2]
lowered_cache.FOLDER = folder / "entries"

def make():
    with (folder / "made").open("a") as log:
        log.write("x")
    time.sleep(1)
    if how == "fails":
        sys.exit(1)
    return "lowered"

print(lowered_cache.cached("a program", (), make))
"""


def start(folder: Path, how: str = "works") -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", MAKER, str(folder), how],
        cwd=Path(__file__).parent,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_one_process_makes_it_and_the_others_get_it(tmp_path):
    processes = [start(tmp_path) for _ in range(3)]
    assert [p.communicate(timeout=60)[0] for p in processes] == ["lowered\n"] * 3
    assert (tmp_path / "made").read_text() == "x"


def test_another_process_takes_over_where_one_fails(tmp_path):
    failing = start(tmp_path, "fails")
    assert failing.communicate(timeout=60)[0] == ""
    assert failing.returncode == 1
    assert start(tmp_path).communicate(timeout=60)[0] == "lowered\n"
    assert (tmp_path / "made").read_text() == "xx"


def test_an_entry_that_was_cut_short_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(lowered_cache, "FOLDER", tmp_path)
    assert lowered_cache.cached("a program", (), lambda: "lowered") == "lowered"
    (entry,) = [path for path in tmp_path.rglob("*") if path.is_file() and not path.suffix]
    entry.write_bytes(entry.read_bytes()[:5])
    assert lowered_cache.cached("a program", (), lambda: "again") == "again"


class Scaled(torch.nn.Module):
    def __init__(self, factor=2.0, bias=0.5):
        super().__init__()
        self.factor = factor
        self.register_buffer("bias", torch.full((8,), bias))

    def forward(self, x):
        return x * self.factor + self.bias


def key(module, x=None, dims=None) -> str:
    x = torch.ones(128, 8) if x is None else x
    dims = {0: live()} if dims is None else dims
    return export_key.of(torch.export.export(module, (x,), dynamic_shapes=(dims,)))


def test_equal_exports_have_one_key():
    class Other(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("bias", torch.full((8,), 0.5))

        def forward(self, x):
            y = x * 2.0
            return y + self.bias

    assert key(Scaled()) == key(Scaled()) == key(Scaled(), torch.zeros(128, 8)) == key(Other())


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((Scaled(2.0000001),), id="a constant"),
        pytest.param((Scaled(2),), id="its type"),
        pytest.param((Scaled(bias=0.25),), id="a weight"),
        pytest.param((Scaled(), torch.ones(64, 8), {0: live(most=64)}), id="the bound"),
        pytest.param((Scaled(), None, {0: live(least=2)}), id="the least length"),
        pytest.param((Scaled(), None, {}), id="a length that is fixed"),
        pytest.param((Scaled(), torch.ones(128, 8).half()), id="the dtype"),
        pytest.param((Scaled(), torch.ones(8, 128).T), id="the strides"),
        pytest.param((torch.nn.ReLU(),), id="the op"),
    ],
)
def test_what_makes_another_program_makes_another_key(arguments):
    assert key(*arguments) != key(Scaled())


def test_a_program_is_lowered_once_for_its_export_and_options(tmp_path, monkeypatch):
    monkeypatch.setattr(lowered_cache, "FOLDER", tmp_path)
    made = []
    lower_exported = lowering.lower_exported

    def counted(exported, **options):
        made.append(options)
        return lower_exported(exported, **options)

    monkeypatch.setattr(lowering, "lower_exported", counted)
    example, dims = (torch.randn(128, 8),), ({0: live()},)
    fresh = lowering.lower(Scaled(), example, dims)
    assert lowering.lower(Scaled(), example, dims) == fresh
    assert made == [{}]
    assert lowering.lower(Scaled(3.0), example, dims) != fresh
    assert lowering.lower(Scaled(), example, dims, force_fp16=True) != fresh
    assert made == [{}, {}, {"force_fp16": True}]
