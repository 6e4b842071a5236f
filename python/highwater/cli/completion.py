"""`highwater completion`: the script that completes commands and options in a shell."""

import click
from click.shell_completion import get_completion_class

from highwater.cli import terminal


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Prints the script that completes highwater's commands and options in SHELL.

    To have it in every new shell, once:

    \b
      bash  highwater completion bash >~/.local/share/bash-completion/completions/highwater
      zsh   echo 'eval "$(highwater completion zsh)"' >>~/.zshrc
      fish  highwater completion fish >~/.config/fish/completions/highwater.fish

    bash must be 4.4 or newer, with the package bash-completion.
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise terminal.Failure(f"This version of click has no completion for {shell}.")
    root = context.find_root()
    click.echo(kind(root.command, {}, "highwater", "_HIGHWATER_COMPLETE").source())
