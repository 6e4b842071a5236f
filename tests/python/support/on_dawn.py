"""For pytest's -p: all that a process runs goes through Dawn, on SwiftShader.

A second opinion on every kernel: Dawn's compiler takes other WGSL than naga does, and SwiftShader
is another device than Mesa's.
"""

import os
from pathlib import Path

DRIVER = Path("/usr/lib/chromium/vk_swiftshader_icd.json")


def _install() -> None:
    if not DRIVER.is_file():
        raise RuntimeError(f"there is no {DRIVER}: apt-get install chromium-common")
    os.environ["VK_ICD_FILENAMES"] = os.environ["VK_DRIVER_FILES"] = str(DRIVER)
    from wgpudawn import _lib

    address = _lib.ffi.cast("uintptr_t", _lib.ffi.addressof(_lib.lib, "wgpuGetProcAddress"))
    os.environ["HIGHWATER_WEBGPU"] = f"proc:{int(address)}"


_install()
