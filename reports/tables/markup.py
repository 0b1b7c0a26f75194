"""Markdown, reStructuredText, LaTeX (booktabs) and an HTML fragment, laid out by `bakeoff.grid`."""

from __future__ import annotations

import html as _html
import re
from collections.abc import Callable, Sequence
from typing import Final

from ...escape import visible
from ...grid import draw
from ..model.table import Labelled, Section, Table
from .machines import side_by_side

_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    # A bracket after a line break would be parsed as the break's argument.
    "[": "{[}",
    "]": "{]}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "↓": r"$\downarrow$",
    "↑": r"$\uparrow$",
    "→": r"$\rightarrow$",
    "≈": r"$\approx$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "µ": r"\textmu{}",
    "–": "--",
}


def markdown(table: Table) -> str:
    """Render as Markdown with pipe tables."""
    return _document(table, "markdown", _markdown_escape, heading=lambda text: f"## {text}", item="- ")


def rst(table: Table) -> str:
    """Render as reStructuredText with grid tables."""
    return _document(
        table, "rst", _rst_escape, heading=lambda text: f"{text}\n{'-' * 2 * len(text)}", item="- "
    )


def latex(table: Table) -> str:
    r"""Render as LaTeX tables with ``\usepackage{booktabs,textcomp}``."""
    parts = [r"% needs \usepackage{booktabs,textcomp}"]
    parts += [rf"\par {_latex_escape(table.opening)}"] if table.opening else []
    for section in map(side_by_side, table.sections):
        lines = [_latex_escape(line) for line in (*section.lines, *section.answer, *section.below)]
        parts += [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex_escape(section.title)}}}",
            *(rf"\par\footnotesize {_latex_escape(_sentence(line))}" for line in section.opening),
            _drawn(section, "latex", _latex_escape),
            *(rf"\par\footnotesize {line}" for line in lines),
            r"\end{table}",
            "",
        ]
    parts += [rf"\par {_latex_escape(line)}" for line in _closing(table)]
    return "\n".join(parts) + "\n"


def html(table: Table) -> str:
    """Render as an HTML fragment: a ``section`` for each corpus, no styles."""
    parts = ['<div class="bakeoff">']
    parts += [f"<p>{html_text(table.opening)}</p>"] if table.opening else []
    for section in map(side_by_side, table.sections):
        parts += [
            "<section>",
            f"<h2>{html_text(section.title)}</h2>",
            *html_opening(section),
            *(f"<p>{html_text(line)}</p>" for line in section.lines),
            *([html_grid(section)] if section.rows else []),
            *(f"<p>{html_text(line)}</p>" for line in section.answer),
            "<ul>",
            *(f"<li>{html_text(line)}</li>" for line in section.below),
            "</ul>",
            "</section>",
        ]
    parts += [f"<p>{html_text(line)}</p>" for line in _closing(table)]
    return "\n".join([*parts, "</div>"]) + "\n"


def html_opening(section: Section) -> list[str]:
    """Return the lines above the rows of a section, aligned; none if there are none."""
    text = "\n".join(section.opening_lines)
    return [f"<pre>{_html.escape(text)}</pre>"] if text else []


def html_grid(section: Section) -> str:
    """Return the rows of a section as a table of HTML, without styles."""
    return _drawn(section, "html", html_text)


def _document(
    table: Table, layout: str, escape: Callable[[str], str], heading: Callable[[str], str], item: str
) -> str:
    parts = _paragraphs([table.opening] if table.opening else [], escape)
    for section in map(side_by_side, table.sections):
        parts += [heading(escape(section.title)), ""]
        if section.opening:
            first, *others = map(_sentence, section.opening)
            parts += [escape(first), "", *(f"{item}{escape(line)}" for line in others), ""]
        parts += _paragraphs(section.lines, escape)
        if section.rows:
            parts += [_drawn(section, layout, escape), ""]
        parts += _paragraphs(section.answer, escape)
        if section.below:
            parts += [*(f"{item}{escape(line)}" for line in section.below), ""]
    parts += _paragraphs(_closing(table), escape)
    return "\n".join(parts).rstrip("\n") + "\n"


def _sentence(line: Labelled) -> str:
    """Write a line of an opening where columns cannot be aligned."""
    return "; ".join(f"{label}: {text}" if label else text for label, text in line)


def _paragraphs(lines: Sequence[str], escape: Callable[[str], str]) -> list[str]:
    return [text for line in lines for text in (escape(line), "")]


def _closing(table: Table) -> list[str]:
    return [*(f"Warning: {text}" for text in table.warnings), *table.closing, *table.notes]


def _drawn(section: Section, layout: str, escape: Callable[[str], str]) -> str:
    grid = []
    group = ""
    for row, cells in zip(section.rows, section.grid(), strict=True):
        if row.group != group:
            group = row.group
            grid.append([group, *[""] * (len(cells) - 1)])
        grid.append(cells)
    return draw(
        layout,
        [escape(header) for header in section.headers],
        [[escape(cell) for cell in cells] for cells in grid],
        [column.numeric for column in section.columns],
    )


def _markdown_escape(text: str) -> str:
    """Escape characters that have a meaning in Markdown or in HTML inside it."""
    text = re.sub(r"([\\`*_\[\]#|~$])", r"\\\1", visible(text))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # Common hosts turn bare addresses and mentions into links.
    text = text.replace("://", ":&#47;&#47;").replace("@", "&#64;")
    return re.sub(r"^(\d*)([.)+-])(?=\s|$)", r"\1\\\2", text)


def _rst_escape(text: str) -> str:
    text = re.sub(r"([\\`*_|<>\[\]]|:(?=:))", r"\\\1", visible(text))
    return re.sub(r"""^[-+.=~^"'#!$%&,/:;?@(](?=\W|\w+\)|$)|^\w+[.)](?=\s|$)""", r"\\\g<0>", text)


def _latex_escape(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in visible(text))


def html_text(text: str) -> str:
    """Escape a text for HTML."""
    return _html.escape(visible(text))
