"""The fenced blocks of a Markdown page."""

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- quote: (?P<quoted>\S+) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    quoted: str | None  # the file that it is taken from
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    return [
        Block(m["language"], m["text"], m["quoted"], text.count("\n", 0, m.start()) + 1)
        for m in _BLOCK.finditer(text)
    ]


def links(page: Path) -> list[str]:
    """Of links and pictures: what they point to within the repository."""
    targets = re.findall(r"\]\(([^)#]+)\)", page.read_text())
    return [target for target in targets if "://" not in target]
