"""A method that Highwater runs only in part, through ExecuTorch's runtime."""

import logging
from pathlib import Path
from typing import Any

from highwater._library import devices, last_error, last_load, last_run
from highwater.errors import HighwaterError

_DTYPES = {0: "uint8", 1: "int8", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 11: "bool"}


class ExecutorchMethod:
    """The same verbs as a native session's."""

    def __init__(self, path: Path, name: str) -> None:
        try:
            self._program = _runtime().load_program(str(path))
            self._method = self._program.load_method(name)
        except RuntimeError as error:
            raise HighwaterError(last_error() or str(error)) from error
        if self._method is None:
            raise HighwaterError(last_error() or f"{path} has no method '{name}'")
        metadata = self._method.metadata
        self.inputs = [_spec(metadata.input_tensor_meta(i)) for i in range(metadata.num_inputs())]
        self.outputs = [
            _spec(metadata.output_tensor_meta(i)) for i in range(metadata.num_outputs())
        ]
        self.load_accounts = last_load()

    def run(self, *inputs: Any) -> list[Any]:
        import torch

        given = [x if isinstance(x, int) else torch.as_tensor(x) for x in inputs]
        try:
            outputs = self._method.execute(given)
        except RuntimeError as error:
            raise HighwaterError(last_error() or str(error)) from error
        return [x.numpy() if isinstance(x, torch.Tensor) else x for x in outputs]

    @property
    def run_accounts(self) -> dict[str, Any]:
        """Of the last delegate alone."""
        return {k: v for k, v in last_run().items() if k != "kernels"}

    @property
    def kernels(self) -> list[str]:
        return last_run()["kernels"]

    @property
    def adapter(self) -> str:
        found = devices()
        return found[0]["name"] if found else ""


def _runtime() -> Any:
    """ExecuTorch's, imported without the warnings of packages that it does not need for this."""
    loggers = [logging.getLogger(name) for name in ("torchao", "torch.utils._pytree")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        from executorch.runtime import Runtime
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
    return Runtime.get()


def _spec(meta: Any) -> dict[str, Any]:
    return {"kind": "tensor", "dtype": _DTYPES.get(meta.dtype()), "bound": tuple(meta.sizes())}
