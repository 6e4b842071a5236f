"""Tensors over the limit of a binding: bound in parts, with the same bits as at once."""

import pytest
import torch
from highwater.export import to_pte
from support import llamas
from support.live import BOTH_KINDS, FLOAT, LiveProgram
from torch import nn

# A prompt, an answer, the next prompt.
TURNS = (13, 1, 1, 18, 1, 5)
# Several parts for embeddings, heads, caches and activations of the small Llamas.
FEW_BYTES = "8192"


def answers(pte):
    program = LiveProgram(pte)
    generator = torch.Generator().manual_seed(3)
    position, outputs = 0, []
    for count in TURNS:
        tokens = torch.randint(0, llamas.VOCABULARY, (1, count), generator=generator)
        outputs.append(program.run(tokens, torch.tensor([position]))[0].clone())
        position += count
        program.check_rejects(torch.zeros(1, llamas.CONTEXT, dtype=torch.int64), torch.tensor([0]))
    return outputs


@pytest.mark.parametrize("kind", BOTH_KINDS)
@pytest.mark.parametrize("name", ["fp32", "4w"])
def test_a_llama_gives_the_same_bits(name, kind, monkeypatch):
    monkeypatch.setenv("HIGHWATER_KERNELS", kind)
    monkeypatch.setenv("HIGHWATER_POISON", "1")
    pte = llamas.build(name).pte
    whole = answers(pte)
    monkeypatch.setenv("HIGHWATER_BINDING_BYTES", FEW_BYTES)
    for number, (got, want) in enumerate(zip(answers(pte), whole, strict=True)):
        assert torch.equal(got, want), f"call {number}"


class Large(nn.Module):
    """A table of 137 MB, and values of as many bytes that are made of its rows."""

    ROWS, WIDTH, BOUND, SPREAD = 67_000, 512, 4_200, 8_192

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(self.ROWS, self.WIDTH)
        self.spread = nn.Parameter(torch.randn(1, self.SPREAD))

    def forward(self, ids):
        rows = self.table(ids)
        wide = torch.relu(rows[:, -1:] * self.spread)
        return rows, wide.amax(0), wide[-1]


def test_more_than_a_binding_of_this_device_holds():
    torch.manual_seed(0)
    module = Large().eval()

    def ids(n):
        # The last row of the table is beyond what the first binding shows.
        return torch.cat([torch.randint(0, Large.ROWS, (n - 1,)), torch.tensor([Large.ROWS - 1])])

    length = torch.export.Dim("length", min=1, max=Large.BOUND)
    program = LiveProgram(bytes(to_pte(module, (ids(Large.BOUND),), ({0: length},))))
    for n in (Large.BOUND, 37, 1):
        program.check(module, ids(n), tolerance=FLOAT)
        program.check_rejects(ids(Large.BOUND + 1))
    program.check(module, ids(4_099), tolerance=FLOAT)
