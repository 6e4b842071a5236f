"""A program runs only at what it was exported for: its one shape, or its live dims in range."""

import highwater
import pytest
import torch
from highwater.export import to_pte
from support import lowering


class Half(torch.nn.Module):
    """Its answer depends on a size that a static export writes down as a number."""

    def forward(self, x):
        return torch.relu(x[:, x.shape[1] // 2 :]) / x.shape[1]


class Gate(torch.nn.Module):
    def forward(self, x, bias):
        return x * torch.sigmoid(x) + x[:, -1:] + bias


class Twice(torch.nn.Module):
    def forward(self, x, mask):
        return torch.cat([x, x], 1) * mask


class Times(torch.nn.Module):
    def forward(self, x, factor):
        return torch.sigmoid(x) * factor


def exported_by_highwater(folder, module, example, dynamic_shapes):
    """As `highwater export` does it."""
    path = folder / "model.pte"
    path.write_bytes(to_pte(module, example, dynamic_shapes, partial=True))
    return highwater.load(path)


def check(model, module, *given):
    want = module(*given)
    got = model(*given)
    assert got.shape == want.shape
    torch.testing.assert_close(got, want)


def refuses(model, given, words):
    with pytest.raises(highwater.HighwaterError, match=words):
        model(*given)


def test_a_static_program_takes_its_one_shape(tmp_path):
    path = tmp_path / "half.pte"
    path.write_bytes(lowering.lower(Half(), (torch.randn(1, 16, 8),)))
    with highwater.load(path) as model:
        assert model.inputs[0]["least"] == model.inputs[0]["bound"] == (1, 16, 8)
        check(model, Half(), torch.randn(1, 16, 8))
        for length in (10, 3, 1, 0):
            words = rf"input 0: dim 1 of \[1, {length}, 8\].*exported as 16"
            refuses(model, (torch.randn(1, length, 8),), words)
            check(model, Half(), torch.randn(1, 16, 8))


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    length = torch.export.Dim("length", min=1, max=64)
    example = (torch.randn(1, 16, 24), torch.randn(1, 16, 1))
    shapes = ({1: length}, {1: length})
    with exported_by_highwater(tmp_path_factory.mktemp("gate"), Gate(), example, shapes) as model:
        yield model


def test_a_file_of_highwater_tells_names_and_ranges(gate):
    assert gate.inputs == [
        dict(name="x", kind="tensor", dtype="float32", least=(1, 1, 24), bound=(1, 64, 24)),
        dict(name="bias", kind="tensor", dtype="float32", least=(1, 1, 1), bound=(1, 64, 1)),
    ]


@pytest.mark.parametrize(
    ("x", "bias", "words"),
    [
        ((1, 5, 7), (1, 5, 1), r"input 0 \(x\): dim 2 of \[1, 5, 7\].* is 7.* exported as 24"),
        ((1, 5, 1), (1, 5, 1), r"input 0 \(x\): dim 2.* exported as 24"),
        ((0, 5, 24), (1, 5, 1), r"input 0 \(x\): dim 0.* exported as 1"),
        ((1, 0, 24), (1, 0, 1), r"input 0 \(x\): dim 1.* is 0.* length from 1 to 64"),
        ((1, 65, 24), (1, 65, 1), r"input 0 \(x\): dims \[1, 65, 24\] do not fit"),
        ((1, 5, 24), (1, 1, 1), r"input 1 \(bias\): dim 1.* input 0 \(x\) says that length is 5"),
        (
            (1, 5, 24),
            (1, 6, 1),
            r"input 1 \(bias\): dim 1.* is 6.* input 0 \(x\) says that length is 5",
        ),
    ],
)
def test_what_was_not_exported_is_refused_by_name(gate, x, bias, words):
    for length in (64, 37, 1, 13):
        check(gate, Gate(), torch.randn(1, length, 24), torch.randn(1, length, 1))
        refuses(gate, (torch.randn(x), torch.randn(bias)), words)
    check(gate, Gate(), torch.randn(1, 64, 24), torch.randn(1, 64, 1))


def test_a_dim_that_is_twice_another(tmp_path):
    n = torch.export.Dim("n", min=2, max=20)
    example = (torch.randn(1, 8), torch.randn(1, 16))
    with exported_by_highwater(tmp_path, Twice(), example, ({1: n}, {1: 2 * n})) as model:
        for length in (20, 7, 2, 19):
            check(model, Twice(), torch.randn(1, length), torch.randn(1, 2 * length))
            refuses(model, (torch.randn(1, 7), torch.randn(1, 13)), r"input 1.*2 \* n from 2 to 20")
            refuses(model, (torch.randn(1, 7), torch.randn(1, 12)), r"input 1.*2 \* n.* n is 7")
            refuses(model, (torch.randn(1, 1), torch.randn(1, 2)), r"input 0.* is 1.*2 to 20")


def test_a_range_that_only_a_multiple_has(tmp_path):
    n = torch.export.Dim("n", min=1, max=8)
    module = torch.nn.Sigmoid()
    with exported_by_highwater(tmp_path, module, (torch.randn(1, 8, 4),), ({1: 2 * n},)) as model:
        for length in (16, 2, 6):
            check(model, module, torch.randn(1, length, 4))
            refuses(model, (torch.randn(1, 5, 4),), r"input 0 \(input\): dim 1.* is 5.*2 \*")


def test_a_length_that_torch_chose_may_be_one(tmp_path):
    auto = torch.export.Dim.AUTO(max=16)
    example = (torch.randn(1, 8, 4), torch.randn(1, 8, 1))
    with exported_by_highwater(tmp_path, Gate(), example, ({1: auto}, {1: auto})) as model:
        for length in (16, 1, 7):
            check(model, Gate(), torch.randn(1, length, 4), torch.randn(1, length, 1))


class Nested(torch.nn.Module):
    def forward(self, pair, scale):
        return pair[0] + pair[1] * scale


def test_inputs_within_inputs(tmp_path):
    n = torch.export.Dim("n", min=1, max=20)
    example = ((torch.randn(8, 4), torch.randn(8, 4)), torch.randn(4))
    shapes = (({0: n}, {0: n}), None)
    with exported_by_highwater(tmp_path, Nested(), example, shapes) as model:
        for length in (20, 1, 7):
            pair = (torch.randn(length, 4), torch.randn(length, 4))
            scale = torch.randn(4)
            torch.testing.assert_close(model(*pair, scale), Nested()(pair, scale))
            refuses(model, (pair[0], torch.randn(length + 1, 4)[:20], scale[:3]), "exported as")


def test_a_number_that_the_export_wrote_down(tmp_path):
    n = torch.export.Dim("n", min=1, max=20)
    shapes = ({0: n}, None)
    with exported_by_highwater(tmp_path, Times(), (torch.randn(8), 3), shapes) as model:
        for length in (20, 1, 7):
            check(model, Times(), torch.randn(length), 3)
            refuses(model, (torch.randn(length), 4), r"input 1 \(factor\): it is 4.*exported as 3")


def test_inputs_by_name(gate):
    x, bias = torch.randn(1, 7, 24), torch.randn(1, 7, 1)
    want = Gate()(x, bias)
    torch.testing.assert_close(gate(bias=bias, x=x), want)
    torch.testing.assert_close(gate(x, bias=bias), want)
    for given, named, words in (
        ((), dict(x=x), "no input was given for bias"),
        ((x,), dict(x=x), "x is given twice; there are: x, bias"),
        ((x,), dict(sea=bias), "there is no input 'sea'; there are: x, bias"),
    ):
        with pytest.raises(highwater.HighwaterError, match=words):
            gate(*given, **named)
    torch.testing.assert_close(gate(x=x, bias=bias), want)


class Cosh(torch.nn.Module):
    """No op of Highwater's."""

    def forward(self, x):
        return torch.cosh(x)


def test_a_program_that_runs_in_pieces_is_held_to_it_as_well(tmp_path):
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(64, 8), Cosh(), torch.nn.Linear(8, 8))
    rows = torch.export.Dim("rows", min=2, max=32)
    with exported_by_highwater(tmp_path, module, (torch.randn(4, 64),), ({0: rows},)) as model:
        assert model.inputs[0]["name"] and model.inputs[0]["least"] == (2, 64)
        for length in (32, 5, 2, 13):
            check(model, module, torch.randn(length, 64))
            refuses(model, (torch.randn(1, 64),), r"input 0 \(input\): dim 0 of \[1, 64\].*2 to 32")
            refuses(model, (torch.randn(3, 7),), r"input 0 \(input\): dim 1.* exported as 64")
        check(model, module, torch.randn(32, 64))


class InPieces(torch.nn.Module):
    """The partitioner leaves `atan2` to the CPU."""

    def forward(self, x, y):
        return torch.atan2(torch.sigmoid(x), torch.sigmoid(y))


def test_equal_lengths_are_held_to_in_pieces_too(tmp_path):
    rows = torch.export.Dim("rows", min=1, max=32)
    example = (torch.randn(4, 64), torch.randn(4, 64))
    shapes = ({0: rows}, {0: rows})
    with exported_by_highwater(tmp_path, InPieces(), example, shapes) as model:
        for length in (32, 5, 1):
            check(model, InPieces(), torch.randn(length, 64), torch.randn(length, 64))
            for x, y in ((5, 1), (1, 5), (5, 3)):
                words = rf"input 1 \(y\): dim 0.* is {y}.* input 0 \(x\) says that rows is {x}"
                refuses(model, (torch.randn(x, 64), torch.randn(y, 64)), words)
