"""A small Llama on the engine and the same in torch, fed the same tokens."""

import pytest
import torch
from torch.utils._pytree import tree_leaves

from support import llamas
from support.live import THROUGH_INT8, WHOLE_MODEL, WHOLE_MODEL_HALF, LiveProgram

TOLERANCES = {"8da4w": THROUGH_INT8, "4w_half": WHOLE_MODEL_HALF}


class Session:
    """`step` compares the logits for new tokens; both sides remember the ones before."""

    def __init__(self, name: str):
        llama = llamas.build(name)
        self.program = LiveProgram(llama.pte)
        self.eager = llama.fresh()
        self.has_cache = llamas.VARIANTS[name].cache
        self.tolerance = TOLERANCES.get(name, WHOLE_MODEL)
        self.generator = torch.Generator().manual_seed(1)
        self.position = 0

    def tokens(self, count: int) -> torch.Tensor:
        return torch.randint(0, llamas.VOCABULARY, (1, count), generator=self.generator)

    def positions(self) -> list[torch.Tensor]:
        return [torch.tensor([self.position])] if self.has_cache else []

    def step(self, count: int) -> torch.Tensor:
        def logits(tokens, *positions):
            # The model gives the options of its caches as well.
            return tree_leaves(self.eager(tokens, *({"input_pos": p} for p in positions)))[0]

        (got,) = self.program.check(
            logits, self.tokens(count), *self.positions(), tolerance=self.tolerance
        )
        self.position += count
        return got

    def reject(self, count: int) -> None:
        with pytest.raises(RuntimeError):
            self.program.run(self.tokens(count), *self.positions())
