"""Entries of the cache of lowered programs, when several processes want them at once."""

import subprocess
import sys
from pathlib import Path

from support import lowered_cache

MAKER = """
import sys, time
from pathlib import Path
from support import lowered_cache

folder, how = Path(sys.argv[1]), sys.argv[2]
lowered_cache.FOLDER = folder / "entries"

def make():
    with (folder / "made").open("a") as log:
        log.write("x")
    time.sleep(1)
    if how == "fails":
        sys.exit(1)
    return "lowered"

print(lowered_cache.cached("a program", (), make))
"""


def start(folder: Path, how: str = "works") -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", MAKER, str(folder), how],
        cwd=Path(__file__).parent,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_one_process_makes_it_and_the_others_get_it(tmp_path):
    processes = [start(tmp_path) for _ in range(3)]
    assert [p.communicate(timeout=60)[0] for p in processes] == ["lowered\n"] * 3
    assert (tmp_path / "made").read_text() == "x"


def test_another_process_takes_over_where_one_fails(tmp_path):
    failing = start(tmp_path, "fails")
    assert failing.communicate(timeout=60)[0] == ""
    assert failing.returncode == 1
    assert start(tmp_path).communicate(timeout=60)[0] == "lowered\n"
    assert (tmp_path / "made").read_text() == "xx"


def test_an_entry_that_was_cut_short_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(lowered_cache, "FOLDER", tmp_path)
    assert lowered_cache.cached("a program", (), lambda: "lowered") == "lowered"
    (entry,) = [path for path in tmp_path.rglob("*") if path.is_file() and not path.suffix]
    entry.write_bytes(entry.read_bytes()[:5])
    assert lowered_cache.cached("a program", (), lambda: "again") == "again"
