"""Several programs at once, and constants that lie outside their program."""

import threading

import pytest
import torch
from support.live import LENGTHS, RMS, LiveProgram, LoadError
from support.lowering import lower, lower_program
from support.modules import WIDTH, Fn, RmsNorm, live, shapes
from torch import nn


def _norms(*modules):
    return nn.Sequential(*modules)


def _lower_norm(module):
    return lower(module, (torch.randn(1, 128, WIDTH),), ({1: live()},))


def test_two_programs_take_turns():
    one, two = RmsNorm(), _norms(RmsNorm(), RmsNorm(start=2.0, stop=-1.0))
    first, second = LiveProgram(_lower_norm(one)), LiveProgram(_lower_norm(two))
    for length in LENGTHS:
        first.check(one, torch.randn(1, length, WIDTH), tolerance=RMS)
        second.check(two, torch.randn(1, 129 - length, WIDTH), tolerance=RMS)


def test_one_program_loaded_twice_has_two_states():
    module = RmsNorm()
    pte = _lower_norm(module)
    first, second = LiveProgram(pte), LiveProgram(pte)
    for length in LENGTHS:
        first.check(module, torch.randn(1, length, WIDTH), tolerance=RMS)
        second.check(module, torch.randn(1, 129 - length, WIDTH), tolerance=RMS)


def test_a_program_outlives_another():
    module = RmsNorm()
    pte = _lower_norm(module)
    kept = LiveProgram(pte)
    for _ in range(5):
        passing = LiveProgram(pte)
        passing.check(module, torch.randn(1, 100, WIDTH), tolerance=RMS)
        del passing
        kept.check(module, torch.randn(1, 37, WIDTH), tolerance=RMS)


def test_two_threads_with_a_program_each():
    modules = (RmsNorm(), Fn(lambda x: torch.relu(x) + x * 2.0))
    example = (torch.randn(1, 128, WIDTH),)
    programs = (
        LiveProgram(lower(modules[0], example, ({1: live()},))),
        LiveProgram(lower(modules[1], example, shapes({1: live()}))),
    )
    errors = []

    def work(program, module, seed):
        generator = torch.Generator().manual_seed(seed)
        try:
            for length in LENGTHS * 10:
                x = torch.randn(1, length, WIDTH, generator=generator)
                program.check(module, x, tolerance=RMS)
        except BaseException as error:  # noqa: BLE001 - the test fails in its own thread
            errors.append(error)

    threads = [
        threading.Thread(target=work, args=(program, module, seed))
        for seed, (program, module) in enumerate(zip(programs, modules, strict=True))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_constants_in_a_file_beside_the_program(tmp_path):
    module = _norms(RmsNorm(), RmsNorm(start=1.5, stop=0.5))
    manager = lower_program(
        module,
        (torch.randn(1, 128, WIDTH),),
        ({1: live()},),
        external_constants_max_data_bytes=1 << 20,
    )
    (data,) = manager._tensor_data.values()
    path = tmp_path / "constants.ptd"
    path.write_bytes(bytes(data))
    program = LiveProgram(bytes(manager.buffer), data_path=path)
    for length in LENGTHS:
        program.check(module, torch.randn(1, length, WIDTH), tolerance=RMS)
    with pytest.raises(LoadError):
        LiveProgram(bytes(manager.buffer))


def test_equal_constants_share_a_key_and_still_serve_two_places():
    module = _norms(RmsNorm(), RmsNorm())
    program = LiveProgram(_lower_norm(module))
    for length in LENGTHS:
        program.check(module, torch.randn(1, length, WIDTH), tolerance=RMS)
