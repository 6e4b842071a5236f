"""The group of all commands: finds them when they are called for, and tells what went wrong."""

import importlib
import os
import traceback
from collections.abc import Mapping
from typing import Any

import click

import highwater
from highwater.cli import terminal
from highwater.errors import first_line

HELP = """Runs PyTorch models on WebGPU, at every live shape up to their bound.

--help after a command tells more of it.
"""
INTERRUPTED = 130  # what shells say of a program that SIGINT has ended
TRACEBACK = "highwater.traceback"


def _want_traceback(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.meta[TRACEBACK] = True


def _print_version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"highwater {highwater.__version__}")
        context.exit()


def _traceback_option() -> click.Option:
    return click.Option(
        ["--traceback"],
        is_flag=True,
        expose_value=False,
        callback=_want_traceback,
        help="Where something fails, show the way there through the code.",
    )


def _version_option() -> click.Option:
    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Print the version.",
    )


def _in_words(error: Exception) -> str:
    """An exception that nobody has put into words."""
    if isinstance(error, (highwater.HighwaterError, OSError)):
        return str(error)
    return (
        f"{type(error).__name__}: {first_line(str(error))} (--traceback shows where it comes from)"
    )


class Commands(click.Group):
    """Commands by name, each with a line about it; its module is imported when it is called."""

    def __init__(self, summaries: Mapping[str, str]):
        super().__init__(
            "highwater",
            help=HELP,
            params=[_version_option(), _traceback_option()],
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        self.summaries = summaries

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in self.commands and name in self.summaries:
            command: click.Command = importlib.import_module(f"highwater.cli.{name}").command
            command.short_help = self.summaries[name]
            # At both ends of the line: nobody remembers which options come before a command.
            command.params.append(_traceback_option())
            self.add_command(command, name)
        return self.commands.get(name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except KeyboardInterrupt as interrupt:
            terminal.remark(str(interrupt) or "Stopped.")
            context.exit(INTERRUPTED)
        except (click.exceptions.Exit, click.Abort):
            raise
        except click.UsageError as error:
            error.message = terminal.shown(error.message)  # click prints it by itself
            raise
        except Exception as error:
            if context.meta.get(TRACEBACK) or os.environ.get("HIGHWATER_TRACEBACK"):
                terminal.remark(traceback.format_exc())
            if isinstance(error, click.ClickException):
                raise
            raise terminal.Failure(_in_words(error)) from error
