"""The fenced blocks of a Markdown page."""

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- (?:quote: (?P<quoted>\S+)|file: (?P<file>\S+)|(?P<output>output)"
    r"|(?P<only_there>only there)) -->\n)?"
    r"^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    quoted: str | None  # the file that it is taken from
    file: str | None  # the file that a reader is to write it to
    output: bool  # what the commands before it say
    only_there: bool  # commands that set a machine up, and are not run
    line: int

    @property
    def runs_in_browser(self) -> bool:
        """By web/tests/guide.test.mjs."""
        return self.language == "js"

    @property
    def is_run(self) -> bool:
        plain = not (self.quoted or self.file or self.output or self.only_there)
        return plain and self.language in ("sh", "python")


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    return [
        Block(
            language=m["language"],
            text=m["text"],
            quoted=m["quoted"],
            file=m["file"],
            output=m["output"] is not None,
            only_there=m["only_there"] is not None,
            line=text.count("\n", 0, m.start()) + 1,
        )
        for m in _BLOCK.finditer(text)
    ]


@dataclass(frozen=True)
class NamedTest:
    """Written as `file::test` or `file::test[parameter]`; of C++, the test is `Suite.Name`."""

    file: str
    test: str
    parameter: str | None


def named_tests(page: Path) -> list[NamedTest]:
    found = re.findall(r"`(\w+\.(?:cpp|py))::([\w.]+)(?:\[([^\]]+)\])?`", page.read_text())
    return [NamedTest(file, test, parameter or None) for file, test, parameter in found]


def links(page: Path) -> list[str]:
    """Of links and pictures: what they point to within the repository."""
    targets = re.findall(r"\]\(([^)#]+)\)", page.read_text())
    return [target for target in targets if "://" not in target]
