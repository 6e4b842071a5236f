"""A method that Highwater runs only in part, through ExecuTorch's runtime."""

import atexit
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from highwater import _native
from highwater.adapters import devices
from highwater.delegate import (
    check_executorch,
    errors_in_words,
    last_load,
    last_run,
    profiled_runs,
)
from highwater.errors import HighwaterError
from highwater.files import ModelFile

_DTYPES = {0: "uint8", 1: "int8", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 11: "bool"}


# Held by the thread that loads a method: the end of Python waits for it.
_loading = threading.RLock()
_methods: "weakref.WeakSet[ExecutorchMethod]" = weakref.WeakSet()


@atexit.register
def _keep_threads_out() -> None:
    """Torch and ExecuTorch abort on a daemon thread that is inside of them when Python has ended.

    So those who are inside are waited for, and from then on all others wait for good.
    """
    _loading.acquire()
    for method in list(_methods):
        method._lock.acquire()


def _renew_locks() -> None:
    """In a forked child, where a lock may be held by a thread that is not there."""
    global _loading
    _loading = threading.RLock()
    for method in list(_methods):
        method._lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_locks)


class ExecutorchMethod:
    """The same verbs as a native session's."""

    def __init__(self, file: ModelFile, name: str) -> None:
        check_executorch(f"{file}, which has several delegates or ops for the CPU,")
        self._file = file
        # A method serves one call at a time. A thread that is inside may be the one on which Python
        # runs a finalizer that closes the model.
        self._lock = threading.RLock()
        with _loading:
            _methods.add(self)
            self._load(file, name)
        self.call_seconds = 0.0  # of the last call, ops on the CPU included
        self._began = 0  # when it began
        self._last_run: dict[str, Any] = {"kernels": []}

    def _load(self, file: ModelFile, name: str) -> None:
        with errors_in_words():
            self._program = _runtime().load_program(_data(file))
            self._method = self._program.load_method(name)
        if self._method is None:
            raise HighwaterError(f"{file} has no method '{name}'")
        self._check = _native.CallCheck(file.native, name)
        metadata = self._method.metadata
        told = dict(enumerate(file.native.methods[name]["inputs"]))
        self.inputs = [
            {**told.get(i, {}), **_spec(metadata.input_tensor_meta, i)}
            for i in range(metadata.num_inputs())
        ]
        self.outputs = [
            _spec(metadata.output_tensor_meta, i) for i in range(metadata.num_outputs())
        ]
        self.load_accounts = last_load()

    def run(self, *inputs: Any) -> list[Any]:
        with self._lock:
            return self._run(inputs)

    def _run(self, inputs: tuple[Any, ...]) -> list[Any]:
        """All that is of torch lives in this call, under the lock.

        Torch gives Python's lock back wherever a tensor dies, so that nobody gets one: the outputs
        are copies.
        """
        import torch

        method = self._method
        if method is None:
            raise HighwaterError(f"{self._file} is closed")
        given = [_input(i, x) for i, x in enumerate(inputs)]
        # ExecuTorch itself holds a call to the bounds, and to nothing below them.
        self._check.check(*(x if isinstance(x, int) else tuple(x.shape) for x in given))
        self._began = time.monotonic_ns()  # by the clock that the library goes by
        with errors_in_words():
            outputs = method.execute(given)
        self.call_seconds = (time.monotonic_ns() - self._began) * 1e-9
        self._last_run = last_run()  # at once: this thread may run another model next
        return [x.numpy().copy() if isinstance(x, torch.Tensor) else x for x in outputs]

    def close(self) -> None:
        with self._lock:
            self._method = self._program = None

    def profile(self, *inputs: Any, clock: str = "") -> tuple[list[Any], dict[str, Any]]:
        """As a session's, with the delegates' dispatches in one list, each with its delegate."""
        with profiled_runs(clock) as delegates:
            outputs = self.run(*inputs)
            return outputs, _on_one_timeline(delegates(), self._began)

    @property
    def run_accounts(self) -> dict[str, Any]:
        """Of all delegates together."""
        return {k: v for k, v in self._last_run.items() if k != "kernels"}

    @property
    def kernels(self) -> list[str]:
        return self._last_run["kernels"]

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


def _data(file: ModelFile) -> str | bytes:
    """What ExecuTorch loads: it opens only files whose names are UTF-8."""
    if file.path is None:
        return bytes(file.content)
    try:
        str(file.path).encode()
    except UnicodeEncodeError:
        return file.path.read_bytes()
    return str(file.path)


def _on_one_timeline(delegates: list[dict[str, Any]], start: int) -> dict[str, Any]:
    """Times from the start of the call; those of dispatches from the first submit."""
    spans = [
        (d["begin_ns"] - start, d["begin_ns"] - start + d["submitted_ns"], d["end_ns"] - start)
        for d in delegates
    ]
    first_submit = spans[0][1]
    dispatches = [
        {
            **dispatch,
            "delegate": i,
            "start_ns": submitted - first_submit + dispatch["start_ns"],
        }
        for i, (delegate, (_, submitted, _)) in enumerate(zip(delegates, spans, strict=True))
        for dispatch in delegate["dispatches"]
    ]
    return {
        "clock": delegates[0]["clock"],
        "submitted_ns": first_submit,
        "empty_ns": min(d["empty_ns"] for d in delegates),
        "dispatches": dispatches,
        "spans": spans,
    }


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


def _spec(tensor_meta: Callable[[int], Any], index: int) -> dict[str, Any]:
    try:
        meta = tensor_meta(index)
    except IndexError:  # ExecuTorch's way to say that it is no tensor
        return {"kind": "integer"}
    return {"kind": "tensor", "dtype": _DTYPES.get(meta.dtype()), "bound": tuple(meta.sizes())}
