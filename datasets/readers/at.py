r"""Find records inside a document: ``--at '$.statuses'``.

A location is written as JSONPath (RFC 9535) or JSON Pointer (RFC 6901). Of JSONPath, names (``.name``,
``['name']``), indices from 0 (``[0]``), and ``[*]`` or ``.*`` for all items or values are supported; of JSON
Pointer, everything. A location without ``[*]`` is one value. If that is a list, its items are the records, as
for a file that is a list. With ``[*]``, each selected value is a record.

Libraries for these languages search documents in memory. Here, a document may have any size.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from ...codecs.paths import step as written
from ...errors import UsageError, hint, near

KEYS = 1_000
"""Keys of an object that are remembered to suggest alternatives."""
_SHOWN = 10
_COUNTED = 10_000
"""Values of a part that are counted to find the largest part."""
_SEVERAL = 10
"""Number of items from which a list inside a record may be the intended list of records."""
_DEEPEST = 8

_STEP: Final = re.compile(
    r"""\.(?P<name>[^\W\d]\w*) | (?P<wild>\.\*|\[\*\]) | \[(?P<index>0|[1-9]\d{0,17})\]
    | \[ (?: '(?P<single>(?:[^'\\]|\\.)*)' | "(?P<double>(?:[^"\\]|\\.)*)" ) \]""",
    re.VERBOSE,
)
_ESCAPE: Final = re.compile(r"\\(.)")
_INDEX: Final = re.compile(r"0|[1-9]\d{0,17}", re.ASCII)


@dataclass(frozen=True, slots=True)
class RecordPathStep:
    """One part of a location; without key and index it selects all items or values.

    Attributes:
        key: Key of an object.
        index: Index of a list; digits of a JSON Pointer may be either.
    """

    key: str | None = None
    index: int | None = None

    @property
    def is_wild(self) -> bool:
        """Whether the part selects all items or values."""
        return self.key is None and self.index is None

    def __str__(self) -> str:
        if self.is_wild:
            return "[*]"
        return written(self.index if self.index is not None else self.key)


@dataclass(frozen=True, slots=True)
class RecordPath:
    """The location of the records in a document."""

    steps: tuple[RecordPathStep, ...]

    @classmethod
    def parse(cls, text: str) -> RecordPath:
        """Read JSONPath or JSON Pointer.

        Raises:
            UsageError: It is neither, or uses parts of JSONPath that are not supported.
        """
        if text.startswith("/"):
            return cls(tuple(map(_token, text[1:].split("/"))))
        if not text.startswith("$"):
            raise UsageError(f"--at {text}: expected a JSONPath ('$.items') or JSON Pointer ('/items')")
        steps, end = [], 1
        while end < len(text):
            if (match := _STEP.match(text, end)) is None:
                raise UsageError(
                    f"--at {text}: not understood at {text[end:]!r}; expected .name, ['a name'], [0] or [*]"
                )
            steps.append(_step(match))
            end = match.end()
        return cls(tuple(steps))

    @property
    def is_singular(self) -> bool:
        """Whether the location selects at most one value."""
        return not any(step.is_wild for step in self.steps)

    def __str__(self) -> str:
        return "$" + "".join(map(str, self.steps))


def _step(match: re.Match[str]) -> RecordPathStep:
    if match["index"]:
        return RecordPathStep(index=int(match["index"]))
    if match["wild"]:
        return RecordPathStep()
    quoted = match["single"] if match["single"] is not None else match["double"]
    return RecordPathStep(key=match["name"] if quoted is None else _ESCAPE.sub(r"\1", quoted))


def _token(text: str) -> RecordPathStep:
    name = text.replace("~1", "/").replace("~0", "~")
    return RecordPathStep(key=name, index=int(name) if _INDEX.fullmatch(name) else None)


class Search:
    """A search for the records of one or several documents.

    Attributes:
        place: Their location.
        found: Whether a document had that location.
    """

    def __init__(self, place: RecordPath) -> None:
        self.place = place
        self.found = False
        self._missed = 0
        self._miss = ""

    def records(self, value: Any, depth: int = 0) -> Iterator[Any]:
        """Iterate over the records of a document in memory, or of a value at a given depth in one."""
        if depth == len(self.place.steps):
            self.found = True
            if self.place.is_singular and isinstance(value, list):
                yield from value
            else:
                yield value
            return
        step = self.place.steps[depth]
        if isinstance(value, dict):
            if step.is_wild:
                for item in value.values():
                    yield from self.records(item, depth + 1)
            elif step.key in value:
                yield from self.records(value[step.key], depth + 1)
            else:
                self.miss_key(depth, value)
        elif isinstance(value, list):
            if step.is_wild:
                for item in value:
                    yield from self.records(item, depth + 1)
            elif step.index is not None and step.index < len(value):
                yield from self.records(value[step.index], depth + 1)
            else:
                self.miss_item(depth, len(value))
        else:
            self.miss_container(depth, value)

    def miss_key(self, depth: int, keys: Iterable[Any]) -> None:
        """Note that an object lacks the key, and note its keys."""
        if not self._is_news(depth):
            return
        names = [key for key in islice(keys, KEYS) if isinstance(key, str)]
        shown = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
        wanted = self.place.steps[depth].key
        alike = near(wanted, names) if wanted is not None else ()
        meant = [str(RecordPath((*self.place.steps[:depth], RecordPathStep(key)))) for key in alike]
        self._note(depth, f"has the keys {shown}" if names else "has no key", meant)

    def miss_item(self, depth: int, length: int) -> None:
        """Note that a list lacks the item."""
        if self._is_news(depth):
            self._note(depth, f"is a list of {length:,}; use [0] for its first item, [*] for all")

    def miss_container(self, depth: int, value: Any) -> None:
        """Note that a value has no parts."""
        if self._is_news(depth):
            self._note(depth, f"is of type {type(value).__name__}")

    def _is_news(self, depth: int) -> bool:
        """Return whether no document got this far before; alternatives are taken from the deepest part."""
        return not self._miss or depth > self._missed

    def _note(self, depth: int, text: str, meant: Sequence[str] = ()) -> None:
        self._missed = depth
        self._miss = f"{RecordPath(self.place.steps[:depth])} {text}" + (
            f"; {hint(meant, '')}" if meant else ""
        )

    def nothing(self, source: str) -> UsageError:
        """Return the error that no document has the location, with a description of the documents instead."""
        return UsageError(f"{source}: nothing at {self.place}" + (f": {self._miss}" if self._miss else ""))


def _extent(part: Any) -> tuple[int, int]:
    """Return the size of a part: the number of its values, up to a limit, and then of its items."""
    stack, seen = [part], 0
    while stack and seen < _COUNTED:
        value = stack.pop()
        seen += 1
        if isinstance(value, dict):
            stack += value.values()
        elif isinstance(value, list):
            stack += value
    return seen, len(part) if isinstance(part, dict | list) else 0


def way_in(record: Any) -> RecordPath | None:
    """Return the location of the likely records in the only record of a file, or None.

    The search follows the largest parts to the first list of several items, or to an object whose many values
    are all lists or all objects.
    """
    steps: tuple[RecordPathStep, ...] = ()
    for _ in range(_DEEPEST):
        if isinstance(record, list):
            if steps and len(record) >= _SEVERAL:
                return RecordPath(steps)
            parts = [(RecordPathStep(index=index), part) for index, part in enumerate(record)]
        elif isinstance(record, dict):
            kinds = {type(part) for part in record.values()}
            if steps and len(record) >= _SEVERAL and kinds in ({dict}, {list}):
                return RecordPath((*steps, RecordPathStep()))
            parts = [(RecordPathStep(key), part) for key, part in record.items() if isinstance(key, str)]
        else:
            return None
        step, record = max(parts, key=lambda pair: _extent(pair[1]), default=(RecordPathStep(), None))
        steps = (*steps, step)
    return None
