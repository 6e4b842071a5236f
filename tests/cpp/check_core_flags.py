"""Everything below the front doors is compiled without exceptions and without RTTI."""

import argparse
import json
import re
import shlex
import sys
from pathlib import Path

ROOMS = (
    "base",
    "blob",
    "graph",
    "ops",
    "passes",
    "gpu",
    "platform/native",
    "runtime",
    "inspect",
    "text",
)
FLAGS = ("-fno-exceptions", "-fno-rtti")


def sources_of(file: Path) -> list[Path]:
    """The file, or those it includes where a folder is compiled at a time."""
    if not file.stem.startswith("unity_"):
        return [file.resolve()]
    return [
        Path(path).resolve() for path in re.findall(r'^#include "(.*)"', file.read_text(), re.M)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compile_commands", type=Path)
    parser.add_argument("src", type=Path)
    args = parser.parse_args()

    commands = {
        source: shlex.split(entry["command"])
        for entry in json.loads(args.compile_commands.read_text())
        for source in sources_of(Path(entry["file"]))
    }
    sources = [path.resolve() for room in ROOMS for path in (args.src / room).rglob("*.cpp")]
    troubles = [f"there are no sources under {args.src}"] if not sources else []
    for source in sources:
        if source not in commands:
            troubles.append(f"{source} is not compiled; run cmake again")
            continue
        missing = [flag for flag in FLAGS if flag not in commands[source]]
        if missing:
            troubles.append(f"{source} is compiled without {' and '.join(missing)}")
    sys.exit("\n".join(troubles) or 0)


if __name__ == "__main__":
    main()
