"""The engines that are compared. Each loads a model from its files, and then takes steps.

What an engine needs is imported when it is made: no process has the packages of all of them.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import files
from benchmarks.models import Model

if TYPE_CHECKING:
    import numpy as np

# How far logits may be from torch's: the norm of the difference over the norm of torch's.
FLOAT = 1e-3
EIGHT_BITS = 0.1  # for engines that round what flows through a model to 8 bits


class Engine:
    name: str  # on the command line
    title: str  # in a table
    needs: tuple[str, ...]  # files of the model
    environment = "executorch"  # the packages that it runs with
    tolerance = FLOAT
    swiftshader = "never"  # the Vulkan driver to run with; or "always", or "without a GPU"

    def describe(self) -> str:
        """What runs, and on which device."""
        raise NotImplementedError

    def load(self, paths: dict[str, Path], model: Model) -> None:
        raise NotImplementedError

    def step(self, tokens: np.ndarray, position: int) -> np.ndarray:
        """Takes `tokens` after `position` others, and gives the last one's logits."""
        raise NotImplementedError


class ExecuTorch(Engine):
    def __init__(self):
        import torch
        from executorch.runtime import Runtime

        self.torch = torch
        self.runtime = Runtime.get()

    def load(self, paths: dict[str, Path], model: Model) -> None:
        self.program = self.runtime.load_program(paths[self.needs[0]])
        self.method = self.program.load_method("forward")

    def step(self, tokens: np.ndarray, position: int) -> np.ndarray:
        text = self.torch.from_numpy(tokens[None])
        (logits,) = self.method.execute([text, self.torch.tensor([position])])
        return logits.numpy().reshape(-1)


class Highwater(ExecuTorch):
    name = "highwater"
    title = "Highwater"
    needs = (files.VULKAN,)

    def __init__(self):
        super().__init__()
        import highwater

        self.package = highwater

    def describe(self) -> str:
        names = list(dict.fromkeys(device["name"] for device in self.package.devices()))
        best = names[0] if len(names) == 1 else f"the best of {', '.join(names)}"
        chosen = os.environ.get("HIGHWATER_ADAPTER", best)
        return f"Highwater {self.package.__version__}, 4w, {chosen}"


class HighwaterOnSwiftShader(Highwater):
    """For a comparison on one adapter with engines that do not run on every other."""

    name = "highwater-swiftshader"
    title = "Highwater, SwiftShader"
    swiftshader = "always"


class Xnnpack(ExecuTorch):
    name = "xnnpack"
    title = "ExecuTorch XNNPACK"
    needs = (files.XNNPACK,)
    tolerance = EIGHT_BITS

    def __init__(self):
        super().__init__()
        import executorch.extension.llm.custom_ops.custom_ops
        import executorch.kernels.quantized  # noqa: F401

    def describe(self) -> str:
        return f"ExecuTorch {version('executorch')} with XNNPACK, 8da4w, CPU"


class OnnxRuntime(Engine):
    needs = (files.ONNX,)
    environment = "onnxruntime"
    tolerance = EIGHT_BITS

    def __init__(self):
        import numpy
        import onnxruntime

        self.numpy = numpy
        self.ort = onnxruntime
        onnxruntime.set_default_logger_severity(3)

    def int32(self, values) -> np.ndarray:
        return self.numpy.array(values, self.numpy.int32)

    def options(self):
        return self.ort.SessionOptions()

    def cache(self, shape: tuple[int, ...]):
        return self.ort.OrtValue.ortvalue_from_numpy(self.numpy.zeros(shape, self.numpy.float32))

    def load(self, paths: dict[str, Path], model: Model) -> None:
        self.session = self.ort.InferenceSession(paths[files.ONNX], self.options())
        self.bound = self.session.io_binding()
        shape = (1, model.kv_heads, model.context, model.head_dim)
        # What goes in as the past comes out in the same memory, and no step copies it.
        for layer in range(model.layers):
            for what in ("key", "value"):
                cache = self.cache(shape)
                self.bound.bind_ortvalue_input(f"past_{what}_{layer}", cache)
                self.bound.bind_ortvalue_output(f"{what}_{layer}", cache)
        self.bound.bind_output("logits")

    def step(self, tokens: np.ndarray, position: int) -> np.ndarray:
        total = position + len(tokens)
        self.bound.bind_cpu_input("tokens", tokens[None])
        self.bound.bind_cpu_input("last_positions", self.int32([[total - 1]]))
        self.bound.bind_cpu_input("total_length", self.int32(total))
        self.session.run_with_iobinding(self.bound)
        return self.bound.get_outputs()[-1].numpy().reshape(-1)


class OnnxRuntimeCpu(OnnxRuntime):
    name = "onnx-cpu"
    title = "ONNX Runtime CPU"

    def describe(self) -> str:
        return f"ONNX Runtime {self.ort.__version__}, 4-bit products by 8 bits, CPU"


class OnnxRuntimeWebGpu(OnnxRuntime):
    name = "onnx-webgpu"
    title = "ONNX Runtime WebGPU"
    # Its WebGPU refuses the older Lavapipe that stable distributions have.
    swiftshader = "without a GPU"

    def __init__(self):
        super().__init__()
        import onnxruntime_ep_webgpu as plugin

        self.ort.register_execution_provider_library("webgpu", plugin.get_library_path())
        found = [
            device for device in self.ort.get_ep_devices() if device.ep_name == plugin.get_ep_name()
        ]
        if not found:
            raise RuntimeError("ONNX Runtime's WebGPU plugin finds no adapter on this machine")
        self.device = found[0]

    def options(self):
        options = super().options()
        options.add_provider_for_devices([self.device], {})
        # Otherwise what the plugin cannot do would run on the CPU, and nobody would know.
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        return options

    def cache(self, shape: tuple[int, ...]):
        memory = self.device.memory_info(self.ort.OrtDeviceMemoryType.DEFAULT)
        return self.ort.OrtValue.ortvalue_from_shape_and_type(
            shape, self.numpy.float32, memory_info=memory
        )

    def describe(self) -> str:
        plugin = self.device.ep_metadata["version"]
        return (
            f"ONNX Runtime {self.ort.__version__} with its WebGPU plugin {plugin}, "
            "4-bit products by 8 bits where it can"
        )


ENGINES = {
    kind.name: kind
    for kind in (Highwater, Xnnpack, OnnxRuntimeCpu, HighwaterOnSwiftShader, OnnxRuntimeWebGpu)
}
