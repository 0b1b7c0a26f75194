"""A window on a JSON text, from which values are read one by one, or skipped."""

from __future__ import annotations

import codecs
import contextlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from .problems import Problems

RECORD_LIMIT = 64 << 20
"""Most bytes of a record in a file."""
CHUNK = 256 * 1024
BLANK = " \t\r\n\x1e"
"""Characters between values; the last is the record separator of RFC 7464."""

# A value that is cut off by the end of the buffer fails at most this far from the end.
MARGIN = 16

# The call inside json.loads, without the search for blanks around each value.
scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


_LOOKED_AT = 10_000
"""Most values of a file in which repeated keys are looked for: it takes half as long as reading them."""


class Repeats:
    """Reads the first values of a file, and finds a key that is twice in one of their objects.

    Attributes:
        key: The key that is twice in the last value; None if there is none.
    """

    def __init__(self) -> None:
        self.key: str | None = None
        self._left = _LOOKED_AT
        self._looking = json.JSONDecoder(object_pairs_hook=self._made).scan_once  # type: ignore[attr-defined]

    def scan(self, text: str, at: int) -> tuple[Any, int]:
        """Read a value of a text as the decoder of `json` does, and return it with its end."""
        if not self._left:
            return scan(text, at)
        self.key = None
        found: tuple[Any, int] = self._looking(text, at)
        self._left -= 1
        return found

    def remark(self, where: str, problems: Problems) -> None:
        """Remark on the key of the last value, and look for no other."""
        if self.key is not None:
            shown = f"{self.key!r:.60}"
            problems.remark(f"{where}: the key {shown} is twice in an object; only the last value is read")
            problems.repeats = True
            self.key, self._left = None, 0

    def _made(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs) and self.key is None:
            counted = Counter(key for key, _ in pairs)
            self.key = next(key for key, times in counted.items() if times > 1)
        return made


_UNCLOSED = "the file ends inside the object"


class TooLongError(ValueError):
    """A value is longer than the limit for records.

    Attributes:
        inside: Key of the longest list in it; empty if it is not an object with lists.
    """

    def __init__(self, inside: str) -> None:
        super().__init__(f"a record of more than {RECORD_LIMIT >> 20} MiB")
        self.inside = inside


class _Cut(Exception):  # noqa: N818 - not an error: more has to be read
    """The value continues after the end of the buffer."""


class TextWindow:
    """The part of a text that is being read.

    Its methods raise the errors of `json`, or `ValueError`, if the text is malformed.

    Args:
        file: The file.
        read: Reads a value, as `scan` does.
    """

    def __init__(self, file: io.BufferedReader, read: Callable[[str, int], tuple[Any, int]] = scan) -> None:
        self._scan = read
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text = ""
        self._at = 0
        self._before = 0
        self._ended = False

    def byte(self) -> int:
        """Return the byte offset of the current position, from 0, without a byte order mark."""
        return self._before + len(self._text[: self._at].encode())

    def peek(self) -> str:
        """Return the next character that is not blank, without reading it; empty at the end."""
        while True:
            while self._at < len(self._text):
                if (character := self._text[self._at]) not in BLANK:
                    return character
                self._at += 1
            if self._ended:
                return ""
            self._more()

    def skip(self) -> None:
        """Read one character."""
        self._at += 1

    def value(self) -> Any:
        """Read one value."""
        while True:
            try:
                return self._try_value()
            except _Cut as cut:
                if len(self._text) - self._at > RECORD_LIMIT:
                    raise TooLongError(self._longest_list()) from cut
                self._more()

    def items(self) -> Iterator[int]:
        """Read a list: iterate over the indices of its items. The caller reads each item in between."""
        self.skip()
        if self.peek() == "]":
            self.skip()
            return
        for index in count():
            if not self.peek():
                raise ValueError("the file ends inside the array")
            yield index
            if not self._goes_on("]", "item", "array"):
                return

    def members(self) -> Iterator[str]:
        """Read an object: iterate over its keys. The caller reads each value in between."""
        self.skip()
        if self.peek() == "}":
            self.skip()
            return
        while True:
            if (mark := self.peek()) != '"':
                raise ValueError(f"expected a key, got {mark!r}" if mark else _UNCLOSED)
            key = self.value()
            if (mark := self.peek()) != ":":
                raise ValueError(f"expected ':' after the key, got {mark!r}" if mark else _UNCLOSED)
            self.skip()
            self.peek()
            yield key
            if not self._goes_on("}", "value", "object"):
                return

    def _goes_on(self, end: str, what: str, inside: str) -> bool:
        """Read the separator after a part of a container, and return whether another part follows."""
        mark = self.peek()
        if mark not in (",", end):
            raise ValueError(
                f"expected ',' or {end!r} after the {what}, got {mark!r}"
                if mark
                else f"the file ends inside the {inside}"
            )
        self.skip()
        return mark == ","

    def whole(self) -> tuple[Any] | None:
        """Read a value that ends within a chunk; return None for a longer or broken one."""
        while len(self._text) - self._at <= CHUNK and not self._ended:
            self._more()
        begin = self._at
        try:
            return (self._try_value(),)
        except (_Cut, ValueError):
            self._at = begin
            return None

    def pass_over(self) -> None:
        """Read one value while holding at most a chunk of it, or a single text or number."""
        mark = self.peek()
        if self.whole() is None:
            if mark in ("[", "{"):
                for _ in self.items() if mark == "[" else self.members():
                    self.pass_over()
            else:
                self.value()

    def _longest_list(self) -> str:
        """Return the key of the longest list in an object that extends beyond the buffer."""
        window = TextWindow(io.BufferedReader(io.BytesIO(self._text[self._at :].encode())))
        lengths: dict[str, int] = {}
        with contextlib.suppress(ValueError, RecursionError):
            for key in window.members() if window.peek() == "{" else ():
                begin, is_list = window.byte(), window.peek() == "["
                try:
                    window.pass_over()
                finally:
                    if is_list:
                        lengths[key] = window.byte() - begin
        return max(lengths, key=lengths.__getitem__, default="")

    def _try_value(self) -> Any:
        near_end = len(self._text) - MARGIN
        try:
            record, end = self._scan(self._text, self._at)
        except json.JSONDecodeError as error:
            if not self._ended and (error.pos >= near_end or error.msg.startswith("Unterminated string")):
                raise _Cut from error
            self._at = error.pos
            raise
        except StopIteration as error:
            if not self._ended and error.value >= near_end:
                raise _Cut from error
            self._at = error.value
            raise ValueError("not JSON: no value") from error
        # A number may continue: 1 | .5
        if not self._ended and end >= near_end:
            raise _Cut
        self._at = end
        return record

    def _more(self) -> None:
        rest = self._text[self._at :]
        self._before += len(self._text[: self._at].encode())
        # Triple the buffer, so that a long value is scanned only a few times.
        data = self._file.read(max(CHUNK, min(3 * len(rest), RECORD_LIMIT + 1 - len(rest))))
        self._ended = not data
        self._text = rest
        self._at = 0
        self._text += self._decode(data, final=self._ended)
