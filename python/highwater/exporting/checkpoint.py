"""Whether a checkpoint, its params and the options fit together: told before any work is done.

`export_llama` would take a checkpoint with more layers than its params ask for, leave layers
unquantized that cannot be split into groups, and speak of the rest in pages.
"""

from pathlib import Path
from typing import Any

from highwater.errors import HighwaterError, first_line
from highwater.exporting.llama import Options

Shapes = dict[str, tuple[int, ...]]


def check(
    checkpoint: Path, params: dict[str, Any], options: Options, name: str, params_name: str
) -> None:
    """`name` and `params_name` are what the user knows the first two by."""
    model = _meta_model(params, params_name, options)
    wanted = {k: tuple(v.shape) for k, v in model.state_dict().items() if _is_weight(k)}
    _compare(_shapes(checkpoint), wanted, name, params_name)
    _check_groups(model, options)


def _is_weight(name: str) -> bool:
    return name.endswith((".weight", ".bias"))


def _shapes(checkpoint: Path) -> Shapes:
    import torch

    try:
        weights = torch.load(checkpoint, map_location="meta", mmap=True, weights_only=True)
    except OSError as error:
        raise HighwaterError(f"{checkpoint} cannot be read: {error.strerror}.") from error
    except Exception as error:
        raise HighwaterError(
            f"{checkpoint} is not a checkpoint that torch.load takes with mmap and weights only: "
            f"{first_line(str(error))}"
        ) from error
    weights = weights.get("model", weights) if isinstance(weights, dict) else None
    if not isinstance(weights, dict):
        raise HighwaterError(f"{checkpoint} must hold a dict of weights by name.")
    return {k: tuple(v.shape) for k, v in weights.items() if _is_weight(k)}


def _meta_model(params: dict[str, Any], params_name: str, options: Options) -> Any:
    import torch
    from executorch.examples.models.llama.llama_transformer import construct_transformer
    from executorch.examples.models.llama.model_args import ModelArgs

    known = set(ModelArgs.__dataclass_fields__)
    unknown = sorted(set(params) - known)
    if unknown:
        raise HighwaterError(
            f"{params_name} holds {', '.join(unknown)}, which ExecuTorch's Llama does not know."
        )
    lengths = dict(max_seq_len=options.max_seq_length, max_context_len=options.max_context_length)
    try:
        with torch.device("meta"):
            return construct_transformer(ModelArgs(**{**params, **lengths}))
    except (AssertionError, TypeError, ValueError, RuntimeError, ZeroDivisionError) as error:
        raise HighwaterError(
            f"{params_name} describes no model: {first_line(str(error)) or repr(error)}"
        ) from error


def _compare(have: Shapes, want: Shapes, name: str, params_name: str) -> None:
    different = [
        f"{key} is {list(have[key])}, and should be {list(want[key])}"
        for key in want
        if key in have and have[key] != want[key]
    ]
    missing = [f"{key} is missing" for key in want if key not in have]
    extra = [f"{key} is too much" for key in have if key not in want]
    problems = different + missing + extra
    if problems:
        more = f"; {len(problems) - 1} more do not fit" if len(problems) > 1 else ""
        raise HighwaterError(f"{name} does not fit {params_name}: {problems[0]}{more}.")


def _check_groups(model: Any, options: Options) -> None:
    import torch

    for name, layer in model.named_modules():
        if isinstance(layer, torch.nn.Linear) and options.quantization:
            _check_group(f"The weights of {name}", layer.in_features, options.group_size)
        if isinstance(layer, torch.nn.Embedding) and options.embedding:
            _check_group("The embedding", layer.embedding_dim, options.embedding[1])


def _check_group(what: str, width: int, group: int) -> None:
    if group and width % group:
        raise HighwaterError(
            f"{what}, {width} wide, cannot be split into groups of {group}: choose a group size "
            f"that divides {width}."
        )
