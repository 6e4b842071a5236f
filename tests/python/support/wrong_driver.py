"""A WebGPU implementation that is the real one, but computes something else.

For a program of its own. `misread(old, new)` has every kernel with the one text compiled with the
other in its place; `flip(number)` changes a bit of what comes back at that read, counted from then
on.
"""

from support import subprocesses, webgpu_proxy

SCRIPT = """
WGSL = 2  # WGPUSType_ShaderSourceWGSL


class Chained(ctypes.Structure):
    _fields_ = [("next", ctypes.c_void_p), ("type", ctypes.c_uint32), ("code", View)]


class ModuleDescriptor(ctypes.Structure):
    _fields_ = [("next", ctypes.POINTER(Chained)), ("label", View)]


CreateModule = ctypes.CFUNCTYPE(
    ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ModuleDescriptor)
)
GetRange = ctypes.CFUNCTYPE(
    ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t
)
wrong_words = {}
misread_kernels = 0
reads_left = None


def misread(old, new):
    wrong_words[old.encode()] = new.encode()


def flip(number):
    global reads_left
    reads_left = number


@CreateModule
def create_module(device, descriptor):
    global misread_kernels
    chained = descriptor.contents.next.contents
    code = ctypes.string_at(chained.code.data, chained.code.length)
    told = code
    for old, new in wrong_words.items():
        told = told.replace(old, new)
    misread_kernels += told != code
    chained.code = View(told, len(told))
    return real("wgpuDeviceCreateShaderModule", CreateModule)(device, descriptor)


@GetRange
def get_range(buffer, offset, size):
    global reads_left
    there = real("wgpuBufferGetConstMappedRange", GetRange)(buffer, offset, size)
    if reads_left is not None:
        reads_left -= 1
        if reads_left == 0:
            ctypes.c_uint8.from_address(there).value ^= 1
    return there


instead["wgpuDeviceCreateShaderModule"] = create_module
instead["wgpuBufferGetConstMappedRange"] = get_range
"""


def run(script: str, *arguments: object, seconds: float = 120):
    return subprocesses.run(webgpu_proxy.SCRIPT + SCRIPT + script, *arguments, seconds=seconds)
