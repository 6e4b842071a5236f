"""`./bench` measures, checks and reports, from end to end on models that are small enough."""

import json
import re
import sys
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from benchmarks import files, llama_gguf, machine, making, measure, plots, report, results  # noqa: E402
from benchmarks.__main__ import main  # noqa: E402
from benchmarks.engines import ENGINES  # noqa: E402
from benchmarks.model import GGUF, ONNX, REFERENCE, WEIGHTS, XNNPACK, Maker  # noqa: E402
from benchmarks.models import MEASURED, MODELS, QUICK, named  # noqa: E402
from benchmarks.network import Encoder  # noqa: E402

# Before the second decode the cache is filled by several prompts.
STEPS = {
    "toy": ["prefill 1", "prefill 16", "decode at 8", "decode at 40"],
    "toy-encoder": ["4 tokens", "9 tokens"],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The exit code and the numbers of a run with engines that are here and one that is not."""
    target = tmp_path_factory.mktemp("bench") / "results.json"
    engines = ["highwater", "torch", "llama.cpp", "highwater-swiftshader"]
    words = ["--models", *STEPS, "--engines", *engines, "--lengths", "16", "1", "--repeats", "2"]
    places = ["--json", str(target), "--swiftshader", str(target.parent / "missing.json")]
    code = main([*words, *places])
    return code, json.loads(target.read_text())


def keys(value) -> set[str]:
    """Of all dicts within, except those that are names of models, engines and steps."""
    if not isinstance(value, dict):
        return set()
    own = set(value) - set(MODELS) - set(ENGINES) - set().union(*STEPS.values())
    return own.union(*(keys(inner) for name, inner in value.items() if name != "shape"))


def test_the_numbers_are_those_that_are_documented(run):
    code, found = run
    assert code == 0
    assert keys(found) == {
        *("made", "machine", "processor", "cores", "load_before", "taken_by_others"),
        *(
            "settings",
            "lengths",
            "repeats",
            "patience",
            "quick",
            "context",
            "models",
            "about",
            "shape",
        ),
        *("engines",),
        *("title", "what", "verdict", "failed", "tolerance", "load", "memory", "before_load"),
        *("peak", "steps", "wall_ms", "cpu_ms", "runs", "warm_up_ms", "error", "same_choice"),
        *("wall_ratio", "cpu_ratio", "compared_with", "left_out"),
    }
    documented = set(re.findall(r"\w+", results.__doc__))
    assert keys(found) <= documented


@pytest.mark.parametrize("model", STEPS)
def test_each_step_was_measured_and_is_torchs(run, model):
    highwater = run[1]["models"][model]["engines"]["highwater"]
    assert highwater["verdict"] == "right"
    assert list(highwater["steps"]) == run[1]["models"][model]["steps"] == STEPS[model]
    for step in highwater["steps"].values():
        assert 0 <= step["error"] < 1e-5
        assert step["same_choice"]
        assert step["runs"] == 2
        assert step["wall_ms"] > 0 and step["cpu_ms"] > 0
        assert step["wall_ratio"] == step["cpu_ratio"] == 1
    assert highwater["load"]["wall_ms"] > 0
    assert highwater["memory"]["peak"] > highwater["memory"]["before_load"] > 0


def test_an_engine_that_is_not_here_is_named_with_a_reason(run):
    absent = run[1]["models"]["toy"]["engines"]["highwater-swiftshader"]
    assert absent["verdict"] == "failed"
    assert "SwiftShader" in absent["failed"]
    assert absent["failed"] in report.as_text(run[1])
    assert absent["failed"] in report.as_markdown(run[1])


def test_an_engine_that_cannot_run_a_model_is_named_with_a_reason(run):
    models = run[1]["models"]
    assert models["toy-encoder"]["engines"]["torch"]["verdict"] == "right"
    without = models["toy"]["engines"]["torch"]
    assert without["tolerance"] is None and not without["steps"]
    assert f"torch: not measured; {without['failed']}" in report.as_text(run[1])


def test_tables_have_a_cell_for_each_step(run):
    for name, steps in STEPS.items():
        for what in ("wall", "cpu"):
            header, row, *_ = report.times_table(run[1]["models"][name], what)
            assert header == ["", *steps]
            assert row[0] == "Highwater"
            assert all(float(cell) > 0 for cell in row[1:])


@pytest.mark.parametrize("name", MODELS)
def test_each_engine_has_a_file_of_a_model_or_a_reason(name):
    model = MODELS[name]
    for engine in ENGINES.values():
        assert (engine.needs in model.forms) != (engine.needs in model.lacks)
    for file in model.forms:
        assert all((ROOT / source).exists() for source in model.makers[file].sources)


def test_a_quick_run_has_one_column_of_each_network():
    for name in QUICK:
        brief, whole = (MODELS[name].steps([1, 64], quick) for quick in (True, False))
        assert len(brief) == (3 if name == "tiny" else 1) and brief == whole[: len(brief)]


def test_help_tells_how_to_choose(capsys):
    with pytest.raises(SystemExit) as exit:
        main(["--help"])
    assert exit.value.code == 0
    text = capsys.readouterr().out
    assert all(re.search(rf"^  {name} +\w", text, re.M) for name in [*MEASURED, *ENGINES])
    assert "toy" not in text


def measured(name: str, **step) -> measure.Record:
    whole = dict(wall_ms=4.0, cpu_ms=6.0, runs=1, warm_up_ms=9.0, error=0.0, same_choice=True)
    return measure.Record(ENGINES[name], steps={"prefill 1": {**whole, **step}})


def collected(*records: measure.Record, lengths=(1,)) -> dict:
    settings = measure.Settings(list(lengths), 1, 15)
    found = results.collect([(MODELS["toy"], list(records))], settings, 0.5, 0.1)
    return found["models"]["toy"]


def test_wrong_numbers_are_not_compared():
    model = collected(measured("highwater"), measured("onnx-webgpu", error=0.5))
    assert model["engines"]["highwater"]["verdict"] == "right"
    assert model["engines"]["onnx-webgpu"]["verdict"] == "wrong"
    assert report.times_table(model, "wall")[2][1] == "wrong"


def test_steps_are_in_order_whatever_was_left_out():
    slow, fast = measured("highwater"), measured("xnnpack")
    slow.left_out = {"prefill 128": "would take about 99 s"}
    slow.steps["decode at 8"] = slow.steps["prefill 1"]
    fast.steps["prefill 128"] = fast.steps["prefill 16"] = fast.steps["prefill 1"]
    model = collected(slow, fast, lengths=(128, 16, 1))
    header, row, _ = report.times_table(model, "cpu")
    assert header == ["", "prefill 1", "prefill 16", "prefill 128", "decode at 8", "decode at 40"]
    assert row == ["Highwater", "6.00", "–", "too slow", "6.00", "–"]


def test_a_ratio_is_in_units_of_highwater():
    model = collected(measured("xnnpack", wall_ms=2.0), measured("highwater"))
    assert model["engines"]["xnnpack"]["steps"]["prefill 1"]["wall_ratio"] == 0.5
    assert report.times_table(model, "wall")[1][1] == "2.00 (0.5×)"
    alone = collected(measured("xnnpack"))["engines"]
    assert alone["xnnpack"]["steps"]["prefill 1"]["wall_ratio"] is None


def test_an_engine_on_swiftshader_is_compared_on_swiftshader():
    lavapipe, same = measured("highwater"), measured("highwater-swiftshader", wall_ms=8.0)
    engines = collected(lavapipe, same, measured("onnx-webgpu", wall_ms=80.0))["engines"]
    assert engines["highwater-swiftshader"]["steps"]["prefill 1"]["wall_ratio"] == 2
    # On a machine with a GPU it runs there, and so does Highwater.
    expected = 20 if machine.has_gpu() else 10
    assert engines["onnx-webgpu"]["steps"]["prefill 1"]["wall_ratio"] == expected


def test_a_longer_context_is_decoded_in_more_places():
    model = named("tiny@8192")
    assert model.context == 8192
    assert model.decode_at == (128, 512, 2048, 8191)
    assert model.fingerprint() != named("tiny").fingerprint()
    lengths = model.checked_lengths()
    start = 0
    for place in model.decode_at:
        parts = model.portions(start, place)
        assert [part.position for part in parts] == [start, *(p.position + p.work for p in parts)][
            :-1
        ]
        for part in parts:
            assert 1 <= part.work <= model.longest_prompt
            assert part.position + part.work in lengths
        start = parts[-1].position + parts[-1].work
        assert start == place and place + 1 in lengths


def test_plots_have_a_point_for_each_time(tmp_path):
    model = collected(measured("highwater"), measured("xnnpack"), measured("onnx-cpu", error=0.5))
    for engine in model["engines"].values():
        one = engine["steps"]["prefill 1"]
        engine["steps"] |= {"prefill 16": one, "prefill 128": {**one, "wall_ms": 40.0}}
    written = plots.write(tmp_path, {"models": {"toy": model}})
    assert [path.name for path in written["toy"]] == ["bench-toy-prefill.svg"]
    svg = ElementTree.parse(written["toy"][0]).getroot()
    texts = ["".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    # Wrong numbers have no curve, and a single decode has no plot.
    assert {"Highwater", "ExecuTorch XNNPACK", "1", "16", "128", "5 ms", "50 ms"} <= set(texts)
    assert "ONNX Runtime CPU" not in texts
    circles = list(svg.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == 2 * 3
    assert all(0 < float(c.get("cx")) < 760 and 0 < float(c.get("cy")) < 420 for c in circles)
    lines = [line.get("class") for line in svg.iter("{http://www.w3.org/2000/svg}polyline")]
    # Of each engine wall time, CPU time, and the line before its name.
    assert sorted(lines) == sorted(["cpu c0", "wall c0", "wall c0", "cpu c1", "wall c1", "wall c1"])


def test_a_plot_has_round_numbers_about_its_times():
    assert plots._round_numbers(4.0, 40.0) == [2, 5, 10, 20, 50]
    assert plots._round_numbers(1.0, 1.0) == [1, 2]
    assert plots._labelled(plots._round_numbers(0.6, 9000)) == [1, 10, 100, 1e3, 1e4]
    assert [plots._duration(value) for value in (0.5, 20, 1e3, 1e4)] == [
        *("0.5 ms", "20 ms", "1 s", "10 s")
    ]


@pytest.mark.parametrize("context", [None, 8192])
def test_tables_replace_the_ones_before(run, tmp_path, context):
    found = {**run[1], "settings": {**run[1]["settings"], "context": context}}
    page = tmp_path / "page.md"
    marks = [mark for place in report.PLACES.values() for mark in place]
    page.write_text("\n".join(["before", marks[0], "old", marks[1], marks[2], "old", marks[3], ""]))
    for _ in range(2):
        report.write_into(page, found, {"toy": [tmp_path / "bench-toy-decode.svg"]})
    text = page.read_text()
    assert text.count("(bench-toy-decode.svg)") == 1
    assert text.startswith(f"before\n{marks[0]}\n") and text.endswith(f"{marks[3]}\n")
    assert text.count("old") == text.count("### toy:") == text.count("### toy-encoder:") == 1
    between = text[text.index(marks[2]) :] if context else text[: text.index(marks[1])]
    assert "### toy:" in between and "old" not in between

    page.write_text("no marks")
    with pytest.raises(ValueError, match="write-docs"):
        report.write_into(page, found)


def test_the_page_has_a_place_for_the_tables():
    text = (ROOT / "docs" / "performance.md").read_text()
    assert all(text.count(mark) == 1 for place in report.PLACES.values() for mark in place)


@pytest.mark.parametrize(
    "words",
    [
        *(["--lengths", "0"], ["--lengths", "513"], ["--repeats", "0"], ["--engines", "x"]),
        *(["--context", "512"], ["--context", "4096", "--models", "minilm"]),
    ],
)
def test_what_cannot_be_measured_is_refused(words, capsys):
    with pytest.raises(SystemExit) as exit:
        main(words)
    assert exit.value.code == 2
    assert "./bench: error:" in capsys.readouterr().err


def test_llama_cpp_reads_the_same_weights_but_for_their_scales():
    generator = np.random.default_rng(0)
    values = generator.integers(-8, 8, (3, 64)).astype(np.int8)
    scales = generator.random((3, 2)).astype(np.float32)
    blocks = llama_gguf.q4_0(values, scales).reshape(3, 2, 18)
    halves = np.ascontiguousarray(blocks[..., :2]).view(np.float16).astype(np.float32)
    np.testing.assert_allclose(halves[..., 0], scales, rtol=2**-11)
    numbers = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1)
    np.testing.assert_array_equal(numbers.reshape(3, 64).astype(int) - 8, values)


def test_files_are_made_in_the_order_in_which_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "CACHE", tmp_path)
    (exports, graph, gguf) = making.missing([(named("toy"), (ONNX, REFERENCE, GGUF))])
    assert exports.names == [WEIGHTS, REFERENCE]
    assert graph.names == [ONNX] and graph.reads() == gguf.reads() == [
        files.path(WEIGHTS, named("toy"))
    ]
    files.path(WEIGHTS, named("toy")).parent.mkdir(parents=True)
    for name in (WEIGHTS, REFERENCE, ONNX):
        files.path(name, named("toy")).touch()
    (left,) = making.missing([(named("toy"), (ONNX, REFERENCE, GGUF))])
    assert left.names == [GGUF]


def test_a_file_that_cannot_be_made_costs_only_the_engines_that_need_it():
    class Broken(Encoder):
        makers: ClassVar = {**Encoder.makers, XNNPACK: Maker("no_such_module", ("executorch",), ())}

    model = Broken("toy-encoder", 32, 1, 4, 64, 100, lengths=(4, 9), longest=16)
    said = []
    making.make([(model, (XNNPACK,))], lambda *words: said.append(words[0]))
    assert said[0] == "Exporting, 0 of 1 done: toy-encoder (xnnpack.pte)"
    settings = measure.Settings([1], 1, 15)
    measurement = measure.Measurement(model, ["xnnpack", "torch"], settings, print)
    measurement.prepare()
    (broken, _) = measurement.records
    log = files.maker_log(model.makers[XNNPACK], model)
    assert broken.failed == f"not exported: see {log.relative_to(ROOT)}"
    assert "No module named benchmarks.no_such_module" in log.read_text()
