"""The command line of `./bench`."""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import files, machine, making, measure, plots, report, results
from benchmarks.engines import ENGINES
from benchmarks.llama import Llama
from benchmarks.models import MEASURED, MODELS, QUICK, named

EXPLANATION = """\
Measures Highwater next to other engines, on models with random weights: how long they take to load,
how much memory, and how long a call takes at each size of its input. Llamas read a prompt, and then
one more token. Each engine runs in a process of its own, and all of them take turns. Numbers that
are not torch's are called wrong.

Models are exported once and kept under build/bench. That takes minutes the first time, most of them
for mid and for XNNPACK. After that, on a machine without a GPU, a run takes a quarter of an hour.
"""
DEFAULT_LENGTHS = [1, 16, 64, 128, 512]
PAGE = files.ROOT / "docs" / "performance.md"


class Progress:
    """One line that changes on a terminal; elsewhere a line for each thing that takes long."""

    def __init__(self, stream):
        self.stream = stream
        self.terminal = stream.isatty()
        self.last = ""

    def __call__(self, text: str, detail: str = "") -> None:
        if self.terminal:
            line = f"{text}, {detail}" if detail else text
            print(f"\r\x1b[2K{line[:100]} …", end="", file=self.stream, flush=True)
        elif text != self.last:
            print(f"{text} …", file=self.stream, flush=True)
        self.last = text

    def done(self) -> None:
        if self.terminal:
            print("\r\x1b[2K", end="", file=self.stream, flush=True)


def arguments(words: list[str]) -> argparse.Namespace:
    models = "\n".join(f"  {name:24}{MODELS[name].about()}" for name in MEASURED)
    engines = "\n".join(f"  {name:24}{kind.title}" for name, kind in ENGINES.items())
    parser = argparse.ArgumentParser(
        prog="./bench",
        description=EXPLANATION,
        epilog=f"models:\n{models}\n\nengines:\n{engines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--models", nargs="+", choices=MODELS, metavar="MODEL", help="default: all, see below")
    add("--engines", nargs="+", choices=ENGINES, metavar="ENGINE", help="default: all, see below")
    add(
        "--lengths",
        nargs="+",
        type=int,
        metavar="N",
        help="Llamas' prompts (default: 1 16 64 128 512)",
    )
    add(
        "--context",
        type=int,
        metavar="N",
        help="Llamas alone, with room for so many tokens: how long a token takes after more and "
        "more of them",
    )
    add("--repeats", type=int, metavar="N", help="runs of each step (default: 5)")
    add(
        "--patience",
        type=float,
        metavar="S",
        default=10,
        help="seconds that an engine may spend on the runs of one step; a step for which one run "
        "would take longer is left out (default: 10)",
    )
    add(
        "--quick",
        action="store_true",
        help="less of everything: tiny, mobilenet and minilm, prompts of 1 and 64, the smallest "
        "input of other models, 3 runs, and engines for which exports are quickly made",
    )
    add(
        "--swiftshader",
        type=Path,
        metavar="FILE",
        default=measure.find_swiftshader(),
        help="SwiftShader's vk_swiftshader_icd.json (default: where Chromium's package has it)",
    )
    add(
        "--json",
        type=Path,
        metavar="FILE",
        default=files.CACHE / "results.json",
        help="where the numbers go (default: build/bench/results.json)",
    )
    add("--prepare", action="store_true", help="make what is missing, and measure nothing")
    add("--write-docs", action="store_true", help="put tables and plots into docs/, too")
    chosen = parser.parse_args(words)

    quick = chosen.quick
    chosen.models = chosen.models or (QUICK if quick else MEASURED)
    if chosen.context is not None:
        chosen.models = _with_context(parser, chosen.models, chosen.context)
    chosen.engines = chosen.engines or (
        ["highwater", "onnx-cpu", "llama.cpp", "torch"] if quick else list(ENGINES)
    )
    chosen.lengths = sorted(set(chosen.lengths or ([1, 64] if quick else DEFAULT_LENGTHS)))
    chosen.repeats = (3 if quick else 5) if chosen.repeats is None else chosen.repeats
    llamas = [model for model in map(named, chosen.models) if isinstance(model, Llama)]
    longest = min((llama.longest_prompt for llama in llamas), default=max(DEFAULT_LENGTHS))
    if chosen.lengths[0] < 1 or chosen.lengths[-1] > longest:
        parser.error(f"a prompt has 1 to {longest} tokens")
    if chosen.repeats < 1:
        parser.error("a median needs at least one run")
    return chosen


def _with_context(parser, models: list[str], tokens: int) -> list[str]:
    llamas = [name for name in models if isinstance(MODELS[name], Llama)]
    if not llamas:
        parser.error("--context is for Llamas, and none of these models is one")
    least = max(MODELS[name].longest_prompt for name in llamas)
    if tokens <= least:
        parser.error(f"--context must be more than a prompt of {least} tokens")
    return [f"{name}@{tokens}" for name in llamas]


def main(words: list[str]) -> int:
    chosen = arguments(words)
    settings = measure.Settings(
        chosen.lengths,
        chosen.repeats,
        chosen.patience,
        chosen.swiftshader,
        chosen.quick,
        chosen.context,
    )
    progress = Progress(sys.stderr)
    # Making files is not measuring: it is done before the machine is watched.
    measurements = [
        measure.Measurement(named(name), chosen.engines, settings, progress)
        for name in chosen.models
    ]
    making.make([(each.model, each.files()) for each in measurements], progress)
    for measurement in measurements:
        measurement.prepare()
    if chosen.prepare:
        progress.done()
        return _say_what_is_missing(measurements)
    watch = machine.Watch()
    measured = [(measurement.model, measurement.run()) for measurement in measurements]
    own = sum(measurement.cpu_seconds() for measurement in measurements)
    found = results.collect(measured, settings, watch.load_before, watch.taken_by_others(own))
    progress.done()

    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps(found, indent=2) + "\n")
    print(report.as_text(found))
    folder = PAGE.parent if chosen.write_docs else chosen.json.parent
    written = plots.write(folder, found)
    for path in (path for paths in written.values() for path in paths):
        print(f"A plot is in {path}")
    if chosen.write_docs:
        report.write_into(PAGE, found, written)
    good = all(
        engine["verdict"] == "right"
        for model in found["models"].values()
        for name, engine in model["engines"].items()
        if name.startswith("highwater") and engine["steps"]
    )
    return 0 if good else 1


def _say_what_is_missing(measurements: list[measure.Measurement]) -> int:
    """Models that an engine cannot run at all are not missing."""
    missing = [
        f"{measurement.model.name} for {record.engine.title}: {record.failed}"
        for measurement in measurements
        for record in measurement.records
        if record.failed and record.engine.needs in measurement.model.forms
    ]
    print("\n".join(missing) or "All exports are there.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
