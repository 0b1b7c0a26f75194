"""The page in a real browser: Chromium, headless, without a network.

Screenshots of every state that is looked at by people are left in pytest's temporary folder
(``pytest -m browser --basetemp=shots``).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

import madeup
from bakeoff.bench.results import ResultData
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.view import View
from bakeoff.reports.page import notebook, watched
from bakeoff.reports.page import page as report
from bakeoff.reports.page.chart_rows import points
from needed import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def crowded() -> ResultData:
    return madeup.result()


@pytest.fixture(scope="module")
def file(crowded: ResultData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report.render([crowded]), "utf-8")
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that the crowded page has, in few rows, for what is slow or does not depend on them."""
    result = madeup.result(codecs=20, corpora=3, processes=5)
    path = tmp_path_factory.mktemp("page") / "small.html"
    path.write_text(report.render([result]), "utf-8")
    return path


Opener = Callable[..., "Page"]

RESET = """() => {
    history.replaceState(null, '', location.pathname);
    dispatchEvent(new HashChangeEvent('hashchange'));
    for (const details of document.querySelectorAll('details[open]')) details.open = false;
    return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
"""Puts a page back as it was opened."""


class Tabs:
    """Tabs of a browser: one for each file that tests share, and one for the files of single tests.

    A new tab starts a process that compiles the scripts, which takes five times as long as another file in
    an open one.
    """

    def __init__(self, browser: Browser, shared: Sequence[Path]) -> None:
        self.complaints: list[str] = []
        self._browser = browser
        self._shared = shared
        self._tabs: dict[str, Page] = {}
        self._shown: dict[Page, tuple[Path, int]] = {}

    def open(self, path: Path, width: int, **options: Any) -> Page:
        key = f"{path if path in self._shared else ''} {options}"
        page = self._tabs.get(key) or self._tabs.setdefault(key, self._new(**options))
        scripted = options.get("java_script_enabled", True)
        if self._shown.get(page) != (path, width):
            self._shown[page] = path, width
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(path.as_uri())
            if scripted:
                page.wait_for_selector("html[data-ready]", state="attached")
        elif scripted:
            page.evaluate(RESET)
        return page

    def _new(self, **options: Any) -> Page:
        page = self._browser.new_context(**options).new_page()
        page.on("console", lambda message: self.complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", lambda request: self._check(page, request.url))
        return page

    def _check(self, page: Page, url: str) -> None:
        if not url.startswith((self._shown[page][0].as_uri(), "data:", "blob:")):
            self.complaints.append(f"request: {url}")


@pytest.fixture(scope="module")
def tabs(browser: Browser, file: Path, small: Path) -> Tabs:
    return Tabs(browser, (file, small))


@pytest.fixture
def opened(tabs: Tabs, file: Path, tmp_path: Path) -> Iterator[Opener]:
    def open_page(
        width: int = 1280, path: Path = file, results: Sequence[ResultData] = (), **options: Any
    ) -> Page:
        if results:
            path = tmp_path / "report.html"
            path.write_text(report.render(results), "utf-8")
        return tabs.open(path, width, **options)

    yield open_page
    found, tabs.complaints[:] = list(tabs.complaints), []
    assert found == []


def column(page: Page, key: str) -> list[float]:
    cells = page.locator(f'#table tbody tr:visible [data-column="{key}"]')
    values: list[str | None] = cells.evaluate_all("cells => cells.map(cell => cell.dataset.value ?? null)")
    return [float(value) for value in values if value is not None]


def codecs(page: Page) -> list[str]:
    names: list[str] = page.locator("#table tbody tr:visible:not(.baseline)").evaluate_all(
        "rows => rows.map(row => row.dataset.codec)"
    )
    return names


def ranks(page: Page) -> dict[str, str]:
    pairs: list[tuple[str, str]] = page.locator("#table tbody tr:visible:not(.baseline)").evaluate_all(
        "rows => rows.map(row => [row.dataset.codec, row.querySelector('td.rank').textContent])"
    )
    return dict(pairs)


def set_slider(page: Page, name: str, value: float | None) -> None:
    page.evaluate(
        """([name, value]) => {
            const state = JSON.parse(document.getElementById('state').textContent);
            const input = document.getElementById(name);
            input.value = state.sliders[name].stops.indexOf(value);
            input.dispatchEvent(new Event('input', { bubbles: true }));
            return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        }""",
        [name, value],
    )


def unfold(page: Page, details: str) -> None:
    """Open a drawing's table, anew if it is open; wait for its rows, which come after it has opened."""
    page.evaluate(
        """selector => {
            const details = document.querySelector(selector);
            details.open = false;
            details.querySelector('.fill').replaceChildren();
            details.querySelector('summary').click();
        }""",
        details,
    )
    page.locator(f"{details} tbody tr").first.wait_for()


def unfold_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    for drawing in page.locator("details.figures:visible").all():
        drawing.locator("tr").first.wait_for()


def test_a_header_sorts_and_says_so(opened: Opener) -> None:
    page = opened()
    header = page.locator('#table th[data-column="load"]')
    for descending in (False, True):
        header.get_by_role("button").click()
        order = "descending" if descending else "ascending"

        assert column(page, "load")[:-1] == sorted(column(page, "load")[:-1], reverse=descending)
        assert header.get_attribute("aria-sort") == order
        assert page.locator("#table th[aria-sort]").count() == 1
        assert page.locator("#announcer").inner_text() == f"Sorted by load, {order}."
        last = page.locator("#table tbody tr:visible").last
        assert last.get_attribute("data-codec") == "baseline"
        assert last.locator("td.rank").inner_text() == "–"


def test_the_script_ranks_as_python_does(opened: Opener, crowded: ResultData) -> None:
    page = opened()
    for number, name in enumerate(["movies", "text"]):
        page.select_option("#corpus", label=name)
        uses = ((1, None, "once"), (24, 125e6, "once"), (24, 125e6, "per-read"), (0.1, 12_500, "per-read"))
        for reads, bandwidth, crossings in uses:
            set_slider(page, "reads", reads)
            set_slider(page, "bandwidth", bandwidth)
            page.get_by_label("for each read, not once").set_checked(crossings == "per-read")
            cost = CostModel.of(reads, bandwidth, crossings)
            view = next(view for view in View.of([crowded], cost).corpora if view.corpus.name == name)
            standing = view.standing
            shown = ranks(page)
            expected = {codec: standing.rank_text(codec) for codec in standing.ranks}

            assert {codec: rank for codec, rank in shown.items() if rank != "–"} == expected, (number, reads)

            unfold(page, "details[data-front]")
            front = page.locator("details[data-front] tbody tr", has_text="on the front")
            named: list[str] = front.evaluate_all("rows => rows.map(row => row.cells[0].textContent)")

            assert set(named) == {row["codec"] for row in points(view) if row["front"]}


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param([{"processes": 2, "noise": 0.0005}], id="two processes"),
        pytest.param(
            [{"planted": {"json": {"dump": t, "load": t, "size": 100}}} for t in (1e-6, 1.03e-6)],
            id="two files",
        ),
    ],
)
def test_the_script_is_as_careful(
    opened: Opener, result_of: Callable[..., ResultData], runs: list[dict[str, Any]]
) -> None:
    results = [result_of(**run) for run in runs]
    (view,) = View.of(results).corpora
    standing = view.standing
    page = opened(results=results)

    assert ranks(page) == {codec: standing.rank_text(codec) for codec in standing.ranks}
    if runs[0].get("processes") == 2:
        assert "" == page.locator("#hints").inner_text()
    else:
        # They are computed once the page rests.
        expect(page.locator("#hints")).not_to_be_empty()


def test_the_script_writes_costs_as_python_does(opened: Opener) -> None:
    """The live cost cells show the digits and units that the page was written with."""
    read = "cells => cells.map(cell => cell.querySelector('.v')?.textContent.trim() ?? '')"
    cells = '#table tr[data-view="0"]:not(.baseline) [data-column="cost"]'
    live: list[str] = opened().locator(cells).evaluate_all(read)
    still: list[str] = opened(java_script_enabled=False).locator(cells).evaluate_all(read)

    def split(texts: list[str]) -> tuple[list[float], list[str]]:
        pairs = [text.split() for text in texts]
        return [float(number.replace(",", "")) for number, _ in pairs], [unit for _, unit in pairs]

    # The page carries five digits of each sample.
    assert split(live)[0] == pytest.approx(split(still)[0], rel=1e-4)
    assert split(live)[1] == split(still)[1]
    assert [len(text) for text in live] == [len(text) for text in still]


@pytest.mark.parametrize(
    ("baseline", "near"), [(None, 1.001e-6), (None, 1.02e-6), ("json", 1.02e-6), ("baseline", 1.001e-6)]
)
def test_the_script_keeps_what_stands_beside_a_cost(
    opened: Opener, result_of: Callable[..., ResultData], tmp_path: Path, baseline: str | None, near: float
) -> None:
    path = tmp_path / "beside.html"
    planted = {name: {"dump": t, "load": t, "size": 100} for name, t in zip("ab", (1e-6, near), strict=True)}
    json = {"dump": 2e-6, "load": 3e-6, "size": 90}
    # A difference of 2 % is significant at 0.05, and not at what the run may spend.
    result = result_of({**planted, "json": json}, noise=0.02, seed=12, options={"alpha": 0.0038})
    path.write_text(report.render([result], relative_to=baseline), "utf-8")
    small = '#table tr:not(.baseline) [data-column="cost"] small'
    page = opened(path=path)
    live = page.locator(small).all_text_contents()

    assert live == opened(path=path, java_script_enabled=False).locator(small).all_text_contents()
    assert all("±" in text for text in live)

    page.get_by_label("Find a codec").fill("b")
    page.select_option("#format", label="b")
    expect(page.locator("#count")).to_have_text("1 of 3 rows")
    # The count may be right before the format is: the search finds one row already.
    alone = live[1] if baseline else re.sub(r"\S+×\)?", "1.00×", live[1])

    expect(page.locator(f"{small}:visible")).to_have_text(alone)


def test_sliders_rerank_table_sentence_and_chart(opened: Opener) -> None:
    page = opened()
    before = page.locator("#front").get_attribute("aria-label")
    set_slider(page, "bandwidth", 12_500)

    assert codecs(page)[0] == "msgpack|zstd:3"
    assert "msgpack|zstd:3" in page.locator("#verdict").inner_text()
    assert page.locator("#bandwidth-shown").inner_text() == "100\u00a0kbit/s"
    assert page.locator("#front").get_attribute("aria-label") != before
    expect(page.locator("#hints")).to_contain_text("wins if you read")


def test_a_rate_shows_what_it_takes_and_what_does_not_fit(opened: Opener) -> None:
    page = opened()
    set_slider(page, "bandwidth", 1_250_000)
    set_slider(page, "rate", 10_000)

    assert page.locator('#table th[data-column="rate"]').is_visible()
    # Not `inner_text`: rows out of sight are not rendered.
    cell = page.locator('#table tbody tr:visible [data-column="rate"]').first
    assert re.fullmatch(r"\S+ cores\n\S+\s% of the bandwidth", cell.text_content() or "")
    assert ranks(page)["plist"] == "–"
    row = page.locator('#table tr[data-codec="plist"]:not([hidden])')
    cost = row.locator('[data-column="cost"] small').text_content() or ""
    assert re.fullmatch(r"needs [1-9]\d\d+\s% of the bandwidth", cost)


@pytest.mark.parametrize(("corpora", "table"), [(1, "#table"), (3, "#leaders")])
def test_the_table_comes_before_the_sliders(opened: Opener, corpora: int, table: str) -> None:
    page = opened(results=[madeup.result(codecs=7, corpora=corpora, processes=2)])
    first, slider = (page.locator(each).bounding_box() or {} for each in (table, "#reads"))

    assert first["y"] + first["height"] < slider["y"]


@pytest.mark.parametrize("width", [1280, 390])
def test_an_empty_table_says_so_in_itself(opened: Opener, small: Path, width: int) -> None:
    page = opened(width, path=small)
    page.fill("#search", "no such codec")
    expect(page.locator("#nothing")).to_be_visible()
    nothing, table = page.evaluate(
        """() => ['#nothing td', '#table'].map(each => {
            const { top, bottom, width } = document.querySelector(each).getBoundingClientRect();
            return { top, bottom, width };
        })"""
    )

    assert "No codec fits these filters." == page.locator("#nothing").inner_text()
    assert nothing["width"] > 0.9 * table["width"]
    assert table["top"] < nothing["top"] < nothing["bottom"] <= table["bottom"]


def test_the_answer_is_said_once(opened: Opener, result_of: Any) -> None:
    made = {"a": {"dump": 1e-6, "load": 1e-6, "size": 50}, "b": {"dump": 3e-6, "load": 2e-6, "size": 60}}
    page = opened(results=[result_of(made)])

    assert page.locator("h1").inner_text().startswith("Use a: ")
    assert "use" not in page.locator(".answer dt").all_inner_texts()
    assert not page.locator("#verdict").is_visible()

    set_slider(page, "reads", 24)

    assert page.locator("#verdict").is_visible()


def test_filters_rerank_and_the_search_only_hides(opened: Opener) -> None:
    page = opened()
    second = ranks(page)["ormsgpack"]
    page.get_by_label("Safe for untrusted input").check()
    expect(page.locator("#count")).not_to_have_text(re.compile("^30"))

    assert "marshal" not in codecs(page)
    assert int(ranks(page)["ormsgpack"]) == int(second) - 1

    page.get_by_label("Safe for untrusted input").uncheck()
    page.get_by_label("Find a codec").fill("ormsg")
    expect(page.locator("#count")).to_have_text("1 of 30 rows")

    assert codecs(page) == ["ormsgpack"]
    assert ranks(page)["ormsgpack"] == second

    page.get_by_label("Find a codec").fill("nobody")

    page.get_by_text("No codec fits these filters.").wait_for()


def test_lossy_codecs_are_marked_and_can_be_left_out(opened: Opener) -> None:
    page = opened()
    page.select_option("#corpus", label="messages")
    row = page.locator('#table tr[data-codec="bson"]:not([hidden])')

    assert "lossy" in (row.text_content() or "")
    note = row.locator('[data-column="fidelity"] sup a').get_attribute("href")
    assert "microseconds" in page.locator(str(note)).inner_text()

    page.get_by_label("Lossless").check()
    expect(page.locator("#table tr[data-codec=bson]:not([hidden])")).to_have_count(0)


@pytest.mark.slow
def test_bars_of_lossy_codecs_can_be_left_out(opened: Opener, result_of: Callable[..., ResultData]) -> None:
    first = result_of(corpora=["movies"])
    second = result_of(corpora=["types"], losses={"json": ("`tuple` came back as `list`",)})
    other = replace(second.corpora[0], sha256="f" * 64)
    both = replace(first, cells=first.cells + second.cells, corpora=(*first.corpora, other))
    page = opened(results=[both])
    page.get_by_label("Lossless").check()
    for corpus, bars in (("movies", 5), ("types", 4), ("All 2 corpora", 3)):
        page.select_option("#corpus", label=corpus)

        expect(page.locator("#bars-dump")).to_have_attribute("aria-label", re.compile(f": {bars} bars "))


def test_hints_leave_out_what_concerns_nobody(opened: Opener, result_of: Callable[..., ResultData]) -> None:
    """Codecs that change places at 0.0003 reads for each write are not said to."""
    planted = {
        "json": {"dump": 1e-6, "load": 1e-6, "size": 100},
        "bson": {"dump": 0.9997e-6, "load": 2e-6, "size": 100},
    }
    page = opened(results=[result_of(planted, noise=0.0)])

    expect(page.locator("#hints")).to_have_text(
        "No codec costs less than json by more than 1% at 0.01 to 10,000 reads for each write or "
        "8 kbit/s to 800 Gbit/s."
    )


def test_all_corpora_stand_in_one_table(opened: Opener) -> None:
    page = opened()
    page.select_option("#corpus", label="All 5 corpora")
    expect(page.locator("#count")).to_have_text("144 rows")

    assert len(codecs(page)) == 144
    assert page.locator("#table th.corpus").is_visible()
    assert "of 5 corpora" in page.locator("#verdict").inner_text()


def test_the_data_can_be_downloaded(opened: Opener, crowded: ResultData) -> None:
    page = opened()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download JSON").click()
    (machine,) = json.loads(Path(saved.value.path()).read_text("utf-8"))

    assert saved.value.suggested_filename == "bakeoff.json"
    assert len(machine["cells"]) == len(crowded.cells)

    with page.expect_download() as saved:
        page.get_by_role("button", name="Download CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(saved.value.path()).read_text("utf-8"))))
    timed = [
        row for row in rows if (row["corpus"], row["operation"], row["codec"]) == ("movies", "dump", "json")
    ]
    cell = crowded.cell("movies", "dump", "json")

    assert cell
    assert [float(row["value"]) for row in timed] == pytest.approx([s.value for s in cell.samples], rel=1e-4)
    assert any(row["outcome"] == "crashed" and "SIGSEGV" in row["reason"] for row in rows)


def test_the_csv_runs_no_formulas(opened: Opener, result_of: Callable[..., ResultData]) -> None:
    """Names and reasons that a spreadsheet would run get a quote in front, figures stay."""
    run = result_of(
        {"=cmd()": {"dump": 1e-6, "load": 1e-6, "size": 90}}, outcomes={"bad": ("crashed", " @SUM(1)")}
    )
    page = opened(results=[run])
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(saved.value.path()).read_text("utf-8"))))

    assert {"'=cmd()", "bad", "baseline"} == {row["codec"] for row in rows}
    assert {"", "'@SUM(1)"} == {row["reason"] for row in rows}
    assert all(float(row["value"]) > 0 for row in rows if row["codec"] == "'=cmd()")


def test_the_theme_follows_the_system_and_the_button(opened: Opener, small: Path) -> None:
    page = opened(path=small)
    page.emulate_media(color_scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    seen = {}
    for _ in range(3):
        page.locator("#theme").click()
        seen[page.locator("#theme").inner_text()] = page.evaluate(colour)

    assert list(seen) == ["Theme: light", "Theme: dark", "Theme: system"]
    assert seen["Theme: light"] != dark == seen["Theme: dark"] == seen["Theme: system"]
    page.emulate_media(color_scheme="light")


def test_it_works_from_the_keyboard(opened: Opener, small: Path) -> None:
    page = opened(path=small)
    page.reload()  # nothing has the focus
    page.wait_for_selector("html[data-ready]", state="attached")
    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.className") == "skip"

    page.locator("#reads").focus()
    before = page.locator("#reads-shown").inner_text()
    page.keyboard.press("ArrowRight")

    assert page.locator("#reads-shown").inner_text() != before
    assert page.locator("#reads").get_attribute("aria-valuetext") == page.locator("#reads-shown").inner_text()

    page.locator('#table button[data-sort="bytes"]').focus()
    page.keyboard.press("Enter")

    assert page.locator('#table th[aria-sort="ascending"]').get_attribute("data-column") == "bytes"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_charts_have_words_and_tables(opened: Opener) -> None:
    page = opened()
    for drawing in page.locator(".drawing").all():
        assert drawing.get_attribute("role") == "img"
        assert len(drawing.get_attribute("aria-label") or "") > 20
    page.locator('.panel[data-operation="dump"] summary').click()

    expect(page.locator('.panel[data-operation="dump"] details td')).to_have_count(31)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(opened: Opener, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(width, results=[madeup.result(codecs=7, corpora=2, processes=2)], bypass_csp=True)
    set_slider(page, "rate", 1000)
    page.select_option("#corpus", label="All 2 corpora")
    page.get_by_label("Hide variants").check()
    unfold_all(page)
    dark = [("dark", {"runOnly": ["color-contrast"]})] if width == 1280 else []
    for scheme, rules in (("light", {}), *dark):
        page.emulate_media(color_scheme=scheme)
        options = {"resultTypes": ["violations"], **rules}  # nothing is collected about what passes
        found = Axe().run(page, options=options).response["violations"]

        assert [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found] == []


def test_no_width_scrolls_sideways(opened: Opener) -> None:
    page = opened()
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    for width in (390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        set_slider(page, "rate", 0)
        page.select_option("#corpus", label="movies")

        assert page.evaluate(overflow) <= 0

        set_slider(page, "rate", 1000)
        page.select_option("#corpus", label="All 5 corpora")
        unfold_all(page)

        assert page.evaluate(overflow) <= 0


def test_it_can_be_read_without_scripts(opened: Opener) -> None:
    page = opened(java_script_enabled=False)

    assert page.locator("#table tbody tr:visible").count() == 149
    assert page.locator(".drawing svg").count() >= 6
    assert not page.locator("#use").is_visible()
    assert not page.locator("#theme").is_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_every_point_is_named(opened: Opener, small: Path, width: int) -> None:
    page = opened(width, path=small)
    found: list[list[dict[str, Any]]] = page.evaluate(
        """() => ['g[paint-order] text', '[data-tip]'].map(kind =>
            [...document.querySelectorAll('#front ' + kind)].map(mark => {
                const { left, top, right, bottom } = mark.getBoundingClientRect();
                return { text: mark.textContent, left, top, right, bottom };
            }))"""
    )
    names, marks = found
    costs = [codec for codec, rank in ranks(page).items() if rank != "–"]
    frame = page.locator("#front").bounding_box() or {}

    assert sorted(name["text"].partition(" →")[0].partition(" ↑")[0] for name in names) == sorted(costs)
    assert len(marks) == len(costs)
    for name in names:
        assert frame["x"] <= name["left"] < name["right"] <= frame["x"] + frame["width"]
    for a, b in combinations(names, 2):
        middles = [(each["top"] + each["bottom"]) / 2 for each in (a, b)]
        assert a["right"] <= b["left"] or b["right"] <= a["left"] or abs(middles[0] - middles[1]) > 10


def test_the_headline_follows_the_use(opened: Opener, small: Path) -> None:
    page = opened(path=small)
    headline = page.locator("#headline")
    first = headline.inner_text()
    set_slider(page, "bandwidth", 12_500)

    assert headline.inner_text() == page.locator("#verdict").inner_text() != first
    assert not page.locator(".first-use:visible").count()

    set_slider(page, "bandwidth", None)

    assert headline.inner_text() == first


def test_the_address_keeps_what_was_chosen(opened: Opener, small: Path) -> None:
    page = opened(path=small)
    page.select_option("#corpus", label="messages")
    page.select_option("#format", label="msgpack")
    page.get_by_label("Lossless").check()
    set_slider(page, "reads", 24)
    page.locator('#table button[data-sort="load"]').click()
    page.locator('#table button[data-sort="load"]').click()
    page.wait_for_url("**#*sort=-load*")
    words = "corpus=messages&format=msgpack&exact=yes&reads=24&sort=-load"

    assert page.url.partition("#")[2] == words

    shown = codecs(page)
    again = opened(path=small)
    again.evaluate("hash => { location.hash = hash }", words)
    expect(again.locator("#headline")).to_contain_text("24 reads")

    assert codecs(again) == shown
    assert again.locator("#reads-shown").inner_text() == "24"
    assert again.locator('#table th[aria-sort="descending"]').get_attribute("data-column") == "load"


def test_charts_are_files(opened: Opener, small: Path, tmp_path: Path) -> None:
    page = opened(path=small)
    places = {
        "#charts": b"size against time: movies; one write and one read",
        ".panel >> nth=0": b"dump, per record: movies",
    }
    inks = set()
    for scheme, place, kind in product(("light", "dark"), places, ("SVG", "PNG")):
        page.emulate_media(color_scheme=scheme)
        with page.expect_download() as download:
            page.locator(place).get_by_role("button", name=re.compile(f"^{kind} of")).click()
        download.value.save_as(tmp_path / "chart")
        content = (tmp_path / "chart").read_bytes()

        assert content.startswith({"SVG": b"<svg", "PNG": b"\x89PNG"}[kind])
        assert b"var(" not in content
        if kind == "SVG":
            assert b">" + places[place] + b"</text>" in content
            inks.add(re.findall(rb'<rect[^>]*fill="([^"]*)"', content)[0])
    assert len(inks) == 2
    page.emulate_media(color_scheme="light")


def test_an_empty_chart_says_what_to_do(opened: Opener, small: Path) -> None:
    page = opened(path=small)
    set_slider(page, "bandwidth", 12_500)
    set_slider(page, "rate", 1_000_000)

    expect(page.locator("#front")).to_be_hidden()
    expect(page.locator("#blank")).to_contain_text("choose a higher one, or fewer records per second")
    assert "choose a higher one" in page.locator("#verdict").inner_text()

    page.get_by_role("button", name="Any rate").click()

    expect(page.locator("#front")).to_be_visible()
    assert page.locator("#rate-shown").inner_text() == "any"

    page.select_option("#format", label="pickle")
    page.get_by_label("Safe for untrusted input").check()
    expect(page.locator("#blank")).to_contain_text("No codec that fits these filters")
    page.get_by_role("button", name="Clear the filters").click()

    expect(page.locator("#front")).to_be_visible()
    assert page.locator("#format").input_value() == ""


def test_a_corpus_without_costs_is_no_picture(opened: Opener, result_of: Callable[..., ResultData]) -> None:
    page = opened(results=[result_of({"json": {"size": 9}, "bson": {"size": 8}})])

    expect(page.locator("#blank")).to_have_text("No codec has both a size and a cost here.")
    expect(page.locator("#front")).to_be_hidden()
    assert page.locator("#front svg").count() == 0


@pytest.mark.slow
def test_hostile_names_run_nothing(opened: Opener, crowded: ResultData) -> None:
    name = '</script><img src=x onerror="document.title=1">'
    page = opened(results=[madeup.renamed(crowded, "msgspec-msgpack/struct", name)])
    set_slider(page, "reads", 24)
    unfold(page, "details[data-front]")

    assert page.locator("img").count() == 0
    assert page.title() != "1"
    assert name in page.locator("#verdict").inner_text()


def test_it_is_there_at_once_and_prints(opened: Opener, tmp_path: Path) -> None:
    """The first contents are painted before the charting library is unpacked; printing gives a PDF."""
    page = opened()
    painted: float = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    ready: float = page.evaluate("performance.now()")

    assert 0 < painted < ready

    page.pdf(path=str(tmp_path / "print.pdf"))

    assert (tmp_path / "print.pdf").read_bytes().startswith(b"%PDF")

    page.emulate_media(media="print")

    assert not page.locator("nav").is_visible()
    assert page.locator("#table").is_visible()
    page.emulate_media(media="screen")


@pytest.mark.parametrize("width", [1280, 390])
def test_pictures_for_people(opened: Opener, small: Path, tmp_path: Path, width: int) -> None:
    page = opened(width, path=small)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        path = tmp_path / f"page-{width}-{scheme}.png"
        page.screenshot(path=str(path), full_page=True)

        assert path.stat().st_size > 50_000
    page.emulate_media(color_scheme="light")


def test_charts_of_stores_follow_the_width(opened: Opener) -> None:
    in_place = {"put@sqlite": 9e-6, "put-codec@sqlite": 3e-6, "get@sqlite": 5e-6, "dump": 1e-6, "load": 1e-6}
    result = madeup.planted(
        {"json": in_place, "bson": {k: 2 * v for k, v in in_place.items()}}, baseline=False
    )
    page = opened(400, results=[result])
    panels = page.locator("#placed .panel")

    assert panels.count() == 2
    assert "9.0 µs, codec 33%" in panels.first.inner_text().replace("9.000", "9.0").replace("\u00a0", " ")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    panels.first.locator("summary").click()
    expect(panels.first.locator("td")).to_have_count(2)


def test_variants_can_be_folded(opened: Opener) -> None:
    page = opened()
    before = ranks(page)
    page.get_by_label("Hide variants").check()
    expect(page.locator("#count")).to_have_text("15 of 30 rows")
    kept = ranks(page)

    assert kept == {codec: before[codec] for codec in kept}
    assert [codec for codec in kept if codec.startswith("pickle")] == ["pickle/2"]
    drawn = page.locator("#front g[paint-order] text").all_text_contents()
    assert len(drawn) == len(kept)

    page.get_by_role("button", name="2 more of pickle").click()
    expect(page.locator("#count")).to_have_text("17 of 30 rows")

    assert {"pickle", "pickle/2", "pickle/pure"} <= set(codecs(page))


def test_a_row_takes_two_lines_on_a_phone(opened: Opener) -> None:
    page = opened(390)
    row = page.locator("#table tbody tr:visible").first
    height = "row => row.getBoundingClientRect().height"

    assert row.evaluate(height) < 58
    assert page.locator("#front").evaluate("chart => chart.getBoundingClientRect().top + scrollY") < 4500

    page.get_by_label("All columns").check()

    assert row.evaluate(height) > 90
    assert row.locator('[data-column="fidelity"]').is_visible()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_page_of_a_watch(browser: Browser, tmp_path: Path, width: int, scheme: Any) -> None:
    """It fits, and its charts have words; the narrow one hides names that do not fit."""
    from axe_playwright_python.sync_playwright import Axe

    (tmp_path / "watch.html").write_text(watched.render(madeup.watch()), "utf-8")
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True)
    page.goto((tmp_path / "watch.html").as_uri())
    page.screenshot(path=tmp_path / "watch.png", full_page=True)

    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert "json.dumps: 30 % of CPU" in (page.locator(".icicle > desc").text_content() or "")
    assert page.locator(".icicle .slim text").first.is_visible() == (width == 1280)
    assert Axe().run(page).response["violations"] == []
    page.close()


@pytest.mark.parametrize("codecs", [3, 12, 40])
def test_a_notebook_of_900_pixels_shows_the_rank(browser: Browser, codecs: int) -> None:
    html = notebook.render(madeup.result(codecs=codecs, corpora=1, processes=6))
    page = browser.new_page(viewport={"width": 900, "height": 900})
    page.set_content(f"<!doctype html><body>{html}</body>")
    rank = page.get_by_role("columnheader", name="rank").bounding_box() or {}
    frame = page.locator(".bakeoff-result").bounding_box() or {}
    page.close()

    assert rank["x"] + rank["width"] <= frame["x"] + frame["width"] <= 900
