"""Read JSON: lines, one array, or concatenated values, with one record in memory at a time.

A record may be at most 64 MiB.
"""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from ..errors import UnreadableCorpus
from .at import KEYS, RecordPath, RecordPathStep, Search
from .encoding import not_utf8
from .json_window import BLANK, CHUNK, RECORD_LIMIT, Repeats, TextWindow, TooLongError, scan
from .problems import Problems


def read_json_lines(file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
    """Iterate over the values of JSON Lines, without empty lines."""
    number = line_number = 0
    blank = BLANK.encode()
    repeats = Repeats()
    read = scan if problems.repeats else repeats.scan
    for line in iter(partial(file.readline, RECORD_LIMIT + 1), b""):
        line_number += 1
        if len(line) > RECORD_LIMIT:
            number += 1
            problems.add(
                f"line {line_number}, record {number}",
                f"longer than {RECORD_LIMIT >> 20} MiB (is this JSON Lines?)",
            )
            while line and not line.endswith(b"\n"):
                line = file.readline(RECORD_LIMIT)
            continue
        if line_number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        line = line.strip(blank)
        if not line:
            continue
        number += 1
        try:
            text = line.decode()
            record, end = read(text, 0)
            if end != len(text):
                raise ValueError(f"data after the value, at column {end + 1}: {text[end : end + 20]!r}")
        except (ValueError, StopIteration, RecursionError) as error:
            problems.add(f"line {line_number}, record {number}", _cause(error), error)
            continue
        repeats.remark(f"line {line_number}", problems)
        yield record


def _cause(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg.removesuffix(' at')} at column {error.pos + 1}"
    if isinstance(error, StopIteration):
        return f"not JSON: no value at column {error.value + 1}"
    if isinstance(error, UnicodeDecodeError):
        return not_utf8(error)
    if isinstance(error, RecursionError):
        return "nested too deeply"
    # Python's own message adds advice for programmers.
    return str(error).partition("; use sys.set_int_max_str_digits()")[0]


def read_json(file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
    """Iterate over the items of one array, or over concatenated values, the first of which is no array.

    A file whose first line is a complete value, with more to follow, is read as JSON Lines. Otherwise the end
    of a broken value is unknown, and nothing after it can be read.
    """
    if _looks_like_lines(file.peek(CHUNK)):
        yield from read_json_lines(file, problems)
        return
    repeats = Repeats()
    window = TextWindow(file, scan if problems.repeats else repeats.scan)
    number = 0
    is_list = False
    try:
        if is_list := window.peek() == "[":
            for _ in window.items():
                number += 1
                record = window.value()
                repeats.remark(f"record {number}", problems)
                yield record
        while window.peek():
            number += 1
            if is_list:
                raise ValueError("a value after the list; --at '$' reads the items of all lists")
            record = window.value()
            repeats.remark(f"record {number}", problems)
            yield record
    except (ValueError, RecursionError) as error:
        if isinstance(error, TooLongError) and error.inside and number == 1 and not is_list:
            place = RecordPath((RecordPathStep(error.inside),))
            raise UnreadableCorpus(
                f"{problems.source}: {error}, most of it in one list; --at '{place}' reads the items of that"
            ) from error
        _end(error, window, number, problems)


def read_json_at(file: io.BufferedReader, problems: Problems, search: Search) -> Iterator[Any]:
    """Iterate over the records at a location of one document, or of several concatenated ones.

    Everything outside that location is skipped piece by piece, whatever its size.
    """
    if _looks_like_lines(file.peek(CHUNK)):
        for document in read_json_lines(file, problems):
            yield from search.records(document)
        return
    repeats = Repeats()
    window = TextWindow(file, scan if problems.repeats else repeats.scan)
    number = 0
    try:
        while window.peek():
            for record in _inside(window, search, 0):
                number += 1
                repeats.remark(f"record {number}", problems)
                yield record
    except (ValueError, RecursionError) as error:
        _end(error, window, number + 1, problems)


def _inside(window: TextWindow, search: Search, depth: int) -> Iterator[Any]:
    """Read one value, and iterate over the records in it."""
    place = search.place
    mark = window.peek()
    if depth == len(place.steps):
        search.found = True
        if place.is_singular and mark == "[":
            for _ in window.items():
                yield window.value()
        else:
            yield window.value()
        return
    if (whole := window.whole()) is not None:
        yield from search.records(whole[0], depth)
        return
    step = place.steps[depth]
    hit = step.is_wild
    if mark == "{":
        others: list[str] = []
        for key in window.members():
            if step.is_wild or key == step.key:
                hit = True
                yield from _inside(window, search, depth + 1)
            else:
                if len(others) < KEYS:
                    others.append(key)
                window.pass_over()
        if not hit:
            search.miss_key(depth, others)
    elif mark == "[":
        length = 0
        for index in window.items():
            length = index + 1
            if step.is_wild or index == step.index:
                hit = True
                yield from _inside(window, search, depth + 1)
            else:
                window.pass_over()
        if not hit:
            search.miss_item(depth, length)
    else:
        search.miss_container(depth, window.value())


def _end(error: Exception, window: TextWindow, number: int, problems: Problems) -> None:
    """Record the error that ends the reading of a text.

    Raises:
        BadRecord: Bad records are not skipped.
    """
    cause = f"{_cause_in_window(error)}; the rest cannot be read"
    problems.add(f"byte {window.byte():,}, record {max(number, 1)}", cause, error)


def _cause_in_window(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg.removesuffix(' starting at')}"
    return _cause(error)


def _looks_like_lines(head: bytes) -> bool:
    line, newline, rest = head.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
    if not newline or not rest.strip() or line[:1] not in (b"{", b"["):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
