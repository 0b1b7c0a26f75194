"""Write the tables of the documentation that the code determines, between the markers in its pages.

Run it as ``python3 tasks.py tables``. A marker is ``<!-- made by tasks.py tables: NAME -->``, and
``<!-- end -->`` ends the table.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from click.testing import CliRunner

from bakeoff.bench.lab.hostile import faults
from bakeoff.bench.libraries import CHANGES, FORMATS, FUNCTIONS, LIBRARIES, format_title
from bakeoff.codecs.streams.compression import COMPRESSORS
from bakeoff.commands.codecs import command
from bakeoff.reports.model.columns import COLUMNS

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT))

import field  # noqa: E402 (a script of the same folder)

_MADE = re.compile(r"(<!-- made by tasks\.py tables: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def printed(option: str) -> str:
    """Return what `bakeoff codecs` prints with an option."""
    return f"\n{CliRunner().invoke(command, [option], catch_exceptions=False).output}\n"


def compressors() -> str:
    """Return the table of compressors."""
    rows = ["| name | levels | default | library (extra) | payloads |", "|---|---|---|---|---|"]
    for name, kind in COMPRESSORS.items():
        extra = f" (`{kind.extra}`)" if kind.extra else ""
        levels = f"{kind.levels[0]} to {kind.levels[-1]}"
        rows.append(f"| `{name}` | {levels} | {kind.level} | {kind.library}{extra} | {kind.payloads} |")
    return "\n".join(rows) + "\n"


def columns() -> str:
    """Return the table of the columns of reports."""
    rows = [f"| `{key}` | {column.help} |" for key, column in COLUMNS.items()]
    return "\n".join(["| key | content |", "|---|---|", *rows]) + "\n"


def _lines(heading: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a table, from its first two lines and its cells."""
    return "".join(
        f"{line}\n" for line in (*heading.splitlines(), *(f"| {' | '.join(row)} |" for row in rows))
    )


def watched() -> str:
    """Return the table of the functions that `bakeoff watch` counts."""
    rows = []
    for name in dict.fromkeys(library.name for library in LIBRARIES):
        own = [library for library in LIBRARIES if library.name == name]
        functions = [each.name.removeprefix(f"{name}.") for library in own for each in library.functions]
        titles = ", ".join(format_title(library.format) for library in own)
        rows.append((name, titles, ", ".join(f"`{function}`" for function in functions)))
    return _lines("| library | format | functions |\n|---|---|---|", rows)


def alone() -> str:
    """Return the table of the functions that no other library could replace, by reason."""
    rows = []
    for reason in dict.fromkeys(each.alone for each in FUNCTIONS.values() if each.alone):
        names = [f"`{name}`" for name, each in FUNCTIONS.items() if each.alone == reason]
        rows.append((", ".join(names), reason))
    return _lines("| functions | reason |\n|---|---|", rows)


def replacements() -> str:
    """Return the table of the libraries that could replace a watched one, by format."""
    others = ", ".join(f"{format_title(name)} ({', '.join(libraries)})" for name, libraries in CHANGES)
    rows = (
        (known.title, _offered(name) or "no other library is known", others if known.changes else "")
        for name, known in FORMATS.items()
    )
    return _lines("| format | in the same format | in another format |\n|---|---|---|", rows)


def _offered(name: str) -> str:
    """Return the libraries of a format that are recommended."""
    return ", ".join(
        each.offered_as or each.name for each in LIBRARIES if each.format == name and each.offers
    )


TABLES: Mapping[str, Callable[[], str]] = {
    "policies": lambda: printed("--policies"),
    "conventions": lambda: printed("--conventions"),
    "faults": faults.markdown,
    "compressors": compressors,
    "columns": columns,
    "watched": watched,
    "alone": alone,
    "replacements": replacements,
    "source": field.source,
    "rows": field.with_rows,
    "others": field.without_rows,
}
"""What makes each table, by the name in its marker."""


def pages() -> list[Path]:
    """Return the pages with a marker."""
    return [page for page in sorted(ROOT.rglob("*.md")) if _MADE.search(page.read_text(encoding="utf-8"))]


def written(page: str) -> str:
    """Return the text of a page with its tables made again.

    Raises:
        KeyError: A marker names no table.
    """
    return _MADE.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], page)


def main() -> None:
    """Write the tables of all pages."""
    for page in pages():
        old = page.read_text(encoding="utf-8")
        if (new := written(old)) != old:
            page.write_text(new, encoding="utf-8")
            print(f"wrote {page.relative_to(ROOT.parent)}")  # noqa: T201


if __name__ == "__main__":
    main()
