"""Layouts of a table of texts: Markdown, reStructuredText, plain text, HTML, LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple


class Grid(NamedTuple):
    """The input of a layout.

    Attributes:
        rows: The header, then all other rows; the cells of a column are padded to the same width.
        right: For each column whether it is aligned to the right.
        widths: Widths of the columns, in characters.
    """

    rows: Sequence[Sequence[str]]
    right: Sequence[bool]
    widths: Sequence[int]


def draw(
    layout: str, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool] = ()
) -> str:
    """Return a table.

    Args:
        layout: One of `LAYOUTS`.
        headers: One for each column; the caller escapes characters that have a meaning in the layout.
        rows: Rows with a cell for each column.
        right: For each column whether it is aligned to the right, like numbers; further columns are not.
    """
    sides = [*right, *[False] * (len(headers) - len(right))]
    widths = [max(len(cell) for cell in column) for column in zip(headers, *rows, strict=True)]
    padded = [
        [
            cell.rjust(width) if side else cell.ljust(width)
            for cell, width, side in zip(row, widths, sides, strict=True)
        ]
        for row in (headers, *rows)
    ]
    return "\n".join(line.rstrip() for line in LAYOUTS[layout](Grid(padded, sides, widths)))


def _markdown(grid: Grid) -> Iterator[str]:
    header, *rows = (f"| {' | '.join(row)} |" for row in grid.rows)
    marks = [
        "-" * (width + 1) + ":" if side else ":" + "-" * (width + 1)
        for width, side in zip(grid.widths, grid.right, strict=True)
    ]
    yield header
    yield f"|{'|'.join(marks)}|"
    yield from rows


def _rst(grid: Grid) -> Iterator[str]:
    """Yield a grid table."""

    def rule(line: str) -> str:
        return f"+{'+'.join(line * (width + 2) for width in grid.widths)}+"

    yield rule("-")
    for number, row in enumerate(grid.rows):
        yield f"| {' | '.join(row)} |"
        yield rule("-" if number else "=")


def _plain(grid: Grid) -> Iterator[str]:
    header, *rows = ("  ".join(row) for row in grid.rows)
    yield header
    yield "  ".join("-" * width for width in grid.widths)
    yield from rows


def _html(grid: Grid) -> Iterator[str]:
    def cells(row: Sequence[str], tag: str) -> str:
        sides = (' style="text-align: right;"' if side else "" for side in grid.right)
        return "".join(f"<{tag}{side}>{cell.strip()}</{tag}>" for cell, side in zip(row, sides, strict=True))

    header, *rows = grid.rows
    yield "<table>"
    yield f"<thead>\n<tr>{cells(header, 'th')}</tr>\n</thead>"
    yield "<tbody>"
    yield from (f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    yield "</tbody>\n</table>"


def _latex(grid: Grid) -> Iterator[str]:
    r"""Yield a table with the rules of ``\usepackage{booktabs}``."""
    header, *rows = (f"{' & '.join(row)} \\\\" for row in grid.rows)
    yield rf"\begin{{tabular}}{{{''.join('r' if side else 'l' for side in grid.right)}}}"
    yield rf"\toprule{chr(10)}{header}{chr(10)}\midrule"
    yield from rows
    yield "\\bottomrule\n\\end{tabular}"


LAYOUTS: Final[Mapping[str, Callable[[Grid], Iterator[str]]]] = {
    "markdown": _markdown,
    "rst": _rst,
    "plain": _plain,
    "html": _html,
    "latex": _latex,
}
"""Layouts by name."""
