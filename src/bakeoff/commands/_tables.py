"""Tables of texts in the formats of a command; wide ones are split to fit the terminal."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from ..escape import visible
from ..grid import draw

TABLES: Final = {"text": "plain", "md": "markdown", "html": "html"}


def drawn(rows: Sequence[Sequence[str]], form: str, right: Sequence[bool] = ()) -> str:
    """Return a table; the first row is its header."""
    change = escape if form == "html" else visible
    header, *rest = ([change(cell) for cell in row] for row in rows)
    return draw(TABLES[form], header, rest, right)


def split(rows: Sequence[Sequence[str]], width: int) -> Iterator[list[list[str]]]:
    """Yield a table in parts that fit a width: the first column, with some of the others.

    Args:
        rows: The header, then all other rows.
        width: Characters in a line.
    """
    first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    group: list[int] = []
    for column, wide in enumerate(widths):
        if group and first + sum(2 + widths[each] for each in group) + 2 + wide > width:
            yield _part(rows, group)
            group = []
        group.append(column)
    yield _part(rows, group)


def _part(rows: Sequence[Sequence[str]], columns: Sequence[int]) -> list[list[str]]:
    return [[row[0], *(row[column + 1] for column in columns)] for row in rows]


def paragraphs(texts: Iterable[str], form: str) -> list[str]:
    """Return texts as they stand between tables."""
    return [f"<p>{escape(text)}</p>" if form == "html" else visible(text) for text in texts]


def csv_of(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
