"""What a run of the benchmark found, as it is written to `build/bench/results.json`:

made            when, as an ISO date
machine         processor, cores; load_before, the load average when it began; taken_by_others,
                the share of all cores' time that went to other processes while it measured
settings        lengths, repeats, patience, quick; context, the tokens that Llamas were given room
                for, or null if that was not asked for
models          by name:
  about         its size in a few words
  shape         dim, layers, heads, …; or classes and sizes
  steps         their names, in the order of a table
  engines       by name:
    title       for a table
    what        version, kind of numbers, device
    verdict     "right", "wrong" (an error above the tolerance in some step), or "failed"
    failed      why, or null
    tolerance   how far outputs may be from torch's, or null if the engine cannot run the model.
                Torch computes in float32 with the same weights, and in int8 as a program says
    load        wall_ms, cpu_ms
    memory      before_load and peak: bytes of the process, which has the engine's packages
                imported before it loads
    steps       by name, "prefill 64", "decode at 128" or "224×224":
      wall_ms, cpu_ms   medians; CPU time is that of all threads of the process
      runs              how many they are medians of
      warm_up_ms        the call before those
      error             the largest norm of a difference to torch's output, over its norm
      same_choice       whether the largest number of the output was always torch's
      wall_ratio, cpu_ratio   times those of compared_with, or null if that has none
    compared_with   the engine that ratios are relative to: Highwater, on the same adapter if this
                engine runs on SwiftShader
    left_out    by step: why it was not measured
"""

import datetime
import os
from dataclasses import asdict

from benchmarks import machine
from benchmarks.engines import Highwater, HighwaterOnSwiftShader
from benchmarks.measure import Record, Settings, on_swiftshader
from benchmarks.model import Model


def collect(
    measured: list[tuple[Model, list[Record]]],
    settings: Settings,
    load_before: float,
    taken_by_others: float,
) -> dict:
    return {
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": {
            "processor": machine.processor(),
            "cores": os.cpu_count(),
            "load_before": round(load_before, 2),
            "taken_by_others": round(taken_by_others, 3),
        },
        "settings": {
            "lengths": settings.lengths,
            "repeats": settings.repeats,
            "patience": settings.patience,
            "quick": settings.quick,
            "context": settings.context,
        },
        "models": {
            model.name: {
                "about": model.about(),
                "shape": asdict(model),
                "steps": [step.name for step in model.steps(settings.lengths, settings.quick)],
                "engines": _engines(model, records),
            }
            for model, records in measured
        },
    }


def _engines(model: Model, records: list[Record]) -> dict:
    by_name = {record.engine.name: record for record in records}
    found = {}
    for name, record in by_name.items():
        other = _compared_with(record)
        baseline = by_name[other].steps if other in by_name else {}
        found[name] = {**_engine(model, record, baseline), "compared_with": other}
    return found


def _compared_with(record: Record) -> str:
    same_adapter = on_swiftshader(record.engine) and record.engine is not HighwaterOnSwiftShader
    return (HighwaterOnSwiftShader if same_adapter else Highwater).name


def _engine(model: Model, record: Record, baseline: dict[str, dict]) -> dict:
    facts = record.facts
    form = model.forms.get(record.engine.needs)
    tolerance = form and form.tolerance
    steps = {
        name: {
            **step,
            **{
                f"{what}_ratio": step[f"{what}_ms"] / baseline[name][f"{what}_ms"]
                if name in baseline
                else None
                for what in ("wall", "cpu")
            },
        }
        for name, step in record.steps.items()
    }
    return {
        "title": record.engine.title,
        "what": facts.get("what"),
        "verdict": _verdict(record, tolerance),
        "failed": record.failed,
        "tolerance": tolerance,
        "load": {what: facts.get(what) for what in ("wall_ms", "cpu_ms")},
        "memory": {
            "before_load": facts.get("bytes_before_load"),
            "peak": facts.get("peak_bytes"),
        },
        "steps": steps,
        "left_out": record.left_out,
    }


def _verdict(record: Record, tolerance: float | None) -> str:
    if any(step["error"] > tolerance for step in record.steps.values()):
        return "wrong"
    return "failed" if record.failed else "right"
