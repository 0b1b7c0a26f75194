"""Handle advice: count it over a stream, or raise it as one error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ...codecs.paths import brief
from ._plan import Advice

__all__ = ["Advice", "AdviceCounter", "AdviceError", "Tally"]

_INDEX = re.compile(r"\[\d+\]")
EXAMPLES = 3
MAX_PLACES = 1_000


class AdviceError(ValueError):
    """All advice about one record, in strict mode.

    Attributes:
        advice: The advice, in record order.
    """

    def __init__(self, advice: Iterable[Advice]) -> None:
        self.advice = tuple(advice)
        super().__init__(self.advice)

    def __str__(self) -> str:
        count = len(self.advice)
        return f"{count} piece{'s' * (count != 1)} of advice:\n" + "\n".join(
            f"- {item} ({item.outcome})" for item in self.advice
        )


@dataclass(slots=True)
class Tally:
    """Advice about one place in many records.

    Attributes:
        count: Number of occurrences.
        examples: The first few distinct values, abbreviated.
    """

    path: str
    code: str
    expected: str
    found: str
    outcome: str
    severity: str
    count: int = 0
    examples: list[str] = field(default_factory=list)


class AdviceCounter:
    """Counts advice by place and kind, with examples; its size does not depend on the number of records.

    Attributes:
        records: Records seen.
        advised: Records with at least one piece of advice.
        total: Pieces of advice.
    """

    def __init__(self) -> None:
        self.records = 0
        self.advised = 0
        self.total = 0
        self._tallies: dict[tuple[str, ...], Tally] = {}

    def add(self, advice: Iterable[Advice]) -> None:
        """Count the advice of one record."""
        self.records += 1
        before = self.total
        for item in advice:
            self._count(item)
        self.advised += self.total > before

    def _count(self, item: Advice) -> None:
        path = _INDEX.sub("[]", item.path)
        found, number = item.found if item.code in ("type", "missing") else item.found.split(" ")[0], 1
        if item.code == "more":
            # If there is too much advice about a record, the last piece has the number of the others.
            found, number = "more", int(found)
        self.total += number
        # The key has the severity, so that an error is not hidden among notes that were counted first.
        key = (path, item.code, item.expected, found, item.outcome, item.severity)
        tally = self._tallies.get(key)
        if tally is None:
            if len(self._tallies) >= MAX_PLACES:
                # Paths may contain keys of maps, and a stream can have any number of keys.
                key = ("(elsewhere)", "", "", "", item.outcome, item.severity)
                path, found = key[0], ""
                item = Advice(path, item.code, "", found, None, item.outcome, item.severity)
            tally = self._tallies.setdefault(
                key, Tally(path, item.code, item.expected, found, item.outcome, item.severity)
            )
        tally.count += number
        if len(tally.examples) < EXAMPLES and item.code not in ("missing", "more"):
            example = brief(item.value)
            if example not in tally.examples:
                tally.examples.append(example)

    def __iter__(self) -> Iterator[Tally]:
        """Yield the tallies, most frequent first."""
        yield from sorted(self._tallies.values(), key=lambda tally: -tally.count)

    @property
    def errors(self) -> int:
        """Pieces of advice about fields that are not marked as notes."""
        return sum(tally.count for tally in self._tallies.values() if tally.severity == "error")
