"""The tokenizer: pairs of bytes that often meet become one token, within words."""

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from training.places import ARCHITECTURE, TOKENIZER

BEGIN, END = "<bos>", "<eos>"

# A word with the space before it, a run of punctuation, or a run of white space. It is spelled out
# because not every reader of tokenizer.json knows the pattern that is implied otherwise.
WORD = r"'s| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+"


def train_tokenizer(chapters: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORD), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=ARCHITECTURE["vocab_size"],
        special_tokens=[BEGIN, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(chapters, trainer)
    assert tokenizer.get_vocab_size() == ARCHITECTURE["vocab_size"]
    TOKENIZER.parent.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(TOKENIZER))
    return tokenizer


def load_tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(TOKENIZER))


def encode(tokenizer: Tokenizer, chapters: list[str]) -> torch.Tensor:
    """All chapters one after the other, each between its marks."""
    begin, end = tokenizer.token_to_id(BEGIN), tokenizer.token_to_id(END)
    ids = []
    for encoding in tokenizer.encode_batch(chapters):
        ids += [begin, *encoding.ids, end]
    return torch.tensor(ids)
