"""The inputs of an exported program, with the bounds of each dim."""

import json
from dataclasses import dataclass
from typing import Any

METHOD = "highwater_inputs_of_forward"


@dataclass(frozen=True)
class Dim:
    least: int
    most: int | None  # None if it has no bound

    def __str__(self) -> str:
        if self.least == self.most:
            return str(self.least)
        return f"{self.least}…{'' if self.most is None else self.most}"


@dataclass(frozen=True)
class Input:
    name: str
    dtype: str
    dims: tuple[Dim, ...] | None  # None for a plain number

    def __str__(self) -> str:
        if self.dims is None:
            return f"{self.name}: {self.dtype}"
        return f"{self.name}: {self.dtype} [{', '.join(map(str, self.dims))}]"


class Signature:
    """What a `torch.export.ExportedProgram` says of its inputs.

    `dynamic_shapes`, as `torch.export` took them, tell what its author calls the lengths: in the
    program they have names like s77. `renamed` has other names for inputs that torch's are bad for.
    """

    def __init__(
        self, exported: Any, dynamic_shapes: Any = None, renamed: dict[str, str] | None = None
    ) -> None:
        self._ranges = exported.range_constraints
        self._lengths: dict[str, list[int | None]] = {}
        nodes = {node.name: node for node in exported.graph.nodes if node.op == "placeholder"}
        given = [
            spec.arg
            for spec in exported.graph_signature.input_specs
            if spec.kind.name == "USER_INPUT"
        ]
        # What is known at export, such as a plain number, has a value instead of a placeholder.
        self._values = {
            (renamed or {}).get(arg.name, arg.name): arg.value
            if hasattr(arg, "value")
            else nodes[arg.name].meta["val"]
            for arg in given
        }
        self._names = _names_of_lengths(self._values, dynamic_shapes)

    @property
    def inputs(self) -> tuple[Input, ...]:
        return tuple(self._input(name, value) for name, value in self._values.items())

    def constant_method(self) -> dict[str, str]:
        """The method by which a file tells it; its form is in `src/blob/signature.h`."""
        entries = [self._entry(name, value) for name, value in self._values.items()]
        told = {"lengths": self._lengths, "inputs": entries}
        return {METHOD: json.dumps(told)}

    def _input(self, name: str, value: Any) -> Input:
        if not hasattr(value, "shape"):
            return Input(name, type(value).__name__, None)
        return Input(name, _dtype(value), tuple(self._dim(size) for size in value.shape))

    def _entry(self, name: str, value: Any) -> dict[str, Any]:
        if hasattr(value, "shape"):
            sizes = [self._size(size) for size in value.shape]
            return {"name": name, "dtype": _dtype(value), "dims": sizes}
        # torch guesses a range for a live integer, and does not keep to it.
        number = value if isinstance(value, int) and not isinstance(value, bool) else None
        return {"name": name, "dtype": type(value).__name__, "number": number}

    def _size(self, size: Any) -> Any:
        """A number, or one or several times a length and something."""
        if not hasattr(size, "node"):
            return size if isinstance(size, int) else None
        expression = size.node.expr
        length, times, plus = _linear(expression)
        name = self._names.get(length, str(length))
        dim = self._range(length)
        # torch may have the author's range of 2 * n, and a narrower one of its own for n.
        least = min(dim.least, (self._range(expression).least - plus) // times)
        known = self._lengths.setdefault(name, [least, dim.most])
        known[0] = min(known[0], least)
        return {"of": name, "times": times, "plus": plus}

    def _dim(self, size: Any) -> Dim:
        return Dim(size, size) if isinstance(size, int) else self._range(size.node.expr)

    def _range(self, expression: Any) -> Dim:
        from torch.utils._sympy.value_ranges import bound_sympy

        bounds = self._ranges.get(expression) or bound_sympy(expression, self._ranges)
        least = int(bounds.lower)
        # Where the author does not say, torch traces with two or more, and takes one as well.
        if least == 2 and expression.is_Symbol and expression not in self._names:
            least = 1
        return Dim(least, int(bounds.upper) if bounds.upper.is_Integer else None)


def _names_of_lengths(values: dict[str, Any], dynamic_shapes: Any) -> dict[Any, str]:
    """The author's name of each symbol, where inputs are plain tensors; `Dim.AUTO` has none."""
    specs = dynamic_shapes or ()
    if isinstance(specs, dict):
        specs = [specs.get(name) for name in values]
    # Inputs within inputs are more than there are specs.
    if len(specs) != len(values):
        return {}
    names = {}
    for value, spec in zip(values.values(), specs, strict=True):
        if not hasattr(value, "shape") or not isinstance(spec, dict | list | tuple):
            continue
        for at, dim in spec.items() if isinstance(spec, dict) else enumerate(spec):
            size = value.shape[at] if isinstance(at, int) and at < len(value.shape) else None
            if hasattr(size, "node") and size.node.expr.is_Symbol and hasattr(dim, "__name__"):
                names[size.node.expr] = dim.__name__
    # Two symbols of one name would be taken for one.
    return names if len(set(names.values())) == len(names) else {}


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _linear(expression: Any) -> tuple[Any, int, int]:
    """(s, a, b) for a·s + b. What is not of that form is a length by itself."""
    import sympy

    symbols = list(expression.free_symbols)
    polynomial = expression.as_poly(*symbols) if len(symbols) == 1 else None
    if polynomial is None or polynomial.degree() != 1:
        return expression, 1, 0
    times, plus = polynomial.all_coeffs()
    if not (isinstance(times, sympy.Integer) and isinstance(plus, sympy.Integer) and times > 0):
        return expression, 1, 0
    return symbols[0], int(times), int(plus)
