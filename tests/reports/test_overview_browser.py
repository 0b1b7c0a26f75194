"""The overview in a real browser: its filters, its links, and leaders that follow the sliders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

import madeup
from bakeoff.bench.results import ResultData
from bakeoff.reports.model.cost import CostModel
from bakeoff.reports.model.view import View
from bakeoff.reports.page.overview import overview
from bakeoff.reports.page.page import render
from needed import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WRITER = {"dump": 1e-6, "load": 4e-6, "size": 100}
READER = {"dump": 4e-6, "load": 2e-6, "size": 100}
CODECS = {"json": {"dump": 9e-6, "load": 9e-6, "size": 120}, "msgpack": WRITER, "cbor2": READER}

TABLE = "#leaders tbody tr"
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
ROWS = "rows => rows.map(row => row.innerText)"


def made() -> list[ResultData]:
    """Return results of five corpora of different shapes, on which reads decide who leads."""
    return [
        madeup.shaped(madeup.planted(CODECS), name, number)
        for number, name in enumerate(["flat", "events", "names", "shapes", "orders"])
    ]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "plain.html"
    path.write_text(render(made()), "utf-8")
    return path


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page that packs its tables."""
    path = tmp_path_factory.mktemp("page") / "large.html"
    path.write_text(render(madeup.collection(processes=5)), "utf-8")
    return path


Opener = Callable[..., "Page"]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opener]:
    complaints: list[str] = []
    pages: list[Page] = []

    def open_page(path: Path, fragment: str = "", width: int = 1280, **options: Any) -> Page:
        page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        pages.append(page)
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("request", lambda request: complaints.extend([request.url] * (not local(request.url))))
        page.goto(path.as_uri() + fragment)
        if options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]", state="attached")
            page.wait_for_function("performance.getEntriesByName('bakeoff-update').length > 0")
        return page

    def local(url: str) -> bool:
        return url.startswith(("file:", "data:", "blob:"))

    yield open_page
    for page in pages:
        page.close()
    assert complaints == []


def apart(texts: list[str]) -> tuple[list[str], list[float]]:
    """Return the words and the numbers of some texts."""
    parts = [re.split(r"(\d[\d.,]*)", text) for text in texts]
    return [word for part in parts for word in part[::2]], [
        float(number.replace(",", "")) for part in parts for number in part[1::2]
    ]


def names(page: Page) -> list[str]:
    found: list[str] = page.locator(f"{TABLE}:visible th a").all_text_contents()
    return found


def offered(page: Page) -> list[str]:
    options: list[str] = page.locator("#corpus option").evaluate_all(
        "options => options.filter(option => !option.disabled).map(option => option.textContent)"
    )
    return options


def set_reads(page: Page, value: float) -> None:
    page.evaluate(
        """value => {
            const state = JSON.parse(document.getElementById('state').textContent);
            const input = document.getElementById('reads');
            input.value = state.sliders.reads.stops.indexOf(value);
            input.dispatchEvent(new Event('input', { bubbles: true }));
        }""",
        value,
    )


@pytest.mark.parametrize("kind", ["plain", "large"])
def test_the_script_writes_what_python_does(
    opened: Opener, request: pytest.FixtureRequest, kind: str
) -> None:
    path = request.getfixturevalue(kind)
    still: list[str] = opened(path, java_script_enabled=False).locator(TABLE).evaluate_all(ROWS)
    page = opened(path)
    expect(page.locator("#leaders tr.stale")).to_have_count(0)
    live: list[str] = page.locator(TABLE).evaluate_all(ROWS)
    (words, numbers), (expected_words, expected_numbers) = map(apart, (live, still))

    assert expected_words == words
    # The page carries five digits of each sample.
    assert pytest.approx(expected_numbers, rel=0.01) == numbers


def test_a_filter_hides_rows_tables_and_choices(opened: Opener, plain: Path) -> None:
    page = opened(plain)
    page.get_by_label("Values").select_option(label="mostly numbers")
    expect(page.locator("#corpora-count")).to_have_text("1 of 5 rows")

    assert names(page) == ["shapes"]
    assert offered(page) == ["shapes", "All 5 corpora"]
    assert page.locator("#results-title").inner_text() == "Results: shapes"
    assert page.locator("#table tbody tr:visible").evaluate_all(
        "rows => [...new Set(rows.map(row => row.querySelector('.corpus').textContent))]"
    ) == ["shapes"]
    assert page.locator("#corpora article:visible h3").all_text_contents() == ["shapes"]

    page.get_by_role("button", name="Clear").click()

    assert len(names(page)) == 5
    assert len(offered(page)) == 6


def test_all_corpora_are_those_that_fit(opened: Opener, plain: Path) -> None:
    page = opened(plain)
    page.select_option("#corpus", label="All 5 corpora")
    page.get_by_label("Nesting").select_option(label="flat")
    expect(page.locator("#count")).to_have_text("9 rows")

    assert names(page) == ["flat", "names", "orders"]
    expect(page.locator("#verdict")).to_contain_text("of 3 corpora")
    # Means of all corpora would not be those of the rows.
    expect(page.locator(".unseen:visible").first).to_contain_text("clear the filters of records")


def test_filters_offer_only_what_is_left(opened: Opener, plain: Path) -> None:
    page = opened(plain)
    page.get_by_label("Records are").select_option(label="lists")
    sizes = page.locator("#size option").evaluate_all(
        "options => options.filter(option => !option.disabled).map(option => option.textContent)"
    )

    assert sizes == ["Any", "256 B to 4 KiB"]


def test_leaders_follow_the_reads(opened: Opener, plain: Path) -> None:
    page = opened(plain)
    leader = page.locator(TABLE).first.locator("[data-lead=first] .v")
    turns = page.locator(TABLE).first.locator("[data-lead=turns] .v")
    seen = {}
    for reads in (0.1, 24):
        set_reads(page, reads)
        expected = overview(View.of(made(), CostModel(reads)).corpora)
        assert expected
        (row, *_) = expected.rows
        expect(leader).to_have_text(row.lead.names)
        expect(page.locator("#leaders tr.stale")).to_have_count(0)
        expect(turns).to_have_text(row.lead.turns)
        seen[reads] = leader.inner_text()

    assert seen == {0.1: "msgpack", 24: "cbor2"}


def test_a_name_opens_its_table_and_the_address_its_row(opened: Opener, plain: Path) -> None:
    page = opened(plain)
    page.get_by_label("Nesting").select_option(label="flat")
    page.get_by_role("link", name="orders").click()
    page.wait_for_url("**#*corpus=orders*")

    assert page.locator("#results-title").inner_text() == "Results: orders"
    assert page.evaluate("document.activeElement.id") == "results-title"
    assert page.url.partition("#")[2] == "nesting=flat&corpus=orders"

    again = opened(plain, "#nesting=flat&corpus=orders")

    assert names(again) == ["flat", "names", "orders"]
    assert again.locator("#leaders [aria-current] a").all_text_contents() == ["orders"]
    assert again.locator("#results-title").inner_text() == "Results: orders"
    expect(again.locator("#leaders [aria-current]")).to_be_in_viewport()
    assert again.evaluate("document.activeElement.textContent") == "orders"


def test_the_first_row_can_be_sent_on_too(opened: Opener, plain: Path) -> None:
    page = opened(plain)
    page.get_by_role("link", name="flat").click()
    page.wait_for_url("**#corpus=flat")

    assert opened(plain, "#corpus=flat").evaluate("document.activeElement.textContent") == "flat"


def test_a_filter_leaves_the_headline(opened: Opener, plain: Path) -> None:
    page = opened(plain)
    page.get_by_label("Nesting").select_option(label="flat")
    expect(page.locator("#corpora-count")).to_have_text("3 of 5 rows")

    assert page.locator("#headline").inner_text() == "Which codec for which records"


def test_a_link_can_be_copied_with_its_filters(opened: Opener, plain: Path) -> None:
    page = opened(plain)
    page.get_by_label("Nesting").select_option(label="flat")
    page.get_by_role("link", name="names").focus()

    assert page.get_by_role("link", name="names").get_attribute("href") == "#nesting=flat&corpus=names"


def test_another_address_replaces_the_filters(opened: Opener, plain: Path) -> None:
    page = opened(plain, "#values=numbers&corpus=shapes")
    page.evaluate("location.hash = '#texts=non-ascii&corpus=names'")
    expect(page.locator("#corpora-count")).to_have_text("1 of 5 rows")

    assert names(page) == ["names"]
    assert page.get_by_label("Values").input_value() == ""


def test_an_address_that_fits_nothing_says_so(opened: Opener, plain: Path) -> None:
    page = opened(plain, "#values=numbers&texts=non-ascii")

    assert names(page) == []
    assert page.get_by_text("No corpus here has records like that.").is_visible()
    assert page.locator("#table tbody tr:visible").count() == 4


def test_corpora_of_two_machines_are_told_apart(opened: Opener, tmp_path: Path) -> None:
    results = made()
    other = [madeup.planted(CODECS, environment={"hostname": "bench-2"}) for _ in range(3)]
    there = [
        madeup.shaped(run, name, n)
        for n, (run, name) in enumerate(zip(other, ["flat", "events", "names"], strict=True))
    ]
    (tmp_path / "page.html").write_text(render([*results, *there]), "utf-8")
    page = opened(tmp_path / "page.html")
    page.get_by_role("link", name="events").nth(1).click()
    page.wait_for_url("**#corpus=*")
    again = opened(tmp_path / "page.html", f"#{page.url.partition('#')[2]}")

    assert again.locator("#leaders [aria-current] th").inner_text().split() == [
        "events",
        "dicts",
        "·",
        "bench-2",
    ]
    assert again.locator("#results-title").inner_text() == "Results: events · bench-2"


def test_it_works_from_the_keyboard(opened: Opener, plain: Path) -> None:
    page = opened(plain)
    page.get_by_label("Nesting").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#corpora-count")).to_have_text("3 of 5 rows")
    page.get_by_role("link", name="names").focus()
    page.keyboard.press("Enter")

    expect(page.locator("#results-title")).to_have_text("Results: names")
    expect(page.locator("#results-title")).to_be_focused()


@pytest.mark.parametrize("kind", ["plain", "large"])
def test_no_width_scrolls_sideways(opened: Opener, request: pytest.FixtureRequest, kind: str) -> None:
    page = opened(request.getfixturevalue(kind))
    for width in (390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 900})

        assert page.evaluate(OVERFLOW) <= 0


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
)
def test_axe_finds_nothing(opened: Opener, plain: Path, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = opened(plain, "#nesting=flat&corpus=orders", width, color_scheme=scheme, bypass_csp=True)
    expect(page.locator("#leaders tr.stale")).to_have_count(0)
    found = Axe().run(page, "#overview", options={"resultTypes": ["violations"]}).response["violations"]

    assert [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found] == []


def test_tables_that_are_packed_appear(opened: Opener, large: Path) -> None:
    page = opened(large, "#corpus=names%209")

    assert page.locator("#results-title").inner_text() == "Results: names 9"
    assert page.locator("#table tbody tr:visible").count() == 18
    expect(page.locator("#verdict")).to_contain_text("costs least")
    assert page.locator(".panel svg").count() >= 3

    with page.expect_download() as saved:
        page.get_by_role("button", name="Download JSON").click()

    assert '"names 9"' in Path(saved.value.path()).read_text("utf-8")


def test_a_large_page_can_be_read_without_scripts(opened: Opener, large: Path) -> None:
    page = opened(large, java_script_enabled=False)

    assert page.locator(f"{TABLE}:visible").count() == 14
    assert page.locator("#table tbody tr:visible").count() == 18
    assert not page.locator("#use").is_visible()
    assert re.search("element “packed”", page.locator("#data").inner_text())
