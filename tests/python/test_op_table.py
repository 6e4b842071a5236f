"""The table of ops, held against torch's own schemas."""

import importlib
import re

import highwater
import pytest
import torch

# Where ops outside of torch are registered.
for module in (
    "executorch.backends.vulkan.custom_ops_lib",
    "executorch.exir.dim_order_utils",
    "executorch.exir.passes._quant_patterns_and_replacements",
    "executorch.extension.llm.custom_ops.custom_ops",
    "torchao.quantization",
):
    importlib.import_module(module)

# Ops of ours and of Python, which torch does not know.
OURS = {"highwater.sample.default", "sym_size.int"}
PYTHON = {"add", "sub", "mul", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne"}

OPS = highwater.supported_ops()
TORCHS = sorted(OPS.keys() - OURS - PYTHON)


def torch_schema(name: str) -> torch.FunctionSchema:
    parts = name.split(".")
    namespace, op, overload = parts if len(parts) == 3 else ("llama", *parts)
    return getattr(getattr(getattr(torch.ops, namespace), op), overload)._schema


def kind(type_: str) -> tuple[str, bool]:
    """The base of a type, and whether it is a list, without what torch does not say: dtypes, and
    which integers must be known at export.

    Ours are written `SymInt[]?`, torch's `Optional[List[int]]`.
    """
    words = re.findall(r"\w+", type_)
    base = words[-1] if words[0] in ("Optional", "List") else words[0]
    same = {"FloatTensor": "Tensor", "IntTensor": "Tensor", "SymInt": "int", "number": "Scalar"}
    return same.get(base, base), "List" in words or bool(re.search(r"\[\d*\]", type_))


@pytest.mark.parametrize("name", TORCHS)
def test_arguments_are_torchs(name):
    theirs = torch_schema(name).arguments
    assert [(argument.name, kind(argument.type)) for argument in OPS[name].arguments] == [
        (argument.name, kind(str(argument.real_type))) for argument in theirs
    ]


@pytest.mark.parametrize("name", TORCHS)
def test_what_may_be_none_may_be_none_in_torch(name):
    for ours, theirs in zip(OPS[name].arguments, torch_schema(name).arguments, strict=True):
        assert not ours.type.endswith("?") or str(theirs.real_type).startswith("Optional"), ours


@pytest.mark.parametrize("name", TORCHS)
def test_defaults_are_torchs(name):
    theirs = {argument.name: argument for argument in torch_schema(name).arguments}
    for argument in OPS[name].arguments:
        given = theirs[argument.name]
        assert (argument.default is not None) == given.has_default_value(), argument
        if given.has_default_value():
            assert spread(argument) == str(given.default_value), argument


def spread(argument) -> str:
    """The default as torch has it: one number for an `int[2]` counts for both."""
    size = re.search(r"\[(\d+)\]", argument.type)
    if size and not argument.default.startswith("["):
        return str([int(argument.default)] * int(size[1]))
    return argument.default.strip('"')
