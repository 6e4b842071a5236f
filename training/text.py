"""The text: the King James Bible, which Debian's package `bible-kjv-text` carries.

The package holds it compressed, for the program of `bible-kjv` to read. Both are unpacked into the
build folder, so that nothing has to be installed; an installed one is used as it is.
"""

import re
import shutil
import subprocess
from pathlib import Path

from training.places import TEXT, WORK

PACKAGES = ("bible-kjv", "bible-kjv-text")
EVERYTHING = "Gen1:1-Rev22:21"
CHAPTERS = 1189

# Whole books, so that no sentence of them was seen: tales, wisdom, prophets and letters, about a
# twenty-fifth of the text. None has a twin that tells the same story in the same words.
HELD_OUT = (
    *("Ruth", "Esther", "Ecclesiastes"),
    *("Joel", "Jonah", "Micah", "Malachi"),
    *("Galatians", "Philippians", "Titus", "James", "1 John"),
)


def read_text() -> str:
    if not TEXT.exists():
        TEXT.parent.mkdir(parents=True, exist_ok=True)
        TEXT.write_text(_as_prose(_dump()))
    return TEXT.read_text()


def chapters(text: str) -> list[str]:
    """Each begins with a line such as `Genesis 1`; its verses are lines."""
    return [chapter + "\n" for chapter in text.rstrip("\n").split("\n\n\n")]


def split(text: str) -> tuple[list[str], list[str]]:
    """The chapters to learn from, and those to be examined in."""
    parts: tuple[list[str], list[str]] = ([], [])
    for chapter in chapters(text):
        parts[_book(chapter) in HELD_OUT].append(chapter)
    return parts


def _book(chapter: str) -> str:
    return chapter.split("\n", 1)[0].rsplit(" ", 1)[0]


def _dump() -> str:
    folder = WORK / "packages"
    if shutil.which("bible"):
        command = ["bible"]
    else:
        _unpack(folder)
        command = [str(folder / "usr/bin/bible"), "-p", str(folder / "usr/lib")]
    # No verse is as wide as that, so that each is one line.
    return subprocess.run(
        [*command, "-l100000", EVERYTHING], check=True, capture_output=True, text=True
    ).stdout


def _unpack(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", *PACKAGES], check=True, cwd=folder)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(package), str(folder)], check=True)


def _as_prose(dump: str) -> str:
    """Without the verses' numbers, which say nothing that a model could learn from."""
    found = re.split(r"^(\w[\w ]* \d+)\n", dump, flags=re.MULTILINE)[1:]
    assert len(found) == 2 * CHAPTERS, f"{len(found) // 2} chapters instead of {CHAPTERS}"
    prose = []
    for head, body in zip(found[::2], found[1::2], strict=True):
        verses = re.findall(r"^ +\d+ (.*)$", body, flags=re.MULTILINE)
        prose.append(head + "\n\n" + "\n".join(v.strip() for v in verses))
    return "\n\n\n".join(prose) + "\n"
