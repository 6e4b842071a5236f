"""`highwater export` of functions: its programs give torch's numbers, and what does not fit is said
plainly."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from highwater.exporting import advice
from highwater.exporting.lowering import lower
from highwater.exporting.partitioner import HighwaterPartitioner
from support.cli_export import export, exported
from support.live import FLOAT, WHOLE_MODEL, LiveProgram, Tolerance

MODELS = '''
import time
from pathlib import Path

import torch
from torch import nn


class Gate(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x) + x[:, -1:]


def gate():
    length = torch.export.Dim("length", min=1, max=128)
    return Gate(), (torch.randn(1, 128, 64),), ({1: length},)


def norm():
    torch.manual_seed(0)
    rows = torch.export.Dim("rows", max=32)
    return nn.Sequential(nn.RMSNorm(64), nn.Linear(64, 8)), (torch.randn(4, 64),), ({0: rows},)


def fixed_width():
    """Its width cannot be live, which torch finds out."""
    width = torch.export.Dim("width", min=1, max=64)
    return nn.Linear(64, 2), (torch.randn(1, 64),), ({1: width},)


class Cosh(nn.Module):
    def forward(self, x):
        return torch.cosh(x) + 1


def cosh():
    return Cosh(), (torch.randn(1, 3, 8, 8),), None


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(8, 8, batch_first=True)

    def forward(self, x):
        return self.gru(x)[0]


def gru():
    torch.manual_seed(0)
    batch = torch.export.Dim("batch", min=1, max=4)
    length = torch.export.Dim("length", min=1, max=9)
    return Gru(), (torch.randn(4, 6, 8),), ({0: batch, 1: length},)


def calibrated():
    torch.manual_seed(0)
    rows = torch.export.Dim("rows", max=32)
    layers = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 8))
    return layers, (torch.randn(4, 64),), ({0: rows},), [(torch.randn(32, 64),) for _ in range(9)]


def wait():
    Path("waiting").touch()
    time.sleep(60)


def raises():
    raise ValueError("the tide is out")


def number():
    return 7


def pair():
    return Gate(), (torch.randn(1, 128, 64),)


def no_module():
    return gate, (), None


def no_inputs():
    return Gate(), torch.randn(1, 128, 64), None
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Holds models.py, and a tokenizer."""
    folder = tmp_path_factory.mktemp("export")
    (folder / "models.py").write_text(MODELS)
    (folder / "spelling.json").write_text("{}")
    return folder


@pytest.fixture(autouse=True)
def _in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", sys.path[:])


def test_a_function_of_a_file(folder, tmp_path):
    report = exported(tmp_path / "new" / "gate.pte", "models.py:gate")
    assert report["delegates"] == 1
    assert report["delegated"]["aten.sigmoid.default"] == 1
    assert not report["cpu"]
    (x,) = report["inputs"]
    assert (x["name"], x["dtype"]) == ("x", "float32")
    assert [(d["least"], d["most"]) for d in x["dims"]] == [(1, 1), (1, 128), (64, 64)]

    import models

    program = LiveProgram((tmp_path / "new" / "gate.pte").read_bytes())
    for length in (128, 37, 1, 128):
        program.check(models.Gate(), torch.randn(1, length, 64), tolerance=FLOAT)


def test_an_op_that_highwater_lacks_ends_the_export(tmp_path):
    output = tmp_path / "cosh.pte"
    result = export("models.py:cosh", "--output", output)
    assert result.exit_code == 1
    assert "Highwater cannot run aten::cosh.out (Highwater has no such op)" in result.stderr
    assert "--partial" in result.stderr
    assert not list(tmp_path.iterdir())


def test_the_cpu_does_what_it_is_allowed_to(tmp_path):
    output = tmp_path / "cosh.pte"
    result = export("models.py:cosh", "--partial", "--output", output)
    assert result.exit_code == 0, result.stderr
    assert "On Highwater: 1 op in 1 delegate" in result.stdout
    assert "On the CPU: 1 op\n  aten::cosh.out  × 1  Highwater has no such op\n" in result.stdout

    import models

    LiveProgram(output.read_bytes()).check(models.Cosh(), torch.randn(1, 3, 8, 8))


def test_a_function_with_inputs_to_calibrate_with(tmp_path):
    output = tmp_path / "int8.pte"
    report = exported(output, "models.py:calibrated", "-q", "int8")
    assert report["delegates"] == 1
    assert report["delegated"]["et_vk.q8ta_linear.default"] == 2

    import models

    module = models.calibrated()[0]
    program = LiveProgram(output.read_bytes())
    for rows in (32, 7, 1, 32):
        program.check(module, torch.randn(rows, 64), tolerance=Tolerance(of_largest=5e-2))


def test_a_function_without_inputs_to_calibrate_with(tmp_path):
    result = export("models.py:norm", "-q", "int8", "--output", tmp_path / "norm.pte")
    assert result.exit_code == 1
    assert "int8 needs calibration data" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_recurrent_layer_of_any_length(tmp_path):
    output = tmp_path / "gru.pte"
    assert exported(output, "models.py:gru")["delegates"] == 1

    import models

    torch.manual_seed(0)
    module = models.gru()[0]
    program = LiveProgram(output.read_bytes())
    for batch, length in ((4, 9), (1, 1), (3, 7)):
        program.check(module, torch.randn(batch, length, 8), tolerance=WHOLE_MODEL)


def test_a_recurrent_layer_that_torch_took_apart():
    """Its length is fixed then, but its batch is not."""
    import models

    module, example, (shapes,) = models.gru()
    program = torch.export.export(module, example, dynamic_shapes=({0: shapes[0]},))
    pte = LiveProgram(bytes(lower(program, HighwaterPartitioner()).buffer))
    for batch in (4, 1, 3):
        pte.check(module, torch.randn(batch, 6, 8), tolerance=WHOLE_MODEL)


def test_what_torch_cannot_do_comes_with_advice(tmp_path):
    result = export("models.py:fixed_width", "--output", tmp_path / "fixed.pte")
    assert result.exit_code == 1
    assert "torch suggests: width = 64." in result.stderr


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("40 not in range [2, 9]", "outside of its dynamic shape (40 not in range [2, 9])"),
        ("missing a required argument: 'y'", "forward wants y: give an example"),
        ("list assignment index out of range", "name a dim that an input does not have"),
        (
            "Not all values of s = L['x'].size()[3] in the specified range s <= 130 satisfy the "
            "generated guard (L['x'].size()[3] // 2) != 1.",
            "wants s to be such that (L['x'].size()[3] // 2) != 1. Give that dim bounds",
        ),
        ("graph_output_allocated not set", "depend on values"),
        ("Cannot create value for node ge with spec of type <class 'NoneType'>", "torch.where"),
    ],
)
def test_words_of_torch_that_need_others(raised, said):
    assert said in advice.on(RuntimeError(raised), "exporting")


def test_a_function_of_a_module(folder, tmp_path):
    output = tmp_path / "norm.pte"
    result = export("models:norm", "--output", output)
    assert result.exit_code == 0, result.stderr
    assert "On Highwater: 2 ops in 1 delegate" in result.stdout
    assert "On the CPU: nothing" in result.stdout
    assert "input: float32 [0…32, 64]" in result.stdout

    import models

    program = LiveProgram(output.read_bytes())
    for rows in (32, 5, 1):
        program.check(models.norm()[0], torch.randn(rows, 64), tolerance=WHOLE_MODEL)


def test_an_export_that_fails_shows_the_log_and_keeps_it(tmp_path):
    result = export("models.py:fixed_width", "--output", tmp_path / "model.pte")
    assert result.exit_code == 1
    assert "Suggested fixes" in result.stderr
    sentence = result.stderr.splitlines()[-1]
    assert sentence.startswith("highwater: It failed while exporting: ")
    log = Path(sentence.split(" is in ")[1].removesuffix(")"))
    assert "Suggested fixes" in log.read_text()
    log.unlink()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("models.py", "Say which function of it makes the model: models.py:function."),
        ("models.py:tide", "models.py has no function 'tide'; it has gate, norm, "),
        ("nowhere.py:gate", "There is no file nowhere.py."),
        ("nowhere:gate", "There is no Python module 'nowhere' here."),
        ("models.py:raises", "models.py:raises failed: ValueError: the tide is out"),
        ("models.py:number", "and returned something of type int."),
        ("models.py:pair", "and returned a tuple of 2."),
        ("models.py:no_module", "the first it returned is something of type function."),
        ("models.py:no_inputs", "its example inputs are something of type Tensor, not a tuple."),
        ("no/such/folder", "There is no file or folder no/such/folder."),
        ("nowhere.pth", "There is no file or folder nowhere.pth."),
    ],
)
def test_a_source_that_is_none(source, said):
    result = export(source)
    assert result.exit_code == 1
    assert said in result.stderr
    assert len(result.stderr.splitlines()) <= 2, "progress and a sentence"


def test_another_models_tokenizer_is_not_overwritten(tmp_path):
    (tmp_path / "tokenizer.json").write_text("another")
    output = tmp_path / "model.pte"
    result = export("models.py:gate", "--tokenizer", "spelling.json", "--output", output)
    assert result.exit_code == 1
    assert "is another model's" in result.stderr
    assert not output.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["models.py:gate", "--embedding-quantize", "4,32"],
        ["models.py:gate", "--output", "model.bin"],
        [],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2(arguments):
    assert export(*arguments).exit_code == 2


def test_an_interrupt_says_that_nothing_was_written(folder):
    with subprocess.Popen(
        [sys.executable, "-m", "highwater", "export", "models.py:wait", "-o", "never.pte"],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = time.monotonic() + 60
        while not (folder / "waiting").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.splitlines()[-1] == "Stopped while loading; never.pte was not written."
    assert not (folder / "never.pte").exists()
