"""Lets a model go on with a text."""

from collections.abc import Callable

import torch
from tokenizers import Tokenizer
from torch.utils._pytree import tree_leaves

from training.tokens import END

# Takes new tokens [1, n] and the place of the first one, gives the logits after the last one.
Step = Callable[[torch.Tensor, int], torch.Tensor]


def with_eager(model: torch.nn.Module) -> Step:
    def step(tokens, place):
        with torch.no_grad():
            return tree_leaves(model(tokens, {"input_pos": torch.tensor([place])}))[0].flatten()

    return step


def with_program(method) -> Step:
    def step(tokens, place):
        return method.execute([tokens, torch.tensor([place])])[0].flatten()

    return step


def go_on(
    step: Step, tokenizer: Tokenizer, prompt: str, count: int, temperature: float = 0, seed: int = 0
) -> list[int]:
    """At most `count` tokens after the prompt, up to the end of a chapter.

    There is no `<bos>` before the prompt: the model would take it for a chapter's head.
    """
    generator = torch.Generator().manual_seed(seed)
    tokens, place, said = tokenizer.encode(prompt).ids, 0, []
    while len(said) < count:
        logits = step(torch.tensor([tokens]), place)
        place += len(tokens)
        tokens = [_choose(logits, temperature, generator)]
        if tokens[0] == tokenizer.token_to_id(END):
            break
        said += tokens
    return said


def _choose(logits: torch.Tensor, temperature: float, generator: torch.Generator) -> int:
    if temperature == 0:
        return int(logits.argmax())
    chances = (logits / temperature).softmax(0)
    return int(torch.multinomial(chances, 1, generator=generator))
