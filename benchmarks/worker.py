"""The process in which one engine runs one model, and its owner's end of it.

    python -m benchmarks.worker ENGINE MODEL FILE=PATH...

reads a question a line from stdin and answers with a line of JSON. A process of its own for each
engine is what makes memory and CPU time that engine's.
"""

import json
import os
import select
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from benchmarks import files, machine
from benchmarks.engines import ENGINES, Engine
from benchmarks.model import REFERENCE, Model, Step
from benchmarks.models import named

LONGEST_WAIT = 900  # seconds


class Failed(Exception):
    """An engine cannot do what it was asked, and says why."""


class Worker:
    """The owner's end."""

    def __init__(self, python: Path, engine: type[Engine], model: Model, paths, variables):
        self.log = files.log_file(f"{model.name}-{engine.name}")
        self.cpu_seconds = 0.0
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    *(python, "-m", "benchmarks.worker", engine.name, model.name),
                    *(f"{name}={path}" for name, path in paths.items()),
                ],
                cwd=files.ROOT,
                env={**os.environ, **variables},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def _ask(self, **question) -> dict:
        line = ""
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], LONGEST_WAIT)[0]:
                raise Failed(f"no answer within {LONGEST_WAIT} s")
            line = self.process.stdout.readline()
        except BrokenPipeError:
            pass
        if not line:
            raise Failed(f"ended: see {self.log.relative_to(files.ROOT)}")
        answer = json.loads(line)
        self.cpu_seconds = answer.pop("cpu_seconds_so_far", self.cpu_seconds)
        if "failed" in answer:
            raise Failed(answer["failed"])
        return answer

    def load(self) -> dict:
        return self._ask(ask="load")

    def step(self, step: Step) -> dict:
        return self._ask(ask="step", **asdict(step))

    def memory(self) -> dict:
        return self._ask(ask="memory")

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


class Bench:
    """The engine's end."""

    def __init__(self, engine: str, model: Model, paths: dict[str, Path]):
        self.kind = ENGINES[engine]
        self.model = model
        self.paths = paths

    def load(self) -> dict:
        import numpy as np

        self.numpy = np
        with np.load(self.paths[REFERENCE]) as reference:
            self.reference = dict(reference)
        self.engine = self.kind()
        before = machine.resident_bytes("VmRSS")
        path = self.paths[self.kind.needs]
        answer = self._timed(lambda: self.engine.load(path, self.model))[0]
        what = self.engine.describe(self.model.forms[self.kind.needs].numbers)
        return {**answer, "bytes_before_load": before, "what": what}

    def step(self, **fields) -> dict:
        step = Step(**fields)
        inputs = self.model.inputs(step, self.reference)
        answer, output = self._timed(lambda: self.engine.step(*inputs))
        expected = self.model.expected(step, self.reference)
        norm = self.numpy.linalg.norm
        error = float(norm(output - expected) / norm(expected))
        return {**answer, "error": error, "same_choice": bool(output.argmax() == expected.argmax())}

    def memory(self) -> dict:
        return {"peak_bytes": machine.resident_bytes("VmHWM")}

    @staticmethod
    def _timed(call):
        cpu, wall = time.process_time(), time.perf_counter()
        result = call()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        return {"wall_ms": wall * 1e3, "cpu_ms": cpu * 1e3}, result


def answer_questions(bench: Bench) -> None:
    # Libraries print what they like to stdout; it goes where their errors go.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = getattr(bench, question.pop("ask"))(**question)
        except Exception as error:  # noqa: BLE001  (whatever an engine throws is its answer)
            words = str(error).strip().splitlines() or [type(error).__name__]
            answer = {"failed": words[0]}
        answer["cpu_seconds_so_far"] = time.process_time()
        print(json.dumps(answer), file=replies, flush=True)


if __name__ == "__main__":
    engine, model, *paths = sys.argv[1:]
    given = dict(pair.split("=", 1) for pair in paths)
    answer_questions(Bench(engine, named(model), {k: Path(v) for k, v in given.items()}))
