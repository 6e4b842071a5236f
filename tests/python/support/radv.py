"""What Mesa's driver for AMD makes of a kernel, for a GPU that is not there.

RADV has a null device, which compiles and cannot run. With RADV_DEBUG=shaderstats it tells of each
shader how many registers it takes, how many of them do not fit, and how many instructions it has.
All it takes are the Vulkan calls that make a compute pipeline. One process makes all of them.
"""

import ctypes
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

DRIVER = Path("/usr/share/vulkan/icd.d/radeon_icd.x86_64.json")
# An RDNA 2 card. Debian's Mesa knows it well.
FAMILY = "navi21"
BETWEEN = "==== next shader ===="
NAMES = ("SGPRs", "VGPRs", "Spilled SGPRs", "Spilled VGPRs", "LDS size", "Scratch size",
         "Subgroups per SIMD", "Instructions", "Latency", "Inverse Throughput")  # fmt: skip


def statistics_of(modules: list[bytes]) -> list[dict[str, int]]:
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for index, module in enumerate(modules):
            paths.append(Path(folder, f"{index}.spv"))
            paths[-1].write_bytes(module)
        environment = os.environ | {
            "VK_ICD_FILENAMES": str(DRIVER),
            "VK_DRIVER_FILES": str(DRIVER),
            "RADV_FORCE_FAMILY": FAMILY,
            "RADV_DEBUG": "shaderstats,nocache",
        }
        done = subprocess.run(
            [sys.executable, __file__, *map(str, paths)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout
    told = done.stdout.split(BETWEEN)[1:]
    assert len(told) == len(modules)
    return [_read(text) for text in told]


def _read(text: str) -> dict[str, int]:
    found = {name: re.search(rf"^{name}: (\d+)", text, re.MULTILINE) for name in NAMES}
    assert all(found.values()), f"RADV said {text!r}"
    return {name: int(match[1]) for name, match in found.items()}


# What SPIR-V calls things.
OP_ENTRY_POINT, OP_VARIABLE, OP_DECORATE = 15, 59, 71
DECORATION_BINDING, DECORATION_SET = 33, 34
STORAGE_UNIFORM_CONSTANT, STORAGE_UNIFORM, STORAGE_BUFFER = 0, 2, 12
# And Vulkan.
DESCRIPTOR_OF = {STORAGE_UNIFORM_CONSTANT: 2, STORAGE_UNIFORM: 6, STORAGE_BUFFER: 7}
COMPUTE = 0x20


def _instructions(words: tuple[int, ...]):
    at = 5
    while at < len(words):
        count = words[at] >> 16
        yield words[at] & 0xFFFF, words[at + 1 : at + count]
        at += count


def _bindings(words: tuple[int, ...]) -> list[tuple[int, int]]:
    """Each binding of set 0 and what kind of descriptor it is."""
    number, storage = {}, {}
    for op, operands in _instructions(words):
        if op == OP_DECORATE and operands[1] == DECORATION_BINDING:
            number[operands[0]] = operands[2]
        if op == OP_DECORATE and operands[1] == DECORATION_SET:
            assert operands[2] == 0, "kernels have one bind group"
        if op == OP_VARIABLE:
            storage[operands[1]] = operands[2]
    return sorted((at, DESCRIPTOR_OF[storage[name]]) for name, at in number.items())


def _entry_point(words: tuple[int, ...]) -> bytes:
    (operands,) = (operands for op, operands in _instructions(words) if op == OP_ENTRY_POINT)
    return struct.pack(f"<{len(operands) - 2}I", *operands[2:]).split(b"\0")[0]


def _struct(*members: tuple[str, type]) -> type[ctypes.Structure]:
    return type("Struct", (ctypes.Structure,), {"_fields_": list(members)})


U32, POINTER, SIZE, HANDLE = ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64
HEAD = (("type", U32), ("next", POINTER), ("flags", U32))
InstanceInfo = _struct(*HEAD, ("app", POINTER), ("layers", U32), ("layer_names", POINTER),
                       ("extensions", U32), ("extension_names", POINTER))  # fmt: skip
QueueInfo = _struct(*HEAD, ("family", U32), ("count", U32), ("priorities", POINTER))
DeviceInfo = _struct(*HEAD, ("queue_count", U32), ("queues", POINTER), ("layers", U32),
                     ("layer_names", POINTER), ("extensions", U32), ("extension_names", POINTER),
                     ("features", POINTER))  # fmt: skip
ModuleInfo = _struct(*HEAD, ("size", SIZE), ("code", POINTER))
Binding = _struct(
    ("at", U32), ("kind", U32), ("count", U32), ("stages", U32), ("samplers", POINTER)
)
SetInfo = _struct(*HEAD, ("count", U32), ("bindings", POINTER))
LayoutInfo = _struct(*HEAD, ("sets", U32), ("set_layouts", POINTER), ("constants", U32),
                     ("constant_ranges", POINTER))  # fmt: skip
StageInfo = _struct(*HEAD, ("stage", U32), ("module", HANDLE), ("name", ctypes.c_char_p),
                    ("specialization", POINTER))  # fmt: skip
PipelineInfo = _struct(*HEAD, ("stage", StageInfo), ("layout", HANDLE), ("base", HANDLE),
                       ("base_index", ctypes.c_int32))  # fmt: skip


class NullDevice:
    def __init__(self):
        self._vulkan = ctypes.CDLL("libvulkan.so.1")
        instance = POINTER()
        self._call("CreateInstance", InstanceInfo(type=1), None, instance)
        count, adapters = U32(1), (POINTER * 1)()
        assert self._vulkan.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), adapters) >= 0
        priority = ctypes.c_float(1)
        queue = QueueInfo(type=2, count=1, priorities=ctypes.addressof(priority))
        info = DeviceInfo(type=3, queue_count=1, queues=ctypes.addressof(queue))
        self._device = POINTER()
        self._call("CreateDevice", info, None, self._device, of=POINTER(adapters[0]))

    def _call(self, name: str, info, allocator, out, of=None) -> None:
        before = [] if of is None else [of]
        code = getattr(self._vulkan, f"vk{name}")(
            *before, ctypes.byref(info), allocator, ctypes.byref(out)
        )
        assert code == 0, f"vk{name} gave {code}"

    def _make(self, name: str, info) -> int:
        out = HANDLE()
        self._call(name, info, None, out, of=self._device)
        return out.value

    def compile(self, code: bytes) -> None:
        words = struct.unpack(f"<{len(code) // 4}I", code)
        memory = ctypes.create_string_buffer(code, len(code))
        module = self._make(
            "CreateShaderModule",
            ModuleInfo(type=16, size=len(code), code=ctypes.addressof(memory)),
        )
        bindings = [Binding(at, kind, 1, COMPUTE, None) for at, kind in _bindings(words)]
        array = (Binding * len(bindings))(*bindings)
        one_set = HANDLE(
            self._make(
                "CreateDescriptorSetLayout",
                SetInfo(type=32, count=len(bindings), bindings=ctypes.addressof(array)),
            )
        )
        layout = self._make(
            "CreatePipelineLayout",
            LayoutInfo(type=30, sets=1, set_layouts=ctypes.addressof(one_set)),
        )
        stage = StageInfo(type=18, stage=COMPUTE, module=module, name=_entry_point(words))
        info = PipelineInfo(type=29, stage=stage, layout=layout, base_index=-1)
        out = HANDLE()
        code = self._vulkan.vkCreateComputePipelines(
            self._device, HANDLE(0), 1, ctypes.byref(info), None, ctypes.byref(out)
        )
        assert code == 0, f"vkCreateComputePipelines gave {code}"


if __name__ == "__main__":
    device = NullDevice()
    for path in sys.argv[1:]:
        print(BETWEEN, flush=True)
        device.compile(Path(path).read_bytes())
    # The null device does not survive being destroyed.
    sys.stdout.flush()
    os._exit(0)
