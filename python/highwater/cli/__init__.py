"""The command `highwater`, which is also `python -m highwater`.

Each command is a file of this folder, and each has one line in `COMMANDS`. To add the command
`highwater tide`:

1. Write `tide.py` with a function called `command` that is a `click.command()`. Import only click
   and `highwater.cli` at its top; torch and ExecuTorch are imported inside the functions that need
   them, because every completion imports the file.
2. Add the line `"tide": "What it does, in a few words.",` to `COMMANDS`.

What a command has to say goes to stdout; progress and remarks go to stderr (see `terminal`). What
goes wrong is raised as `terminal.Failure("One clear sentence.")`, and ends with exit code 1; wrong
arguments are a `click.UsageError` and end with 2. Other exceptions are told in one sentence too;
`--traceback`, which every command has, or HIGHWATER_TRACEBACK shows where they came from. A command
that was at something raises `KeyboardInterrupt("what it has done")` when it sees one.
"""

import signal

from highwater.cli.commands import Commands

COMMANDS = {
    "generate": "Let a language model go on with a text.",
    "run": "Run a model at one live shape after another.",
    "bench": "Measure a model.",
    "export": "Make a program of a torch module or a language model.",
    "profile": "Tell where the time of a run goes, by op and by kernel.",
    "verify": "Hold every op of a model on this device to torch.",
    "devices": "List the WebGPU adapters, and say which one is used.",
    "inspect": "Show what is in a program, and what runs at which live shape.",
    "completion": "Print the completion script of a shell.",
}

commands = Commands(COMMANDS)


def main() -> None:
    # A shell without job control, such as a script's, has what it starts with & ignore SIGINT, and
    # Python leaves it so. Whoever interrupts this command means it, however it was started.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    commands.main(prog_name="highwater")
