"""Saves the partitioner most of its time on small programs."""

import contextlib
import functools
from collections.abc import Iterator


@contextlib.contextmanager
def made_once() -> Iterator[None]:
    """The partitioner exports the modules of its fusion patterns when it looks for them, and again
    for each delegate that it builds. Within this, only once."""
    from executorch.backends.vulkan.patterns import fusable_patterns

    entries = [entry for entry in fusable_patterns.values() if entry.get_graphs_fn is not None]
    makers = [entry.get_graphs_fn for entry in entries]
    for entry in entries:
        entry.get_graphs_fn = functools.cache(entry.get_graphs_fn)
    try:
        yield
    finally:
        for entry, maker in zip(entries, makers, strict=True):
            entry.get_graphs_fn = maker
