"""The site: pages link the glossary, the search ranks, and what is made from the code is there."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bakeoff.bench.results import read
from bakeoff.reports import render
from needed import chromium
from pages import ROOT
from test_docs import OPTIONS
from test_prose import texts

pytestmark = pytest.mark.checkout

DOCS = ROOT / "docs"
GUIDES = [DOCS / "tutorial.md", DOCS / "explanation/measuring.md", *sorted(DOCS.glob("how-to/*.md"))]
TERMS = re.compile(r"\b(?:payloads?|corpus|corpora|slices?|contention)\b")
LEADS = {
    "bakeoff run": "reference/commands/run",
    "benchmark my data": "how-to/measure",
    "ci": "how-to/ci",
    "confidence interval": "explanation/measuring",
    "csv": "how-to/files",
    "datetime": "reference/conventions",
    "how do i add my own codec": "extending",
    "install": "how-to/install",
    "jupyter": "how-to/notebook",
    "kafka": "use/kafka",
    "lock file": "how-to/service",
    "memory leak": "explanation/measuring",
    "msgpack vs json": "reference/codecs",
    "msgspec": "reference/codecs",
    "orjson": "reference/codecs",
    "parquet": "how-to/arrays",
    "payload size": "reference/reports",
    "pick": "reference/commands/pick",
    "protobuf": "reference/definitions",
    "resume": "reference/commands/run",
    "run options": "reference/commands/run",
    "schema": "reference/schemas",
    "schema evolution": "how-to/evolve",
    "security": "explanation/security",
    "share results": "how-to/publishing",
    "simdjson": "reference/field",
    "which codec is best": "how-to/choose",
    "yaml": "reference/codecs",
    "zstd": "reference/names",
}
"""Searches, and the page that comes first."""


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_a_guide_links_the_glossary_if_it_uses_its_words(page: Path) -> None:
    prose = " ".join(text for kind, text in texts(page) if kind == "paragraph_open")

    assert "glossary.md#" in page.read_text("utf-8") or not TERMS.search(prose)


def test_the_glossary_has_the_words_that_pages_use() -> None:
    words = re.findall(r"^\| ([^|]+?) \|", (DOCS / "glossary.md").read_text("utf-8"), re.M)
    asked = "payload record corpus cell slice process guard fix growth baseline contention"

    assert [] == [word for word in asked.split() if word not in words]


class Quiet(SimpleHTTPRequestHandler):
    """Log no requests."""

    def log_message(self, *arguments: object) -> None: ...


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Build the site, and serve it, as browsers load the index of the search from servers only."""
    pytest.importorskip("pagefind_bin")
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", str(DOCS), str(folder)], check=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.slow
@pytest.mark.browser
def test_the_search_ranks_pages(site: tuple[Path, str]) -> None:
    path = chromium()
    from playwright.sync_api import sync_playwright

    first = {}
    errors: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        for words in LEADS:
            page.goto(f"{site[1]}/index.html")
            page.locator("input.sidebar-search").fill(words)
            page.locator("input.sidebar-search").press("Enter")
            # Results are loaded at the same time: the first link to appear may be of another.
            result = page.locator(".pagefind-ui__result").first
            link = result.locator(".pagefind-ui__result-link").first.get_attribute("href")
            first[words] = (link or "").lstrip("/").removesuffix(".html")
        browser.close()

    assert (LEADS, []) == (first, errors)


@pytest.mark.slow
def test_each_command_has_a_page_with_all_of_its_options(site: tuple[Path, str]) -> None:
    lacking = []
    for name, options in OPTIONS.items():
        page = (site[0] / f"reference/commands/{name}.html").read_text("utf-8")
        lacking += [
            f"{name} {option}"
            for option in options - {"--help", "--help-all", "--version", "--debug"}
            if option not in page
        ]

    assert [] == lacking


@pytest.mark.slow
def test_the_landing_shows_the_recorded_answer(site: tuple[Path, str]) -> None:
    recorded = read(DOCS / "images/orders.json.gz")
    first = render([recorded], "text", width=100).splitlines()[0]

    assert first in re.sub(r"<[^>]+>", "", (site[0] / "index.html").read_text("utf-8"))


WRONG = {
    "two hyphens in place of a dash": r" -- ",
    "a sentence taken for a type": r'>Type<span class="colon"',
    "a name that C gives a type": r"Py_ssize_t|\bstr path\b",
    "words of Python about its own types": r"Alias for field number|Built-in immutable sequence",
}
"""What the generator of the reference makes of code that it does not understand."""


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG)
def test_the_reference_has_no_leftovers_of_its_generator(site: tuple[Path, str], wrong: str) -> None:
    found = []
    for page in sorted((site[0] / "reference/api").glob("*.html")):
        html = page.read_text("utf-8").partition("<article")[2].partition("</article>")[0]
        html = re.sub(r"(?s)<pre>.*?</pre>", "", html)
        if re.search(WRONG[wrong], html if "<" in WRONG[wrong] else re.sub(r"<[^>]+>", "", html)):
            found.append(page.name)

    assert [] == found
