"""`highwater export`, called as from a shell."""

import json

from click.testing import CliRunner
from highwater.cli import commands


def export(*arguments):
    return CliRunner().invoke(commands, ["export", *map(str, arguments)])


def exported(output, *arguments) -> dict:
    """The report; everything else is checked to be well."""
    result = export(*arguments, "--json", "--output", output)
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["bytes"] == output.stat().st_size
    assert not report["unsupported"]
    left_behind = [path.name for path in output.parent.iterdir() if "partial" in path.name]
    assert not left_behind
    return report
