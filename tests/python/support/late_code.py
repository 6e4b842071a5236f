"""Writes and compiles the Python code of a graph when somebody wants it, and not before.

Lowering makes a `GraphModule` in each of some hundred steps, and reads the graph of nearly all of
them and the code of hardly any.
"""

import weakref

from torch.fx import GraphModule
from torch.fx.graph import _PyTreeCodeGen

_compile = GraphModule.recompile


class _Forward:
    """The method of a module whose code is not written. Each module has a class of its own, which
    holds its method."""

    def __init__(self, module: GraphModule):
        self._module = weakref.ref(module)

    def __get__(self, module, owner):
        _compile(self._module())
        return (owner if module is None else module).forward


class _Text:
    """The code as text. Where it is written, the module's own attribute hides this one."""

    def __get__(self, module, owner):
        return _compile(module).src


class _Code:
    """What `recompile` gives, for those few that look at it."""

    def __init__(self, module: GraphModule):
        self._module = module

    def __getattr__(self, name):
        return getattr(_compile(self._module), name)


def _compile_later(module: GraphModule) -> _Code:
    codegen = module._graph._codegen
    if isinstance(codegen, _PyTreeCodeGen):
        module._in_spec = codegen.pytree_info.in_spec
        module._out_spec = codegen.pytree_info.out_spec
    module.__dict__.pop("_code", None)
    type(module).forward = _Forward(module)
    return _Code(module)


def apply() -> None:
    GraphModule.recompile = _compile_later
    GraphModule._code = _Text()
