"""WGSL to SPIR-V, as wgpu-native gives it to a driver.

It has no function for that. So a process of its own makes pipelines on the software adapter, by a
libvulkan that writes down what it is given.
"""

import ctypes.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SHIM = Path(__file__).with_name("spirv_dump.c")


def spirv_of(texts: list[str]) -> list[bytes]:
    """The module of each text, in order."""
    with tempfile.TemporaryDirectory() as folder:
        shim, dump = Path(folder, "libvulkan.so.1"), Path(folder, "dump")
        dump.mkdir()
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", shim, SHIM, "-ldl"], check=True)
        environment = os.environ | {
            "LD_LIBRARY_PATH": folder,
            "SPIRV_DUMP": str(dump),
            "REAL_VULKAN": _real_vulkan(),
        }
        done = subprocess.run(
            [sys.executable, __file__],
            env=environment,
            input=json.dumps(texts),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        modules = [Path(name).read_bytes() for name in json.loads(done.stdout)]
    assert len(modules) == len(texts)
    return modules


def _real_vulkan() -> str:
    """Where the loader is that the shim stands for."""
    vulkan = ctypes.CDLL("libvulkan.so.1")
    maps = Path("/proc/self/maps").read_text().splitlines()
    (path,) = {line.split()[-1] for line in maps if "libvulkan.so" in line}
    del vulkan
    return path


def _make_pipelines(texts: list[str]) -> list[str]:
    """The file that each text's module was written to."""
    import wgpu

    dump = Path(os.environ["SPIRV_DUMP"])
    adapters = wgpu.gpu.enumerate_adapters_sync()
    (adapter, *_) = [a for a in adapters if a.info["backend_type"] == "Vulkan"]
    device = adapter.request_device_sync(required_features=["shader-f16"])
    files = []
    for text in texts:
        before = set(dump.iterdir())
        module = device.create_shader_module(code=text)
        device.create_compute_pipeline(
            layout="auto", compute={"module": module, "entry_point": "main"}
        )
        (new,) = set(dump.iterdir()) - before
        files.append(str(new))
    return files


if __name__ == "__main__":
    print(json.dumps(_make_pipelines(json.load(sys.stdin))))
