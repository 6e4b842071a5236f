"""The numbers and samples of the model card."""

import json

import torch

from training import held_out, sample, text, tokens
from training.export import eager, eager_for_every_token
from training.llama import Llama
from training.places import CHECKPOINT, EXCERPT, LOG, NOTES, NUMBERS, PROGRAM

PROMPT = "In the beginning"
SAMPLE_TOKENS = 120
TEMPERATURE = 0.8
SEED = 7
EXCERPT_BOOK = "Jonah"


def full_precision() -> Llama:
    model = Llama().eval()
    weights = torch.load(CHECKPOINT)
    model.load_state_dict({name: weight.float() for name, weight in weights.items()})
    return model


def evaluate() -> dict:
    learn, examine = text.split(text.read_text())
    tokenizer = tokens.load_tokenizer()
    ids = tokens.encode(tokenizer, examine)
    size = sum(len(chapter.encode()) for chapter in examine)
    last = json.loads(LOG.read_text().splitlines()[-1])
    numbers = dict(
        parameters=sum(p.numel() for p in full_precision().parameters()),
        learned_bytes=sum(len(chapter.encode()) for chapter in learn),
        learned_tokens=len(tokens.encode(tokenizer, learn)),
        held_out_bytes=size,
        held_out_tokens=len(ids),
        steps=last["step"],
        minutes=last["minutes"],
        seen_tokens=last["seen"],
        training_loss=last["loss"],
        notes=NOTES.read_text().strip() if NOTES.exists() else "",
        checkpoint_bytes=CHECKPOINT.stat().st_size,
        program_bytes=PROGRAM.stat().st_size,
        float=_losses(full_precision(), ids, size),
        four_bits=_losses(eager_for_every_token(), ids, size),
        excerpt=_excerpt(tokenizer, examine),
        samples=_samples(tokenizer),
    )
    NUMBERS.write_text(json.dumps(numbers, indent=2) + "\n")
    return numbers


def _losses(model, ids: torch.Tensor, size: int) -> dict:
    nats = held_out.loss(model, ids)
    return dict(
        loss=nats,
        perplexity=held_out.perplexity(nats),
        bits_per_byte=held_out.bits_per_byte(nats, len(ids), size),
    )


def _excerpt(tokenizer, examine: list[str]) -> dict:
    """A chapter that ships with the model, so that its loss can be measured without the text."""
    chapter = next(c for c in examine if c.startswith(EXCERPT_BOOK))
    EXCERPT.write_text(chapter)
    ids = tokens.encode(tokenizer, [chapter])
    return dict(name=chapter.split("\n", 1)[0], loss=held_out.loss(eager_for_every_token(), ids))


def _samples(tokenizer) -> dict:
    def said(temperature):
        step = sample.with_eager(eager())
        ids = sample.go_on(step, tokenizer, PROMPT, SAMPLE_TOKENS, temperature, SEED)
        return PROMPT + tokenizer.decode(ids)

    return dict(greedy=said(0), drawn=said(TEMPERATURE))
