"""A WebGPU implementation that is the real one, but whose devices a test can take away.

For a program of its own, which runs `SCRIPT` before it loads anything and then calls `lose()`.
"""

from support import subprocesses, webgpu_proxy

SCRIPT = '''
UNKNOWN_REASON = 1


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
    return real("wgpuAdapterRequestDevice", RequestDevice)(adapter, descriptor, answer)


instead["wgpuAdapterRequestDevice"] = request_device


def lose():
    """All devices that were made so far; says how many."""
    said = b"unplugged by a test"
    for callback, first, second in devices:
        callback(None, UNKNOWN_REASON, View(said, len(said)), first, second)
    count = len(devices)
    devices.clear()
    return count
'''


def run(script: str, *arguments: object):
    return subprocesses.run(webgpu_proxy.SCRIPT + SCRIPT + script, *arguments)
