"""Read CSV: a header line, then one record per line.

The first thousand rows determine the type of a column. Its type is integer, decimal or boolean if *every*
non-empty cell is written as one in the usual way, with at most 18 digits, or 15 for decimals, so that the
value is exact. Otherwise it is text: ``007``, ``+1`` and ``1e5`` make a column text. An empty cell is None,
except in a column of text, where it is an empty text. A later cell that does not fit its column stays text.
Texts declared as null (``NA``) are None in every column, and do not affect its type.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Any

from ..errors import UnreadableCorpus
from .encoding import not_utf8
from .json_window import CHUNK, RECORD_LIMIT
from .problems import Problems

LOOK_AHEAD = 1_000
HEADER_LIMIT = 1024 * 1024

_INT = re.compile(r"-?(?:0|[1-9]\d{0,17})", re.ASCII)
_FLOAT = re.compile(r"(?=.{1,17}$)-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?", re.ASCII)
_QUOTED = re.compile(rb'(?:^|(?<=[,;\t|]))(?:\xef\xbb\xbf)?"(?:[^"]|"")*"?')
"""A quoted cell, which may contain delimiters."""
_TRUTH = {"true": True, "false": False, "True": True, "False": False, "TRUE": True, "FALSE": False}

CellReader = Callable[[str], Any]


_TYPES: tuple[tuple[Callable[[str], object], CellReader], ...] = (
    (_INT.fullmatch, int),
    (_FLOAT.fullmatch, float),
    (_TRUTH.__contains__, _TRUTH.__getitem__),
)
"""Types of a column in order of preference, each with its pattern and its conversion."""


def _column(cells: list[str], null: frozenset[str]) -> CellReader:
    read = _typed_column([cell for cell in cells if cell and cell not in null])
    return (lambda cell: None if cell in null else read(cell)) if null else read


def _typed_column(filled: list[str]) -> CellReader:
    if not filled:
        return lambda cell: cell or None
    for is_one, read in _TYPES:
        if all(map(is_one, filled)):
            return partial(_typed_cell, is_one, read)
    return str


def _typed_cell(is_one: Callable[[str], object], read: CellReader, cell: str) -> Any:
    return read(cell) if is_one(cell) else cell or None


def read_tsv(file: io.BufferedReader, problems: Problems, null: frozenset[str]) -> Iterator[Any]:
    """Iterate over the rows of a file with tabs as delimiters."""
    return read_csv(file, problems, null, "\t")


def read_csv(
    file: io.BufferedReader, problems: Problems, null: frozenset[str], delimiter: str | None = None
) -> Iterator[Any]:
    """Iterate over the rows as dicts.

    Args:
        null: Texts of cells that mean None.
        delimiter: None takes the most frequent of ``, ; tab |`` in the header, outside quotes.
    """
    if delimiter is None:
        head = file.peek(HEADER_LIMIT)[:HEADER_LIMIT]
        header_line = re.split(rb"[\r\n]", _QUOTED.sub(b"", head), maxsplit=1)[0].decode("utf-8", "replace")
        delimiter = max(",;\t|", key=header_line.count)
    rows = _rows(file, problems, delimiter)
    bad = problems.total
    try:
        _, names = next(rows)
    except StopIteration:
        return
    if problems.total > bad:
        where, cause = problems.kept[-1]
        raise UnreadableCorpus(f"{problems.source}, {where}: the header cannot be read: {cause}")
    if len(counts := Counter(names)) != len(names):
        double = next(name for name in names if counts[name] > 1)
        raise UnreadableCorpus(f"{problems.source}, line 1: the header names column {double!r} twice")
    good = _whole_rows(rows, len(names), problems)
    first = list(islice(good, LOOK_AHEAD))
    columns = [_column([row[n] for row in first], null) for n in range(len(names))]
    for row in chain(first, good):
        yield {name: read(cell) for name, read, cell in zip(names, columns, row, strict=True)}


def _whole_rows(rows: Iterator[tuple[int, list[str]]], width: int, problems: Problems) -> Iterator[list[str]]:
    for number, (line, row) in enumerate(rows, 1):
        if len(row) == width:
            yield row
        else:
            problems.add(f"line {line}, record {number}", f"{len(row)} cells where the header has {width}")


def _rows(file: io.BufferedReader, problems: Problems, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Iterate over (line number, cells), without empty lines."""
    # The limit applies to the whole process, and is 128 KiB by default. A larger limit is kept.
    csv.field_size_limit(max(csv.field_size_limit(), RECORD_LIMIT))
    lines = _Lines(file, problems)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.add(f"line {lines.number}", f"not CSV: {error}", error)
            continue
        if row:
            yield lines.number, row


class _Lines:
    """The lines as text, counted."""

    def __init__(self, file: io.BufferedReader, problems: Problems) -> None:
        head = file.peek(HEADER_LIMIT)
        # Spreadsheets on a Macintosh still write these line ends.
        returns = b"\r" in head and b"\n" not in head
        self._lines = _returned(file) if returns else iter(partial(file.readline, RECORD_LIMIT), b"")
        self._problems = problems
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        for line in self._lines:
            self.number += 1
            if self.number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            try:
                return line.decode()
            except UnicodeDecodeError as error:
                self._problems.add(f"line {self.number}", not_utf8(error), error)
        raise StopIteration


def _returned(file: io.BufferedReader) -> Iterator[bytes]:
    """Iterate over lines that end with a carriage return alone."""
    rest = b""
    while data := file.read(CHUNK):
        *lines, rest = (rest + data).split(b"\r")
        for line in lines:
            yield line + b"\r"
        if len(rest) > RECORD_LIMIT:
            yield rest
            rest = b""
    if rest:
        yield rest
