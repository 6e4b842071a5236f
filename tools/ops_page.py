"""Writes docs/ops.md, the page of ops, from the table that the library itself goes by.

python tools/ops_page.py            writes it
python tools/ops_page.py --check    fails if it is not as it would be written
"""

import argparse
import sys
from pathlib import Path

import highwater

PAGE = Path(__file__).resolve().parents[1] / "docs" / "ops.md"

HEAD = """# Ops

<!-- Written by tools/ops_page.py from the engine's own table; a test compares the two. -->

These {count} ops can run, at every live shape. Their names are those that exported programs use,
and their arguments are written in torch's notation: an `int` is known at export, a `SymInt` may
follow from live shapes, `int[2]` is two of them or one that counts for both, `Tensor(a!)` is a
tensor that the op writes into, and a `?` allows `None`. A `FloatTensor` is float32 or float16, an
`IntTensor` has integers or bools; a `Tensor` may be any of them. Where an op does less than torch's
does, the last column says so.

From Python, `highwater.supported_ops()` gives the same table. A row stands in the `.cpp` file of
its op, in a folder of `src/ops`; [adding an op](adding-an-op.md) tells how it gets there.
"""

GROUPS = {
    "aten": "PyTorch's own",
    "dim_order_ops": "ExecuTorch's copies",
    "et_vk": "Of ExecuTorch's Vulkan exporter",
    "torchao": "Of torchao",
    "highwater": "Of Highwater",
    "": "Of language models, and live integers",
}


def group_of(op: highwater.Op) -> str:
    parts = op.name.split(".")
    return parts[0] if len(parts) == 3 else ""


def row(op: highwater.Op) -> str:
    arguments, result = op.schema.removeprefix(op.name).rsplit(" -> ", 1)
    takes = arguments.strip("()").replace("|", "\\|")
    return f"| `{op.name}` | `{takes}` | `{result}` | {op.limits} |"


def page() -> str:
    ops = highwater.supported_ops().values()
    parts = [HEAD.format(count=len(ops))]
    for group, title in GROUPS.items():
        rows = [row(op) for op in ops if group_of(op) == group]
        parts.append(
            f"\n## {title}\n\n| op | takes | gives | does not do |\n| --- | --- | --- | --- |\n"
        )
        parts.append("\n".join(rows) + "\n")
    return "".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    if parser.parse_args().check:
        if PAGE.read_text() == page():
            return 0
        print("docs/ops.md is not up to date; run: python tools/ops_page.py", file=sys.stderr)
        return 1
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
