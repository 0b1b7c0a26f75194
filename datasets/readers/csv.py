"""Read CSV: one record per line, below a header line with the names of the columns.

`cells` determines the types of the columns.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from typing import Any

from ..errors import UnreadableCorpus
from ..passes import ReadOptions
from .cells import LOOK_AHEAD, TypedColumn, may_be_a_row
from .encoding import not_utf8
from .json_window import CHUNK, RECORD_LIMIT
from .problems import Problems

HEADER_LIMIT = 1024 * 1024
_REMARKS = 5
"""Most columns with a remark."""

_QUOTED = re.compile(rb'(?:^|(?<=[,;\t|]))(?:\xef\xbb\xbf)?"(?:[^"]|"")*"?')
"""A quoted cell, which may contain delimiters."""
_COMMA = re.compile(r"(?<!\d),|,(?!\d)")
"""A comma that is in no number."""


def read_tsv(file: io.BufferedReader, problems: Problems, reading: ReadOptions) -> Iterator[Any]:
    """Iterate over the rows of a file with tabs as delimiters."""
    return read_csv(file, problems, reading, "\t")


def read_csv(
    file: io.BufferedReader, problems: Problems, reading: ReadOptions, delimiter: str | None = None
) -> Iterator[Any]:
    """Iterate over the rows as dicts.

    Args:
        reading: Its `null_values`, `no_header` and `decimal_comma` apply.
        delimiter: None takes the most frequent of ``, ; tab |`` in the first line, outside quotes; if numbers
            have a decimal comma, the comma only if the line has none of the others.
    """
    if delimiter is None:
        head = file.peek(HEADER_LIMIT)[:HEADER_LIMIT]
        first_line = re.split(rb"[\r\n]", _QUOTED.sub(b"", head), maxsplit=1)[0].decode("utf-8", "replace")
        delimiter = _delimiter(first_line, decimal_comma=reading.decimal_comma)
    rows = _rows(file, problems, delimiter)
    bad = problems.total
    top = next(rows, None)
    if problems.total > bad:
        where, cause = problems.kept[-1]
        what = "first row" if reading.no_header else "header"
        raise UnreadableCorpus(f"{problems.source}, {where}: the {what} cannot be read: {cause}")
    if top is None:
        return
    names = top[1]
    if reading.no_header:
        rows = chain([top], rows)
        names = [f"column{number}" for number in range(1, len(names) + 1)]
    else:
        _check_names(names, problems)
    good = _whole_rows(rows, len(names), problems)
    first = list(islice(good, LOOK_AHEAD))
    point = "," if reading.decimal_comma else "."
    columns = [
        TypedColumn(name, [row[n] for row in first], reading.null_values, point)
        for n, name in enumerate(names)
    ]
    if not reading.no_header and may_be_a_row(names, columns, first):
        problems.remark("line 1 is read as the names of the columns; if it is a record, use --no-header")
    cells = [(column.name, column.read) for column in columns]
    try:
        for row in chain(first, good):
            yield {name: read(cell) for (name, read), cell in zip(cells, row, strict=True)}
    finally:
        remarks = [remark for column in columns for remark in column.remarks()]
        for remark in remarks[:_REMARKS]:
            problems.remark(remark)
        if (more := len(remarks) - _REMARKS) > 0:
            problems.remark(f"{more:,} more columns are like these")


def _delimiter(line: str, *, decimal_comma: bool) -> str:
    if not decimal_comma:
        return max(",;\t|", key=line.count)
    found = max(";\t|", key=line.count)
    return found if found in line or not _COMMA.search(line) else ","


def _check_names(names: list[str], problems: Problems) -> None:
    if len(counts := Counter(names)) != len(names):
        double = next(name for name in names if counts[name] > 1)
        raise UnreadableCorpus(
            f"{problems.source}, line 1: the header names column {double!r} twice; if it is a record, use "
            "--no-header"
        )


def _whole_rows(rows: Iterator[tuple[int, list[str]]], width: int, problems: Problems) -> Iterator[list[str]]:
    for number, (line, row) in enumerate(rows, 1):
        if len(row) == width:
            yield row
        else:
            problems.add(f"line {line}, record {number}", f"{len(row)} cells where line 1 has {width}")


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
        self._rest: Iterator[str] = iter(())
        self._problems = problems
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        for part in self._rest:
            return part
        for line in self._lines:
            self.number += 1
            if self.number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                self._problems.add(f"line {self.number}", not_utf8(error), error)
                continue
            if text.find("\r", 0, -2) < 0:
                return text
            # Files that were put together from several have several line ends.
            self._rest = iter(io.StringIO(text, newline=""))
            return next(self._rest)
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
