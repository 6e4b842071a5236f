"""How .wgsl files become headers: their names, and the files that they include."""

import re
import subprocess
import sys

import pytest
from conftest import ROOT

EMBED = ROOT / "tools" / "embed_wgsl.py"


@pytest.fixture
def files(tmp_path):
    """Writes files, and embeds one: `files({"ops/gather/cat.wgsl": …}, "gather/cat")`."""

    def embed(texts, kernel):
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (tmp_path / "wgsl").mkdir(exist_ok=True)
        header = tmp_path / "embedded" / f"{kernel}.h"
        source = tmp_path / "ops" / f"{kernel}.wgsl"
        done = subprocess.run(
            [sys.executable, EMBED, source, kernel, tmp_path / "wgsl", header, f"{header}.d"],
            capture_output=True,
            text=True,
        )
        return header.read_text() if done.returncode == 0 else done.stderr

    return embed


def test_files_of_one_name_are_kernels_of_their_folders(files):
    texts = {"ops/gather/cat.wgsl": "// a\n", "ops/map/cat.wgsl": "// b\n"}
    gather, of_map = files(texts, "gather/cat"), files(texts, "map/cat")
    assert "namespace highwater::wgsl::gather {\nstruct cat {" in gather
    assert "namespace highwater::wgsl::map {\nstruct cat {" in of_map
    assert "// a" in gather and "// a" not in of_map


def test_includes_are_found_beside_the_file_before_the_library(files):
    text = '#include "walk.wgsl"\n#include "sum.wgsl"\n'
    header = files(
        {
            "ops/fold/reduce.wgsl": text,
            "ops/fold/walk.wgsl": "// mine\n",
            "wgsl/walk.wgsl": "// of all\n",
            "wgsl/sum.wgsl": '#include "walk.wgsl"\n// the sum\n',
        },
        "fold/reduce",
    )
    assert "// mine\n" in header and "// the sum\n" in header
    assert "// mine\n// of all\n// the sum\n" in header, "the library's own is beside its file"


def test_what_two_files_include_is_there_once(files):
    header = files(
        {
            "ops/fold/reduce.wgsl": '#include "sum.wgsl"\n#include "max.wgsl"\n',
            "wgsl/sum.wgsl": '#include "walk.wgsl"\n',
            "wgsl/max.wgsl": '#include "walk.wgsl"\n',
            "wgsl/walk.wgsl": "// the walk\n",
        },
        "fold/reduce",
    )
    assert header.count("// the walk") == 1


def test_params_and_loops_of_included_files_count(files):
    loop = "for (var i = 0u; i < params.width; i++) {\n}\n"
    header = files(
        {
            "ops/fold/reduce.wgsl": '#include "params.wgsl"\n#include "loop.wgsl"\n',
            "ops/fold/params.wgsl": "struct Params {\n  width: u32,\n}\n",
            "wgsl/loop.wgsl": loop,
        },
        "fold/reduce",
    )
    assert "uint32_t width;" in header
    assert "kWalks = true" in header


@pytest.mark.parametrize("line", ['#include "gone.wgsl"', "#include FUNCTIONS"])
def test_an_include_that_leads_nowhere_says_so(files, line):
    said = files({"ops/map/map.wgsl": f"{line}\n"}, "map/map")
    assert "map.wgsl" in said and line.split()[1].strip('"') in said


def test_the_short_form_of_every_kernel_has_the_same_words():
    """What pages download has no spaces that nothing needs, and no two signs become another one."""
    sys.path.insert(0, str(EMBED.parent))
    import embed_wgsl

    word = re.compile(r"\w+|<<=|>>=|->|[-+*/%&|^=!<>]=|&&|\|\||<<|--|\+\+|/\*|//|\S")
    kernels = list((ROOT / "src").rglob("*.wgsl"))
    assert len(kernels) > 50
    for kernel in kernels:
        source = kernel.read_text()
        short = embed_wgsl.without_comments(source)
        assert word.findall(short) == word.findall(re.sub(r"//[^\n]*", "", source)), kernel
        assert len(short) < len(source)
