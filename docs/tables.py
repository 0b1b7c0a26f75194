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
from bakeoff.codecs import names
from bakeoff.codecs.format import media_types
from bakeoff.codecs.registry import spec_of
from bakeoff.codecs.streams.compression import COMPRESSORS, compressor
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


def policies() -> str:
    """Return the policies and their values; the command also prints the defaults of each codec."""
    found = printed("--policies")
    return found[found.index("| policy ") :]


def conventions() -> str:
    """Return the table of conventions, and that of the types that every format writes alike."""
    head, _, *rows = (_cells(row) for row in printed("--conventions").splitlines() if row)
    different = [row for row in rows if len(set(row[1:])) > 1]
    alike = [row[:2] for row in rows if row not in different]
    return "\n".join((_table(head, different), _table([head[0], "every format"], alike)))


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *rows))


def compressors() -> str:
    """Return the table of compressors."""
    rows = ["| name | levels | default | library (extra) | payloads |", "|---|---|---|---|---|"]
    for name, kind in COMPRESSORS.items():
        extra = f" (`{kind.extra}`)" if kind.extra else ""
        levels = f"{kind.levels[0]} to {kind.levels[-1]}"
        rows.append(f"| `{name}` | {levels} | {kind.level} | {kind.library}{extra} | {kind.payloads} |")
    return "\n".join(rows) + "\n"


def formats() -> str:
    """Return the table of the media types of formats, with a row for each form of a format."""
    rows = ["| format | media type | also read | with our conventions |", "|---|---|---|---|"]
    seen: set[str] = set()
    forms: set[tuple[str, str]] = set()
    for name in names(needs_schema=True, only_values=True):
        spec = spec_of(name)
        kind, own = spec.format, spec.media.type
        if (form := (kind.media_type, kind.syntax)) in forms:
            continue
        forms.add(form)
        aliases = ", ".join(f"`{alias}`" for alias in kind.media_type_aliases)
        label = f"{kind.name}: `{name}`" if kind.name in seen else kind.name
        seen.add(kind.name)
        conventions = f"`{own}`" if own != kind.media_type else ""
        rows.append(f"| {label} | `{kind.media_type}` | {aliases} | {conventions} |")
    return "\n".join(rows) + "\n"


def codings() -> str:
    """Return the table of the media types of compressed payloads."""
    rows = ["| compressor | media type, with JSON | content coding |", "|---|---|---|"]
    json = spec_of("json").format
    for name in COMPRESSORS:
        compression = compressor(name)
        own = media_types(json, compression, conventions=False).type
        rows.append(f"| `{name}` | `{own}` | {f'`{compression.coding}`' if compression.coding else '–'} |")
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
    "policies": policies,
    "conventions": conventions,
    "faults": faults.markdown,
    "compressors": compressors,
    "formats": formats,
    "codings": codings,
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
