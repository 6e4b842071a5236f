"""The engines that are compared. Each loads a model from a file, and then takes steps.

What an engine needs is imported when it is made: no process has the packages of all of them.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import environments
from benchmarks.model import GGUF, HIGHWATER, ONNX, TORCH, XNNPACK, Model

if TYPE_CHECKING:
    import numpy as np


class Engine:
    name: str  # on the command line
    title: str  # in a table
    needs: str  # the file of a model that it runs
    environment = "executorch"  # the packages that it runs with
    swiftshader = "never"  # the Vulkan driver to run with; or "always", or "without a GPU"
    takes_back = False  # whether a cache loses what is behind the place of a step

    @classmethod
    def prepare(cls, say) -> None:
        """Gets what it needs beside the packages of its environment."""

    def describe(self, numbers: str) -> str:
        """What runs, with which kind of numbers, and on which device."""
        raise NotImplementedError

    def load(self, path: Path, model: Model) -> None:
        raise NotImplementedError

    def step(self, *inputs: np.ndarray) -> np.ndarray:
        """Calls the model, and gives its output in one dim."""
        raise NotImplementedError


class ExecuTorch(Engine):
    def __init__(self):
        import torch
        from executorch.runtime import Runtime

        self.torch = torch
        self.runtime = Runtime.get()

    def load(self, path: Path, model: Model) -> None:
        self.program = self.runtime.load_program(path)
        self.method = self.program.load_method("forward")

    def step(self, *inputs: np.ndarray) -> np.ndarray:
        (output,) = self.method.execute([self.torch.from_numpy(array) for array in inputs])
        return output.numpy().reshape(-1)


class Highwater(ExecuTorch):
    name = "highwater"
    title = "Highwater"
    needs = HIGHWATER

    def __init__(self):
        super().__init__()
        import highwater

        self.package = highwater

    def describe(self, numbers: str) -> str:
        names = list(dict.fromkeys(device["name"] for device in self.package.devices()))
        best = names[0] if len(names) == 1 else f"the best of {', '.join(names)}"
        chosen = os.environ.get("HIGHWATER_ADAPTER", best)
        return f"Highwater {self.package.__version__}, {numbers}, {chosen}"


class HighwaterOnSwiftShader(Highwater):
    """For a comparison on one adapter with engines that do not run on every other."""

    name = "highwater-swiftshader"
    title = "Highwater, SwiftShader"
    swiftshader = "always"


class Xnnpack(ExecuTorch):
    name = "xnnpack"
    title = "ExecuTorch XNNPACK"
    needs = XNNPACK

    def __init__(self):
        super().__init__()
        import executorch.extension.llm.custom_ops.custom_ops
        import executorch.kernels.quantized  # noqa: F401

    def describe(self, numbers: str) -> str:
        return f"ExecuTorch {version('executorch')} with XNNPACK, {numbers}, CPU"


class Torch(Engine):
    name = "torch"
    title = "torch"
    needs = TORCH

    def __init__(self):
        import torch

        self.torch = torch

    def describe(self, numbers: str) -> str:
        return f"torch {self.torch.__version__}, eager, {numbers}, CPU"

    def load(self, path: Path, model: Model) -> None:
        self.module = self.torch.load(path, weights_only=False)

    def step(self, *inputs: np.ndarray) -> np.ndarray:
        with self.torch.inference_mode():
            return self.module(*map(self.torch.from_numpy, inputs)).numpy().reshape(-1)


class OnnxRuntime(Engine):
    needs = ONNX
    environment = environments.WITHOUT_TORCH

    def __init__(self):
        import numpy
        import onnxruntime

        self.numpy = numpy
        self.ort = onnxruntime
        onnxruntime.set_default_logger_severity(3)

    def options(self):
        return self.ort.SessionOptions()

    def cache(self, shape: tuple[int, ...]):
        return self.ort.OrtValue.ortvalue_from_numpy(self.numpy.zeros(shape, self.numpy.float32))

    def load(self, path: Path, model: Model) -> None:
        self.model = model
        self.session = self.ort.InferenceSession(path, self.options())
        self.bound = self.session.io_binding()
        # What goes in as the past comes out in the same memory, and no step copies it.
        for before, after, shape in model.onnx_caches():
            cache = self.cache(shape)
            self.bound.bind_ortvalue_input(before, cache)
            self.bound.bind_ortvalue_output(after, cache)
        self.output = self.session.get_outputs()[0].name

    def step(self, *inputs: np.ndarray) -> np.ndarray:
        for name, array in self.model.onnx_inputs(*inputs).items():
            self.bound.bind_cpu_input(name, array)
        # Anew, because it keeps the shape of the call before.
        self.bound.bind_output(self.output)
        self.session.run_with_iobinding(self.bound)
        return self.bound.get_outputs()[-1].numpy().reshape(-1)


class OnnxRuntimeCpu(OnnxRuntime):
    name = "onnx-cpu"
    title = "ONNX Runtime CPU"

    def options(self):
        options = super().options()
        # Otherwise sums of int8 products overflow on processors that have AVX2 and no VNNI.
        options.add_session_config_entry("session.x64quantprecision", "1")
        return options

    def describe(self, numbers: str) -> str:
        return f"ONNX Runtime {self.ort.__version__}, {numbers}, CPU"


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

    def describe(self, numbers: str) -> str:
        plugin = self.device.ep_metadata["version"]
        return f"ONNX Runtime {self.ort.__version__} with its WebGPU plugin {plugin}, {numbers}"


class LlamaCpp(Engine):
    name = "llama.cpp"
    title = "llama.cpp CPU"
    takes_back = True
    needs = GGUF
    environment = environments.WITHOUT_TORCH

    @classmethod
    def prepare(cls, say) -> None:
        environments.llama_cpp(say)

    def __init__(self):
        import numpy

        from benchmarks import llama_cpp

        self.numpy = numpy
        self.package = llama_cpp
        self.library = llama_cpp.libraries(environments.llama_cpp(print))

    def describe(self, numbers: str) -> str:
        return f"llama.cpp {environments.LLAMA_CPP_RELEASE}, {numbers}, CPU"

    def load(self, path: Path, model: Model) -> None:
        self.vocabulary = model.vocabulary
        room = model.context, model.longest_prompt
        self.text = self.package.Text(self.library, path, *room)

    def step(self, *inputs: np.ndarray) -> np.ndarray:
        tokens, position = inputs
        logits = self.text.read(tokens[0].tolist(), int(position[0]))
        return self.numpy.ctypeslib.as_array(logits, (self.vocabulary,)).copy()


ENGINES = {
    kind.name: kind
    for kind in (
        Highwater,
        Xnnpack,
        OnnxRuntimeCpu,
        LlamaCpp,
        Torch,
        HighwaterOnSwiftShader,
        OnnxRuntimeWebGpu,
    )
}
