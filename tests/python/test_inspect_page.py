"""The page of `highwater inspect --html`, in a browser, shows what the planner decided."""

import re

import pytest
from highwater import inspect
from support import inspected, llamas
from support.browser import Browser

NOW = "return [...document.querySelectorAll('.row[data-node]')].map(r => [Number(r.dataset.node), "
NOW += "r.querySelector('.now').title, r.querySelector('.kernels').textContent])"
MOVE = "const s = document.getElementById(arguments[0]); s.value = arguments[1];"
MOVE += "s.dispatchEvent(new Event('input'))"

CHOOSE = "const p = document.getElementById('program'); p.value = arguments[0];"
CHOOSE += "p.dispatchEvent(new Event('change'))"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


def write_page(folder, name: str, pte: bytes):
    path = folder / f"{name}.pte"
    path.write_bytes(pte)
    report = inspect.read(path, wgsl=True)
    page = path.with_suffix(".html")
    page.write_text(inspect.as_page(report), encoding="utf-8")
    return page, [program for _, _, program in report.programs()]


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    page, (program,) = write_page(tmp_path_factory.mktemp("llama"), "llama", llamas.build("4w").pte)
    return page, program


@pytest.fixture
def opened(browser, llama):
    page, program = llama
    browser.be_dark(False)
    browser.open(page)
    yield browser, program
    assert browser.complaints() == []


def total(browser, name: str) -> str:
    totals = re.findall(r"(dispatches|workgroups)([\d,]+)", browser.text("#totals"))
    return dict(totals)[name].replace(",", "")


def shown_text(dims: list[list[int]], scalars: list[int]) -> str:
    return " ".join([*(f"[{', '.join(map(str, d))}]" for d in dims), *map(str, scalars)])


def check_rows(browser, program, shape) -> None:
    """Every row has the dims and the kernels of the planner."""
    browser_rows = browser.run(NOW)
    assert len(browser_rows) > 10
    for n, now, kernels in browser_rows:
        state = shape.nodes[n]
        assert now == shown_text(state["dims"], state["scalars"])
        assert kernels == " + ".join(program.kernels_of(program.nodes[n], state))
    assert total(browser, "dispatches") == str(len(shape.kernels))
    assert total(browser, "workgroups") == str(shape.workgroups)


def test_the_page_needs_nothing_else(llama):
    text = llama[0].read_text()
    links = re.findall(r"(?:https?:)?//[\w.]+\.\w+[^\s\"'`]*", text)
    assert set(links) <= {"http://www.w3.org/2000/svg"}, links
    assert not re.search(r"<(link|img|iframe|object|embed)\b|\bsrc=|@import|url\(", text)
    assert len(text) < 600_000


def test_moving_a_slider_shows_the_planners_answers(opened):
    browser, program = opened
    browser.click("#unfold")
    positions = program.symbols[0]["positions"]
    assert len(positions) == 31  # all of them: it is a short range
    check_rows(browser, program, program.on_grid())
    for count in (1, 2, 9, 30):
        browser.run(MOVE, "symbol-S", positions.index(count))
        assert f"S {count}" in browser.text("#sliders output")
        check_rows(browser, program, program.on_grid(S=count))


def test_the_keyboard_moves_sliders_and_rows(opened):
    browser, _ = opened
    browser.type("#symbol-S", "home")
    assert "S 1" in browser.text("#sliders output")
    browser.type("#symbol-S", "right", "right")
    assert "S 3" in browser.text("#sliders output")
    browser.type(".row", "down", "down", "down")
    assert browser.run("return document.activeElement.className").startswith("row")
    assert browser.run("return document.querySelectorAll('[aria-current=true]').length") == 1
    assert "node" in browser.text("#detail")


def test_layers_fold(opened):
    browser, _ = opened
    count = "return document.querySelectorAll('.row').length"
    before = browser.run(count)
    browser.type(".row.group", "left")
    folded = browser.run(count)
    assert folded < before
    browser.type(".row.group", "right")
    assert browser.run(count) == before


def test_a_refused_shape_is_told_in_the_planners_words(opened):
    browser, program = opened
    assert browser.run("return document.getElementById('refused').hidden")
    last = len(program.symbols[1]["positions"]) - 1
    browser.run(MOVE, "symbol-P", last)
    assert program.on_grid(P=program.symbols[1]["most"]).refused in browser.text("#refused")
    browser.run(MOVE, "symbol-S", 0)
    assert browser.run("return document.getElementById('refused').hidden")
    check_rows(browser, program, program.on_grid(S=1, P=program.symbols[1]["most"]))


def test_a_node_tells_its_kernels(opened):
    browser, program = opened
    attention = next(n for n, node in enumerate(program.nodes) if "sdpa" in node["op"])
    browser.click(f".row[data-node='{attention}']")
    detail = browser.text("#detail")
    for part in ("sdpa_with_kv_cache", "cache_write.wgsl", "@compute", "bytes of params"):
        assert part in detail
    browser.click("#detail summary")
    browser.run(MOVE, "symbol-S", 3)
    assert browser.run("return document.querySelectorAll('#detail details[open]').length") == 1


def test_the_memory_plan_fills_with_the_length(opened):
    browser, program = opened
    # Scratch is drawn as large as it may become.
    fill = "return [...document.querySelectorAll('#plan .level:not([style*=scratch])')]"
    fill += ".reduce((sum, r) => sum + Number(r.getAttribute('height')), 0)"
    full = browser.run(fill)
    browser.run(MOVE, "symbol-S", 0)
    assert 0 < browser.run(fill) < full / 3
    buffers = [b for b in program.raw["buffers"] if b["kind"] in ("shared", "inputs")]
    assert browser.run("return document.querySelectorAll('#plan .track').length") == len(buffers)


def test_dark_mode(opened):
    browser, _ = opened
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = browser.run(ground)
    browser.be_dark()
    assert browser.run(ground) != light


def test_programs_of_several_delegates_can_be_chosen(browser, tmp_path):
    page, programs = write_page(tmp_path, "split", inspected.split())
    browser.open(page)
    assert len(programs) == 2
    assert browser.run("return document.querySelectorAll('#program option').length") == 2
    browser.run(CHOOSE, 1)
    check = [node["op"] for node in programs[1].nodes]
    shown = browser.run("return document.querySelectorAll('.row[data-node]').length")
    assert shown == len(check)
    assert "asinh" in browser.text("#methods")
    assert browser.complaints() == []


def test_a_program_that_cannot_run_has_a_page(browser, tmp_path):
    page, _ = write_page(tmp_path, "cosh", inspected.unsupported())
    browser.open(page)
    assert "aten.cosh.default" in browser.text("#trouble")
    assert browser.complaints() == []
