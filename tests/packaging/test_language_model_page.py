"""What the README says of language models: the command makes what is tested, the example runs."""

import dataclasses
import shlex
import sys

import llamas
import spelling
from conftest import run
from executorch.examples.models.llama.export_llama_lib import build_args_parser
from executorch.extension.llm.export.config.llm_config import LlmConfig
from test_pages import examples


def test_the_command_asks_for_a_model_like_those_that_are_tested(tmp_path):
    (script,) = [text for text in examples("sh") if "export_llama" in text]
    python, flag, module, *arguments = shlex.split(script.replace("\\\n", " "))
    assert (python, flag) == ("python", "-m")
    assert module == "executorch.examples.models.llama.export_llama"
    asked = LlmConfig.from_args(build_args_parser().parse_args(arguments))
    tested = llamas.make_config(tmp_path, llamas.VARIANTS["4w"])
    for part in ("model", "quantization", "backend", "debug"):
        assert dataclasses.asdict(getattr(asked, part)) == dataclasses.asdict(
            getattr(tested, part)
        ), part


def test_the_runner_prints_what_torch_says(tmp_path):
    (script,) = [text for text in examples("python") if "TextLLMRunner" in text]
    llama = llamas.build("4w")
    (tmp_path / "llama.pte").write_bytes(llama.pte)
    tokenizer = spelling.write_tokenizer(tmp_path / "tokenizer.json")
    output = run(sys.executable, "-c", script, cwd=tmp_path)

    model, position = llama.fresh(), 0
    for prompt in ("How far is the sea?", "And the hills?"):
        said = spelling.tokens_until_end(tokenizer, model, prompt, 16, position)
        assert tokenizer.decode(said, skip_special_tokens=False) in output.splitlines(), output
        position += len(tokenizer.encode(prompt).ids) + len(said) - 1
