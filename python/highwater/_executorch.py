"""A method that Highwater runs only in part, through ExecuTorch's runtime."""

import atexit
import os
import threading
import weakref
from pathlib import Path
from typing import Any

from highwater._library import devices, last_error, last_load, last_run
from highwater.errors import HighwaterError

_DTYPES = {0: "uint8", 1: "int8", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 11: "bool"}


_methods: "weakref.WeakSet[ExecutorchMethod]" = weakref.WeakSet()


@atexit.register
def _keep_threads_out() -> None:
    """Torch and ExecuTorch abort on a daemon thread that is inside of them when Python has ended.

    So those who are inside are waited for, and from then on all others wait for good.
    """
    for method in list(_methods):
        method._lock.acquire()


def _renew_locks() -> None:
    """In a forked child, where a lock may be held by a thread that is not there."""
    for method in list(_methods):
        method._lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_locks)


class ExecutorchMethod:
    """The same verbs as a native session's."""

    def __init__(self, path: Path, name: str) -> None:
        from executorch.runtime import Runtime

        self._path = path
        # A method serves one call at a time. A thread that is inside may be the one on which Python
        # runs a finalizer that closes the model.
        self._lock = threading.RLock()
        _methods.add(self)
        try:
            self._program = Runtime.get().load_program(str(path))
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

        with self._lock:
            method = self._method
            if method is None:
                raise HighwaterError(f"{self._path} is closed")
            given = [_input(i, x) for i, x in enumerate(inputs)]
            try:
                outputs = method.execute(given)
            except (RuntimeError, TypeError) as error:
                raise HighwaterError(last_error() or str(error)) from error
            return [x.numpy() if isinstance(x, torch.Tensor) else x for x in outputs]

    def close(self) -> None:
        with self._lock:
            self._method = self._program = None

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


def _input(index: int, value: Any) -> Any:
    import torch

    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise HighwaterError(f"input {index} is {value}; it can be from -2**63 to 2**63 - 1")
        return value
    try:
        tensor = torch.as_tensor(value).detach()
    except (TypeError, ValueError, RuntimeError) as error:
        raise HighwaterError(f"input {index} is of {type(value)}: {error}") from None
    # ExecuTorch ends the process over strides that are not a permutation of contiguous ones, and
    # NumPy has such for what is empty.
    plain = torch.empty(tensor.shape, dtype=tensor.dtype)
    return tensor if tensor.stride() == plain.stride() else plain.copy_(tensor)


def _spec(meta: Any) -> dict[str, Any]:
    return {"kind": "tensor", "dtype": _DTYPES.get(meta.dtype()), "bound": tuple(meta.sizes())}
