"""Everything below the front doors is compiled without exceptions and without RTTI."""

import argparse
import json
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compile_commands", type=Path)
    parser.add_argument("src", type=Path)
    args = parser.parse_args()

    commands = {
        Path(entry["file"]).resolve(): shlex.split(entry["command"])
        for entry in json.loads(args.compile_commands.read_text())
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
