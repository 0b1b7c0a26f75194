"""Reading JSON: lines, one array, or values one after another; never more than one record in memory.

A record may be at most 64 MiB.
"""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from .problems import Problems

__all__ = ["RECORD_LIMIT", "read_json", "read_json_lines"]

RECORD_LIMIT = 64 << 20
"""Bytes of a record in a file."""
CHUNK = 256 * 1024
BLANK = " \t\r\n\x1e"
"""What may stand between values; the last is the record separator of RFC 7464."""

# A value that is cut off by the end of the buffer fails at most this far from it.
MARGIN = 16

# The call behind json.loads, without the search for blanks around each value.
_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


class _Cut(Exception):  # noqa: N818 - not an error: more has to be read
    """The value goes on behind the end of what has been read."""


def read_json_lines(file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
    """Iterate over the values of JSON Lines; empty lines are passed over."""
    number = line_number = 0
    blank = BLANK.encode()
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
            record, end = _scan(text, 0)
            if end != len(text):
                raise ValueError(f"data after the value, at column {end + 1}: {text[end : end + 20]!r}")
        except (ValueError, StopIteration, RecursionError) as error:
            problems.add(f"line {line_number}, record {number}", _cause(error), error)
            continue
        yield record


def _cause(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg.removesuffix(' at')} at column {error.pos + 1}"
    if isinstance(error, StopIteration):
        return f"not JSON: no value at column {error.value + 1}"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: {error.reason} at byte {error.start + 1} of it"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error)


def read_json(file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
    """Iterate over the items of one array, or over values that follow one another.

    A file whose first line is a whole value, with more to follow, is read as JSON Lines. Otherwise
    nothing tells where a broken value ends: what follows it cannot be read.
    """
    if _looks_like_lines(file.peek(CHUNK)):
        yield from read_json_lines(file, problems)
        return
    window = _Window(file)
    number = 0
    in_array = False
    try:
        if window.peek() == "[":
            window.skip()
            in_array = True
            if window.peek() == "]":
                window.skip()
                in_array = False
        while window.peek():
            number += 1
            yield window.value()
            if in_array:
                mark = window.peek()
                if mark not in (",", "]"):
                    raise ValueError(
                        f"expected ',' or ']' after the item, got {mark!r}" if mark else _UNCLOSED
                    )
                window.skip()
                in_array = mark == ","
                if in_array and not window.peek():
                    raise ValueError(_UNCLOSED)
        if in_array:
            raise ValueError(_UNCLOSED)
    except (ValueError, StopIteration, RecursionError) as error:
        cause = f"{_cause_in_window(error)}; what follows cannot be read"
        problems.add(f"byte {window.byte():,}, record {max(number, 1)}", cause, error)


_UNCLOSED = "the file ends inside the array"


def _cause_in_window(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg.removesuffix(' starting at')}"
    if isinstance(error, StopIteration):
        return "not JSON: no value"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: {error.reason}"
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


class _Window:
    """The part of the text that is being read."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text = ""
        self._at = 0
        self._before = 0
        self._ended = False

    def byte(self) -> int:
        """Return the byte offset (from 0, a byte order mark not counted) at which the text stands."""
        return self._before + len(self._text[: self._at].encode())

    def peek(self) -> str:
        """Return the next character that is not blank, without taking it; empty at the end."""
        while True:
            while self._at < len(self._text):
                if (character := self._text[self._at]) not in BLANK:
                    return character
                self._at += 1
            if self._ended:
                return ""
            self._more()

    def skip(self) -> None:
        """Take one character."""
        self._at += 1

    def value(self) -> Any:
        """Take one value."""
        while True:
            try:
                return self._try_value()
            except _Cut as cut:
                if len(self._text) - self._at > RECORD_LIMIT:
                    raise ValueError(f"a record of more than {RECORD_LIMIT >> 20} MiB") from cut
                self._more()

    def _try_value(self) -> Any:
        near_end = len(self._text) - MARGIN
        try:
            record, end = _scan(self._text, self._at)
        except json.JSONDecodeError as error:
            if not self._ended and (error.pos >= near_end or error.msg.startswith("Unterminated string")):
                raise _Cut from error
            self._at = error.pos
            raise
        except StopIteration as error:
            if not self._ended and error.value >= near_end:
                raise _Cut from error
            self._at = error.value
            raise
        # A number may go on: 1 | .5
        if not self._ended and end >= near_end:
            raise _Cut
        self._at = end
        return record

    def _more(self) -> None:
        rest = self._text[self._at :]
        self._before += len(self._text[: self._at].encode())
        # Three times what there is: a long value is scanned anew a few times only.
        data = self._file.read(max(CHUNK, 3 * len(rest)))
        self._ended = not data
        self._text = rest
        self._at = 0
        self._text += self._decode(data, final=self._ended)
