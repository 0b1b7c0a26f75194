"""The libraries of the field, from ``docs/reference/field.toml`` and the registry of codecs.

`tables` writes ``docs/reference/field.md`` from them. ``python3 tasks.py field [LIBRARY...]`` asks pip for
newer releases.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bakeoff import codecs
from bakeoff.codecs.defaults import field
from bakeoff.codecs.installed import version

DATA = Path(__file__).parent / "reference/field.toml"
STANDARD = "Python"
"""The registry's name for the standard library, which is not on PyPI."""


@dataclass(frozen=True, slots=True)
class Library:
    """An entry of the register.

    Attributes:
        name: The distribution.
        formats: What it writes, for people.
        release: The newest release when the register was checked.
        month: When that release was made, ``"2026-10"``; empty if not known.
        rank: Place among the most downloaded packages; None if it is not among them.
        wheels: CPythons for which it has wheels; empty if not asked.
        reason: Why it has no row; empty if it has rows.
        rows: Names of its codecs.
    """

    name: str
    formats: str
    release: str
    month: str = ""
    rank: int | None = None
    wheels: tuple[str, ...] = ()
    reason: str = ""
    rows: tuple[str, ...] = ()


def normal(name: str) -> str:
    """Return a distribution's name as PyPA compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def rows_of() -> dict[str, tuple[str, ...]]:
    """Return the names of bakeoff's own codecs by the normalized name of their library."""
    found: dict[str, tuple[str, ...]] = {}
    for name in codecs.names(needs_schema=True, only_values=True):
        declared = codecs.describe(name)
        if not declared.entry_point:
            library = normal(declared.library or STANDARD)
            found[library] = (*found.get(library, ()), name)
    return found


def register() -> list[Library]:
    """Return all entries: by rank, then those without one by name."""
    rows, ranks = rows_of(), field().ranks
    found = [
        Library(
            **{"rank": ranks.get(entry["name"])} | entry | {"wheels": tuple(entry.get("wheels", ()))},
            rows=rows.get(normal(entry["name"]), ()),
        )
        for entry in _data()["library"]
    ]
    return sorted(found, key=lambda each: (each.rank or sys.maxsize, each.name.lower()))


def source() -> str:
    """Return when the register was checked, and by what."""
    return f"Checked on {_data()['checked']}. Source: {_data()['source']}.\n"


def with_rows() -> str:
    """Return the table of the libraries with rows."""
    rows = [(each.name, each.formats, _code(each.rows)) for each in register() if each.rows]
    standard = ("Python's standard library", "", _code(rows_of()[normal(STANDARD)]))
    return _table(("library", "formats", "rows"), [*rows, standard])


def without_rows() -> str:
    """Return the table of the libraries without rows, by the reason."""
    found: dict[str, list[str]] = {}
    for each in register():
        if not each.rows:
            found.setdefault(each.reason, []).append(f"{each.name} ({each.formats})")
    return _table(("libraries", "reason"), [(", ".join(names), reason) for reason, names in found.items()])


def _data() -> dict[str, Any]:
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *rows))


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def newest(name: str) -> str | None:
    """Return the newest release of a library that pip finds for this Python; None if it finds none."""
    command = [sys.executable, "-m", "pip", "index", "versions", "--disable-pip-version-check", name]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.match(r"\S+ \((\S+)\)", done.stdout)
    return found[1] if found else None


def behind(library: Library, found: str | None) -> str:
    """Return which parts are behind a library's newest release; empty if none is."""
    if found is None:
        return f"{library.name}: pip finds no release"
    tested = version(library.name) if library.rows else None
    parts = [f"the register has {library.release}"] if found != library.release else []
    parts += [f"the tests use {tested}"] if tested and tested != found else []
    return f"{library.name} {found}: {', '.join(parts)}" if parts else ""


def check(names: list[str]) -> list[str]:
    """Return a line for each library, of those named or of all, that is behind its newest release."""
    asked = set(map(normal, names))
    libraries = [each for each in register() if not asked or normal(each.name) in asked]
    if unknown := asked - {normal(each.name) for each in libraries}:
        sys.exit(f"field: no entry for {', '.join(sorted(unknown))} in {DATA}")
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda each: newest(each.name), libraries)
        return list(filter(None, map(behind, libraries, found)))


def main(names: list[str]) -> None:
    """Print which libraries, of those named or of all, have a newer release; exit with 1 if any has."""
    lines = check(names)
    print("\n".join(lines) or "no library is behind its newest release")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
