"""Text to tokens and back, with whichever tokenizer a model comes with."""

import contextlib
import importlib.util
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from highwater import _native
from highwater.errors import HighwaterError, need


class Tokenizer(Protocol):
    """What generating text needs of a tokenizer. Any object with these two methods will do."""

    def encode(self, text: str) -> list[int]: ...

    def decode(self, tokens: Sequence[int]) -> str: ...


class _ByteLevel:
    """A tokenizer.json of the byte-level BPE kind, which the engine's own tools read."""

    def __init__(self, path: Path) -> None:
        self._tokenizer = _native.Tokenizer.open(path)

    def encode(self, text: str) -> list[int]:
        return self._tokenizer.encode(text)

    def encode_more(self, text: str) -> list[int]:
        """Of a text that goes on with another: without a token that begins one."""
        return self._tokenizer.encode(text, goes_on=True)

    def decode(self, tokens: Sequence[int]) -> str:
        return self._tokenizer.decode(tokens)


class _HuggingFace:
    """A tokenizer.json of any kind."""

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer as HuggingFaceTokenizer

        self._tokenizer = HuggingFaceTokenizer.from_buffer(path.read_bytes())

    def encode(self, text: str) -> list[int]:
        return self._tokenizer.encode(text).ids

    def encode_more(self, text: str) -> list[int]:
        """Of a text that goes on with another: without a token that begins one."""
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, tokens: Sequence[int]) -> str:
        return self._tokenizer.decode(list(tokens), skip_special_tokens=True)


def _json_tokenizer(path: Path) -> Tokenizer:
    """By our own code, or where it does not know the kind, by Hugging Face's package."""
    try:
        return _ByteLevel(path)
    except HighwaterError as error:
        if importlib.util.find_spec("tokenizers") is None:
            raise HighwaterError(
                f"{error}; the package 'tokenizers' knows other kinds: pip install tokenizers"
            ) from None
        return _HuggingFace(path)


class _Llama:
    """A tokenizer.model: SentencePiece or tiktoken, told apart by ExecuTorch's own package."""

    # A tokenizer.json says itself whether a text begins with a special token; these do not.
    leaves_out_begin_token = True

    def __init__(self, path: Path) -> None:
        what = "a tokenizer.model (a tokenizer.json does not)"
        get_tokenizer = need("pytorch_tokenizers", "executorch", what).get_tokenizer
        with contextlib.redirect_stdout(io.StringIO()):  # it prints which kind it tries
            self._tokenizer = get_tokenizer(str(path))

    def encode(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, bos=False, eos=False)

    def decode(self, tokens: Sequence[int]) -> str:
        return self._tokenizer.decode(list(tokens))


def load_tokenizer(path: str | Path | None, model: Path | None) -> Tokenizer:
    """The tokenizer at `path`, or the one that lies beside the model."""
    if path is None:
        if model is None:
            raise HighwaterError("a model in memory has no tokenizer beside it: say where it is")
        beside = [model.with_name(name) for name in ("tokenizer.json", "tokenizer.model")]
        path = next((p for p in beside if p.is_file()), None)
        if path is None:
            raise HighwaterError(
                f"there is no tokenizer.json or tokenizer.model beside {model}: say where it is"
            )
    path = Path(path)
    if not path.is_file():
        raise HighwaterError(f"there is no tokenizer at {path}")
    try:
        return _json_tokenizer(path) if path.suffix == ".json" else _Llama(path)
    except HighwaterError:
        raise
    except Exception as error:
        raise HighwaterError(f"{path} cannot be read as a tokenizer: {error}") from error


class TextStream:
    """Tokens in, text out, as soon as it is certain.

    Not every token is text by itself: a character may be spread over several, and a decoder may
    treat the first token of a text in its own way. So a short run of tokens is decoded together.
    """

    _WINDOW = 16

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._tokens: list[int] = []
        self._given = ""  # of what self._tokens say

    def add(self, token: int) -> str:
        """The text that this token completes; empty in the middle of a character."""
        self._tokens.append(token)
        text = self._tokenizer.decode(self._tokens)
        if text.endswith("\N{REPLACEMENT CHARACTER}"):
            return ""
        new = text[len(self._given) :]
        self._given = text
        if len(self._tokens) >= 2 * self._WINDOW:
            self._tokens = self._tokens[-self._WINDOW :]
            self._given = self._tokenizer.decode(self._tokens)
        return new

    def end(self) -> str:
        """What is left when no further token will come."""
        return self._tokenizer.decode(self._tokens)[len(self._given) :]
