"""`highwater export` of language models: checkpoints, and folders of Hugging Face."""

import dataclasses
import json
from pathlib import Path

import pytest
import torch
from executorch.examples.models.llama import export_llama_lib
from highwater.cli import export as export_command
from highwater.exporting import hugging_face, llama
from support import hugging_face_models, llamas
from support.cli_export import export, exported
from support.live import WHOLE_MODEL, LiveProgram, assert_same
from torch.utils._pytree import tree_leaves

SHORT = ["--max-seq-length", llamas.BOUND, "--max-context-length", llamas.CONTEXT]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Holds a checkpoint and a tokenizer."""
    folder = tmp_path_factory.mktemp("export")
    # A name that export_llama would take for a kind of checkpoint.
    (folder / "int8").mkdir()
    llamas._write_checkpoint(folder / "int8", {**llamas.PARAMS, "n_layers": 1})
    (folder / "spelling.json").write_text("{}")
    return folder


@pytest.fixture(autouse=True)
def _in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def test_a_checkpoint_with_its_tokenizer(folder, tmp_path):
    output = tmp_path / "llama.pte"
    ids = ["--bos-id", 3, "--eos-id", 4, "--eos-id", 5]
    quantized = ["-q", "4w", "--embedding-quantize", "4,32"]
    report = exported(
        output, "int8/weights.pth", *SHORT, *quantized, *ids, "--tokenizer", "spelling.json"
    )
    assert (tmp_path / "tokenizer.json").read_text() == "{}"
    assert report["tokenizer"] == [str(tmp_path / "tokenizer.json")]
    assert report["delegates"] == 1
    assert not report["cpu"]
    assert report["delegated"]["et_vk.linear_q4gsw.default"] == 8
    assert report["delegated"]["et_vk.embedding_q4gsw.default"] == 1
    assert report["metadata"]["get_bos_id"] == 3
    assert report["metadata"]["get_eos_ids"] == [4, 5]
    assert report["metadata"]["get_max_context_len"] == llamas.CONTEXT
    bounds = report["inputs"][0]["dims"][1]
    assert (bounds["least"], bounds["most"]) == (1, llamas.BOUND - 1)

    config = llamas.make_config(folder / "int8", llamas.VARIANTS["4w"])
    (tmp_path / "plain").symlink_to(folder / "int8")
    config.base.checkpoint = str(tmp_path / "plain" / "weights.pth")
    with llamas._quiet():
        eager = export_llama_lib.get_llama_model(config)[0].eval()
    program, position = LiveProgram(output.read_bytes()), 0
    for count in (13, 1, 1, 20):
        tokens = torch.randint(0, llamas.VOCABULARY, (1, count))
        program.check(
            lambda tokens, position: tree_leaves(eager(tokens, {"input_pos": position}))[0],
            tokens,
            torch.tensor([position]),
            tolerance=WHOLE_MODEL,
        )
        position += count


@pytest.mark.parametrize(
    ("name", "dtype", "files", "ids"),
    [
        ("llama", torch.float32, 1, {"get_bos_id": 7, "get_eos_ids": [8, 9]}),
        ("qwen3", torch.bfloat16, 3, {"get_eos_ids": 5}),
    ],
)
def test_a_folder_of_hugging_face(name, dtype, files, ids, tmp_path):
    model = hugging_face_models.make(name, dtype)
    source = model.write(tmp_path / "model", files)
    (source / "tokenizer.json").write_text("{}")
    output = tmp_path / "exported" / "model.pte"
    report = exported(output, source, *SHORT)
    assert (output.parent / "tokenizer.json").read_text() == "{}"
    assert ids.items() <= report["metadata"].items()
    assert report["delegates"] == 1
    assert not report["cpu"]

    tokens = torch.randint(0, hugging_face_models.VOCABULARY, (40,))
    want = model.logits(tokens)
    program, position = LiveProgram(output.read_bytes()), 0
    for count in (13, 1, 1, 20, 5):
        said = tokens[None, position : position + count]
        (got,) = program.run(said, torch.tensor([position]))
        position += count
        assert_same(got[0], want[position - 1], WHOLE_MODEL, f"{count} tokens up to {position}")


@pytest.mark.parametrize(
    ("arguments", "variant"),
    [
        ([], "fp32"),
        (["-q", "8da4w", "--embedding-quantize", "4,32"], "8da4w"),
        (["-q", "4w", "--embedding-quantize", "4,32", "--fp16"], "4w_half"),
        (["-q", "4w", "--embedding-quantize", "4,32", "--full-logits"], "4w_full_logits"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_options_ask_for_the_models_that_are_tested_elsewhere(arguments, variant, tmp_path):
    line = ["int8", *map(str, SHORT), *arguments]
    given = export_command.command.make_context("export", line).params
    asked = llama._config(tmp_path, export_command.language_model(given), tmp_path / "model.pte")
    asked.base.checkpoint = str(tmp_path / "weights.pth")
    asked.base.metadata = None
    tested = llamas.make_config(tmp_path, llamas.VARIANTS[variant])
    assert dataclasses.asdict(asked) == dataclasses.asdict(tested)


def test_a_name_on_the_hub_without_a_network(monkeypatch):
    import huggingface_hub

    def snapshot_download(name, **_):
        raise ConnectionError(name)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    result = export("highwater-tests/nowhere")
    assert result.exit_code == 1
    assert "There is no folder highwater-tests/nowhere, and a model of that name" in result.stderr


def test_a_name_on_the_hub(monkeypatch, tmp_path):
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda name, **_: tmp_path / name)
    assert hugging_face.find("org/model") == tmp_path / "org/model"
    assert hugging_face.find("int8") == Path("int8"), "a folder is not looked for elsewhere"


PARAMS = {**llamas.PARAMS, "n_layers": 1}


@pytest.mark.parametrize(
    ("params", "arguments", "said"),
    [
        ({**PARAMS, "hidden_dim": 128}, [], "w1.weight is [96, 64], and should be [128, 64]; 2"),
        ({**PARAMS, "n_layers": 2}, [], "layers.1.attention.wq.weight is missing; 8 more"),
        ({**PARAMS, "use_qk_norm": True}, [], "attention.q_norm_fn.weight is missing"),
        ({**PARAMS, "tides": 2}, [], "params.json holds tides, which"),
        ({**PARAMS, "use_scaled_rope": True}, [], "add --rope-scale 8 for Llama 3.1"),
        ([], [], "must hold a JSON object"),
        (PARAMS, ["-q", "4w", "--group-size", 48], "64 wide, cannot be split into groups of 48"),
        (PARAMS, ["--embedding-quantize", "4,48"], "The embedding, 64 wide, cannot be split"),
    ],
)
def test_params_that_do_not_fit(params, arguments, said, tmp_path):
    (tmp_path / "params.json").write_text(json.dumps(params))
    result = export("int8", "--params", tmp_path / "params.json", *arguments)
    assert result.exit_code == 1
    assert said in result.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": "gpt2"}, "Models of the type 'gpt2' are not known here"),
        ({"hidden_act": "gelu"}, "The activation 'gelu' is not known"),
        ({"rope_scaling": {"rope_type": "yarn"}}, "scaled as 'yarn'"),
        ({"partial_rotary_factor": 0.5}, "asks to rotate 0.5 of each head"),
        ({"sliding_window": 16}, "choose a --max-context-length of at most 16"),
        ({"intermediate_size": 128}, "model does not fit its config.json: "),
    ],
)
def test_a_folder_that_does_not_fit(change, said, tmp_path):
    model = hugging_face_models.make("llama")
    model.config = model.config | change
    result = export(model.write(tmp_path / "model"), *SHORT)
    assert result.exit_code == 1
    assert said in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["int8", "--quantize", "int8"],
        ["int8", "--embedding-quantize", "4"],
        ["int8", "--embedding-quantize", "8,32"],
        ["int8", "--max-context-length", "64"],
        ["int8", "--params", "nowhere.json"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2(arguments):
    assert export(*arguments).exit_code == 2
