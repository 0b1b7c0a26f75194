"""The ranked index of the site, by Pagefind: static files next to the pages."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from pathlib import Path

from pagefind.index import IndexConfig, PagefindIndex

from bakeoff.codecs import names

LOW = (
    "reference/faults",
    "results",
    "reference/api/",
    "reference/field",
    "reference/targets",
    "reference/values",
    "contributing",
    "changelog",
)
"""Beginnings of the names of pages that few look for, although they have the words that many look for."""

FIGURES = ("results/", "reference/values")
"""Beginnings of the names of pages whose tables and lists repeat the names of codecs and types."""

LEADS = {
    "explanation/measuring": "memory leak confidence interval",
    "explanation/security": "security",
    "extending": "custom own",
    "how-to/arrays": "pandas numpy parquet",
    "how-to/choose": "best fastest price",
    "how-to/ci": "ci github actions gitlab",
    "how-to/evolve": "schema evolution",
    "how-to/machines": "docker",
    "how-to/measure": "benchmark data models",
    "how-to/notebook": "jupyter",
    "how-to/publishing": "share",
    "how-to/service": "lock",
    "reference/codecs": " ".join(sorted({name.partition("/")[0] for name in names()})),
    "reference/commands/pick": "pick",
    "reference/commands/run": "resume options",
    "reference/conventions": "types enum datetime",
    "reference/definitions": "protobuf avro thrift arrow",
    "reference/field": "simdjson",
    "reference/files": "file formats",
    "reference/names": "compression gzip zstd",
    "reference/policies": "nan",
    "reference/reports": "payload size",
    "reference/schemas": "schema",
}
"""Words that lead to a page, although others have them more often."""


def write(folder: Path, names: Iterable[str]) -> None:
    """Index pages of the built site, and write the index into its folder ``pagefind``.

    Args:
        folder: The folder of the site.
        names: The pages, without ``.html``.
    """
    asyncio.run(_write(folder, names))


async def _write(folder: Path, names: Iterable[str]) -> None:
    settings = IndexConfig(
        root_selector="article[role=main]",
        exclude_selectors=[".headerlink", ".toctree-wrapper"],
        force_language="en",
        output_path=str(folder / "pagefind"),
    )
    async with PagefindIndex(settings) as index:
        for name in sorted(names):
            page = (folder / f"{name}.html").read_text(encoding="utf-8")
            await index.add_html_file(content=weighted(anchored(page), name), source_path=f"{name}.html")


def anchored(page: str) -> str:
    """Return the page with the names of sections on their headings, where Pagefind looks for them."""
    return re.sub(
        r'(<section id=")([^"]+)("[^>]*>(?:\s*<span[^>]*></span>)*\s*<h[2-6])', r'\1-\2\3 id="\2"', page
    )


def weighted(page: str, name: str) -> str:
    """Return the page with weights for the words of its parts: most for names of codecs and commands."""
    if name in LEADS:
        page = page.replace("<article", f'<article data-pagefind-meta="leads:{LEADS[name]}"', 1)
    if name.startswith(FIGURES):
        page = re.sub(r"<(table|ul)\b", r"<\1 data-pagefind-ignore", page)
    if name.startswith(LOW):
        page = page.replace("<h1", '<h1 data-pagefind-weight="0.1"', 1)
        return page.replace("<article", '<article data-pagefind-weight="0.1"', 1)
    if name == "reference/codecs":
        return page.replace("<h3", '<h3 data-pagefind-weight="10"')
    if name.startswith("reference/commands"):
        return page.replace("<h1", '<h1 data-pagefind-weight="10"', 1)
    return page
