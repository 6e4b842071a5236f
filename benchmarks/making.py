"""Makes the files that are missing, of several models at a time, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import environments, files
from benchmarks.model import Maker, Model

# An exporter of the largest model takes about so much.
BYTES_A_PROCESS = 5 << 30
SECONDS_BETWEEN_LOOKS = 0.2


@dataclass
class Job:
    """Files of one model that one module makes: it takes seconds to import what exporters need."""

    model: Model
    maker: Maker
    names: list[str] = field(default_factory=list)
    process: subprocess.Popen | None = None

    def __str__(self) -> str:
        return f"{self.model.name} ({', '.join(self.names)})"

    def reads(self) -> list[Path]:
        return [files.path(name, self.model) for name in self.maker.reads]

    def start(self) -> None:
        python = environments.interpreter(self.maker.environments[0])
        pairs = [f"{name}={files.path(name, self.model)}" for name in self.names]
        with files.maker_log(self.maker, self.model).open("w") as log:
            self.process = subprocess.Popen(
                [
                    *(python, "-m", f"benchmarks.{self.maker.module}", self.model.name),
                    *(*pairs, *self.reads()),
                ],
                cwd=files.ROOT,
                stdout=log,
                stderr=subprocess.STDOUT,
            )


def missing(wanted: Iterable[tuple[Model, Iterable[str]]]) -> list[Job]:
    """What makes the files that are not there, what is read before what reads it."""
    jobs: dict[tuple[str, str], Job] = {}

    def want(model: Model, name: str) -> None:
        if files.path(name, model).exists():
            return
        maker = model.makers[name]
        for read in maker.reads:
            want(model, read)
        job = jobs.setdefault((model.name, maker.module), Job(model, maker))
        if name not in job.names:
            job.names.append(name)

    for model, names in wanted:
        for name in names:
            want(model, name)
    return list(jobs.values())


def make(wanted: Iterable[tuple[Model, Iterable[str]]], say) -> None:
    """Makes what can be made; what is not there afterwards has a log that says why."""
    waiting = missing(wanted)
    if not waiting:
        return
    total, since = len(waiting), time.monotonic()
    running: list[Job] = []
    try:
        with ThreadPoolExecutor() as pool:
            names = {name for job in waiting for name in job.maker.environments}
            installed = {name: pool.submit(environments.python, name, say) for name in names}
            while waiting or running:
                running = [job for job in running if job.process.poll() is None]
                _start_what_can(waiting, running, installed)
                done = total - len(waiting) - len(running)
                if running:
                    what = f"Exporting, {done} of {total} done: {', '.join(map(str, running))}"
                    say(what, f"{time.monotonic() - since:.0f} s")
                time.sleep(SECONDS_BETWEEN_LOOKS)
    finally:
        for job in running:
            job.process.kill()


def _start_what_can(waiting: list[Job], running: list[Job], installed: dict[str, Future]) -> None:
    for job in list(waiting):
        needed = [installed[name] for name in job.maker.environments]
        coming = {(each.model.name, name) for each in (*waiting, *running) for name in each.names}
        reads = {(job.model.name, name) for name in job.maker.reads}
        if len(running) >= at_once() or not all(one.done() for one in needed) or reads & coming:
            continue
        waiting.remove(job)
        # Without its packages, or what it reads, it is given up: who wants the file is told why.
        if not any(one.exception() for one in needed) and all(p.exists() for p in job.reads()):
            job.start()
            running.append(job)


def at_once() -> int:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, memory // BYTES_A_PROCESS))
