"""Text to tokens and back, with whichever tokenizer a model comes with."""

import contextlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from highwater.errors import HighwaterError


class Tokenizer(Protocol):
    """What generating text needs of a tokenizer. Any object with these two methods will do."""

    def encode(self, text: str) -> list[int]: ...

    def decode(self, tokens: Sequence[int]) -> str: ...


class _HuggingFace:
    """A tokenizer.json."""

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


class _Llama:
    """A tokenizer.model: SentencePiece or tiktoken, told apart by ExecuTorch's own package."""

    # A tokenizer.json says itself whether a text begins with a special token; these do not.
    leaves_out_begin_token = True

    def __init__(self, path: Path) -> None:
        from pytorch_tokenizers import get_tokenizer

        with contextlib.redirect_stdout(io.StringIO()):  # it prints which kind it tries
            self._tokenizer = get_tokenizer(str(path))

    def encode(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, bos=False, eos=False)

    def decode(self, tokens: Sequence[int]) -> str:
        return self._tokenizer.decode(list(tokens))


def load_tokenizer(path: str | Path | None, model: Path) -> Tokenizer:
    """The tokenizer at `path`, or the one that lies beside the model."""
    if path is None:
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
        return _HuggingFace(path) if path.suffix == ".json" else _Llama(path)
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
