"""Makes what the page Search needs: MiniLM as a program, its tokenizer, and the sentences' points.

    python web/tools/export_search.py FOLDER

It needs what examples/search_docs.py needs, whose program it is.
"""

import json
import shutil
import sys
from pathlib import Path

import highwater

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))

import search_docs  # noqa: E402


def sentences() -> list[str]:
    return [text for _, text in json.loads((ROOT / "web/pages/sentences.json").read_text())]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "model.pte"
    if not program.exists():
        unfinished = folder / "model.pte.part"
        search_docs.export(unfinished)
        unfinished.rename(program)
    shutil.copy(search_docs.MINI_LM / "tokenizer.json", folder)
    tokenizer = search_docs.read_tokenizer()
    with highwater.load(program) as model:
        points = search_docs.embed(model, tokenizer, sentences())
    (folder / "points.bin").write_bytes(points.astype("<f4").tobytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
