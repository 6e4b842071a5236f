"""Live integers: computed from sizes, read from tensors, crossing the delegate's border."""

import pytest
import torch
from support.live import EXACT, FLOAT, LENGTHS, LiveProgram, check_live
from support.lowering import assert_delegated, lower, program_ops
from support.modules import Fn, live, shapes

TABLE = 256


def _size(value, most):
    """Tells torch.export that an integer read from a tensor is a usable size."""
    torch._check(value >= 0)
    torch._check(value <= most)
    return value


# name: function of a live tensor that also returns integers
RETURNED = {
    "the size": lambda x: (x * 2.0, x.shape[0]),
    "arithmetic of the size": lambda x: (x * 2.0, x.shape[0] * 2 + 1, x.shape[0] - 1),
}


@pytest.mark.parametrize("returned", RETURNED)
def test_integers_leave_the_delegate(returned):
    check_live(Fn(RETURNED[returned]), lambda n: (torch.randn(n, 24),), shapes({0: live()}))


def test_a_floor_division_of_the_size():
    half = live("half", most=64)
    check_live(
        Fn(lambda x: x[: x.shape[0] // 2] * 2.0),
        lambda n: (torch.randn(2 * n, 24),),
        shapes({0: 2 * half}),
        ops=["floordiv"],
        lengths=(64, 50, 17, 32, 1, 64),
    )


def test_a_position_read_from_a_tensor_on_the_delegate():
    def graph(table, x, position):
        start = _size(position[0].item(), TABLE - 128)
        return table.narrow(0, start, x.shape[0]) + x

    module = Fn(graph)
    inputs = (torch.randn(TABLE, 24), torch.randn(128, 24), torch.tensor([5]))
    pte = lower(module, inputs, shapes(None, {0: live()}, None))
    assert_delegated(pte, "et_vk.select_as_symint.default", "aten.slice_copy.Tensor")
    program = LiveProgram(pte)
    for length, position in zip(LENGTHS, (0, 7, 128, 128, 3, 1), strict=True):
        program.check(module, inputs[0], torch.randn(length, 24), torch.tensor([position]))


def test_a_position_that_changes_while_the_length_does_not():
    """A decode loop: only the scalar is new."""

    def graph(table, position):
        return table.narrow(0, _size(position[0].item(), TABLE - 1), 1) * 2.0

    module = Fn(graph)
    table = torch.randn(TABLE, 24)
    pte = lower(module, (table, torch.tensor([5])), shapes(None, None))
    program = LiveProgram(pte)
    for position in (0, 1, 2, 3, 255, 0):
        program.check(module, table, torch.tensor([position]), tolerance=EXACT)


def test_an_integer_enters_the_delegate():
    """A whole-tensor `item` stays on the CPU, so that the delegate gets an Int argument."""

    def graph(table, position):
        return table.narrow(0, _size(position.item(), 100), 8) * 2.0

    module = Fn(graph)
    table = torch.randn(128, 24)
    pte = lower(module, (table, torch.tensor([3])), shapes(None, None))
    ops = program_ops(pte)
    assert ops.cpu == ("aten::_local_scalar_dense",)
    assert "aten.slice_copy.Tensor" in ops.delegated
    program = LiveProgram(pte)
    for position in (3, 0, 100, 57, 1):
        program.check(module, table, torch.tensor([position]), tolerance=EXACT)


def test_an_integer_enters_changes_and_leaves():
    def graph(x, count):
        n = _size(count.item(), 100)
        return x.narrow(0, n, 8) + 1.0, n + 8

    module = Fn(graph)
    x = torch.randn(128, 24)
    program = LiveProgram(lower(module, (x, torch.tensor([3])), shapes(None, None)))
    for count in (3, 100, 0, 41):
        program.check(module, x, torch.tensor([count]), tolerance=FLOAT)


def test_an_unused_integer_input():
    module = Fn(lambda x, n: x * 2.0)
    program = LiveProgram(lower(module, (torch.randn(128, 24), 5), shapes({0: live()}, None)))
    for length in LENGTHS:
        program.check(module, torch.randn(length, 24), 5)


def test_a_size_that_only_the_values_decide():
    """`nonzero` runs on the CPU: its length is no input's length, the delegate learns it live."""

    def graph(mask, table):
        places = torch.nonzero(mask)
        count = _size(places.shape[0], 128)
        return table[:count] + places.to(torch.float32) * 2.0

    module = Fn(graph)
    table = torch.randn(128, 24)
    pte = lower(module, (torch.rand(128) > 0.5, table), shapes(None, None))
    ops = program_ops(pte)
    assert ops.cpu == ("aten::nonzero.out",)
    assert "sym_size.int" in ops.delegated
    assert "aten.slice_copy.Tensor" in ops.delegated
    program = LiveProgram(pte)
    for count in LENGTHS:
        mask = torch.zeros(128, dtype=torch.bool)
        mask[torch.randperm(128)[:count]] = True
        program.check(module, mask, table)
