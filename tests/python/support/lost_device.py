"""A WebGPU implementation that is the real one, but whose devices a test can take away.

For a program of its own, which runs `SCRIPT` before it loads anything and then calls `lose()`.
"""

from support import subprocesses

SCRIPT = '''
import ctypes
from pathlib import Path

UNKNOWN_REASON = 1


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class Callback(ctypes.Structure):
    _fields_ = [
        ("next", ctypes.c_void_p),
        ("mode", ctypes.c_uint32),
        ("function", ctypes.c_void_p),
        ("userdata1", ctypes.c_void_p),
        ("userdata2", ctypes.c_void_p),
    ]


class DeviceDescriptor(ctypes.Structure):
    _fields_ = [
        ("next", ctypes.c_void_p),
        ("label", View),
        ("feature_count", ctypes.c_size_t),
        ("features", ctypes.c_void_p),
        ("limits", ctypes.c_void_p),
        ("queue_next", ctypes.c_void_p),
        ("queue_label", View),
        ("lost", Callback),
    ]


REAL = ctypes.CDLL(str(next(Path(highwater.__file__).parent.rglob("libwgpu_native.so"))))
RequestDevice = ctypes.CFUNCTYPE(
    ctypes.c_uint64, ctypes.c_void_p, ctypes.POINTER(DeviceDescriptor), Callback
)
Lost = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint32, View, ctypes.c_void_p, ctypes.c_void_p
)
devices = []


@RequestDevice
def request_device(adapter, descriptor, answer):
    lost = Callback.from_buffer_copy(descriptor.contents.lost)
    devices.append((Lost(lost.function), lost.userdata1, lost.userdata2))
    return RequestDevice(("wgpuAdapterRequestDevice", REAL))(adapter, descriptor, answer)


@ctypes.CFUNCTYPE(ctypes.c_void_p, View)
def get_proc(name):
    name = ctypes.string_at(name.data, name.length).decode()
    if name == "wgpuAdapterRequestDevice":
        return ctypes.cast(request_device, ctypes.c_void_p).value
    try:
        return ctypes.cast(getattr(REAL, name), ctypes.c_void_p).value
    except AttributeError:
        return None


def lose():
    """All devices that were made so far; says how many."""
    said = b"unplugged by a test"
    for callback, first, second in devices:
        callback(None, UNKNOWN_REASON, View(said, len(said)), first, second)
    count = len(devices)
    devices.clear()
    return count


os.environ["HIGHWATER_WEBGPU"] = f"proc:{ctypes.cast(get_proc, ctypes.c_void_p).value}"
'''


def run(script: str, *arguments: object):
    return subprocesses.run(SCRIPT + script, *arguments)
