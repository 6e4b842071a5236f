"""The model card, from the numbers of the evaluation."""

import datetime
import json
import textwrap

from training.evaluate import PROMPT, TEMPERATURE
from training.logits import LENGTHS
from training.places import ARCHITECTURE, CALL, CARD, CONTEXT, GROUP, NUMBERS
from training.schedule import BATCH, LONG, ROUNDED
from training.text import HELD_OUT
from training.train import DROPOUT

TEMPLATE = """\
# A small Llama that has read the King James Bible

{millions:.1f} million parameters in 4 bits, {program:.1f} MB. It was made for Highwater, to
have a real language model at hand: exported by ExecuTorch's own `export_llama`, with a cache and a
live length, and small enough to be part of the repository. It writes English of one kind, and knows
nothing.

| File | What it is |
| --- | --- |
| `model.pte` | The program, for `VulkanBackend`; up to {call} tokens a call, {context} in all |
| `tokenizer.json` | {vocabulary} tokens, in the format of Hugging Face's `tokenizers` |
| `checkpoint.pth`, `params.json` | The weights in bfloat16, as `export_llama` reads them |
| `held_out.txt` | {excerpt_name}, which the model has not seen, to measure it by |
| `logits.npz` | What torch says on its beginning, in calls of {lengths} tokens; for `./demo` |
| `numbers.json` | What the scripts measured; this card is written from it |

## How good it is

On {held_out_tokens:,} tokens ({held_out_kb:.0f} kB) of whole books that it was not trained on, in
windows of {context} tokens:

| Weights | Loss a token | Perplexity | Bits a byte |
| --- | --- | --- | --- |
| bfloat16 | {float[loss]:.3f} | {float[perplexity]:.1f} | {float[bits_per_byte]:.3f} |
| 4-bit | {four_bits[loss]:.3f} | {four_bits[perplexity]:.1f} | {four_bits[bits_per_byte]:.3f} |

On the text that it was trained on, its loss was {training_loss:.3f} at the end.

From “{prompt}”, drawn at temperature {temperature}:

{drawn}

The same with the likeliest token every time:

{greedy}

## How it was made

**Text.** The King James Version of 1611, from Debian's package `bible-kjv-text` 4.38. The text is
in the public domain (in the United Kingdom, printing it is a right of the Crown). Verses are lines,
without their numbers; a chapter begins with a line such as “Genesis 1”, and stands between `<bos>`
and `<eos>`. {learned_mb:.1f} MB, {learned_tokens:,} tokens, were for training. Held out were
{books}.

**Tokenizer.** Byte-level BPE, trained on the same text. All bytes have a token, so that it can
spell anything, though not to the model's profit. A prompt needs no `<bos>`: the model has only seen
it before the head of a chapter.

**Model.** The Llama architecture: {n_layers} layers, width {dim}, {n_heads} heads of {head} with
{n_kv_heads} for keys and values, feed-forward layers of {hidden_dim}, rotary embeddings, no weights
shared.

**Training.** {minutes:.0f} minutes on a CPU, {steps:,} steps of {batch:,} tokens: {seen:.1f}
million tokens, {epochs:.1f} times the text. Muon for the matrices of the layers, AdamW for the
rest, dropout {dropout:g}, a fixed seed. Rates fall linearly to zero. Windows have {half} tokens
for the first {long:.0%} of the time, then {context}. For the last {rounded:.0%} the weights are
seen as the exporter will round them to 4 bits, in groups of {group}. {notes}

**Again.** In the environment that `tools/setup` makes, on Debian:

```sh
python -m training train --minutes 50    # the text, the tokenizer, the checkpoint; can be resumed
python -m training export                # the program, from the checkpoint
python -m training evaluate              # numbers.json and this card
```

As the schedule follows the clock, another machine makes another model of the same kind.

## What it is not

It does not answer questions, and what it says is not scripture, nor true, nor advice. It has the
words and the views of a book of 1611. Names and grammar hold for a sentence or two; a thread of
thought does not. Beyond {context} tokens it cannot go on.

The model is under the licence of Highwater. Written on {date}.
"""


def write_card() -> None:
    n = json.loads(NUMBERS.read_text())
    a = ARCHITECTURE
    filled = TEMPLATE.format(
        **{**n, **a},
        millions=n["parameters"] / 1e6,
        program=n["program_bytes"] / 1e6,
        call=CALL - 1,
        context=CONTEXT,
        lengths=", ".join(map(str, LENGTHS[:-1])) + f" and {LENGTHS[-1]}",
        half=CONTEXT // 2,
        vocabulary=a["vocab_size"],
        excerpt_name=n["excerpt"]["name"],
        held_out_kb=n["held_out_bytes"] / 1e3,
        prompt=PROMPT,
        temperature=TEMPERATURE,
        drawn=_quote(n["samples"]["drawn"]),
        greedy=_quote(n["samples"]["greedy"]),
        learned_mb=n["learned_bytes"] / 1e6,
        books=f"{', '.join(HELD_OUT[:-1])} and {HELD_OUT[-1]}",
        head=a["dim"] // a["n_heads"],
        batch=BATCH,
        seen=n["seen_tokens"] / 1e6,
        epochs=n["seen_tokens"] / n["learned_tokens"],
        dropout=DROPOUT,
        long=LONG,
        rounded=1 - ROUNDED,
        group=GROUP,
        date=datetime.date.today().isoformat(),
    )
    CARD.write_text("\n\n".join(map(_wrapped, filled.rstrip("\n").split("\n\n"))) + "\n")


def _wrapped(block: str) -> str:
    """Paragraphs have the width of the repository; tables, code and quotes stay as they are."""
    if block.startswith(("#", "|", ">", "```")):
        return block
    return textwrap.fill(block, 100, break_long_words=False, break_on_hyphens=False)


def _quote(said: str) -> str:
    return "\n>\n".join("> " + line for line in said.splitlines() if line)
