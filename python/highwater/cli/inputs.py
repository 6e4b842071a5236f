"""Inputs on the command line: what `--input` takes, and the arrays that come of it.

    1x37x64                a random tensor of that shape for the next input
    tokens=1x37, 0=1x37    the same for an input by its name, or by its place
    0=1x37:32000           random integers below 32000 rather than below 100
    input_pos=12           a number, for an integer or a tensor of one element
    0=photo.npy            what NumPy saved
    0=raw.bin:1x37x64      elements as they are in memory, of the input's dtype

An input that is not given is random and as large as it can be; a single integer is 0.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

HELP = """An input: a shape for a random one (1x37), a number, a .npy file, or raw.bin:1x37; after
NAME= or 0= for a certain one.  [default: random, as large as can be; 0 for a number]"""
IDS = 100  # random integers are below this: most vocabularies are larger

option = click.option(
    "-i", "--input", "inputs", multiple=True, metavar="[NAME=]VALUE", help=" ".join(HELP.split())
)

# Python does not read integers of more than some thousand digits, and nothing is as large.
_SHAPE = r"\d{1,18}(?:x\d{1,18})*"
_KEYED = re.compile(r"(\w+)=(.*)", re.DOTALL)
_RANDOM = re.compile(rf"({_SHAPE})(?::(\d{{1,18}}))?")
_RAW = re.compile(rf"(.+\.bin)(?::({_SHAPE}))?", re.DOTALL)


def arrays(specs: Sequence[dict[str, Any]], given: Sequence[str], seed: int = 0) -> list[Any]:
    """A NumPy array, or an int, for each of a session's `inputs`. The same seed gives the same."""
    import numpy as np

    places = _places(specs)
    texts = _assign(places, given)
    random = np.random.default_rng(seed)
    return [_value(place, texts.get(place.index), random) for place in places]


def labels(specs: Sequence[dict[str, Any]], values: Sequence[Any]) -> list[str]:
    """What each value is, in a few words: "tokens 1x37 int64"."""
    return [_label(*pair) for pair in zip(_places(specs), values, strict=True)]


@dataclass(frozen=True)
class Place:
    """An input that wants a value."""

    index: int
    name: str
    dtype: str | None  # None for an integer that is not a tensor
    bound: tuple[int, ...]

    def __str__(self) -> str:
        named = f" ({self.name})" if self.name != f"input{self.index}" else ""
        return f"input {self.index}{named}"

    @property
    def wants(self) -> str:
        return "an integer" if self.dtype is None else f"{self.dtype} of at most {self.size}"

    @property
    def size(self) -> str:
        return _text(self.bound)

    @property
    def is_number(self) -> bool:
        """Whether a number on the command line is its value rather than its shape."""
        return self.dtype is None or math.prod(self.bound) == 1

    def refuse(self, what: str) -> click.UsageError:
        return click.UsageError(f"{str(self).capitalize()} is {self.wants}; {what}.")

    def check(self, shape: Sequence[int]) -> None:
        fits = len(shape) == len(self.bound) and all(
            d <= b for d, b in zip(shape, self.bound, strict=True)
        )
        if not fits:
            raise self.refuse(f"{_text(shape)} does not fit")


def _label(place: Place, value: Any) -> str:
    if place.is_number:
        return f"{place.name} = {value if isinstance(value, int) else value.item()}"
    return f"{place.name} {_text(value.shape)} {value.dtype}"


def _places(specs: Sequence[dict[str, Any]]) -> list[Place]:
    names = [spec.get("name") or f"input{i}" for i, spec in enumerate(specs)]
    if _is_language_model(specs) and not any("name" in spec for spec in specs):
        names = ["tokens", "input_pos"]  # as export_llama calls them; files do not keep names
    return [
        Place(i, name, spec.get("dtype"), tuple(spec.get("bound", ())))
        for i, (name, spec) in enumerate(zip(names, specs, strict=True))
    ]


def _is_language_model(specs: Sequence[dict[str, Any]]) -> bool:
    integers = [s for s in specs if str(s.get("dtype", "")).startswith("int")]
    if len(specs) != 2 or len(integers) != 2:
        return False
    tokens, position = (tuple(s["bound"]) for s in integers)
    return len(tokens) == 2 and tokens[0] == 1 and position == (1,)


def _assign(places: Sequence[Place], given: Sequence[str]) -> dict[int, str]:
    """Which text is for which input: those without a key fill the places that are left."""
    texts: dict[int, str] = {}
    unkeyed = []
    for text in given:
        keyed = _KEYED.fullmatch(text)
        if not keyed:
            unkeyed.append(text)
            continue
        key, value = keyed.groups()
        place = _find(places, key)
        if place.index in texts:
            raise click.UsageError(f"{str(place).capitalize()} is given twice.")
        texts[place.index] = value
    left = [place.index for place in places if place.index not in texts]
    if len(unkeyed) > len(left):
        raise click.UsageError(
            f"{len(given)} inputs are given, and the model takes {_counted(places)}."
        )
    texts.update(zip(left, unkeyed, strict=False))
    return texts


def _find(places: Sequence[Place], key: str) -> Place:
    for place in places:
        if key in (place.name, str(place.index)):
            return place
    raise click.UsageError(f"There is no input {key!r}; the model takes {_counted(places)}.")


def _counted(places: Sequence[Place]) -> str:
    return f"{len(places)}: " + "; ".join(f"{place}, {place.wants}" for place in places)


def _value(place: Place, text: str | None, random: Any) -> Any:
    if place.dtype is None:
        return 0 if text is None else _integer(place, text)
    if text is None:
        is_position = place.is_number and place.dtype.startswith("int")
        return _full(place, 0) if is_position else _random(place, place.bound, IDS, random)
    if text.endswith(".npy"):
        return _saved(place, text)
    if raw := _RAW.fullmatch(text):
        return _raw(place, raw[1], _parsed(raw[2]) if raw[2] else place.bound)
    if place.is_number and (number := _number(text)) is not None:
        return _full(place, number)
    if shaped := _RANDOM.fullmatch(text):
        return _random(place, _parsed(shaped[1]), int(shaped[2] or IDS), random)
    raise place.refuse(f"{text!r} is neither a shape such as {place.size} nor a .npy or .bin file")


def _integer(place: Place, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise place.refuse(f"{text!r} is not") from None


def _number(text: str) -> float | None:
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        return None


def _full(place: Place, number: float) -> Any:
    import numpy as np

    try:
        if place.dtype and "int" in place.dtype and not float(number).is_integer():
            raise place.refuse(f"{number} is not a whole number")
        return np.full(place.bound, number, place.dtype)
    except OverflowError:
        raise place.refuse(f"{number} does not fit") from None


def _random(place: Place, shape: tuple[int, ...], below: int, random: Any) -> Any:
    import numpy as np

    place.check(shape)
    dtype = np.dtype(place.dtype)
    if dtype.kind == "f":
        return random.standard_normal(shape).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if not 0 < below <= np.iinfo(dtype).max:
        raise place.refuse(f"there are no random numbers below {below}")
    return random.integers(0, below, shape).astype(dtype)


def _saved(place: Place, path: str) -> Any:
    import numpy as np

    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise place.refuse(f"{path} cannot be read: {error}") from None
    place.check(array.shape)
    wanted = np.dtype(place.dtype)
    if (array.dtype, wanted) == (np.dtype("int64"), np.dtype("int32")):
        return array  # the engine looks at each whether it fits
    if not np.can_cast(array.dtype, wanted, "same_kind"):
        raise place.refuse(f"{path} holds {array.dtype}")
    return array.astype(wanted, copy=False)


def _raw(place: Place, path: str, shape: tuple[int, ...]) -> Any:
    import numpy as np

    place.check(shape)
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise place.refuse(f"{path} cannot be read: {why}") from None
    dtype = np.dtype(place.dtype)
    wanted = math.prod(shape) * dtype.itemsize
    if len(content) != wanted:
        raise place.refuse(f"{_text(shape)} has {wanted} bytes, and {path} has {len(content)}")
    return np.frombuffer(content, dtype).reshape(shape)


def _parsed(shape: str) -> tuple[int, ...]:
    return tuple(map(int, shape.split("x")))


def _text(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "one element"
