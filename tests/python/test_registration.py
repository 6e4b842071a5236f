"""Two backends cannot have one name: the second to come says so."""

import ctypes
import importlib.machinery
import importlib.util
from pathlib import Path

import highwater
import pytest
from highwater import _delegate

LIBRARY = "libhighwater_delegate.so"


def test_a_name_that_is_taken_is_said_plainly(tmp_path):
    """A second copy of the library is another backend of the same name.

    The loader tells libraries apart by their names, so that the copy has another of its length.
    """
    other = LIBRARY.replace("delegate", "imposter")
    own = Path(highwater.__file__).parent / "lib" / LIBRARY
    (tmp_path / other).write_bytes(own.read_bytes().replace(LIBRARY.encode(), other.encode()))
    ctypes.CDLL(str(tmp_path / other))
    module = Path(_delegate.__file__)
    copy = tmp_path / module.name
    copy.write_bytes(module.read_bytes().replace(LIBRARY.encode(), other.encode()))
    loader = importlib.machinery.ExtensionFileLoader("_delegate", str(copy))
    spec = importlib.util.spec_from_file_location("_delegate", copy, loader=loader)
    another = importlib.util.module_from_spec(spec)
    loader.exec_module(another)
    with pytest.raises(highwater.HighwaterError, match="another backend already holds the name"):
        another.register()


def test_registering_twice_is_harmless():
    _delegate.register()
    _delegate.register()
