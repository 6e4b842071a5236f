"""From a source to a .pte and a report, whatever the kind of the source."""

import dataclasses
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from highwater.errors import HighwaterError
from highwater.exporting import (
    checkpoint,
    hugging_face,
    hugging_face_weights,
    llama,
    noise,
    program,
    report,
    source,
    tokenizer,
    torch_module,
)
from highwater.exporting.inputs import Input
from highwater.exporting.steps import Steps


@dataclass(frozen=True)
class Request:
    what: source.Source
    output: Path
    options: llama.Options
    params: Path | None = None
    rope_scale: int | None = None
    tokenizer: Path | None = None
    may_use_cpu: bool = False


def export(request: Request, progress: Steps, reasons: noise.Reasons) -> report.Report:
    since = time.monotonic()
    progress.step("loading")
    # Under another name until it is whole; the suffix is what export_llama expects.
    partial = request.output.with_name(f".{request.output.stem}.partial.pte")
    try:
        match request.what:
            case source.Function(name):
                copies = tokenizer.plan(request.tokenizer, [], request.output)
                inputs = torch_module.export(name, request.options, partial, progress, reasons)
            case source.Checkpoint(weights, params):
                copies = tokenizer.plan(request.tokenizer, [], request.output)
                inputs = _from_checkpoint(request, weights, params, partial, progress)
            case source.HuggingFace(name):
                if not Path(name).is_dir():
                    progress.step("fetching")
                model = hugging_face.read(hugging_face.find(name))
                copies = tokenizer.plan(request.tokenizer, model.tokenizer_files, request.output)
                inputs = _from_hugging_face(request, model, name, partial, progress)
        contents = program.read(partial)
        if contents.cpu and not request.may_use_cpu:
            raise HighwaterError(_left_over(contents, reasons))
        partial.replace(request.output)
    finally:
        partial.unlink(missing_ok=True)
    beside = tokenizer.copy(copies)
    seconds = time.monotonic() - since
    return report.make(request.output, contents, inputs, reasons, seconds, beside)


def _left_over(contents: program.Program, reasons: noise.Reasons) -> str:
    left = ", ".join(
        f"{op} ({reasons.of(op) or 'the partitioner does not say why'})" for op in contents.cpu
    )
    return (
        f"Highwater cannot run {left}. Write the module in other ops, or let the CPU do this with "
        "--partial; such a program needs ExecuTorch's runtime. Nothing was written."
    )


def _from_checkpoint(
    request: Request, weights: Path, params: Path | None, output: Path, progress: Steps
) -> tuple[Input, ...]:
    params = request.params or params
    if params is None:
        raise HighwaterError(f"There is no params.json beside {weights}; name it with --params.")
    values = llama.read_params(params, request.rope_scale)
    checkpoint.check(weights, values, request.options, weights.name, params.name)
    return llama.export(weights, values, request.options, output, progress)


def _from_hugging_face(
    request: Request, model: hugging_face.Model, name: str, output: Path, progress: Steps
) -> tuple[Input, ...]:
    progress.step("loading")
    options = request.options
    if model.window and options.max_context_length > model.window:
        raise HighwaterError(
            f"{name} attends only to its last {model.window} tokens, which export_llama cannot do "
            f"here: choose a --max-context-length of at most {model.window}."
        )
    options = dataclasses.replace(
        options,
        bos_id=model.bos_id if options.bos_id is None else options.bos_id,
        eos_ids=options.eos_ids or model.eos_ids,
    )
    with tempfile.TemporaryDirectory(prefix="highwater-") as folder:
        weights = Path(folder) / "weights.pth"
        hugging_face_weights.write_checkpoint(model, weights)
        checkpoint.check(weights, model.params, options, name, "its config.json")
        return llama.export(weights, model.params, options, output, progress)
