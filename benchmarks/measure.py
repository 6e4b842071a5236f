"""Measures engines on a model, in rounds: what else the machine does hits all of them alike."""

import statistics
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import environments, files, machine
from benchmarks.engines import ENGINES, Engine
from benchmarks.model import REFERENCE, Model, Step
from benchmarks.worker import Failed, Worker

# Decoding needs a filled cache. That takes a prefill, but just one.
PATIENCE_TO_FILL = 4

# What a step will take is told by the one before it; but one token costs about as much as a few.
CHEAPLY_TOGETHER = 4

SWIFTSHADER_PLACES = (
    "/usr/lib/chromium/vk_swiftshader_icd.json",
    "/usr/lib/chromium-browser/vk_swiftshader_icd.json",
    "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
)


@dataclass(frozen=True)
class Settings:
    lengths: list[int]  # of prompts
    repeats: int
    patience: float  # seconds that an engine may spend on the repeats of one step
    swiftshader: Path | None = None  # the manifest of the Vulkan driver
    quick: bool = False  # of models that do not read prompts, just the smallest step
    context: int | None = None  # tokens that Llamas have room for, if that was asked for


@dataclass
class Record:
    """What is known of one engine on one model; see `results` for what becomes of it."""

    engine: type[Engine]
    python: Path | None = None
    variables: dict[str, str] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)
    worker: Worker | None = None
    facts: dict = field(default_factory=dict)
    steps: dict[str, dict] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    failed: str | None = None
    seconds_a_unit: float = 0.0  # of work, in the last step without a cache
    filled: int = 0  # tokens that the cache has seen


def find_swiftshader() -> Path | None:
    return next((Path(place) for place in SWIFTSHADER_PLACES if Path(place).exists()), None)


def on_swiftshader(engine: type[Engine]) -> bool:
    return engine.swiftshader == "always" or (
        engine.swiftshader == "without a GPU" and not machine.has_gpu()
    )


def variables(engine: type[Engine], settings: Settings) -> dict[str, str]:
    """The environment variables with which the engine's process starts."""
    chosen = {"XDG_RUNTIME_DIR": tempfile.gettempdir(), "ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER": "1"}
    if on_swiftshader(engine):
        if settings.swiftshader is None or not settings.swiftshader.exists():
            raise environments.Unavailable(
                "needs SwiftShader, which is not here (Debian: apt-get install chromium-common)"
            )
        chosen["VK_ICD_FILENAMES"] = str(settings.swiftshader)
    return chosen


class Measurement:
    def __init__(self, model: Model, engines: list[str], settings: Settings, say):
        self.model = model
        self.settings = settings
        self.say = say
        self.steps = model.steps(settings.lengths, settings.quick)
        self.records = [Record(ENGINES[name]) for name in engines]

    def files(self) -> list[str]:
        """Those that its engines need."""
        needs = {record.engine.needs for record in self.records} & set(self.model.forms)
        return sorted({*needs, REFERENCE})

    def prepare(self) -> None:
        """Finds what engines need, or the reason why they have none."""
        for record in self.records:
            self._guarded(record, self._prepare)

    def run(self) -> list[Record]:
        try:
            for record in self._living():
                self._guarded(record, self._start)
            for step in self.steps:
                self._measure(step)
            for record in self._living():
                self._guarded(record, lambda r: r.facts.update(r.worker.memory()))
        finally:
            for record in self.records:
                if record.worker:
                    record.worker.close()
        return self.records

    def cpu_seconds(self) -> float:
        """What all engines have taken so far."""
        return sum(record.worker.cpu_seconds for record in self.records if record.worker)

    def _living(self) -> list[Record]:
        return [record for record in self.records if not record.failed]

    @staticmethod
    def _guarded(record: Record, action) -> None:
        try:
            action(record)
        except (Failed, environments.Unavailable) as reason:
            record.failed = str(reason)

    def _prepare(self, record: Record) -> None:
        engine = record.engine
        if engine.needs not in self.model.forms:
            raise environments.Unavailable(self.model.lacks[engine.needs])
        record.variables = variables(engine, self.settings)
        record.python = environments.python(engine.environment, self.say)
        engine.prepare(self.say)
        for name in (engine.needs, REFERENCE):
            record.paths[name] = files.path(name, self.model)
            if not record.paths[name].exists():
                log = files.maker_log(self.model.makers[name], self.model)
                raise environments.Unavailable(f"not exported: see {log.relative_to(files.ROOT)}")

    def _start(self, record: Record) -> None:
        self.say(f"{self.model.name}: {record.engine.title} loads")
        record.worker = Worker(
            record.python, record.engine, self.model, record.paths, record.variables
        )
        record.facts = record.worker.load()

    def _measure(self, step: Step) -> None:
        ready = []
        for record in self._living():
            self.say(f"{self.model.name}: {step.name}", f"{record.engine.title} warms up")
            self._guarded(record, lambda r: self._warm_up(r, step))
            if not record.failed and step.name in record.steps:
                ready.append(record)
        runs: dict[str, list[dict]] = {record.engine.name: [] for record in ready}
        for turn in range(self.settings.repeats):
            for record in ready:
                taken = runs[record.engine.name]
                spent = sum(run["wall_ms"] for run in taken) / 1e3
                if record.failed or (taken and spent > self.settings.patience):
                    continue
                count = f"{turn + 1} of {self.settings.repeats}"
                self.say(f"{self.model.name}: {step.name}", f"{record.engine.title}, {count}")
                self._guarded(record, lambda r, taken=taken: taken.append(r.worker.step(step)))
        for record in ready:
            self._conclude(record, step, runs[record.engine.name])

    def _warm_up(self, record: Record, step: Step) -> None:
        missing = max(0, step.position - record.filled)
        needed = record.seconds_a_unit * (step.work + missing)
        patience = self.settings.patience * (PATIENCE_TO_FILL if step.position else 1)
        if needed > patience:
            record.left_out[step.name] = f"would take about {needed:.0f} s"
            return
        for part in self.model.portions(record.filled, step.position):
            record.worker.step(part)
            record.filled = part.position + part.work
        first = record.worker.step(step)
        record.steps[step.name] = {"warm_up_ms": first["wall_ms"]}

    def _conclude(self, record: Record, step: Step, runs: list[dict]) -> None:
        if not runs:
            del record.steps[step.name]
            return
        entry = record.steps[step.name]
        entry["runs"] = len(runs)
        for what in ("wall_ms", "cpu_ms"):
            entry[what] = statistics.median(run[what] for run in runs)
        entry["error"] = max(run["error"] for run in runs)
        entry["same_choice"] = all(run["same_choice"] for run in runs)
        end = step.position + step.work
        record.filled = end if record.engine.takes_back else max(record.filled, end)
        if not step.position:
            record.seconds_a_unit = entry["wall_ms"] / 1e3 / max(step.work, CHEAPLY_TOGETHER)
