"""`highwater export`: a model to a program that Highwater runs."""

from pathlib import Path
from typing import Any

import click

from highwater.cli import terminal
from highwater.errors import HighwaterError, check_installed, first_line

LANGUAGE_MODELS = (
    "params",
    "embedding_quantize",
    "full_logits",
    "max_seq_length",
    "max_context_length",
    "rope_scale",
    "bos_id",
    "eos_id",
)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
COUNT = click.IntRange(min=1)


class Embedding(click.ParamType):
    """BITS,GROUP: as `export_llama` spells it."""

    name = "bits,group"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        bits, _, group = value.partition(",")
        # With 8, a program would ask for an op of the CPU that few runners have.
        if bits != "4" or not group.isdecimal() or not int(group):
            self.fail(f"{value!r} is not like 4,32: 4 bits, and a group size.", param)
        return int(bits), int(group)


@click.command()
@click.argument("source")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default="model.pte", show_default=True
)
@click.option("--tokenizer", type=FILE, help="Copied beside the output, as tokenizer.json.")
@click.option("--fp16", is_flag=True, help="Compute in 16 bits, where the adapter can.")
@click.option("--params", type=FILE, help="Of a .pth checkpoint.  [default: params.json beside it]")
@click.option(
    "-q",
    "--quantize",
    type=click.Choice(["none", "4w", "8da4w", "int8", "fp16"]),
    default="none",
    show_default=True,
    help="4w: weights in 4 bits. 8da4w: what they are multiplied with in 8 bits, too. int8: all in "
    "8 bits, for functions that return data to calibrate with. fp16: as --fp16.",
)
@click.option("--group-size", type=COUNT, default=32, show_default=True, help="Weights a scale.")
@click.option(
    "--embedding-quantize",
    type=Embedding(),
    help="Bits of the embedding and weights a scale, such as 4,32.",
)
@click.option("--full-logits", is_flag=True, help="Logits of all tokens, not just of the last.")
@click.option(
    "--max-seq-length",
    type=click.IntRange(min=3),
    default=128,
    show_default=True,
    help="One more than the most tokens in a call.",
)
@click.option(
    "--max-context-length",
    type=COUNT,
    help="The most tokens that are remembered.  [default: as --max-seq-length]",
)
@click.option(
    "--rope-scale", type=COUNT, help="Llama 3.1: 8, Llama 3.2: 32; if params.json lacks it."
)
@click.option("--bos-id", type=int, help="The token that begins a text, for runners.")
@click.option("--eos-id", type=int, multiple=True, help="A token that ends it; may be repeated.")
@click.option("--partial", is_flag=True, help="Leave to the CPU what Highwater cannot run.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Show all that torch and ExecuTorch say.")
@click.pass_context
def command(
    context: click.Context, source: str, as_json: bool, verbose: bool, **given: Any
) -> None:
    """Makes a .pte program of a model, and says what of it runs on Highwater.

    SOURCE is one of

    \b
      file.py:function     a function that returns (torch module, example inputs,
      package.mod:function   dynamic shapes), as torch.export takes them, and as a
                             fourth inputs to calibrate with, for -q int8
      llama.pth            a checkpoint for ExecuTorch's export_llama, with its
                             params.json: Llama, Qwen and others of that family
      folder               a Llama, Mistral, Qwen2 or Qwen3 as Hugging Face keeps
                             it: config.json and safetensors
      org/name             the same, from Hugging Face's hub

    --params and the options from --embedding-quantize to --eos-id are for language models. A
    folder's tokenizer.json is copied beside the output, and so is the file that --tokenizer names:
    runners look for a model.pte and its tokenizer.json in the same folder. The tokens that begin
    and end a text are kept in the program, as get_bos_id and get_eos_ids.

    \b
    Examples:
      highwater export model.py:gate -o gate.pte
      highwater export model.py:encoder -q 4w --group-size 64 -o encoder.pte
      highwater export llama.pth -q 4w --embedding-quantize 4,32 -o llama.pte
      highwater export ./Qwen3-0.6B -q 8da4w --max-context-length 2048
    """
    from highwater.cli import export_report
    from highwater.exporting import recipes
    from highwater.exporting import source as sources

    what = sources.parse(source)
    if isinstance(what, sources.Function):
        _refuse(context, LANGUAGE_MODELS, "is for language models, not for functions")
    else:
        if given["quantize"] == "int8":
            raise click.UsageError("--quantize int8 is for functions, not for language models.")
        if not isinstance(what, sources.Checkpoint):
            _refuse(context, ("params", "rope_scale"), "is for .pth checkpoints")
    request = recipes.Request(
        what,
        _checked_output(given["output"]),
        language_model(given),
        given["params"],
        given["rope_scale"],
        given["tokenizer"],
        given["partial"],
    )
    for package in ("torch", "executorch"):
        check_installed(package, "export", "highwater export")
    report = _export(request, verbose)
    if as_json:
        terminal.say_json(report.as_json())
    else:
        terminal.say(export_report.as_text(report))
    if report.unsupported:
        raise terminal.Failure(
            f"{report.output} is written, but Highwater cannot run it: it has no "
            f"{', '.join(report.unsupported)}. Write the module in other ops, or keep these out of "
            "the delegate with the partitioner's operator_blocklist."
        )


def _refuse(context: click.Context, names: tuple[str, ...], why: str) -> None:
    for name in names:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"--{name.replace('_', '-')} {why}.")


def _checked_output(output: Path) -> Path:
    if output.suffix != ".pte":
        raise click.UsageError(f"--output must end in .pte, and is {output}.")
    if output.is_dir():
        raise click.UsageError(f"--output is a folder: {output}.")
    output.parent.mkdir(parents=True, exist_ok=True)
    return output


def language_model(given: dict[str, Any]) -> Any:
    """The recipe's options, of the command's."""
    from highwater.exporting.llama import Options

    seq_length = given["max_seq_length"]
    context_length = given["max_context_length"] or seq_length
    if context_length < seq_length:
        raise click.UsageError(
            f"--max-context-length is {context_length}, less than the {seq_length} of "
            "--max-seq-length."
        )
    quantization = given["quantize"]
    return Options(
        quantization=None if quantization in ("none", "fp16") else quantization,
        group_size=given["group_size"],
        embedding=given["embedding_quantize"],
        half=given["fp16"] or quantization == "fp16",
        full_logits=given["full_logits"],
        max_seq_length=seq_length,
        max_context_length=context_length,
        bos_id=given["bos_id"],
        eos_ids=given["eos_id"],
    )


def _export(request: Any, verbose: bool) -> Any:
    """With progress on stderr and the noise in a log, which is shown if something fails."""
    from highwater.exporting import advice, noise, recipes

    log = noise.Log()
    try:
        with terminal.Progress() as progress, noise.kept(log, verbose) as reasons:
            report = recipes.export(request, progress, reasons)
    except KeyboardInterrupt:
        log.remove()
        raise KeyboardInterrupt(
            f"Stopped while {progress.current}; {request.output} was not written."
        ) from None
    except HighwaterError:
        log.remove()
        raise
    except Exception as error:
        log.file.write(f"{error}\n")
        terminal.remark(terminal.paint(log.tail(), "faint"))
        raise terminal.Failure(
            f"It failed while {progress.current}: {type(error).__name__}: "
            f"{first_line(str(error))} {advice.on(error, progress.current)} "
            f"(all that was said is in {log.path})"
        ) from error
    log.remove()
    return report
