"""What the ops of a program should have given, computed from what the device's ops were given.

Rewrites make one op of several, and the device never holds what was between them. So a value's
reference is computed backwards, by the calls of the program as it was exported, up to where the
device has something to start from: the fused op is held to the calls that it stands for.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from highwater.verifying import reference
from highwater.verifying.listing import Call, Program, literal


class Values:
    """What is known of an exported program's values; the rest is computed when it is asked for."""

    def __init__(self, program: Program, constants: dict[int, torch.Tensor], known: dict[int, Any]):
        self.program = program
        self.constants = constants
        self.known = known

    def __getitem__(self, value: int) -> Any:
        pending = [value]
        while pending:
            missing = self._missing(pending[-1])
            if missing:
                pending.extend(missing)
            else:
                self._compute(pending.pop())
        return self._given(value)

    def _missing(self, value: int) -> list[int]:
        """What is to be computed before a value can be."""
        if value in self.known or value not in self.program.producers:
            return []
        call = self.program.producers[value]
        needed = [item for arg in call.args[:-1] for item in self.program.items(arg)]
        producers = self.program.producers
        return [item for item in needed if item in producers and item not in self.known]

    def _compute(self, value: int) -> None:
        if value in self.known or value not in self.program.producers:
            return
        call = self.program.producers[value]
        given = [self._given(arg) for arg in call.args[:-1]]
        results = reference.evaluate(self.program, call, given)
        for item, result in zip(self.program.items(call.out), results, strict=False):
            self.known.setdefault(item, result)

    def _given(self, value: int) -> Any:
        if value in self.known:
            return self.known[value]
        declared = self.program.values[value]
        if "constant" in declared:
            return self.constants[value]
        if "values" in declared:
            return [self._given(item) for item in declared["values"]]
        if "tensor" in declared or "number" in declared:
            return self.known.get(value)
        return literal(declared)


@dataclass
class Outcome:
    """Of one op of the program that runs, at one shape."""

    call: Call
    pairs: list[tuple[int, Any, Any]] = field(default_factory=list)  # value, device's, reference's
    missing: str | None = None  # why there is no reference


class Replay:
    """The device's runs of a program, each op held to the exported calls that it stands for."""

    def __init__(self, exported: Program, run: Program):
        self.exported = exported
        self.run = run
        self.constants = {
            value: _constant(exported, value)
            for value, declared in enumerate(exported.values)
            if "constant" in declared
        }
        # What ops write into keeps its content from run to run: as the device had it, and, for the
        # path of the reference, as torch had it.
        self.state = {
            v: self.constants[source].clone()
            for v in self._written()
            if (source := self._source(v)) in self.constants
        }
        self.own_state = {v: x.clone() for v, x in self.state.items()}

    def path(self, inputs: list[Any]) -> dict[int, Any]:
        """All of the program by torch alone, from the inputs on, as far as there are references."""
        known = {**dict(zip(self.exported.inputs, inputs, strict=True)), **self.own_state}
        values = Values(self.exported, self.constants, known)
        try:
            for call in self.exported.calls:
                for value in self.exported.items(call.out):
                    values[value]
        except reference.NoReference:
            pass
        return values.known

    def outcomes(self, inputs: list[Any], outputs: list[Any]) -> Iterator[Outcome]:
        """Op by op; `inputs` are the call's, `outputs` all that the device gave, in the order of
        the program that runs."""
        given = dict(zip(self.run.outputs, outputs, strict=True))
        after = {v: given[v] for v in self.state if v in given}
        known = dict(zip(self.exported.inputs, inputs, strict=True))
        for call in self.run.calls:
            outcome = Outcome(call)
            made = [v for v in self.run.made_by(call) if v in given]
            shared = [v for v in made if self.run.is_same_value(v, self.exported)]
            touched = [v for v in call.args if v in after]
            state = {v: x.clone() for v, x in self.state.items()}
            values = Values(self.exported, self.constants, {**known, **state})
            try:
                self._compare(outcome, shared, touched, values, given)
            except reference.NoReference as error:
                outcome.missing = str(error)
            if made or touched:
                yield outcome
            known.update((v, given[v]) for v in shared if v not in self.state)
            self.state.update((v, after[v]) for v in touched)

    def _compare(
        self,
        outcome: Outcome,
        shared: list[int],
        touched: list[int],
        values: Values,
        given: dict[int, Any],
    ) -> None:
        for value in shared:
            if value in self.state or value not in self.exported.producers:
                continue
            expected = values[value]
            if expected is not None:
                outcome.pairs.append((value, given[value], expected))
        for value in touched:
            outcome.pairs.append((value, given[value], values.known[value]))

    def _written(self) -> list[int]:
        """Values that calls change after they were made, under the name that ops know them by."""
        written = {"update_cache.default": (1,), "sdpa_with_kv_cache.default": (3, 4)}
        written["et_vk.adamw_step.default"] = (0, 1, 2)
        return sorted(
            {call.args[i] for call in self.exported.calls for i in written.get(call.op, ())}
        )

    def _source(self, value: int) -> int:
        """The constant that a value is under another name."""
        while value in self.exported.producers:
            value = self.exported.producers[value].args[0]
        return value


def _constant(program: Program, value: int) -> torch.Tensor:
    declared = program.values[value]
    dtype, dims = reference.DTYPES[declared["tensor"]], declared["bound"]
    data = bytearray(program.constant(value))
    flat = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
    count = 1
    for d in dims:
        count *= d
    return flat[:count].reshape(dims)
