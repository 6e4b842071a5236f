"""`./bench` measures, checks and reports, from end to end on models that are small enough."""

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from benchmarks import files, machine, measure, plots, report, results  # noqa: E402
from benchmarks.__main__ import main  # noqa: E402
from benchmarks.engines import ENGINES  # noqa: E402
from benchmarks.model import REFERENCE, TORCH, VULKAN  # noqa: E402
from benchmarks.models import MEASURED, MODELS, QUICK, named  # noqa: E402

# Before the second decode the cache is filled by several prompts.
STEPS = {
    "toy": ["prefill 1", "prefill 16", "decode at 8", "decode at 40"],
    "toy-encoder": ["4 tokens", "9 tokens"],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The exit code and the numbers of a run with engines that are here and one that is not."""
    target = tmp_path_factory.mktemp("bench") / "results.json"
    # All at once, in one process of the exporter.
    files.make((VULKAN, TORCH, REFERENCE), MODELS["toy-encoder"], print)
    engines = ["highwater", "torch", "highwater-swiftshader"]
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
        *("settings", "lengths", "repeats", "patience", "quick", "models", "about", "shape"),
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
    assert {"Highwater", "ExecuTorch XNNPACK", "1", "16", "128", "1 ms", "100 ms"} <= set(texts)
    assert "ONNX Runtime CPU" not in texts
    circles = list(svg.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == 2 * 3
    assert all(0 < float(c.get("cx")) < 760 and 0 < float(c.get("cy")) < 400 for c in circles)


def test_tables_replace_the_ones_before(run, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    for _ in range(2):
        report.write_into(page, run[1], {"toy": [tmp_path / "bench-toy-decode.svg"]})
    text = page.read_text()
    assert text.count("(bench-toy-decode.svg)") == 1
    assert text.startswith(f"before\n{report.BEGIN}\n") and text.endswith(f"{report.END}\nafter\n")
    assert "old" not in text and text.count("### toy:") == text.count("### toy-encoder:") == 1

    page.write_text("no marks")
    with pytest.raises(ValueError, match="write-docs"):
        report.write_into(page, run[1])


def test_the_page_has_a_place_for_the_tables():
    text = (ROOT / "docs" / "performance.md").read_text()
    assert text.count(report.BEGIN) == text.count(report.END) == 1


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
