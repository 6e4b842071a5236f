"""The real WebGPU implementation, with some of its functions replaced.

For a program of its own, which runs `SCRIPT` before it loads anything: what it files under
`instead`, by name, is called in place of the function of that name; `real(name, type)` is that
function.
"""

SCRIPT = """
import ctypes
from pathlib import Path


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


REAL = ctypes.CDLL(str(next(Path(highwater.__file__).parent.rglob("libwgpu_native.so"))))
instead = {}


def real(name, kind):
    return kind((name, REAL))


@ctypes.CFUNCTYPE(ctypes.c_void_p, View)
def get_proc(name):
    name = ctypes.string_at(name.data, name.length).decode()
    try:
        return ctypes.cast(instead.get(name) or getattr(REAL, name), ctypes.c_void_p).value
    except AttributeError:
        return None


os.environ["HIGHWATER_WEBGPU"] = f"proc:{ctypes.cast(get_proc, ctypes.c_void_p).value}"
"""
