"""Programs of their own, for what may hang, abort, or end the interpreter."""

import subprocess
import sys
import textwrap

PRELUDE = """
import os, sys, threading, time
import highwater
from highwater.shipped import find_model
"""


def run(script: str, *arguments: object, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    """Fails the test, with all that was said, if it takes longer."""
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(script), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
