"""What callers give: it is what is wanted, or they are told what is."""

import operator
from typing import Any

from highwater.errors import HighwaterError


def at_least(least: int, name: str, value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise HighwaterError(f"{name} is {value!r}; a whole number is wanted") from None
    if number < least:
        raise HighwaterError(f"{name} is {number}; it must be at least {least}")
    return number


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise HighwaterError(f"{name} is {value!r}; a text is wanted")
    return value


def texts(name: str, value: Any) -> list[str]:
    """One text, or several."""
    if isinstance(value, str):
        return [value]
    try:
        several = list(value)
    except TypeError:
        raise HighwaterError(
            f"{name} is {value!r}; a text, or a list of texts, is wanted"
        ) from None
    return [text(f"{name}[{i}]", one) for i, one in enumerate(several)]
