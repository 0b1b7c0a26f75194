"""What a reader may ask of a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final, Self

from ..errors import UsageError
from .cost import Cost

__all__ = ["COLUMNS", "GROUPS", "Options"]

COLUMNS: Final = {
    "codec": "the codec's name",
    "format": "its wire format",
    "library": "the library behind it",
    "version": "that library's version",
    "dump": "time to encode a record",
    "dump-repeat": "time to encode the same record again",
    "dump-streamed": "time to encode a record that no cache holds",
    "dump-nogc": "time to encode a record with the garbage collector off",
    "load": "time to decode a record",
    "load-nogc": "time to decode a record with the garbage collector off",
    "load-streamed": "time to decode a payload that no cache holds",
    "fix": "time of the schema's fix-up",
    "fix-nogc": "time of the schema's fix-up with the garbage collector off",
    "load+fix": "both together",
    "cost": "what the ranking is by",
    "bytes": "payload of a record",
    "peak": "most memory held above the input, dump or load",
    "peak-dump": "likewise, dump alone",
    "peak-load": "likewise, load alone",
    "retained-records": "what a decoded record holds, as Python counts",
    "resident-records": "what a decoded record adds to the process",
    "retained-payloads": "what a payload holds, as Python counts",
    "resident-payloads": "what a payload adds to the process",
    "growth": "whether memory stays behind",
    "fidelity": "whether records come back as they were",
    "rank": "place by cost; ties share one",
    "value": "a benchmark that bakeoff did not make",
}
"""Every column by key. A key followed by ``:x`` is the same relative to the baseline."""

_WORDS: Final = frozenset({"codec", "format", "library", "version", "growth", "fidelity", "rank"})
"""Columns that have no ratio."""

GROUPS: Final = ("format", "library")


@dataclass(frozen=True, slots=True)
class Options:
    """The choices behind a table; `Options.of` takes them from keywords.

    Attributes:
        columns: Keys in order; None for those that the result has figures for.
        sort: A column key, with "-" in front for the other way round.
        baseline: Codec of the relative columns; None for the best of each column.
        per: Records that a time is for; 100,000 gives the layout of 2011.
        group_by: "format" or "library".
        cost: What the ranking is by.
    """

    columns: tuple[str, ...] | None = None
    sort: str = "rank"
    baseline: str | None = None
    per: int = 1
    group_by: str | None = None
    cost: Cost = field(default_factory=Cost)

    def __post_init__(self) -> None:
        for key in self.columns or ():
            _known(key, "column")
        _known(self.sort.removeprefix("-"), "column to sort by")
        if self.group_by is not None and self.group_by not in GROUPS:
            raise UsageError(f"cannot group by {self.group_by!r}; choose {' or '.join(GROUPS)}")
        if self.per < 1:
            raise UsageError(f"--per {self.per}: expected 1 record or more")

    @classmethod
    def of(
        cls,
        *,
        columns: str | tuple[str, ...] | list[str] | None = None,
        sort: str | None = None,
        baseline: str | None = None,
        per: int | None = None,
        group_by: str | None = None,
        reads: float | None = None,
        bandwidth: str | float | None = None,
        **other: Any,
    ) -> Self:
        """Build options from keywords as the command line has them; None keeps a default.

        Raises:
            UsageError: An unknown column, group or option.
        """
        if other:
            raise UsageError(f"this output takes no option {', '.join(sorted(other))}")
        keys = [key.strip() for key in columns.split(",")] if isinstance(columns, str) else columns
        return cls(
            columns=tuple(keys) if keys else None,
            sort=sort or "rank",
            baseline=baseline,
            per=per or 1,
            group_by=group_by,
            cost=Cost.of(reads, bandwidth),
        )


def _known(key: str, what: str) -> None:
    base = key.removesuffix(":x")
    if key != base and base in _WORDS:
        raise UsageError(f"no {what} {key!r}: {base} is no figure that has a ratio")
    if base not in COLUMNS:
        near = get_close_matches(base, COLUMNS)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(COLUMNS)}"
        raise UsageError(f"no {what} {key!r}; {hint}")
