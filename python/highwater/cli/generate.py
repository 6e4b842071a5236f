"""`highwater generate`: lets a language model go on with a text."""

import sys
from collections.abc import Iterable
from typing import Any

import click

import highwater
from highwater.cli import loading, terminal
from highwater.files import check_generates, open_file

RESET = "/reset"


@click.command()
@click.argument("model")
@click.option(
    "--prompt", "-p", "prompts", multiple=True, help="What to go on with; may be given repeatedly."
)
@click.option("--tokenizer", type=click.Path(exists=True, dir_okay=False), help="Its tokenizer.")
@click.option("--max-new-tokens", "-n", default=128, show_default=True, type=click.IntRange(1))
@click.option(
    "--temperature",
    "-t",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0),
    help="0 always takes the likeliest token.",
)
@click.option(
    "--top-k", default=0, type=click.IntRange(0), help="Draw among so many of the likeliest."
)
@click.option(
    "--top-p",
    default=1.0,
    type=click.FloatRange(0, 1, min_open=True),
    help="Draw among the likeliest that together have this probability.",
)
@click.option("--seed", type=click.IntRange(0), help="The same seed gives the same text.")
@click.option("--stop", multiple=True, help="Stop before this text; may be given repeatedly.")
@click.option("--interactive", "-i", is_flag=True, help="Ask for further prompts, line by line.")
@click.option(
    "--steps-per-submit",
    default=8,
    show_default=True,
    type=click.IntRange(1),
    help="Tokens drawn on the device before it is asked for them.",
)
@loading.half_cache
@click.option("--recover", is_flag=True, help="Go on when the device is lost: load it all again.")
@click.option("--adapter", help="The adapter to use: its number, or a part of its name.")
@click.option("--json", "as_json", is_flag=True, help="Print text, tokens and times as JSON.")
def command(
    model: str,
    prompts: tuple[str, ...],
    interactive: bool,
    half_cache: bool | None,
    recover: bool,
    adapter: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Streams text that MODEL, a language model, writes on after each prompt.

    MODEL is a .pte file of export_llama's or of `highwater export`, a folder that holds a
    model.pte, or the name of a model that ships with Highwater. Its tokenizer is the
    tokenizer.json or tokenizer.model beside it, unless --tokenizer names another.

    All prompts are served by the one loaded program. With --interactive, each prompt goes on with
    the text so far; /reset starts anew, and Ctrl-C ends the answer.

    \b
      highwater generate kjv --prompt "In the beginning" --temperature 0.8 --seed 1
    """
    if not prompts and not interactive:
        raise click.UsageError("Give a --prompt, or --interactive.")
    if as_json and interactive:
        raise click.UsageError("--json prints whole texts; it does not go with --interactive.")
    file = open_file(model)
    check_generates(file)
    options["tokenizer"] = highwater.load_tokenizer(options["tokenizer"], file.path)
    _check_prompts(prompts, options["tokenizer"])
    with loading.load(file, adapter=adapter, half_cache=half_cache, recover=recover) as loaded:
        if as_json:
            results = [_as_dict(p, _finished(loaded.generate(p, **options))) for p in prompts]
            terminal.say_json(results)
            return
        for prompt in prompts:
            _stream(loaded, prompt, options)
        if interactive:
            _converse(loaded, options, has_text=bool(prompts))


def _check_prompts(prompts: tuple[str, ...], tokenizer: highwater.Tokenizer) -> None:
    """Before the model is loaded, which takes longer."""
    for prompt in prompts:
        begins_by_itself = getattr(tokenizer, "leaves_out_begin_token", False)
        if not begins_by_itself and not tokenizer.encode(prompt):
            raise click.UsageError(
                f"The prompt {prompt!r} has no tokens: give at least a word to go on with."
            )


def _finished(generation: highwater.Generation) -> highwater.Generation:
    for _ in generation:
        pass
    return generation


def _as_dict(prompt: str, generation: highwater.Generation) -> dict[str, Any]:
    return {
        "prompt": prompt,
        "text": generation.text,
        "tokens": generation.tokens,
        "stopped_by": generation.stopped_by,
        **vars(generation.statistics),
    }


def _stream(model: highwater.Model, prompt: str, options: dict[str, Any], **more: Any) -> None:
    """Prints a prompt and what follows on it. Ctrl-C ends it with a word about what was done."""
    generation = model.generate(prompt, **options, **more)  # a prompt that is too long ends here
    terminal.say_text(prompt, "strong")
    sys.stdout.flush()
    try:
        _print_pieces(generation)
    except KeyboardInterrupt:
        generation.close()
        terminal.say()
        raise KeyboardInterrupt(f"Stopped. {_summary(model, generation)}") from None
    terminal.remark(terminal.paint(_summary(model, generation), "faint"))


def _print_pieces(pieces: Iterable[str]) -> None:
    for piece in pieces:
        terminal.say_text(piece)
        sys.stdout.flush()
    terminal.say()


def _summary(model: highwater.Model, generation: highwater.Generation) -> str:
    s = generation.statistics
    why = {"length": "--max-new-tokens", "context": "the model's longest text"}
    stopped = generation.stopped_by or "caller"
    return (
        f"{s.prompt_tokens} tokens read at {s.prefill_rate:.0f}/s, "
        f"{s.new_tokens} written at {s.decode_rate:.1f}/s in {s.submits + 1} submits "
        f"on {model.adapter}; ended by {why.get(stopped, stopped)}"
    )


def _converse(model: highwater.Model, options: dict[str, Any], *, has_text: bool) -> None:
    """Prompts from the terminal, or from a pipe, until there are no more."""
    goes_on = has_text
    while True:
        try:
            prompt = input("> " if sys.stdin.isatty() else "")
        except (EOFError, KeyboardInterrupt):
            terminal.say()
            return
        if prompt.strip() == RESET:
            goes_on = False
            continue
        if not prompt:
            continue
        try:
            _stream(model, prompt, options, goes_on=goes_on)
        except KeyboardInterrupt as stopped:
            terminal.remark(str(stopped))
        except highwater.HighwaterError as error:
            terminal.remark(f"{error} ({RESET} starts a new text)")
            continue
        goes_on = True
