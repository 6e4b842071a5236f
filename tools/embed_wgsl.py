"""Turns a .wgsl file into a C++ header: its text, and its `struct Params` as a C++ struct.

The WGSL file is the only place where a kernel's params are declared, so the two sides cannot
disagree. Members may be u32, i32, f32, vec4 of those, or array<vec4<…>, N>. The first C++ member is
a `ByName`, which no list of values by position can fill.

A kernel whose loops follow live sizes is told from others: its plans must say how far it walks.

A line `#include "other.wgsl"` stands for the lines of a file beside it, or in the library. A file
that several others include is there once.
"""

import argparse
import re
from pathlib import Path

SCALARS = {"u32": "uint32_t", "i32": "int32_t", "f32": "float"}


def cpp_member(name: str, wgsl_type: str) -> tuple[str, int, int]:
    """The C++ declaration of a member, its size and its alignment, both in bytes."""
    if wgsl_type in SCALARS:
        return f"{SCALARS[wgsl_type]} {name}", 4, 4
    if match := re.fullmatch(r"vec4<(\w+)>", wgsl_type):
        return f"alignas(16) std::array<{SCALARS[match[1]]}, 4> {name}", 16, 16
    if match := re.fullmatch(r"array<vec4<(\w+)>, *(\d+)>", wgsl_type):
        count = int(match[2])
        return f"alignas(16) std::array<{SCALARS[match[1]]}, {4 * count}> {name}", 16 * count, 16
    raise SystemExit(f"params member '{name}' has type '{wgsl_type}', which a uniform cannot carry")


def params_struct(source: str) -> list[str]:
    match = re.search(r"struct Params \{(.*?)\}", re.sub(r"//[^\n]*", "", source), re.DOTALL)
    if not match:
        return ["  struct Params {};", "  static constexpr uint32_t kParamsSize = 0;"]
    lines, size = [], 0
    for name, wgsl_type in re.findall(r"(\w+)\s*:\s*([^\n]+?)\s*,?\s*(?:\n|$)", match[1]):
        declaration, member_size, alignment = cpp_member(name, wgsl_type.rstrip(","))
        size = (size + alignment - 1) // alignment * alignment + member_size
        lines.append(f"    {declaration};")
    size = (size + 15) // 16 * 16
    return [
        "  struct alignas(16) Params {",
        "    [[no_unique_address]] ByName<Params> by_name{};",
        *lines,
        "  };",
        f"  static constexpr uint32_t kParamsSize = {size};",
        "  static_assert(sizeof(Params) == kParamsSize);",
    ]


def is_short(loop: str) -> bool:
    """Whether a `for` has few rounds at any live size: up to a constant, or down from one or from a
    rank. Constants are written in capitals, as ${LANES} and WG are."""
    begin, condition, _ = (part.strip() for part in loop.split(";"))
    constant = r"[0-9A-Z_ui${}*/ ]+"
    start = begin.split("=")[1].strip()
    if re.fullmatch(rf"\w+ < {constant}", condition):
        return True
    counts_down = re.fullmatch(r"\w+ >=? [01]u?", condition)
    return bool(counts_down and re.fullmatch(rf"{constant}|(params\.(\w+_)?)?rank", start))


def walks(source: str) -> bool:
    """Whether some loop may have many rounds."""
    code = re.sub(r"//[^\n]*", "", source)
    loops = re.findall(r"\bfor \((.*?)\) \{", code)
    others = len(re.findall(r"\b(for|while|loop)\b", code)) - len(loops)
    return others > 0 or not all(map(is_short, loops))


def found(name: str, beside: Path, library: Path) -> Path:
    for folder in (beside.parent, library):
        if (folder / name).is_file():
            return folder / name
    raise SystemExit(f"{beside}: there is no {name} beside it or in {library}")


def with_includes(path: Path, library: Path, seen: list[Path]) -> str:
    """The text of a file with its includes in place; notes each file that it reads."""
    seen.append(path)

    def included(match: re.Match) -> str:
        name = re.fullmatch(r'"([^"]+)"', match[1])
        if not name:
            raise SystemExit(f"{path}: '{match[0].strip()}' is not an #include \"file\"")
        file = found(name[1], path, library)
        return "" if file in seen else with_includes(file, library, seen)

    return re.sub(r"^#include *(.*)\n", included, path.read_text(), flags=re.MULTILINE)


def without_comments(source: str) -> str:
    """For those who download it: the same code, without what only people read."""
    lines = (line.strip() for line in re.sub(r"//[^\n]*", "", source).splitlines())
    return "".join(f"{without_spaces(line)}\n" for line in lines if line)


def without_spaces(line: str) -> str:
    """Around what ends a word anyway. Where signs would become another one together, such as two
    minuses, they stay apart; and directives are the library's own."""
    return line if line.startswith("#") else re.sub(r"(?<!>) *(>|[+*%=<,;:(){}]=? *)", _tight, line)


def _tight(match: re.Match) -> str:
    return match[1].rstrip()


def header(name: str, source: str, text: str) -> str:
    """`text` is what the library holds of the source."""
    *folders, stem = name.split("/")
    namespace = "::".join(["highwater", "wgsl", *folders])
    return "\n".join(
        [
            f"// Made from {name}.wgsl by embed_wgsl.py.",
            "#pragma once",
            "#include <array>",
            "#include <cstdint>",
            '#include "graph/kernel.h"',
            '#include "graph/params.h"',
            f"namespace {namespace} {{",
            f"struct {stem} {{",
            *params_struct(source),
            f"  static constexpr bool kWalks = {str(walks(source)).lower()};",
            "  static constexpr KernelSource kSource{",
            f'      "{stem}", kParamsSize, R"wgsl({text})wgsl"}};',
            "};",
            f"}}  // namespace {namespace}",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wgsl", type=Path)
    parser.add_argument("name", help="its folders, which are namespaces, and its stem: gather/cat")
    parser.add_argument("library", type=Path, help="where includes are that are not beside it")
    parser.add_argument("header", type=Path)
    parser.add_argument("depfile", type=Path, help="what the header was made from, for make")
    parser.add_argument("--short", action="store_true", help="leave comments out")
    args = parser.parse_args()
    args.header.parent.mkdir(parents=True, exist_ok=True)
    read = []
    source = with_includes(args.wgsl, args.library, read)
    text = without_comments(source) if args.short else source
    args.header.write_text(header(args.name, source, text))
    args.depfile.write_text(f"{args.header}: {' '.join(str(path) for path in read)}\n")


if __name__ == "__main__":
    main()
