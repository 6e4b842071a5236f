"""A model on a device: load it once, run it at any live shape, let it write."""

import secrets
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from highwater import _native
from highwater.errors import HighwaterError
from highwater.generation import Generation, Sampling
from highwater.shipped import find_model
from highwater.tokenizers import Tokenizer, load_tokenizer

Progress = Callable[[str, int, int], None]


class Model:
    """A loaded model. Make one with `highwater.load`.

    `inputs` and `outputs` tell what each is: its kind, dtype, and largest dims.
    """

    def __init__(self, path: Path, native: Any) -> None:
        self.path = path
        self._native = native
        self._lock = threading.Lock()  # a native session serves one call at a time
        self.inputs: list[dict[str, Any]] = native.inputs
        self.outputs: list[dict[str, Any]] = native.outputs

    def forward(self, *inputs: Any) -> Any:
        """Runs at the live shapes of the inputs: NumPy arrays, torch tensors, or ints.

        They are not copied on the host if they are contiguous and of the model's dtype. Gives the
        output, or a tuple of several: torch tensors if any input was one, else NumPy arrays.
        """
        with self._lock:
            outputs = self._open.run(*inputs)
        if any(type(x).__module__.partition(".")[0] == "torch" for x in inputs):
            import torch

            outputs = [x if isinstance(x, int) else torch.from_numpy(x) for x in outputs]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    __call__ = forward

    def __repr__(self) -> str:
        if self._native is None:
            return f"<highwater.Model {self.path}, closed>"
        inputs = ", ".join(map(_described, self.inputs))
        return f"<highwater.Model {self.path} ({inputs}) on {self.adapter}>"

    def generate(
        self,
        prompt: str | Sequence[int],
        *,
        tokenizer: str | Path | Tokenizer | None = None,
        max_new_tokens: int = 128,
        temperature: float = 0.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int | None = None,
        stop: str | Sequence[str] = (),
        goes_on: bool = False,
        steps_per_submit: int = 8,
    ) -> Generation:
        """Goes on with a prompt, piece by piece.

        The tokenizer is a file, or an object with `encode` and `decode`; without one, it is looked
        for beside the model. With `goes_on`, the prompt follows on the text so far, which stays on
        the device. The same seed gives the same text; without one, each call is different.
        """
        native = self.generator()
        if tokenizer is None or isinstance(tokenizer, str | Path):
            tokenizer = load_tokenizer(tokenizer, self.path)
        if not goes_on:
            with self._lock:
                native.rewind(0)
        encode = tokenizer.encode
        if native.length > 0:
            encode = getattr(tokenizer, "encode_more", encode)
        tokens = encode(prompt) if isinstance(prompt, str) else list(prompt)
        begin = native.begin_token
        adds_none = getattr(tokenizer, "leaves_out_begin_token", False)
        if adds_none and begin is not None and native.length == 0:
            tokens = [begin, *tokens]
        if seed is None:
            seed = secrets.randbits(63)
        return Generation(
            native,
            tokens,
            tokenizer,
            lock=self._lock,
            max_new_tokens=max_new_tokens,
            sampling=Sampling(temperature, top_k, top_p, seed),
            stop=[stop] if isinstance(stop, str) else stop,
            end_tokens=native.end_tokens,
            steps_per_submit=steps_per_submit,
        )

    @property
    def is_language_model(self) -> bool:
        """Whether it can `generate`."""
        return isinstance(self._native, _native.Generator)

    @property
    def last_run(self) -> dict[str, Any]:
        """The accounts of the last run: dispatches, passes, submits, bytes, seconds, kernels, …"""
        return {**self._open.run_accounts, "kernels": self._open.kernels}

    @property
    def load_accounts(self) -> dict[str, Any]:
        """What loading took."""
        return self._open.load_accounts

    @property
    def adapter(self) -> str:
        """The name of the adapter that it runs on."""
        return self._open.adapter

    def close(self) -> None:
        """Gives the device's memory back. The model cannot be used afterwards."""
        self._native = None

    def __enter__(self) -> "Model":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def _open(self) -> Any:
        if self._native is None:
            raise HighwaterError(f"{self.path} is closed")
        return self._native

    def generator(self) -> _native.Generator:
        """What is behind `generate`: appends, draws and takes back single tokens."""
        native = self._open
        if not isinstance(native, _native.Generator):
            check_generates(self.path)
            raise HighwaterError(f"{self.path} was loaded for another method than 'forward'")
        return native


def _described(spec: dict[str, Any]) -> str:
    if spec["kind"] != "tensor":
        return spec["kind"]
    return f"{spec['dtype']} of at most {'x'.join(map(str, spec['bound'])) or 'one element'}"


def check_generates(path: Path) -> None:
    """Raises, with the reason, if the file is not a language model."""
    try:
        _native.Generator.check(str(path))
    except HighwaterError as error:
        raise HighwaterError(f"{path} cannot generate text: {error}") from None


def load(
    path: str | Path,
    *,
    device: str | int | None = None,
    method: str = "forward",
    half_cache: bool = False,
    without_passes: Sequence[str] = (),
    progress: Progress | None = None,
) -> Model:
    """Loads a `.pte` file that VulkanPartitioner or WebGPUPartitioner exported.

    `path` may also be a folder with a `model.pte` in it, or the name of a model that ships with
    Highwater.

    `device` is an adapter: its index in `highwater.devices()`, or a part of its name. `half_cache`
    keeps the attention caches of a float32 model as float16. `without_passes` names rewrites to
    leave out. `progress` is called with what is being done, how much of it is, and out of how much.

    A model of several delegates with CPU ops between them is run through ExecuTorch.
    """
    path = find_model(path)
    if is_in_pieces(path, method):
        has_options = device is not None or half_cache or bool(without_passes)
        return Model(path, open_in_pieces(path, method, has_options))
    options = dict(
        adapter="" if device is None else str(device),
        half_cache=half_cache,
        without_passes=",".join(without_passes),
        progress=progress,
    )
    return Model(path, _open(path, method, options))


def is_in_pieces(path: Path, method: str) -> bool:
    """Whether ExecuTorch runs it: it has several delegates, or ops for the CPU beside one."""
    found = _native.methods(str(path)).get(method)
    if not found:
        return False
    return len(found["delegates"]) > 1 or bool(found["delegates"] and found["cpu_ops"])


def open_in_pieces(path: Path, method: str, has_options: bool) -> Any:
    """Such a method, with the verbs of a native session."""
    from highwater._executorch import ExecutorchMethod

    if has_options:
        raise HighwaterError(
            f"{path} has ops for the CPU, so that ExecuTorch runs it, which takes no options; "
            "set HIGHWATER_ADAPTER, HIGHWATER_HALF_CACHE or HIGHWATER_WITHOUT_PASSES instead"
        )
    return ExecutorchMethod(path, method)


def _open(path: Path, method: str, options: dict[str, Any]) -> Any:
    """A language model can do all that a session can, and generate text."""
    if method == "forward":
        try:
            _native.Generator.check(str(path))
        except HighwaterError:
            pass
        else:
            return _native.Generator.open(str(path), **options)
    return _native.Session.open(str(path), method=method, **options)
