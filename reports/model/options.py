"""The options of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Final, Self

from ...errors import UsageError, hint, near
from .columns import ColumnSpec, figure_of
from .cost import CostModel, Crossings

GROUPS: Final = ("format", "library")
_OTHER_WORDS: Final = {"memory": "peak", "size": "bytes", "speed": "cost", "time": "cost"}
"""Columns by other words for what they show."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The choices of a table; `TableOptions.of` takes them from keywords.

    Attributes:
        columns: Keys in order; None for columns with figures.
        sort: A column key, with "-" in front for the reverse order.
        relative_to: Codec of the relative columns; None for the best of each column.
        scale_to: Number of records per time; 100,000 gives the layout of 2011.
        group_by: "format" or "library".
        cost: The cost model of the ranking.
    """

    columns: tuple[str, ...] | None = None
    sort: str = "rank"
    relative_to: str | None = None
    scale_to: int = 1
    group_by: str | None = None
    cost: CostModel = field(default_factory=CostModel)

    def __post_init__(self) -> None:
        if self.group_by is not None and self.group_by not in GROUPS:
            raise UsageError(f"cannot group by {self.group_by!r}; choose {' or '.join(GROUPS)}")
        if not isinstance(self.scale_to, int) or self.scale_to < 1:
            raise UsageError(f"--scale-to {self.scale_to}: expected 1 record or more")

    @classmethod
    def of(
        cls,
        *,
        columns: str | tuple[str, ...] | list[str] | None = None,
        sort: str | None = None,
        relative_to: str | None = None,
        scale_to: int | None = None,
        group_by: str | None = None,
        reads: float | None = None,
        bandwidth: str | float | None = None,
        crossings: Crossings | None = None,
        **other: Any,
    ) -> Self:
        """Build options from keywords as on the command line; None keeps a default.

        Raises:
            UsageError: An unknown group or option.
        """
        if other:
            name, known = min(other), [key for key in signature(cls.of).parameters if key != "other"]
            alike = hint(near(name, known), f"there are {', '.join(known)}")
            raise UsageError(f"this output takes no option {name}; {alike}")
        keys = [key.strip() for key in columns.split(",")] if isinstance(columns, str) else columns
        return cls(
            columns=tuple(keys) if keys else None,
            sort=sort or "rank",
            relative_to=relative_to,
            scale_to=1 if scale_to is None else scale_to,
            group_by=group_by,
            cost=CostModel.of(reads, bandwidth, crossings),
        )

    def check(self, columns: Mapping[str, ColumnSpec]) -> None:
        """Find the requested columns among the existing ones.

        Raises:
            UsageError: One is unknown, or has no ratio.
        """
        for key in self.columns or ():
            _known(key, "column", columns)
        _known(self.sort.removeprefix("-"), "column to sort by", columns)


def _known(key: str, what: str, columns: Mapping[str, ColumnSpec]) -> None:
    base = figure_of(key, columns)
    if base not in columns:
        usual = ", ".join(name for name, spec in columns.items() if spec.default and name.isalpha())
        there = f"the usual ones are {usual}; a table of -f csv has all"
        raise UsageError(f"no {what} {key!r}; {hint(near(base, columns, _OTHER_WORDS), there)}")
    if key != base and columns[base].words:
        raise UsageError(f"no {what} {key!r}: {base} has no ratio")
