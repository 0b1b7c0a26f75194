"""Write the tables of the documentation that the code determines, between the markers in its pages.

Run it as ``python3 tasks.py tables``. A marker is ``<!-- made by tasks.py tables: NAME -->``, and
``<!-- end -->`` ends the table.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from click.testing import CliRunner

from bakeoff.bench.lab.hostile import faults
from bakeoff.codecs.streams.compression import COMPRESSORS
from bakeoff.commands.codecs import command
from bakeoff.reports.model.columns import COLUMNS

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT))

import field  # noqa: E402 (a script of the same folder)

_BEGIN = "<!-- made by tasks.py tables: "
# A table has no comment, so that one without its end does not take what follows.
_MADE = re.compile(rf"({re.escape(_BEGIN)}(\w+) -->\n)(?:(?!<!--).)*(<!-- end -->)", re.DOTALL)


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


TABLES: Mapping[str, Callable[[], str]] = {
    "policies": lambda: printed("--policies"),
    "conventions": lambda: printed("--conventions"),
    "faults": faults.markdown,
    "compressors": compressors,
    "columns": columns,
    "source": field.source,
    "rows": field.with_rows,
    "others": field.without_rows,
}
"""What makes each table, by the name in its marker."""


def pages() -> list[Path]:
    """Return the pages with a marker."""
    return [page for page in sorted(ROOT.rglob("*.md")) if _BEGIN in page.read_text(encoding="utf-8")]


def written(page: str) -> str:
    """Return the text of a page with its tables made again.

    Raises:
        KeyError: A marker names no table.
        ValueError: A marker without its end.
    """
    if page.count(_BEGIN) != len(_MADE.findall(page)):
        raise ValueError(f"a table that begins with {_BEGIN}NAME --> does not end with <!-- end -->")
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
