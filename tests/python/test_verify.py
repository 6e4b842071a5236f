"""`highwater verify`: right programs are found right, and a driver that computes something else is
found by the name of the op."""

import json

import pytest
import torch
from click.testing import CliRunner
from highwater.cli import commands
from support import lowering, wrong_driver
from support.llamas import build
from support.llm_modules import dq8_q4_linear
from support.modules import WIDTH, Fn, Together, live, shapes
from support.q8_modules import ConvTranspose, pixels, quantized_by_torch
from torch import nn

S = live(least=2, most=32)


class Block(nn.Module):
    """What rewrites make other ops of: attention that is written out, a sum before a norm."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 96), nn.GELU(), nn.Linear(96, WIDTH))

    def forward(self, x):
        q, k, v = (
            part.unflatten(-1, (4, WIDTH // 4)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)
        )
        weights = (q @ k.transpose(-1, -2) * 0.25).softmax(-1)
        x = self.norm(x + (weights @ v).transpose(1, 2).flatten(2))
        return x + self.mlp(x), x.argmax(-1), x[:, -1].tanh()


class Picture(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, 2, 1)
        self.second = nn.Conv2d(8, 8, 3, 1, 1, groups=8)
        self.third = nn.Conv2d(8, 12, 1)

    def forward(self, x):
        x = self.second(self.first(x).relu()).relu()
        return nn.functional.max_pool2d(self.third(x), 2)


def picture_in_int8():
    torch.manual_seed(0)
    example, dynamic = torch.randn(1, 3, 16, 24), ({2: 2 * live("h", 2, 8)},)
    return quantized_by_torch(Picture().eval(), example, dynamic), (example,), dynamic


def transposed_in_int8():
    layers = {
        "strides": ConvTranspose(8, 12, (3, 3), stride=2, output_padding=1),
        "groups": ConvTranspose(8, 8, (2, 3), groups=2, bias=False),
    }
    return Together(layers), (pixels(2, 8, 16, 7),), shapes({2: live("h", 1, 16)})


def program(name) -> bytes:
    torch.manual_seed(0)
    rows = (torch.randn(1, 32, WIDTH),)
    if name == "int8":
        return lowering.lower(*picture_in_int8(), own=True)
    if name == "transposed int8":
        return lowering.lower(*transposed_in_int8())
    if name == "llama":
        return build("4w").pte
    if name == "dynamic 8 bits":
        return lowering.lower(dq8_q4_linear(WIDTH, 40), rows, ({1: S},))
    if name == "half":
        return lowering.lower(Block(), rows, ({1: S},), own=True, half=True)
    return lowering.lower(Block(), rows, ({1: S},), own=True)


def verify(path, *options):
    done = CliRunner().invoke(commands, ["verify", str(path), "--json", *options])
    return done.exit_code, json.loads(done.stdout) if done.stdout else done.stderr


@pytest.mark.parametrize(
    "name", ["float", "half", "int8", "transposed int8", "dynamic 8 bits", "llama"]
)
def test_every_op_of_a_right_program_is_compared_and_right(name, tmp_path):
    path = tmp_path / "model.pte"
    path.write_bytes(program(name))
    code, told = verify(path, "--shapes", "2", "--runs", "3")
    assert code == 0, told
    assert told["is_right"]
    assert len(told["shapes"]) >= 3
    assert not [shape for shape in told["shapes"] if shape["unequal"] or shape["leaves_path"]]
    verdicts = {op["op"]: op["verdict"] for op in told["ops"]}
    assert set(verdicts.values()) <= {"right", "with what follows"}, verdicts
    # What is only seen by what follows must not be most of it.
    assert sum(v == "right" for v in verdicts.values()) >= len(verdicts) / 2


SCRIPT = """
from click.testing import CliRunner
from highwater.cli import commands
{before}
options = ["--json", "--shapes", "1", *sys.argv[2:]]
done = CliRunner().invoke(commands, ["verify", sys.argv[1], *options])
assert misread_kernels or reads_left is not None, "no kernel has these words"
print(done.stdout, done.stderr, sep="|", end="|")
print(done.exit_code)
"""


def verify_by_wrong_driver(before, path, *options):
    done = wrong_driver.run(SCRIPT.replace("{before}", before), path, *options, seconds=300)
    assert done.returncode == 0, done.stderr
    told, _, code = done.stdout.rsplit("|", 2)
    return int(code), json.loads(told)


def test_a_kernel_that_the_driver_gets_wrong_is_found_by_its_op(tmp_path):
    path = tmp_path / "model.pte"
    path.write_bytes(program("float"))
    code, told = verify_by_wrong_driver("misread('tanh(', 'sin(')", path, "--runs", "1")
    assert code == 1
    wrong = {op["op"] for op in told["ops"] if op["verdict"] == "WRONG"}
    assert wrong == {"aten.tanh.default"}


def test_a_driver_that_is_wrong_now_and_then_is_found(tmp_path):
    path = tmp_path / "model.pte"
    function = Fn(lambda x: x * 2 + 1)
    path.write_bytes(lowering.lower(function, (torch.randn(32, 8),), shapes({0: S}), own=True))
    # Of the reads, the first are those of `_calls` and of all values.
    code, told = verify_by_wrong_driver("flip(12)", path, "--runs", "20")
    assert code == 1
    assert any(shape["unequal"] for shape in told["shapes"])
    assert {op["verdict"] for op in told["ops"]} == {"right"}


def test_what_has_no_reference_is_said_and_is_not_success(tmp_path, monkeypatch):
    from highwater.verifying import own_ops, reference

    path = tmp_path / "model.pte"
    path.write_bytes(program("float"))

    def refuses(*_):
        raise NotImplementedError("not today")

    monkeypatch.setitem(own_ops.TABLE, "aten.tanh.default", refuses)
    reference._function.cache_clear()
    done = CliRunner().invoke(commands, ["verify", str(path), "--shapes", "0", "--runs", "1"])
    reference._function.cache_clear()
    assert done.exit_code == 3
    assert "Not compared, for want of a reference: aten.tanh.default" in done.stdout


def test_a_program_in_pieces_is_refused_in_words(tmp_path):
    path = tmp_path / "model.pte"
    # The partitioner leaves an op of the norm to the CPU.
    module = nn.Sequential(nn.RMSNorm(64), nn.Linear(64, 64))
    path.write_bytes(lowering.lower(module, (torch.randn(4, 64),), ({0: S},)))
    done = CliRunner().invoke(commands, ["verify", str(path)])
    assert done.exit_code == 1
    assert "not one delegate" in done.stderr
