"""Two backends cannot have one name: the second to come says so."""

import ctypes
import shutil
from pathlib import Path

import highwater


def test_a_name_that_is_taken_is_said_plainly(tmp_path):
    # A second copy of the library is another backend of the same name.
    own = Path(highwater.__file__).parent / "lib" / "libhighwater.so"
    copy = ctypes.CDLL(shutil.copy(own, tmp_path / "another.so"))
    copy.highwater_register.restype = ctypes.c_char_p
    refused = copy.highwater_register()
    assert refused is not None
    assert "another backend already holds the name VulkanBackend" in refused.decode()


def test_registering_twice_is_harmless():
    library = ctypes.CDLL(str(Path(highwater.__file__).parent / "lib" / "libhighwater.so"))
    library.highwater_register.restype = ctypes.c_char_p
    assert library.highwater_register() is None
