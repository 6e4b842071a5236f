"""Refuses to run without a WebGPU device: a skipped suite looks like a passing one.

Where several processes share the files, long ones are first and each has its share of the cores.
"""

import os
import tempfile

import pytest

# The Vulkan loader's drivers complain, and some fail, without a runtime folder.
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="highwater-"))

# A process that starts a long file when the others are done leaves their cores idle.
LONG_FILES = (
    "test_llamas",
    "test_cli_export",
    "test_bench",
    "test_half_cache",
    "test_text_runner",
    "test_decoder",
)

if "PYTEST_XDIST_WORKER_COUNT" in os.environ:
    # Before torch is imported, which takes all cores otherwise.
    share = (os.cpu_count() or 1) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    os.environ.setdefault("OMP_NUM_THREADS", str(max(share, 1)))


def pytest_collection_modifyitems(items):
    order = {name: place for place, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


def pytest_sessionstart(session):
    try:
        import highwater

        devices = highwater.devices()
    except (ImportError, OSError, RuntimeError) as error:
        pytest.exit(f"highwater does not import: {error!r}", returncode=3)
    if not devices:
        pytest.exit(f"no WebGPU device: {highwater.last_error()}", returncode=3)
