"""Refuses to run without a WebGPU device: a skipped suite looks like a passing one.

Where several processes share the files, long ones are first and each has its share of the cores.
With --quick, which `./test quick` gives, only a part of the tests runs.
"""

import os
import tempfile
from collections import Counter
from fnmatch import fnmatch

import pytest

# The Vulkan loader's drivers complain, and some fail, without a runtime folder.
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="highwater-"))

# A process that starts a long file when the others are done leaves their cores idle.
LONG_FILES = (
    "test_llamas",
    "test_cli_export",
    "test_cli_export_llms",
    "test_bench",
    "test_half_cache",
    "test_text_runner",
    "test_decoder",
)

# What --quick runs: all ops, small Llamas, and both ways in, by ExecuTorch and by `highwater.load`.
QUICK_FILES = (
    *(
        "test_live_*",
        "test_llamas",
        "test_generate",
        "test_load",
        "test_op_table",
        "test_signature",
    ),
    *("test_through_executorch", "test_registration", "test_inspect", "test_lowered_cache"),
)
# Of the cases of a test it runs the first, and then one in so many.
QUICK_SHARE = 5

if "PYTEST_XDIST_WORKER_COUNT" in os.environ:
    # Before torch is imported, which takes all cores otherwise.
    share = (os.cpu_count() or 1) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    os.environ.setdefault("OMP_NUM_THREADS", str(max(share, 1)))


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="a part of the tests, for each commit")


def quick(items):
    cases = Counter()
    for item in items:
        test = item.nodeid.split("[")[0]
        cases[test] += 1
        named = any(fnmatch(item.path.stem, pattern) for pattern in QUICK_FILES)
        if named and cases[test] % QUICK_SHARE == 1:
            yield item


def pytest_collection_modifyitems(config, items):
    if config.getoption("--quick"):
        kept = list(quick(items))
        config.hook.pytest_deselected(items=list(set(items) - set(kept)))
        items[:] = kept
    order = {name: place for place, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


@pytest.fixture(autouse=True)
def poisoned(request, monkeypatch):
    """In tests of live shapes, all that an op should not read is NaN."""
    if request.path.stem.startswith("test_live_"):
        monkeypatch.setenv("HIGHWATER_POISON", "1")


def pytest_sessionstart(session):
    try:
        import highwater

        devices = highwater.devices()
    except (ImportError, OSError, RuntimeError) as error:
        pytest.exit(f"highwater does not import: {error!r}", returncode=3)
    if not devices:
        pytest.exit(f"no WebGPU device: {highwater.last_error()}", returncode=3)
