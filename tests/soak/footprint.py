"""What a process holds: memory, file handles, threads. In a long run none of it may grow."""

import gc
import os
from dataclasses import dataclass, field
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
# Allocators keep what they were given back, and a driver what it compiled: memory is compared with
# the largest of the first third, and this much more is nobody's.
SLACK = 24 << 20


@dataclass(frozen=True)
class Footprint:
    memory: int
    handles: int
    threads: int

    @staticmethod
    def now() -> "Footprint":
        gc.collect()
        resident = int(Path("/proc/self/statm").read_text().split()[1])
        handles, threads = (len([*Path("/proc/self", kind).iterdir()]) for kind in ("fd", "task"))
        return Footprint(resident * PAGE, handles, threads)


@dataclass
class Growth:
    """Footprints over time."""

    seen: list[Footprint] = field(default_factory=list)

    def look(self) -> None:
        self.seen.append(Footprint.now())

    def trouble(self) -> list[str]:
        early, late = self.seen[: max(len(self.seen) // 3, 1)], self.seen[-1]
        found = []
        most = max(each.memory for each in early)
        if late.memory > most + SLACK:
            found.append(f"memory grew from {most >> 20} to {late.memory >> 20} MiB")
        for what in ("handles", "threads"):
            before, after = max(getattr(each, what) for each in early), getattr(late, what)
            if after > before:
                found.append(f"{what} grew from {before} to {after}")
        return found

    def __str__(self) -> str:
        first, last = self.seen[0], self.seen[-1]
        return (
            f"memory {first.memory >> 20} to {last.memory >> 20} MiB, handles {first.handles} to "
            f"{last.handles}, threads {first.threads} to {last.threads}"
        )
