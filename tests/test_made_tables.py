"""The tables that the code determines: the pages have them as the code makes them now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scripts
from pages import ROOT

pytestmark = pytest.mark.checkout

tables = scripts.load(ROOT / "docs" / "tables.py")


@pytest.mark.parametrize("page", tables.pages(), ids=lambda page: page.stem)
def test_a_page_has_the_tables_that_are_made(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert tables.written(text) == text, "run python3 tasks.py tables"


def test_each_table_is_on_a_page() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in tables.pages())

    assert [] == [name for name in tables.TABLES if f"tasks.py tables: {name} -->" not in text]


@pytest.mark.parametrize("page", tables.pages(), ids=lambda page: page.stem)
def test_a_table_without_its_end_takes_nothing_that_follows(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for end in re.finditer("<!-- end -->", text):
        with pytest.raises(ValueError, match="does not end"):
            tables.written(text[: end.start()] + text[end.end() :])
