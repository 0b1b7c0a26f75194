"""What pages list or state by hand: each list is whole, and each figure is the code's."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import fields
from typing import Any

import pytest
from click import Option

import bakeoff
from bakeoff.bench.backends import stores, transports
from bakeoff.bench.backends.stores import pool
from bakeoff.bench.backends.transports.kafka import PRODUCER
from bakeoff.bench.foreign import builds, canonical, port
from bakeoff.bench.method import Budget, Checks, Verdicts
from bakeoff.bench.operations import count
from bakeoff.bench.operations.pipeline import RATE
from bakeoff.bench.results import CellResult
from bakeoff.bench.results import file as result_file
from bakeoff.cli import _all_commands
from bakeoff.codecs import Limits
from bakeoff.codecs.formats import avro
from bakeoff.codecs.limits import DEFAULT_DEPTH, GREATEST_DEPTH
from bakeoff.codecs.production import lock
from bakeoff.commands.schema import export
from bakeoff.datasets.corpora import DEFAULT_RECORDS
from bakeoff.datasets.readers.files import MOST_PIPED
from bakeoff.datasets.readers.formats import file_formats
from bakeoff.datasets.readers.json_window import RECORD_LIMIT
from bakeoff.datasets.synthetic import profile, profile_file
from bakeoff.datasets.synthetic.fit import _SEEN
from bakeoff.schemas.tree import declare
from bakeoff.schemas.wire import languages
from bakeoff.schemas.wire.languages import json_reader
from pages import ROOT

pytestmark = pytest.mark.checkout

DOCS = ROOT / "docs"


def listed(page: str, heading: str) -> list[str]:
    """Return the names in the first column of each table of a page with this heading."""
    text = (DOCS / page).read_text(encoding="utf-8")
    tables = re.findall(rf"^\| {re.escape(heading)} \|.*\n\|---.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert tables, f"docs/{page} has no table of a {heading}"
    return [
        name
        for rows in tables
        for row in rows.splitlines()
        for name in re.findall(r"`([^`]+)`", row.split("|")[1])
    ]


def variables() -> set[str]:
    """Return the variables of the environment that are ours."""
    found = (
        re.findall(r'"(BAKEOFF_[A-Z_]+)"', path.read_text(encoding="utf-8"))
        for room in ("codecs", "schemas", "datasets", "bench", "reports", "src/bakeoff")
        for path in (ROOT / room).rglob("*.py")
    )
    return {name for names in found for name in names}


OF_OTHERS = re.compile(r"(?!BAKEOFF_)[A-Z][A-Z_*]+$")
"""Variables of the environment that are not ours."""
EMBEDDED = [name for name in stores.MODULES if not stores.kind(name).schemes]
COLUMN_FILES = {"parquet", "arrow", "npy", "npz"}
LISTS: dict[tuple[str, str], Collection[str]] = {
    ("reference/environment.md", "variable"): variables(),
    ("reference/transports.md", "name"): transports.MODULES,
    ("reference/transports.md", "option"): [f"--kafka-{name.partition('.')[0]}" for name in PRODUCER],
    ("reference/stores.md", "name"): EMBEDDED,
    ("reference/stores.md", "store"): EMBEDDED,
    ("reference/files.md", "field"): {each.name for each in fields(CellResult)}
    - {"cell", "outcome", "samples"},
    ("reference/definitions.md", "file"): [*languages.ENDINGS, ".json"],
    ("reference/profiles.md", "`kind`"): profile._KINDS,
    ("how-to/measure.md", "ending"): [each for kind in file_formats().values() for each in kind.suffixes],
    ("how-to/arrays.md", "file"): [each for name in COLUMN_FILES for each in file_formats()[name].suffixes],
    ("how-to/readers.md", "language"): builds.LANGUAGES,
    ("how-to/service.md", "limit"): [each.name for each in fields(Limits)],
}
"""What the code has of each thing that a page has a table of."""


@pytest.mark.parametrize(("page", "heading"), LISTS)
def test_a_table_has_all_that_the_code_has(page: str, heading: str) -> None:
    assert sorted(LISTS[page, heading]) == sorted(
        {name for name in listed(page, heading) if not OF_OTHERS.match(name)}
    )


def size(number: int) -> str:
    """Return a number of bytes as pages write it."""
    unit, name = (1 << 30, "GiB") if number >= 1 << 30 else (1 << 20, "MiB")
    assert not number % unit
    return f"{number // unit} {name}"


def share(part: float) -> str:
    return f"{100 * part:g} %"


MOST_VALUES = result_file._MOST_VALUES
FIGURES = [
    *(
        ("explanation/security.md", text)
        for text in (
            f"| result files | {size(result_file.LARGEST)}, decompressed, and {MOST_VALUES:,} values |",
            f"| locks, dictionaries | {size(lock._LARGEST)} |",
            f"| definitions of schemas | {size(languages.LARGEST)}, and {json_reader._LARGEST:,} parts |",
            f"| {size(avro.LARGEST_HEADER)}, and {avro.MOST_PAIRS:,} pairs |",
            f"| profiles of `bakeoff generate` | {size(profile_file.LARGEST)} |",
            f"| one record of a file | {size(RECORD_LIMIT)} |",
            f"| pipes without `--records` | {size(MOST_PIPED)}, ",
        )
    ),
    ("reference/definitions.md", f"{DEFAULT_DEPTH} levels of dicts and lists"),
    ("reference/policies.md", f"Every codec reads {DEFAULT_DEPTH} levels of lists and dicts"),
    (
        "reference/profiles.md",
        f"A file may have {size(profile_file.LARGEST)}, {profile_file._MOST_NODES:,} nodes "
        f"and {profile.DEEPEST} levels",
    ),
    ("reference/reports.md", f"up to {size(result_file.LARGEST)} decompressed"),
    ("reference/reports.md", f"A codec that costs at most {share(Verdicts.TIE)} less does not win"),
    ("reference/schemas.md", f"(at most {declare.MAX_DEPTH} levels)"),
    ("reference/transports.md", f"The default rate is {RATE:,} records a second"),
    ("reference/transports.md", f"a batch waits to fill | {PRODUCER['linger.ms']} ms |"),
    ("reference/transports.md", f"`zstd` | `{PRODUCER['compression.type']}` |"),
    ("reference/transports.md", f"`all` | `{PRODUCER['acks']}` |"),
    (
        "reference/worker.md",
        f"at most {size(port.HEAD)}, and a content at most {size(port.CONTENT)}.",
    ),
    ("reference/worker.md", f"at most {canonical._DEEPEST} levels and {canonical._MOST:,} values"),
    ("reference/worker.md", f"An answer must arrive within {port.PATIENCE:g} seconds"),
    ("reference/worker.md", f"`protocol` is {port.PROTOCOL}."),
    ("how-to/files.md", f"a single record, of at most {size(RECORD_LIMIT)}"),
    ("how-to/files.md", f"are read whole and limited to {size(RECORD_LIMIT)}"),
    ("how-to/history.md", f"Differences of up to {share(Verdicts.TIE)} do not count"),
    ("how-to/measure.md", f"at most {Checks.SAMPLE:,} records and {size(Checks.SAMPLE_BYTES)}, drawn"),
    ("how-to/measure.md", f"The default is {Budget.SECONDS:g} s, and {Budget.QUICK:g} s with `--quick`"),
    ("how-to/measure.md", f"After {1 + Budget.SLACK:g} S"),
    ("how-to/measure.md", f"Reading takes at most {share(Budget.READ)} of the budget"),
    ("how-to/measure.md", f"reading and checking at most {share(Budget.CHECK)}"),
    ("how-to/measure.md", f"samples {Budget.QUICK_SAMPLE} records"),
    ("how-to/more.md", f"at most {count._RECORDS} records or {count._BYTES >> 10} KiB"),
    ("how-to/service.md", f"| `size` | {size(Limits().size)} |"),
    ("how-to/service.md", f"| `ratio` | {Limits().ratio} |"),
    ("how-to/service.md", f"| `items` | {Limits().items:,};"),
    ("how-to/service.md", f"| `depth` | {DEFAULT_DEPTH} levels in `decode` | 1 to {GREATEST_DEPTH:,};"),
    ("how-to/service.md", f"no codec decodes more than {DEFAULT_DEPTH} levels"),
    ("how-to/stores.md", f"grows by at most {pool.GROWTH:,} records"),
    ("how-to/synthetic.md", f"up to {_SEEN:,} records"),
    ("use/celery.md", f"more than {Limits().items:,} values"),
]
"""Limits and defaults of the code, as sentences of pages state them."""


@pytest.mark.parametrize(("page", "text"), FIGURES)
def test_a_page_states_the_figure_of_the_code(page: str, text: str) -> None:
    assert text in (DOCS / page).read_text(encoding="utf-8")


*_FRONT, _LAST = languages.LANGUAGES
STATED = [
    (bakeoff.run, f"{Budget.SECONDS:g} by default, {Budget.QUICK:g} with `quick`"),
    (bakeoff.run, f"{Verdicts.PRECISION:g} by default"),
    (bakeoff.run, f"{Checks.SAMPLE:,} by default"),
    (bakeoff.corpus, f"{DEFAULT_RECORDS:,} records of a built-in"),
    (bakeoff.Schema.definition, ", ".join(f'``"{name}"``' for name in _FRONT) + f' or ``"{_LAST}"``'),
]


@pytest.mark.parametrize(("function", "text"), STATED)
def test_a_docstring_states_what_the_code_has(function: Callable[..., Any], text: str) -> None:
    assert text in " ".join(str(function.__doc__).split())


def test_help_names_each_language_of_schemas() -> None:
    (text,) = (each.help for each in export.params if isinstance(each, Option) and each.name == "language")

    assert f": {', '.join(_FRONT)} or {_LAST}." in str(text)


def test_exit_codes_of_commands_are_those_of_the_reference() -> None:
    """Signals end every command with a code of their own."""
    helps = [str(command.help).partition("Exit codes:")[2] for _, command in _all_commands()]
    rows = re.findall(r"^\| ([\d, ]+) \|", (DOCS / "reference/environment.md").read_text(), re.MULTILINE)
    listed_codes = {code for row in rows for code in re.findall(r"\d+", row)}

    assert {code for text in helps for code in re.findall(r"(?:^|[,;]) (\d+) ", text)} == listed_codes - {
        "129",
        "143",
    }
