"""Runs the operator catalogue of the ExecuTorch wheel on Highwater.

Every case runs twice: as its suite defines it, and exported again with a dynamic dimension, over a
sequence of lengths. Cases run in worker processes; one that crashes its worker has failed.
"""

import argparse
import json
import multiprocessing
import multiprocessing.connection
import os
import sys
import time
from collections import Counter, defaultdict, deque
from dataclasses import asdict
from pathlib import Path

from support.catalogue_outcome import (
    FAILED,
    LIVE,
    PASSED,
    STATIC,
    STATIC_ONLY,
    UNSUPPORTED,
    Outcome,
)

LOGS = Path(__file__).resolve().parents[3] / "build" / "catalogue"
SECONDS_PER_CASE = 300


def work(connection, log: Path) -> None:
    """The life of a worker process."""
    with log.open("w") as sink:
        # ExecuTorch and the driver write to the descriptors, not to Python's streams.
        os.dup2(sink.fileno(), 1)
        os.dup2(sink.fileno(), 2)
        from support import catalogue_worker

        catalogue_worker.answer(connection)


class Worker:
    """A process that answers for one (case, mode) at a time."""

    def __init__(self, number: int):
        LOGS.mkdir(parents=True, exist_ok=True)
        self.log = LOGS / f"worker-{number}.log"
        self.number = number
        self.task: tuple[str, str] | None = None
        self.since = time.monotonic()
        # A fork would share the parent's GPU and torch threads.
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=work, args=(other, self.log), daemon=True)
        self.process.start()
        other.close()

    def give(self, task: tuple[str, str]) -> None:
        self.task = task
        self.since = time.monotonic()
        self.connection.send(task)

    @property
    def overdue(self) -> bool:
        return self.task is not None and time.monotonic() - self.since > SECONDS_PER_CASE

    def stop(self) -> None:
        self.connection.close()
        self.process.join(timeout=10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()

    def obituary(self) -> str:
        self.process.join(timeout=10)
        code = self.process.exitcode
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return f"the worker ended with {how}: {' / '.join(lines[-3:])}"


def run_all(names: list[str], jobs: int, report) -> list[Outcome]:
    """Runs each case in both modes; calls `report(outcome, done, total)` after each."""
    # Both modes of a case go to the same worker, which then builds its module once.
    waiting = deque((name, [STATIC, LIVE]) for name in names)
    mine: dict[Worker, list] = {}
    outcomes: list[Outcome] = []
    total = 2 * len(names)

    def finish(outcome: Outcome) -> None:
        outcomes.append(outcome)
        report(outcome, len(outcomes), total)

    def next_task(worker: Worker) -> None:
        worker.task = None
        if not mine[worker] and waiting:
            name, modes = waiting.popleft()
            mine[worker] = [(name, mode) for mode in modes]
        if mine[worker]:
            worker.give(mine[worker].pop(0))

    def skip_if_unsupported(worker: Worker, answer: Outcome) -> None:
        """What has no kernel at one shape has none at many: it need not be exported again."""
        if answer.status == UNSUPPORTED:
            for name, mode in mine[worker]:
                finish(Outcome(name, mode, UNSUPPORTED, answer.detail, answer.group))
            mine[worker].clear()

    def replace(worker: Worker, why: str) -> None:
        task, left = worker.task, mine.pop(worker)
        worker.connection.close()
        if task is None:
            raise RuntimeError(f"a worker does not start: {why}")
        finish(Outcome(*task, FAILED, why, seconds=time.monotonic() - worker.since))
        mine[Worker(worker.number)] = left

    for number in range(min(jobs, len(names))):
        mine[Worker(number)] = []
    while len(outcomes) < total:
        ready = multiprocessing.connection.wait([w.connection for w in mine], timeout=5)
        for worker in list(mine):
            if worker.connection in ready:
                try:
                    answer = worker.connection.recv()
                except (EOFError, ConnectionResetError):
                    replace(worker, worker.obituary())
                    continue
                if answer is not None:
                    finish(answer)
                    skip_if_unsupported(worker, answer)
                next_task(worker)
            elif worker.overdue:
                worker.process.kill()
                replace(worker, f"no answer for {SECONDS_PER_CASE} s")
    for worker in mine:
        worker.stop()
    return outcomes


def summary(outcomes: list[Outcome]) -> str:
    """The one line of counts, then what is not supported yet, by operator."""
    counts = Counter((outcome.mode, outcome.status) for outcome in outcomes)

    def part(mode, statuses):
        return ", ".join(f"{counts[mode, status]} {status}" for status in statuses) + f" ({mode})"

    statuses = [PASSED, FAILED, UNSUPPORTED]
    lines = [f"catalogue: {part(STATIC, statuses)}; {part(LIVE, [*statuses, STATIC_ONLY])}"]
    groups = defaultdict(dict)
    for outcome in outcomes:
        if outcome.status == UNSUPPORTED:
            groups[outcome.group].setdefault(outcome.case)
    for group, cases in sorted(groups.items()):
        lines.append(f"  not yet supported: {group} ({len(cases)}): {', '.join(cases)}")
    return "\n".join(lines)


def failures(outcomes: list[Outcome]) -> list[str]:
    return [f"{o.case} ({o.mode}): {o.detail}" for o in outcomes if o.status == FAILED]


def select(only: str) -> list[str]:
    from support import catalogue_cases

    return [name for name in catalogue_cases.all_cases() if only in name]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="SUBSTR", default="", help="cases whose name has SUBSTR")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (default: 2)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write every outcome to FILE")
    parser.add_argument("--list", action="store_true", help="list the names of the cases and stop")
    parser.add_argument("--why", action="store_true", help="say why a case is static only")
    arguments = parser.parse_args()

    names = select(arguments.only)
    if not names:
        parser.error(f"no case has {arguments.only!r} in its name")
    if arguments.list:
        print("\n".join(names))
        return 0

    def report(outcome: Outcome, done: int, total: int) -> None:
        plain = outcome.status == PASSED or (outcome.status == STATIC_ONLY and not arguments.why)
        line = f"[{done}/{total}] {outcome.case} ({outcome.mode}): {outcome.status}"
        detail = "" if plain else f": {outcome.detail}"
        if sys.stdout.isatty() and plain:
            print(f"\r\x1b[K{line}", end="", flush=True)
        else:
            print(f"\r\x1b[K{line}{detail}" if sys.stdout.isatty() else line + detail, flush=True)

    outcomes = run_all(names, arguments.jobs, report)
    if sys.stdout.isatty():
        print("\r\x1b[K", end="")
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(o) for o in outcomes], indent=1))
    for failure in failures(outcomes):
        print(f"FAILED {failure}")
    print(summary(outcomes))
    return 1 if failures(outcomes) else 0


if __name__ == "__main__":
    os.environ.setdefault("XDG_RUNTIME_DIR", os.environ.get("TMPDIR", "/tmp"))
    sys.exit(main())
