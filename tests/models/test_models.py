"""Real models: one delegate, nothing on the CPU, torch's numbers at every live shape."""

import json
import os
import time
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import highwater
import language  # noqa: F401
import numpy as np
import pytest
import speech  # noqa: F401
import torch
import vision  # noqa: F401
from highwater.export import to_pte
from torch.utils._pytree import tree_leaves
from zoo import ROWS, Model

RESULTS = Path(__file__).parents[2] / "build" / "results" / "models"


@pytest.mark.parametrize("name", ROWS)
def test_model(name):
    row = ROWS[name]
    torch.manual_seed(0)
    made = row.make()
    since = time.process_time()
    pte = to_pte(made.module, made.example, made.dynamic_shapes, half=made.half)
    lowered_in = time.process_time() - since
    with highwater.load(pte) as model:
        error = max(_error(model, made, inputs) for inputs in made.calls())
        _check_refusal(model, made, row.tolerance)
        told = {
            "name": row.name,
            "adapter": model.adapter,
            "weights": row.weights,
            "live": made.live(),
            "bytes": len(pte),
            "lowered_in": lowered_in,
            "error": error,
            "dispatches": model.last_run["dispatches"],
            **_times(model, made),
        }
        if row.alike is not None:
            # Of others than it was calibrated with.
            unseen = made.calls(seed=100)
            told["cosine"] = min(_cosine(model, made, inputs) for inputs in unseen)
            assert told["cosine"] > row.alike
    assert error < row.tolerance
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(told))


def _error(model: highwater.Model, made: Model, inputs: tuple[torch.Tensor, ...]) -> float:
    """The largest, beside the largest of torch's numbers."""
    with torch.no_grad():
        wanted = tree_leaves(made.module(*inputs))
    given = tree_leaves(model(*inputs))
    assert [tuple(x.shape) for x in given] == [tuple(x.shape) for x in wanted]
    return max(
        float((x - y).abs().max() / y.abs().max().clamp(min=1e-6))
        for x, y in zip(given, wanted, strict=True)
    )


def _cosine(model: highwater.Model, made: Model, inputs: tuple[torch.Tensor, ...]) -> float:
    """Between what the program gives and what the module gave before it was quantized."""
    with torch.no_grad():
        pairs = zip(tree_leaves(model(*inputs)), tree_leaves(made.floats(*inputs)), strict=True)
        return min(float(torch.cosine_similarity(x.flatten(), y.flatten(), 0)) for x, y in pairs)


def _check_refusal(model: highwater.Model, made: Model, tolerance: float) -> None:
    """A call beyond a bound is refused in words, and the next good one is right."""
    least = {name: low for name, (low, _) in made.live().items()}
    for name, (_, most) in made.live().items():
        with pytest.raises(highwater.HighwaterError, match=r"\d"):
            model(*made.at(least | {name: most + 1}, 0))
    assert _error(model, made, made.at(least, 1)) < tolerance


def _times(model: highwater.Model, made: Model) -> dict[str, float]:
    """The best of three, at the bound."""
    inputs = next(made.calls())
    with torch.no_grad():
        return {
            "ms": _best(lambda: model(*inputs)),
            "torch_ms": _best(lambda: made.module(*inputs)),
        }


def _best(run) -> float:
    times = []
    for _ in range(3):
        since = time.perf_counter()
        run()
        times.append(time.perf_counter() - since)
    return float(np.min(times)) * 1e3
