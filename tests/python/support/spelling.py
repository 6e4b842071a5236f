"""A tokenizer for the vocabulary of the small Llamas, in the file format of Hugging Face, and what
torch says in it.

It spells: its tokens are the printable characters and as many pairs of letters as there is room
for, so that whatever a model with random weights says is text.
"""

import itertools
import string
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from support.llamas import VOCABULARY, greedy

BEGIN, END = "<|begin_of_text|>", "<|end_of_text|>"
CHARACTERS = string.digits + string.ascii_letters + string.punctuation + " "


def make_tokenizer() -> Tokenizer:
    bytes_as_characters = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    characters = [bytes_as_characters.pre_tokenize_str(c)[0][0] for c in CHARACTERS]
    room = VOCABULARY - 2 - len(characters)
    pairs = list(itertools.islice(itertools.product(string.ascii_lowercase, "aeiouyhrst"), room))
    tokens = [BEGIN, END, *characters, *("".join(pair) for pair in pairs)]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, pairs))
    tokenizer.pre_tokenizer = bytes_as_characters
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([BEGIN, END])
    assert tokenizer.get_vocab_size() == VOCABULARY
    return tokenizer


def write_tokenizer(path: Path) -> Tokenizer:
    tokenizer = make_tokenizer()
    tokenizer.save(str(path))
    return tokenizer


def tokens_until_end(tokenizer: Tokenizer, model, prompt: str, count: int, start=0) -> list[int]:
    """What torch says to `prompt`, which begins at position `start`: at most `count` tokens."""
    said = greedy(model, tokenizer.encode(prompt).ids, count, start)
    end = tokenizer.token_to_id(END)
    return said[: said.index(end) + 1] if end in said else said
