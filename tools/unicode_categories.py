"""Writes a C++ header with the general category of every character, from Python's own tables."""

import argparse
import sys
import unicodedata
from pathlib import Path

KINDS = dict(L="ultmo", M="nce", N="dlo", P="cdseifo", S="mcko", Z="slp", C="cfson")
NAMES = [kind + detail for kind, details in KINDS.items() for detail in details]


def runs() -> list[int]:
    """Where each run of characters of one category begins, times 32, plus the category."""
    found, last = [], None
    for code in range(sys.maxunicode + 1):
        category = NAMES.index(unicodedata.category(chr(code)))
        if category != last:
            found.append(code * 32 + category)
        last = category
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("header", type=Path)
    args = parser.parse_args()
    args.header.parent.mkdir(parents=True, exist_ok=True)
    numbers = [str(run) for run in runs()]
    lines = [", ".join(numbers[i : i + 12]) for i in range(0, len(numbers), 12)]
    args.header.write_text(
        "\n".join(
            [
                f"// Unicode {unicodedata.unidata_version}, by unicode_categories.py.",
                "#pragma once",
                "#include <cstdint>",
                "#include <string_view>",
                "namespace highwater {",
                "constexpr std::string_view kCategoryNames[] = {",
                ", ".join(f'"{name}"' for name in NAMES),
                "};",
                "constexpr uint32_t kCategoryRuns[] = {",
                ",\n".join(lines),
                "};",
                "}  // namespace highwater",
                "",
            ]
        )
    )


if __name__ == "__main__":
    main()
