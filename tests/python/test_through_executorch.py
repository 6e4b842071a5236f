"""Models that ExecuTorch runs, because parts of them are left to the CPU."""

import highwater
import numpy as np
import pytest
import torch
from support import lowering, subprocesses


class PartlyOnTheCpu(torch.nn.Module):
    def forward(self, x):
        return torch.sigmoid(torch.cumsum(x * 2, dim=1)) + 1


@pytest.fixture(scope="module")
def partly_on_the_cpu(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.pte"
    length = torch.export.Dim("length", min=0, max=16)
    pte = lowering.lower(PartlyOnTheCpu(), (torch.randn(1, 16, 4),), ({1: length},))
    assert lowering.program_ops(pte).cpu
    path.write_bytes(pte)
    return path


@pytest.mark.parametrize(
    "x",
    [
        np.ones((1, 0, 4), np.float32),
        np.ones((1, 7, 4), np.float32)[:, :0],
        torch.ones(1, 0, 4),
        torch.ones(1, 4, 5).transpose(1, 2),
        torch.ones(1, 1, 4).expand(1, 7, 4),
        np.ones((1, 16, 4), np.float32)[:, ::3],
        torch.ones(1, 3, 4, requires_grad=True),
    ],
    ids=lambda x: f"{type(x).__name__}{tuple(x.shape)}",
)
def test_executorch_gets_arrays_of_any_strides(partly_on_the_cpu, x):
    with highwater.load(partly_on_the_cpu) as model:
        got = torch.as_tensor(model(x))
        want = PartlyOnTheCpu()(torch.as_tensor(x)).detach()
        torch.testing.assert_close(got, want)


def test_what_executorch_cannot_be_given(partly_on_the_cpu):
    model = highwater.load(partly_on_the_cpu)
    x = torch.ones(1, 7, 4)
    for value, words in (
        (2**70, "input 0 is 1180591620717411303424; it can be from"),
        ("sea", "input 0 is of <class 'str'>"),
        (np.array(["a"]), "input 0 is of <class 'numpy.ndarray'>"),
    ):
        with pytest.raises(highwater.HighwaterError, match=words):
            model(value)
        torch.testing.assert_close(model(x), PartlyOnTheCpu()(x))
    with pytest.raises(highwater.HighwaterError, match="does not take timeout_seconds"):
        highwater.load(partly_on_the_cpu, timeout_seconds=5)
    model.close()
    with pytest.raises(highwater.HighwaterError, match="is closed"):
        model(x)


# With arrays: torch ends the process if its tensors die on a daemon thread while Python ends.
BUSY = """
import numpy as np

model = highwater.load(sys.argv[1])
started = threading.Barrier(3)


def keep_busy():
    x = np.ones((1, 7, 4), np.float32)
    model(x)
    started.wait()
    while True:
        model(x)


for _ in range(2):
    threading.Thread(target=keep_busy, daemon=True).start()
started.wait()
"""


def test_a_daemon_thread_inside_a_run_does_not_change_how_a_program_ends(partly_on_the_cpu):
    done = subprocesses.run(BUSY + "sys.exit(7)", partly_on_the_cpu)
    assert (done.returncode, done.stdout) == (7, ""), done.stderr


def test_a_daemon_thread_inside_a_load_does_not_either(partly_on_the_cpu):
    done = subprocesses.run(
        """
        started = threading.Event()

        def keep_loading():
            while True:
                highwater.load(sys.argv[1]).close()
                started.set()

        for _ in range(2):
            threading.Thread(target=keep_loading, daemon=True).start()
        started.wait()
        sys.exit(7)
        """,
        partly_on_the_cpu,
    )
    assert (done.returncode, done.stdout) == (7, ""), done.stderr


def test_a_forked_child_is_told_at_once(partly_on_the_cpu):
    done = subprocesses.run(
        BUSY
        + """
if os.fork() == 0:
    try:
        model(np.ones((1, 7, 4), np.float32))
    except highwater.HighwaterError as error:
        print("was forked from process" in str(error), flush=True)
    os._exit(5)
print(os.waitstatus_to_exitcode(os.wait()[1]))
""",
        partly_on_the_cpu,
    )
    assert (done.returncode, done.stdout) == (0, "True\n5\n"), done.stderr
