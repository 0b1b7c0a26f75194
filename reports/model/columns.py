"""Definitions of all columns, for tables, terminals, the page, its scripts and charts.

An operation without an entry, such as one of another package, gets a column from its facts in the result
file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from ...bench.results import OperationFacts, Phase, ResultData, Unit
from . import row
from .candidates import BASELINE, Candidate, MeanInterval, Standing, weighed
from .numbers import Scale
from .row import Setting
from .swept import swept
from .table import ColumnDirection, Entry

Words = Callable[[Candidate, Setting], Entry]
"""Returns the words of a column for a codec."""


@dataclass(frozen=True, slots=True)
class Page:
    """A column of the page's table.

    Attributes:
        width: Pixels on a screen.
        ratio: Whether the ratio to the best is shown below the figure.
        heading: Heading, if it differs from the table's; also `help`.
    """

    width: int
    ratio: bool = False
    heading: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars of an operation: whether they are times or memory, and their heading."""

    kind: Literal["bars", "memory"]
    heading: str


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """A column.

    Attributes:
        key: Stable name, for ``--columns`` and CSV; ``KEY:x`` is its ratio to the baseline.
        help: A short description.
        unit: Unit of the raw figures; empty for words, and if each row has another unit.
        direction: Which figures are better.
        operations: The operations whose figures it adds or is computed from.
        phase: The phase of these operations. Times, and operations that run alone in several processes, are
            paired by process. Operations that run alone can be unmeasured.
        heading: Above the column; the key if empty.
        per: The unit of work of a figure, if it is not a call.
        scale: The unit that figures are written in, if it is not chosen by their size.
        words: Writes words instead of a figure.
        figure: Computes a figure that is not a sum of operations.
        parts: The operations to add for a codec, if not all of them.
        fact: Name of the fact of an operation that is the figure, instead of its own.
        holds: Returns whether there is something to show for a codec, if operations do not determine it.
        nothing: Why a codec without faults has no figure; the figure is then 0.
        default: Whether it is shown by default, if it has figures.
        default_ratio: Whether its ratio is shown by default.
        dispensable: Position in the order in which a narrow terminal drops columns; 0 for never.
        dispensable_ratio: The same for its ratio.
    """

    key: str
    help: str
    unit: Unit | Literal[""] = ""
    direction: ColumnDirection = ""
    operations: tuple[str, ...] = ()
    phase: Phase = "check"
    heading: str = ""
    per: Literal["record", ""] = ""
    scale: Scale | None = None
    words: Words | None = None
    figure: Callable[[Candidate, Standing], MeanInterval | None] | None = None
    parts: Callable[[Candidate], tuple[str, ...]] | None = None
    fact: str = ""
    holds: Callable[[Candidate], bool] | None = None
    nothing: str = ""
    default: bool = True
    default_ratio: bool = False
    dispensable: int = 0
    dispensable_ratio: int = 0
    page: Page | None = None
    chart: Chart | None = None

    @property
    def title(self) -> str:
        """The heading of the column."""
        return self.heading or self.key

    @property
    def timed(self) -> bool:
        """Whether figures are seconds per record; all times of a table share one unit."""
        return self.unit == "second" and self.phase != "alone"

    @property
    def measure(self) -> str:
        """The unit of `numbers.scale` that figures are written in."""
        several = self.phase in ("time", "alone")
        return "rate" if several and self.direction == "higher" else self.unit

    def added(self, candidate: Candidate) -> tuple[str, ...]:
        """Return the operations to add for a codec."""
        return self.parts(candidate) if self.parts else self.operations

    def tells(self, candidate: Candidate) -> bool:
        """Return whether there is something to show for a codec."""
        if self.holds:
            return self.holds(candidate)
        names = self.operations or ("dump", "load")
        if self.phase in ("memory", "alone"):
            return any(weighed(candidate.cells.get(name)) for name in names)
        return any(name in candidate.cells for name in names)


def best(direction: ColumnDirection) -> Callable[..., Any]:
    """Return the function that chooses the best of some figures, `min` or `max`."""
    return max if direction == "higher" else min


def figure_of(key: str, columns: Mapping[str, ColumnSpec]) -> str:
    """Return the column whose ratio ``KEY:x`` is, or the key itself; ``peek:x`` may have a field ``x``."""
    return key if key in columns else key.removesuffix(":x")


def _peak(candidate: Candidate, _: Standing) -> MeanInterval | None:
    peaks = [found for name in ("peak-dump", "peak-load") if (found := candidate.figure(name))]
    return max(peaks, key=lambda peak: peak.seen, default=None)


def _cost(candidate: Candidate, standing: Standing) -> MeanInterval | None:
    return standing.costs.get(candidate.name)


def _reading(candidate: Candidate) -> tuple[str, ...]:
    if candidate.name == BASELINE:
        return ()
    return ("load",) if candidate.unfixed else ("load", "fix")


def _word(key: str, text: str, words: Words, **other: Any) -> ColumnSpec:
    return ColumnSpec(key, text, words=words, **other)


def _time(key: str, text: str, **other: Any) -> ColumnSpec:
    other = {"operations": (key,), **other}
    return ColumnSpec(key, text, "second", "lower", phase="time", per="record", **other)


def _memory(key: str, text: str, **other: Any) -> ColumnSpec:
    other = {"operations": (key,), **other}
    return ColumnSpec(key, text, "byte", "lower", phase="memory", **other)


def _count(name: str) -> ColumnSpec:
    return ColumnSpec(
        f"count-{name}",
        f"instructions of a {name}, counted by Valgrind",
        "integer",
        "lower",
        operations=(f"count-{name}",),
        heading=f"{name} instructions",
        default=False,
        chart=Chart("bars", f"instructions of a {name}"),
    )


def _held(kind: str, one: str, *, dispensable: int, chart: str) -> Iterator[ColumnSpec]:
    """Yield the memory of one object: as Python counts it, and as the process grows by it."""
    yield _memory(
        f"retained-{kind}",
        f"memory held by {one}, as Python counts it",
        per="record",
        dispensable=dispensable,
        chart=Chart("memory", chart),
    )
    yield _memory(
        f"resident-{kind}",
        f"memory that {one} adds to the process",
        operations=(f"retained-{kind}",),
        fact="resident",
        per="record",
        dispensable=dispensable + 1,
    )


_IDLE: Final = "the schema has nothing to fix for this codec"

_ALL: Final = (
    _word("codec", "the codec's name", row.name),
    _word("format", "its wire format", row.fact("format"), default=False, dispensable=6),
    _word("library", "its library", row.fact("library"), default=False, dispensable=5),
    _word("version", "that library's version", row.fact("version"), default=False, dispensable=4),
    _time(
        "cost",
        "cost, which the ranking uses",
        operations=(),
        figure=_cost,
        default=False,
        default_ratio=True,
        page=Page(108, ratio=True, help="cost of a record in your use"),
    ),
    _time(
        "dump",
        "time to encode a record",
        default_ratio=True,
        dispensable_ratio=1,
        page=Page(124, ratio=True),
        chart=Chart("bars", "dump, per record"),
    ),
    _time("dump-nogc", "time to encode a record with the garbage collector off", dispensable=11),
    _time("dump-repeat", "time to encode the same record again", dispensable=14),
    _time("dump-cold", "time to encode a record that no cache holds", dispensable=15),
    _time(
        "load",
        "time to decode a record",
        default_ratio=True,
        dispensable_ratio=2,
        page=Page(124, ratio=True),
        chart=Chart("bars", "load, per record"),
    ),
    _time("load-nogc", "time to decode a record with the garbage collector off", dispensable=12),
    _time("load-cold", "time to decode a payload that no cache holds", dispensable=16),
    _time(
        "fix",
        "time to apply the schema to a decoded record",
        nothing=_IDLE,
        dispensable=20,
        page=Page(94, help="time to apply the schema to a record"),
        chart=Chart("bars", "fix, per record"),
    ),
    _time(
        "fix-nogc",
        "time to apply the schema with the garbage collector off",
        nothing=_IDLE,
        dispensable=13,
    ),
    _time(
        "load+fix",
        "time to decode a record and apply the schema",
        operations=("load", "fix"),
        parts=_reading,
        dispensable=17,
    ),
    ColumnSpec(
        "instructions",
        "instructions of a dump and a load, counted by Valgrind",
        "integer",
        "lower",
        operations=("count-dump", "count-load"),
        default_ratio=True,
        dispensable=24,
        dispensable_ratio=23,
        page=Page(112, ratio=True),
    ),
    _count("dump"),
    _count("load"),
    ColumnSpec("value", "a benchmark that bakeoff did not make", direction="lower", operations=("value",)),
    ColumnSpec(
        "bytes",
        "payload of a record",
        "byte",
        "lower",
        operations=("size",),
        per="record",
        scale=(1.0, "B"),
        default_ratio=True,
        dispensable=25,
        dispensable_ratio=3,
        page=Page(96, ratio=True, heading="size"),
    ),
    _memory(
        "peak",
        "most memory held above the input, dump or load",
        operations=("peak-dump", "peak-load"),
        figure=_peak,
        dispensable=19,
        page=Page(98, help="most memory held above the input during a call, dump or load"),
    ),
    _memory(
        "peak-dump",
        "most memory held above the input during a dump",
        default=False,
        chart=Chart("memory", "peak memory of a dump"),
    ),
    _memory(
        "peak-load",
        "most memory held above the input during a load",
        default=False,
        chart=Chart("memory", "peak memory of a load"),
    ),
    *_held("records", "a decoded record", dispensable=9, chart="held by a loaded record"),
    *_held("payloads", "a payload", dispensable=7, chart="held by a payload"),
    _word(
        "growth",
        "whether calls leave memory behind",
        row.growth,
        holds=row.has_growth,
        dispensable=18,
        page=Page(118),
    ),
    _word("fidelity", "whether a round trip returns equal records", row.fidelity, page=Page(104)),
    _word(
        "rank",
        "rank by cost; codecs that tie share a rank",
        row.rank,
        unit="integer",
        direction="lower",
        figure=_cost,
    ),
)

COLUMNS: Final[Mapping[str, ColumnSpec]] = {spec.key: spec for spec in _ALL}
"""The columns of bakeoff's measurements, by key, in the order of a table."""

_KNOWN: Final = {name for spec in _ALL for name in spec.operations}


def columns(results: Iterable[ResultData]) -> dict[str, ColumnSpec]:
    """Return all possible columns of results, in the order of a table."""
    others: dict[str, ColumnSpec] = {}
    results = list(results)
    # They have separate tables.
    apart = {name for names in swept(results).values() for name in names}
    for result in results:
        places = {c.cell.operation_name: c.cell.place for c in result.cells if not c.by_reader}
        for name, place in places.items():
            if name not in _KNOWN and not name.startswith("growth-"):
                for spec in _told(result.operation(name)):
                    if place:
                        spec = replace(spec, default=False, page=None)
                    others.setdefault(spec.key, replace(spec, default=spec.default and name not in apart))
    before = list(COLUMNS).index("bytes")
    keys = [*list(COLUMNS)[:before], *others, *list(COLUMNS)[before:]]
    return {key: COLUMNS.get(key) or others[key] for key in keys}


def _told(facts: OperationFacts) -> Iterator[ColumnSpec]:
    """Make columns from the facts of an operation in a result file: its own, and those of further facts.

    Stores and pipelines have separate charts on the page.
    """
    several = facts.phase in ("time", "alone")
    hidden = facts.phase == "check" or facts.setup is not None
    per = ", per record" if facts.phase == "time" and not facts.rate else ""
    spec = ColumnSpec(
        key=facts.name,
        help=facts.summary or facts.heading,
        unit=facts.unit,
        direction=facts.direction,
        operations=(facts.name,),
        phase=facts.phase,
        heading=facts.heading,
        per="" if facts.unit == "integer" or facts.phase == "alone" else "record",
        dispensable=17,
        page=Page(max(98, 24 + 8 * len(facts.heading)), ratio=several),
        # By-products of the check are neither times nor memory, so only the table has them.
        chart=None if hidden else Chart("bars" if several else "memory", f"{facts.heading}{per}"),
    )
    yield spec
    for fact, heading in facts.columns.items():
        yield replace(
            spec,
            key=f"{facts.name}-{fact}",
            help=f"{heading}, in addition to {facts.heading}",
            heading=heading,
            fact=fact,
            dispensable=16,
            page=None,
            chart=None,
        )
