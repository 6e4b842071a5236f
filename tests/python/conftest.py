"""Refuses to run without a WebGPU device: a skipped suite looks like a passing one."""

import os
import tempfile

import pytest

# The Vulkan loader's drivers complain, and some fail, without a runtime folder.
os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="highwater-"))


def pytest_sessionstart(session):
    try:
        import highwater

        devices = highwater.devices()
    except (ImportError, OSError, RuntimeError) as error:
        pytest.exit(f"highwater does not import: {error!r}", returncode=3)
    if not devices:
        pytest.exit(f"no WebGPU device: {highwater.last_error()}", returncode=3)
