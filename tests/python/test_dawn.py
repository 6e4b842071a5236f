"""A second opinion: the oracle, a model and ops of each family through Dawn, on SwiftShader."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# A case of each family of kernels; what takes SwiftShader long to compile has few.
CASES = (
    "test_oracle.py::test_one_graph_serves_every_live_shape[rms_norm]",
    "test_oracle.py::test_one_graph_serves_every_live_shape[a cascade]",
    "test_oracle.py::test_one_graph_serves_every_live_shape[slices, joins and views]",
    "test_oracle.py::test_one_graph_serves_every_live_shape[linear_q4gsw]",
    "test_oracle.py::test_one_graph_serves_every_live_shape[sdpa_with_kv_cache]",
    "test_oracle.py::test_one_graph_serves_every_live_shape[embedding_q4gsw]",
    "test_oracle.py::test_one_graph_serves_every_live_shape[rope]",
    "test_oracle.py::test_one_graph_serves_every_live_shape[sigmoid]",
)


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "support.on_dawn", *arguments],
        cwd=HERE,
        env={**os.environ, "PYTHONPATH": str(HERE), **environment},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def test_the_oracle_agrees():
    done = run(*CASES)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    assert f"{len(CASES)} passed" in done.stdout


def test_it_is_dawn_that_answers():
    script = (
        "import support.on_dawn, highwater\n"
        "(device,) = highwater.devices()\n"
        "print(device['name'], device['limits']['max_storage_binding_size'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=HERE, capture_output=True, text=True, check=False
    )
    assert "SwiftShader" in done.stdout, done.stderr
