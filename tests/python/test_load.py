"""highwater.load: arrays in, arrays out, at any live shape; and files that are no models."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import highwater
import numpy as np
import pytest
import torch
from highwater.shipped import find_model
from support import llamas, lowering, subprocesses

LENGTHS = (128, 37, 1, 64, 0, 128)


class Gate(torch.nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x) + x[:, :1], x.shape[1] * x


class Residual(torch.nn.Module):
    def forward(self, x, y):
        return x + torch.sigmoid(y)


def write(folder, module, inputs, dynamic_shapes):
    path = folder / "model.pte"
    path.write_bytes(lowering.lower(module, inputs, dynamic_shapes))
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    length = torch.export.Dim("length", min=0, max=128)
    inputs = (torch.randn(1, 128, 16), torch.randn(1, 128, 16))
    return write(tmp_path_factory.mktemp("model"), Residual(), inputs, ({1: length}, {1: length}))


def test_numpy_and_torch_at_every_length(path):
    with highwater.load(path) as model:
        assert [i["bound"] for i in model.inputs] == [(1, 128, 16)] * 2
        assert not model.is_language_model
        for length in LENGTHS:
            x, y = torch.randn(1, length, 16), torch.randn(1, length, 16)
            want = Residual()(x, y)
            got = model.forward(x, y)
            assert isinstance(got, torch.Tensor)
            torch.testing.assert_close(got, want)
            got = model(x.numpy(), y.numpy())
            assert isinstance(got, np.ndarray)
            np.testing.assert_allclose(got, want.numpy(), rtol=1e-5, atol=1e-6)
        assert model.last_run["gpu_objects"] == 0
        assert model.last_run["kernels"] and model.load_accounts["gpu_objects"] > 0


def test_arrays_that_are_not_contiguous_or_of_another_width(path):
    with highwater.load(path) as model:
        x, y = np.random.randn(1, 16, 20).transpose(0, 2, 1), np.random.randn(1, 20, 32)[:, :, ::2]
        want = x + 1 / (1 + np.exp(-y))
        np.testing.assert_allclose(model(x, y), want, rtol=1e-5, atol=1e-5)


def test_bad_inputs_are_errors_and_the_next_good_call_works(path):
    x = np.ones((1, 7, 16), np.float32)
    with highwater.load(path) as model:
        for inputs, words in (
            ((x,), "takes 2 inputs; 1 were given"),
            ((x, np.ones((1, 129, 16), np.float32)), r"input 1: dims \[1, 129, 16\] do not fit"),
            ((x, 3), "input 1: it is tensor .* an integer was given"),
            ((x, x.astype(np.int64)), "input 1: it was given as int64"),
            ((x, "sea"), "input 1 is of <class 'str'>"),
            ((x, np.ones((1, 7, 16), np.complex64)), "input 1 is of complex64, which"),
        ):
            with pytest.raises(highwater.HighwaterError, match=words):
                model.forward(*inputs)
            np.testing.assert_allclose(model(x, x), x + 1 / (1 + np.exp(-x)), rtol=1e-5)


def test_threads_may_share_a_model(path):
    def work(length):
        for i in range(30):
            x = np.full((1, length + i % 3, 16), length, np.float32)
            np.testing.assert_allclose(model(x, x), x + 1 / (1 + np.exp(-x)), rtol=1e-5)

    with highwater.load(path) as model, ThreadPoolExecutor() as pool:
        list(pool.map(work, (1, 5, 40, 120)))


def test_a_closed_model_says_so(path):
    model = highwater.load(path)
    assert not model.closed
    model.close()
    assert model.closed
    with pytest.raises(highwater.HighwaterError, match="is closed"):
        model.forward(np.ones((1, 7, 16), np.float32))


def test_a_model_that_is_not_a_language_model_says_why(path):
    with (
        highwater.load(path) as model,
        pytest.raises(
            highwater.HighwaterError, match=r"cannot generate text: .* its inputs are not"
        ),
    ):
        model.generate("x")


def test_progress_is_told_and_may_stop_the_load(path):
    told = []
    highwater.load(path, progress=lambda *now: told.append(now)).close()
    assert {"weights", "kernels"} <= {stage for stage, _, _ in told}
    assert all(done <= total for _, done, total in told)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        highwater.load(path, progress=stop)
    highwater.load(path).close()


def test_a_load_that_is_stopped_does_no_more(path):
    """The device keeps what was compiled for it: a load that went on would leave nothing to do."""
    done = subprocesses.run(
        """
        keep = highwater.load(sys.argv[1])  # keeps the device
        def stop(stage, done, total):
            if stage == "kernels":
                raise ValueError("enough")
        objects = []
        for progress in (stop, None, None):
            try:
                with highwater.load("kjv", progress=progress) as model:
                    objects.append(model.load_accounts["gpu_objects"])
            except ValueError as error:
                print(error)
        print(objects[0] > objects[1])
        """,
        path,
    )
    assert (done.returncode, done.stdout) == (0, "enough\nTrue\n"), done.stderr


def test_ctrl_c_stops_a_load_of_which_nobody_is_told(path):
    """Without it, the handler's exception would come when the load is done."""
    done = subprocesses.run(
        """
        import signal
        keep = highwater.load(sys.argv[1])
        def interrupt(*_):
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt
        signal.signal(signal.SIGALRM, interrupt)
        objects = []
        for after in (0.1, 0, 0):
            signal.setitimer(signal.ITIMER_REAL, after)
            try:
                with highwater.load("kjv") as model:
                    objects.append(model.load_accounts["gpu_objects"])
            except KeyboardInterrupt:
                print("interrupted")
        print(objects[0] > objects[1])
        """,
        path,
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\nTrue\n"), done.stderr


def test_a_model_with_cpu_ops_runs_through_executorch(tmp_path):
    path = tmp_path / "model.pte"
    path.write_bytes(llamas.build("4w_no_cache").pte)
    eager = llamas.build("4w_no_cache").fresh()
    with pytest.raises(highwater.HighwaterError, match="set HIGHWATER_HALF_CACHE"):
        highwater.load(path, half_cache=True)
    with highwater.load(path) as model:
        for length in (9, 1, 13):
            tokens = torch.randint(0, llamas.VOCABULARY, (1, length))
            want = torch.utils._pytree.tree_leaves(eager(tokens))[0]
            torch.testing.assert_close(model.forward(tokens), want, rtol=1e-2, atol=1e-2)
        with pytest.raises(
            highwater.HighwaterError, match=r"cannot generate text: .* not one delegate"
        ):
            model.generate("x")


@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "not a .pte file"),
        (b"ET", "not a .pte file"),
        (b"\x1c\x00\x00\x00ET12" + b"\xff" * 100, "damaged"),
        (b"PK\x03\x04" * 100, "not a .pte file"),
    ],
)
def test_files_of_another_kind(tmp_path, content, words):
    path = tmp_path / "model.pte"
    path.write_bytes(content)
    with pytest.raises(highwater.HighwaterError, match=words):
        highwater.load(path)


def test_missing_files_folders_methods_and_adapters(path, tmp_path):
    for name, options, words in (
        (tmp_path / "none.pte", {}, "No such file"),
        (tmp_path, {}, "folder without a model.pte; nor is it a model that ships with Highwater"),
        ("/dev/zero", {}, "it is a device, not a file"),
        ("a\0b", {}, "null"),
        ("x" * 300, {}, "too long"),
        (path, {"method": "backward"}, "no method 'backward'; there are: forward"),
        (path, {"device": "no such adapter"}, "no such adapter"),
    ):
        with pytest.raises(highwater.HighwaterError, match=words):
            highwater.load(name, **options)


@pytest.mark.parametrize("given", [str, Path])
def test_a_path_that_is_not_utf_8(path, tmp_path, given):
    folder = tmp_path / os.fsdecode(b"\xff\xfe")
    folder.mkdir()
    name = given(folder / "model.pte")
    with pytest.raises(highwater.HighwaterError, match="No such file"):
        highwater.load(name)
    Path(name).write_bytes(b"no model")
    with pytest.raises(highwater.HighwaterError, match=r"\ufffd.*not a \.pte file"):
        highwater.load(name)
    Path(name).write_bytes(path.read_bytes())
    with highwater.load(name) as model:
        assert model(np.ones((1, 7, 16)), np.ones((1, 7, 16))).shape == (1, 7, 16)
    with pytest.raises(highwater.HighwaterError, match="is closed"):
        model.last_run  # noqa: B018
    with highwater.load(folder) as model:
        assert model.path == folder / "model.pte"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_a_program_in_memory(path, kind):
    content = kind(path.read_bytes())
    with highwater.load(content) as model:
        del content
        assert model.path is None
        assert "the program in memory" in repr(model)
        assert model(np.ones((1, 7, 16)), np.ones((1, 7, 16))).shape == (1, 7, 16)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a .pte file"),
        (b"model.pte", "not a .pte file"),
        (memoryview(b"0123456789abcdef")[::2], "must lie in one piece"),
    ],
)
def test_bytes_that_are_no_program(content, words):
    with pytest.raises(highwater.HighwaterError, match=words):
        highwater.load(content)


def test_a_language_model_in_memory_must_be_told_its_tokenizer():
    kjv = find_model("kjv")
    with highwater.load(kjv.read_bytes()) as model:
        with pytest.raises(highwater.HighwaterError, match="say where it is"):
            model.generate("In the beginning")
        tokenizer = kjv.with_name("tokenizer.json")
        said = "".join(model.generate("In the", tokenizer=tokenizer, max_new_tokens=3))
    with highwater.load("kjv") as model:
        assert said == "".join(model.generate("In the", max_new_tokens=3))


def test_a_language_model_and_its_tokenizer_in_a_folder_that_is_not_utf_8(tmp_path):
    folder = tmp_path / os.fsdecode(b"\xff")
    shutil.copytree(find_model("kjv").parent, folder)
    with highwater.load(folder) as model:
        assert "".join(model.generate("In the", max_new_tokens=2))


def test_a_folder_and_the_name_of_a_shipped_model(path):
    with highwater.load(path.parent) as model:
        assert model.path == path
    with highwater.load("kjv") as model:
        assert model.is_language_model


def test_a_model_tells_what_it_is(path):
    model = highwater.load(path)
    inputs = ", ".join(["float32 of at most 1x128x16"] * 2)
    assert repr(model) == f"<highwater.Model {path} ({inputs}) on {model.adapter}>"
    model.close()
    assert repr(model) == f"<highwater.Model {path}, closed>"


def test_files_that_were_cut_short(path, tmp_path):
    whole = path.read_bytes()
    short = tmp_path / "short.pte"
    for size in [*range(0, 256, 5), *range(256, len(whole), max(1, len(whole) // 40))]:
        short.write_bytes(whole[:size])
        with pytest.raises(highwater.HighwaterError):
            highwater.load(short)


def test_files_with_wrong_bytes_load_or_say_why(path, tmp_path):
    """Never a crash: a model that still loads has inputs."""
    whole = path.read_bytes()
    random = np.random.default_rng(1)
    wrong = tmp_path / "wrong.pte"
    for _ in range(150):
        damaged = bytearray(whole)
        for at in random.integers(0, min(len(whole), 4096), size=3):
            damaged[at] = random.integers(0, 256)
        wrong.write_bytes(damaged)
        try:
            with highwater.load(wrong) as model:
                assert model.inputs
        except highwater.HighwaterError as error:
            assert str(error)
