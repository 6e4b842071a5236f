"""A model on a device: load it once, run it at any live shape, let it write."""

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from highwater import _native
from highwater.arguments import text, texts
from highwater.errors import HighwaterError
from highwater.files import ModelFile, Source, check_generates, open_file, open_runner
from highwater.generation import Generation, Sampling, Turns
from highwater.tokenizers import Tokenizer, load_tokenizer

Progress = Callable[[str, int, int], None]


class Model:
    """A loaded model. Make one with `highwater.load`.

    `inputs` and `outputs` tell what each is: its kind, dtype, and largest dims.
    """

    def __init__(self, file: ModelFile, native: Any) -> None:
        self.path = file.path  # None of one that was in memory
        self._file = file
        self._native = native
        self._turns = Turns()
        self.closed = False
        self.inputs: list[dict[str, Any]] = native.inputs
        self.outputs: list[dict[str, Any]] = native.outputs

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Runs at the live shapes of the inputs: NumPy arrays, torch tensors, or ints.

        Inputs may be given by name where the file tells their names, as `highwater export` writes
        them. They are not copied on the host if they are contiguous and of the model's dtype. Gives
        the output, or a tuple of several: torch tensors if any input was one, else NumPy arrays.
        """
        if named:
            inputs = self._in_order(inputs, named)
        outputs = self._native.run(*inputs)
        if any(type(x).__module__.partition(".")[0] == "torch" for x in inputs):
            import torch

            outputs = [x if isinstance(x, int) else torch.from_numpy(x) for x in outputs]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    __call__ = forward

    def _in_order(self, inputs: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        names = [given.get("name") for given in self.inputs]
        rest = names[len(inputs) :]
        for name in named:
            if name not in rest:
                twice = name in names
                what = f"{name} is given twice" if twice else f"there is no input {name!r}"
                known = ", ".join(filter(None, names)) or "none, for the file tells no names"
                raise HighwaterError(f"{what}; there are: {known}")
        missing = [name for name in rest if name not in named]
        if missing:
            raise HighwaterError(f"no input was given for {', '.join(map(str, missing))}")
        return [*inputs, *(named[name] for name in rest)]

    def __repr__(self) -> str:
        if self.closed:
            return f"<highwater.Model {self._file}, closed>"
        inputs = ", ".join(map(_described, self.inputs))
        return f"<highwater.Model {self._file} ({inputs}) on {self.adapter}>"

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
        for beside the model. With `goes_on`, the prompt follows on the text so far: that of the
        generation that was begun, or asked for a piece, last. The same seed gives the same text;
        without one, each call is different.
        """
        native = self._generator()
        if tokenizer is None or isinstance(tokenizer, str | Path):
            tokenizer = load_tokenizer(tokenizer, self.path)
        before = self._text_so_far() if goes_on else []
        encode = tokenizer.encode
        if before:
            encode = getattr(tokenizer, "encode_more", encode)
        tokens = encode(prompt) if isinstance(prompt, str) else _tokens(prompt)
        begin = native.begin_token
        adds_none = getattr(tokenizer, "leaves_out_begin_token", False)
        if adds_none and begin is not None and not before:
            tokens = [begin, *tokens]
        if seed is None:
            seed = secrets.randbits(63)
        return Generation(
            native,
            tokens,
            tokenizer,
            before=before,
            turns=self._turns,
            max_new_tokens=max_new_tokens,
            sampling=Sampling(temperature, top_k, top_p, seed),
            stop=texts("stop", stop),
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
        return {**self._native.run_accounts, "kernels": self._native.kernels}

    @property
    def load_accounts(self) -> dict[str, Any]:
        """What loading took."""
        return self._native.load_accounts

    @property
    def adapter(self) -> str:
        """The name of the adapter that it runs on."""
        return self._native.adapter

    def close(self) -> None:
        """Gives the device's memory back. The model cannot be used afterwards.

        Waits for a run that another thread has under way.
        """
        self.closed = True
        self._native.close()

    def __enter__(self) -> "Model":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def generator(self) -> _native.Generator:
        """What is behind `generate`: appends, draws and takes back single tokens."""
        native = self._generator()
        # What is done by hand is the text so far from here on.
        native.set_text(self._text_so_far())
        self._turns.last = None
        return native

    def _text_so_far(self) -> list[int]:
        last = self._turns.last
        return self._generator().text if last is None else last.whole

    def _generator(self) -> _native.Generator:
        native = self._native
        if not isinstance(native, _native.Generator):
            check_generates(self._file)
            raise HighwaterError(f"{self._file} was loaded for another method than 'forward'")
        return native


def _described(spec: dict[str, Any]) -> str:
    if spec["kind"] != "tensor":
        return spec["kind"]
    return f"{spec['dtype']} of at most {'x'.join(map(str, spec['bound'])) or 'one element'}"


def load(
    path: Source,
    *,
    device: str | int | None = None,
    method: str = "forward",
    half_cache: bool | None = None,
    without_passes: Sequence[str] = (),
    timeout_seconds: float | None = None,
    recover: bool = False,
    progress: Progress | None = None,
) -> Model:
    """Loads a `.pte` file that VulkanPartitioner or WebGPUPartitioner exported.

    `path` may also be a folder with a `model.pte` in it, the name of a model that ships with
    Highwater, or what a file holds, as bytes.

    `device` is an adapter: its index in `highwater.devices()`, or a part of its name. `half_cache`
    says whether the attention caches of a float32 model are kept as float16; if nothing is said,
    they are on a GPU with `shader-f16`. `without_passes` names rewrites to leave out.
    `timeout_seconds` is how long a run may take before the device is given up: 300, if nothing is
    said; infinity is no limit. With `recover`, a device that is lost is opened again, what was lost
    with it is loaded again, and the call goes on; `generate` reads its text again, and gives what
    it would have given. `progress` is called with what is being done, how much of it is, and out of
    how much.

    A model of several delegates with CPU ops between them is run through ExecuTorch, which
    `pip install 'highwater[executorch]'` brings.
    """
    if progress is not None and not callable(progress):
        raise HighwaterError(f"progress is {progress!r}; a function is wanted")
    options = dict(
        adapter="" if device is None else str(device),
        half_cache=None if half_cache is None else bool(half_cache),
        without_passes=",".join(texts("without_passes", without_passes)),
        timeout_seconds=timeout_seconds,
        recover=bool(recover),
        progress=progress,
    )
    file = open_file(path)
    return Model(file, open_runner(file, text("method", method), options))


def _tokens(prompt: Any) -> list[int]:
    try:
        return list(prompt)
    except TypeError:
        raise HighwaterError(
            f"the prompt is {prompt!r}; a text, or a list of tokens, is wanted"
        ) from None
