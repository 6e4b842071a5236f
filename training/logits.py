"""What torch says where `./demo` asks: kept beside the program, so that a demo needs no torch."""

import numpy as np
import torch
from torch.utils._pytree import tree_leaves

from training import tokens
from training.export import eager
from training.places import EXCERPT, LOGITS

LENGTHS = (200, 1, 1, 37, 1, 97, 1)  # a long prompt, decoding, a follow-up, …


def make() -> dict[str, np.ndarray]:
    """The held-out chapter in calls of these lengths, and the logits after each of them."""
    text = tokens.encode(tokens.load_tokenizer(), [EXCERPT.read_text()])[: sum(LENGTHS)]
    model, place, logits = eager(), 0, []
    for length in LENGTHS:
        call = text[None, place : place + length]
        with torch.no_grad():
            answer = model(call, {"input_pos": torch.tensor([place])})
        logits.append(tree_leaves(answer)[0].flatten().float().numpy())
        place += length
    return {"lengths": np.array(LENGTHS), "tokens": text.numpy(), "logits": np.stack(logits)}


def write() -> None:
    np.savez_compressed(LOGITS, **make())
