"""The command `highwater`: how it finds commands, speaks, and fails."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import click
import highwater
import pytest
from click.testing import CliRunner
from highwater.cli import COMMANDS, commands, devices, terminal
from highwater.cli.commands import Commands


def invoke(*arguments, group=commands, **environment):
    return CliRunner().invoke(group, [str(a) for a in arguments], env=environment)


def test_help_names_every_command_and_imports_neither_torch_nor_executorch():
    script = (
        "import sys; from highwater.cli import commands\n"
        "commands.main(sys.argv[1:], prog_name='highwater', standalone_mode=False)\n"
        "heavy = {'torch', 'executorch', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    for arguments in (["--help"], ["export", "--help"], ["profile", "--help"], ["devices"]):
        result = subprocess.run(
            [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
        )
        if arguments == ["--help"]:
            for name, summary in COMMANDS.items():
                assert name in result.stdout
                assert summary in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_that_says_more_than_its_line(name):
    result = invoke(name, "--help")
    assert result.exit_code == 0
    assert f"highwater {name}" in result.stdout
    assert "--traceback" in result.stdout


def test_the_module_is_the_command():
    result = subprocess.run(
        [sys.executable, "-m", "highwater", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout == f"highwater {highwater.__version__}\n"


@pytest.mark.parametrize("arguments", [["tide"], ["devices", "--tide"], ["completion", "sh"]])
def test_wrong_usage_exits_with_2(arguments):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert not result.stdout
    assert "Error: " in result.stderr


def failing(error: BaseException) -> Commands:
    group = Commands({"tide": "Fails."})

    @click.command()
    def tide():
        raise error

    group.add_command(tide)
    return group


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (terminal.Failure("There is no sea."), "highwater: There is no sea.\n"),
        (highwater.HighwaterError("no adapter"), "highwater: no adapter\n"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
        (ValueError("seven\nand more"), "ValueError: seven (--traceback shows"),
    ],
)
def test_an_error_is_a_sentence_and_exits_with_1(error, said):
    result = invoke("tide", group=failing(error))
    assert result.exit_code == 1
    assert not result.stdout
    assert said in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--traceback", "tide"], {}),
        (["tide"], {"HIGHWATER_TRACEBACK": "1"}),
    ],
)
def test_a_traceback_is_shown_on_demand(arguments, environment):
    result = invoke(*arguments, group=failing(ValueError("seven")), **environment)
    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr


def test_a_traceback_may_be_asked_for_after_the_command(monkeypatch):
    monkeypatch.setattr(highwater, "devices", lambda: 1 // 0)
    result = invoke("devices", "--traceback")
    assert "Traceback (most recent call last)" in result.stderr
    assert "highwater: ZeroDivisionError" in result.stderr


@pytest.mark.parametrize("said", ["", "Stopped at the second tide."])
def test_an_interrupt_exits_with_130(said):
    result = invoke("tide", group=failing(KeyboardInterrupt(said)))
    assert result.exit_code == 130
    assert result.stderr == f"{said or 'Stopped.'}\n"


def test_devices_are_listed_with_the_one_that_is_used():
    result = invoke("devices")
    assert result.exit_code == 0
    for device in highwater.devices():
        assert device["name"] in result.stdout
    assert "0 (used)" in result.stdout
    assert "Adapter 0 is used: " in result.stdout


def test_devices_as_json():
    answer = json.loads(invoke("devices", "--json").stdout)
    assert answer["adapters"] == highwater.devices()
    assert answer["chosen"]["index"] in range(len(answer["adapters"]))


CPU = {"name": "llvmpipe", "driver": "Mesa", "type": "CPU"}
INTEGRATED = {"name": "Iris", "driver": "Mesa", "type": "integrated GPU"}
DISCRETE = {"name": "Arc", "driver": "Intel", "type": "discrete GPU"}
OTHER = {"name": "virtual", "driver": "venus", "type": "unknown"}


@pytest.mark.parametrize(
    ("machine", "wanted", "index", "why"),
    [
        ([CPU], "", 0, "only one"),
        ([CPU, INTEGRATED, DISCRETE], "", 2, "is of the best kind, discrete GPU"),
        ([OTHER, CPU, INTEGRATED, INTEGRATED], "", 2, "first of the best kind"),
        ([CPU, DISCRETE], "0", 0, "HIGHWATER_ADAPTER is '0'"),
        ([CPU, INTEGRATED, DISCRETE], "mesa", 1, "of those that match it"),
        ([CPU, DISCRETE], "aRC", 1, "HIGHWATER_ADAPTER is 'aRC'"),
    ],
)
def test_the_choice_of_an_adapter_is_explained(machine, wanted, index, why):
    choice = devices.choose(machine, wanted)
    assert choice.index == index
    assert why in choice.why


@pytest.mark.parametrize("wanted", ["7", "no such adapter"])
def test_an_adapter_that_is_not_there(wanted):
    result = invoke("devices", HIGHWATER_ADAPTER=wanted)
    assert result.exit_code == 1
    assert wanted in result.stderr
    assert highwater.devices()[0]["name"] in result.stderr


def test_without_adapters_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(highwater, "devices", list)
    result = invoke("devices")
    assert result.exit_code == 1
    assert "mesa-vulkan-drivers" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell):
    result = invoke("completion", shell)
    assert result.exit_code == 0
    assert f"_HIGHWATER_COMPLETE={shell}_complete" in result.stdout


def test_a_shell_is_told_commands_and_options():
    def complete(line):
        asked = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        result = subprocess.run(
            [sys.executable, "-m", "highwater"],
            env={**os.environ, **asked, "_HIGHWATER_COMPLETE": "bash_complete"},
            capture_output=True,
            text=True,
            check=True,
        )
        return [line.split(",")[1] for line in result.stdout.splitlines()]

    assert complete("highwater dev") == ["devices"]
    assert complete("highwater devices --j") == ["--json"]
    assert complete("highwater completion z") == ["zsh"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colours_are_for_terminals(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    tide = terminal.paint("tide", "good")
    assert terminal.shown(tide, colours=terminal.has_colours(io.StringIO())) == "tide"
    assert terminal.shown(tide, colours=terminal.has_colours(Terminal())) == "\x1b[32mtide\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert terminal.shown(tide, colours=terminal.has_colours(Terminal())) == "tide"


HOSTILE = "\x1b]0;owned\x07a\tb\nc\r\x9b2J\x7f\udcff\ud83d é 🌊"
HARMLESS = "\\x1b]0;owned\\x07a\tb\nc\\x0d\\x9b2J\\x7f\\xff\\ud83d é 🌊"


@pytest.mark.parametrize("colours", [True, False])
def test_text_of_others_cannot_steer_a_terminal(colours):
    assert terminal.shown(HOSTILE, colours=colours) == HARMLESS
    assert terminal.shown("\x1b[31mred", colours=colours) == "\\x1b[31mred"


def test_whatever_way_a_text_goes_out_it_is_harmless(monkeypatch, capsys):
    terminal.say(HOSTILE)
    terminal.say(terminal.table(["name"], [[HOSTILE.replace("\n", "")]]))
    terminal.remark(HOSTILE)
    terminal.Failure(HOSTILE).show()
    monkeypatch.setattr(terminal.Progress, "PATIENCE", 0)
    with terminal.Progress() as progress:
        progress.step(HOSTILE)
    terminal.say_json({HOSTILE: HOSTILE})
    out, err = capsys.readouterr()
    for text in (out, err):
        assert HARMLESS.partition("\n")[0] in text
        assert all(c in "\n\t" or (c.isprintable() and not c.isspace()) or c == " " for c in text)
    assert json.loads(out[out.index("{") :]) == {HOSTILE: HOSTILE}


def test_the_text_of_a_model_is_harmless_on_a_terminal_and_as_it_is_elsewhere(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    for stream, want in (
        (Terminal(), HARMLESS),
        (io.StringIO(), HOSTILE.replace("\udcff", "\\xff").replace("\ud83d", "\\ud83d")),
    ):
        monkeypatch.setattr(sys, "stdout", stream)
        terminal.say_text(HOSTILE, "strong")
        assert stream.getvalue() == want


@pytest.mark.parametrize("error", [click.UsageError, highwater.HighwaterError, ValueError, OSError])
def test_an_error_that_quotes_a_hostile_name_is_harmless(error):
    result = invoke("tide", group=failing(error("no \x1b]0;owned\x07 here")))
    assert "no \\x1b]0;owned\\x07 here" in result.stderr
    assert "\x1b" not in result.output


def test_ctrl_c_counts_where_a_shell_had_it_ignored(tmp_path):
    """As a script's shell does with what it starts with &."""
    script = (
        "import time, click\n"
        "from highwater import cli\n"
        "@click.command()\n"
        "def tide(): print('waiting', flush=True); time.sleep(60)\n"
        "cli.commands.add_command(tide)\n"
        "cli.main()\n"
    )
    with subprocess.Popen(
        ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, "-c", script, "tide"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    assert errors == "Stopped.\n"


def test_a_table_has_columns():
    table = terminal.table(["name", "rows"], [["a", "1"], ["bcdef", "128"]])
    lines = terminal.shown(table).splitlines()
    assert lines == ["name   rows", "a         1", "bcdef   128"]


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (1 << 21, "2.0 MiB"), (5 << 40, "5.0 TiB")],
)
def test_sizes(count, text):
    assert terminal.size(count) == text


@pytest.mark.parametrize("lives", [True, False])
def test_progress_tells_of_what_takes_long(monkeypatch, lives):
    stream = Terminal() if lives else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(terminal.Progress, "PATIENCE", 0.3)
    with terminal.Progress() as progress:
        progress.step("blinking")
        progress.step("sleeping")
        time.sleep(0.7)
        progress.step("waking")
    assert "blinking" not in stream.getvalue()
    assert "waking" not in stream.getvalue()
    assert "sleeping, 0." in stream.getvalue()
    assert ("… sleeping" in stream.getvalue()) == lives
