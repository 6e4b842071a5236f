"""What is missing is said, and harms nothing: a full disk, folders that cannot be written."""

import os
import resource
import subprocess
import sys

MODEL = """
import torch
from torch import nn


def table():
    length = torch.export.Dim("length", min=1, max=16)
    return nn.Embedding(4096, 64), (torch.zeros(16, dtype=torch.int64),), ({0: length},)
"""
# Less than the table of 1 MB, more than what is said meanwhile.
MOST = 512 << 10


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "highwater", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **options,
    )


def test_a_disk_that_is_full_leaves_the_model_as_it_was(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    model = tmp_path / "model.pte"
    model.write_bytes(b"the one before")
    done = run(
        *("export", "model.py:table", "-o", "model.pte"),
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST)),
    )
    assert done.returncode == 1, done.stderr
    assert "failed while writing" in done.stderr
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert model.read_bytes() == b"the one before"
    assert sorted(path.name for path in tmp_path.glob("*.pte")) == ["model.pte"]
    assert not [*tmp_path.glob(".*")]


def test_caches_that_cannot_be_written_cost_time_and_nothing_else():
    generate = ("generate", "kjv", "--prompt", "In the", "--temperature", "0", "-n", "4")
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "MESA_SHADER_CACHE_DIR"), "/dev/null/none")
    done = run(*generate, env={**os.environ, **nowhere})
    assert done.returncode == 0, done.stderr
    assert done.stdout == run(*generate).stdout
