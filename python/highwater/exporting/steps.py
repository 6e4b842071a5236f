"""Who is told how far an export has come."""

from typing import Protocol


class Steps(Protocol):
    def step(self, name: str) -> None:
        """`name` as in "loading": what is being done from now on."""
