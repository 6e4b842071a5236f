"""Attributes of other packages that are ours for a while."""

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def replaced(*replacements: tuple[Any, str, Any]) -> Iterator[None]:
    """Each (owner, name, value) is an attribute that has this value meanwhile."""
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in replacements]
    for owner, name, value in replacements:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
