"""The table of one corpus: chooses columns, rounds, ranks, collects footnotes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..bench.results import UNITS, CellResult, CorpusFacts, Fact, Sample
from ..bench.stats import FEW, Verdict, ratio, verdicts
from ..errors import UsageError
from . import numbers
from .entrants import FLOOR, GROWING, Entrant, Figure, Standing, figure, limits_needed, records_seen, weighed
from .options import Options
from .table import EMPTY, Absent, Column, Entry, Row, Section, letter
from .words import listed

__all__ = ["SectionBuilder"]

_SUMS: Final = {
    "dump": ("dump",),
    "dump-nogc": ("dump-nogc",),
    "dump-repeat": ("dump-repeat",),
    "dump-streamed": ("dump-streamed",),
    "load": ("load",),
    "load-nogc": ("load-nogc",),
    "load-streamed": ("load-streamed",),
    "fix": ("fix",),
    "fix-nogc": ("fix-nogc",),
    "load+fix": ("load", "fix"),
    "bytes": ("size",),
    "peak-dump": ("peak-dump",),
    "peak-load": ("peak-load",),
    "retained-records": ("retained-records",),
    "retained-payloads": ("retained-payloads",),
    "value": ("value",),
}
"""The operations whose figures a column adds up."""

_RESIDENT: Final = {"resident-records": "retained-records", "resident-payloads": "retained-payloads"}
"""Columns that stand as the fact ``resident`` beside a traced figure."""

_TIMES: Final = frozenset({*(key for key, (op, *_) in _SUMS.items() if UNITS.get(op) == "second"), "cost"})
_PER_CALL: Final = frozenset({"peak", "peak-dump", "peak-load"})
_TEXTS: Final = frozenset({"codec", "format", "library", "version", "growth", "fidelity"})
_CALM: Final = "no growth"
_MOST_LOSSES: Final = 4
_ROUGH: Final = 0.01
"""Standard error of the mean size of all records beyond which it is said."""
_DEFAULT: Final = (
    "codec",
    "dump",
    "dump:x",
    "dump-nogc",
    "dump-repeat",
    "dump-streamed",
    "load",
    "load:x",
    "load-nogc",
    "load-streamed",
    "fix",
    "fix-nogc",
    "load+fix",
    "value",
    "bytes",
    "bytes:x",
    "peak",
    "retained-records",
    "resident-records",
    "retained-payloads",
    "resident-payloads",
    "growth",
    "fidelity",
    "rank",
)
"""What is shown unless ``--columns`` says otherwise, as far as there are figures."""


@dataclass
class _Footnotes:
    """Gives each distinct text one letter, in order of appearance."""

    letters: dict[str, str] = field(default_factory=dict)

    def mark(self, text: str) -> str:
        return self.letters.setdefault(text, letter(len(self.letters)))

    def listed(self) -> tuple[tuple[str, str], ...]:
        return tuple((letter, text) for text, letter in self.letters.items())


class SectionBuilder:
    """Builds the section of one corpus on one machine.

    Attributes:
        peers: The builders of the same corpus on all machines, itself among them: figures that are
            to be compared stand in one unit.
    """

    def __init__(self, corpus: CorpusFacts, field: Sequence[Entrant], options: Options, alpha: float) -> None:
        self.corpus = corpus
        self.options = options
        self.shown = [entrant for entrant in field if entrant.measured]
        self.failed = [entrant for entrant in field if not entrant.measured]
        self.standing = Standing.of(self.shown, options.cost, alpha)
        self.footnotes = _Footnotes()
        self.peers = [self]
        self.keys = self._keys()
        if options.baseline and options.baseline not in {entrant.name for entrant in field}:
            names = ", ".join(entrant.name for entrant in field)
            raise UsageError(
                f"baseline {options.baseline!r} took no part on {corpus.name}; there are {names}"
            )

    def section(self) -> Section:
        entrants = self._ordered()
        makers = {key: self._maker(key, entrants) for key in self.keys}
        # Row by row, so that footnote letters appear in reading order.
        rows = tuple(
            Row(
                codec=entrant.name,
                entries={column.id: make(entrant) for column, make in makers.values()},
                ranked=entrant.name in self.standing.ranks,
                group=self._group(entrant),
                outcome=entrant.outcome,
                reason=_reason(entrant),
            )
            for entrant in entrants
        )
        return Section(
            title=self.corpus.name,
            columns=tuple(column for column, _ in makers.values()),
            rows=rows,
            lines=tuple(self._lines()),
            footnotes=self.footnotes.listed(),
            absent=tuple(Absent(e.name, e.outcome, e.reason, e.stderr) for e in self.failed),
            remarks=tuple(self._remarks()),
        )

    def _keys(self) -> list[str]:
        if self.options.columns is not None:
            keys = dict.fromkeys(self.options.columns)
            return list(keys if "codec" in keys else {"codec": None, **keys})
        has_fix = any("fix" in entrant.cells for entrant in self.shown)
        wanted = []
        for key in _DEFAULT:
            if key in ("fix", "load+fix") and not has_fix:
                continue
            if key == "codec" or any(self._holds(entrant, key) for entrant in self.shown):
                wanted.append(key)
        return wanted

    def _remarks(self) -> Iterable[str]:
        """Name the columns that were asked for and stay empty, and what is not known of the others."""
        words = _TEXTS - {"growth"}
        measured = (key for key in self.options.columns or () if key not in words)
        empty = [key for key in measured if not any(self._holds(entrant, key) for entrant in self.shown)]
        if self.shown and empty:
            yield f"{', '.join(dict.fromkeys(empty))}: not measured in this run"
        if partly := self._seen_on_fewer("records"):
            yield f"slow codecs are checked on fewer than {self.corpus.sample:,} records: {partly}"
        if partly := self._seen_on_fewer("encoded"):
            yield f"very slow ones did not even encode all, and their bytes are estimated: {partly}"
        if asked := self._limits():
            yield f"records go beyond the default limits of some codecs; ask for them as {asked}"
        if unresolved := self._unresolved():
            texts = [f"{', '.join(names)} against {first}" for first, names in unresolved.items()]
            yield (
                f"not resolved: {'; '.join(texts)}; more processes of one run would tell: "
                "`bakeoff run --resume FILE`, a longer --budget, a finer --precision"
            )

    def _seen_on_fewer(self, fact: str) -> str:
        """Name the codecs that were seen on fewer records than the sample has, and on how many."""
        seen = ((entrant.name, records_seen(entrant.cells.values(), fact)) for entrant in self.shown)
        return ", ".join(f"{name} ({n:,})" for name, n in seen if n < self.corpus.sample)

    def _limits(self) -> str:
        """Say how the codecs are asked for whose own limits are too low for these records."""
        needed = ((entrant.name, limits_needed(entrant.cells.values())) for entrant in self.shown)
        texts: dict[str, list[str]] = {}
        for name, limits in needed:
            if limits:
                options = "".join(f", {key}={limit}" for key, limit in limits.items())
                texts.setdefault(f"`bakeoff.codec(NAME{options})`", []).append(name)
        return "; ".join(f"{call} ({', '.join(names)})" for call, names in texts.items())

    def _unresolved(self) -> Mapping[str, Sequence[str]]:
        """Return, by the first of a rank, those that share it because too little is known of them.

        Nothing where there are too few processes to know anything: that is said of the whole table.
        """
        found: dict[str, list[str]] = {}
        for name in self.standing.costs if "rank" in self.keys else ():
            if shared := self.standing.shared(name):
                first, verdict, to_first = shared
                if verdict == "unresolved" and to_first.processes >= FEW:
                    width = numbers.percent(to_first.half_width)
                    found.setdefault(first, []).append(f"{name} (±{width})")
        return found

    def _holds(self, entrant: Entrant, key: str) -> bool:
        """Whether a default column has something to say of this codec."""
        base = key.removesuffix(":x")
        base = _RESIDENT.get(base, base)
        if base in _SUMS:
            return any(name in entrant.cells for name in _SUMS[base])
        if base == "peak":
            return any(weighed(entrant.cells.get(name)) for name in ("peak-dump", "peak-load"))
        if base == "growth":
            return any(weighed(c) for name, c in entrant.cells.items() if name.startswith("growth-"))
        return any(name in entrant.cells for name in ("dump", "load"))

    def _ordered(self) -> list[Entrant]:
        """Sort rows: those with a figure first, the floor last, groups by their best row."""
        descending = self.options.sort.startswith("-")
        key = self.options.sort.removeprefix("-")

        def place(entrant: Entrant) -> tuple[bool, bool, float, str]:
            value = self._sort_value(entrant, key)
            number = value if isinstance(value, float) else 0.0
            text = value if isinstance(value, str) else ""
            return entrant.name == FLOOR, value is None, -number if descending else number, text

        ordered = sorted(self.shown, key=place)
        if descending and key in _TEXTS:
            ordered.reverse()
            ordered.sort(key=lambda entrant: entrant.name == FLOOR)
        if self.options.group_by:
            order = list(dict.fromkeys(self._group(entrant) for entrant in ordered))
            ordered.sort(key=lambda entrant: order.index(self._group(entrant)))
        return ordered

    def _sort_value(self, entrant: Entrant, key: str) -> float | str | None:
        if key in ("rank", "cost"):
            cost = self.standing.costs.get(entrant.name)
            return cost.value if cost else None
        if key in _TEXTS:
            value = self._text(entrant, key).value
            return str(value) if value is not None else None
        found = self.figure(entrant, key.removesuffix(":x"))
        return found.seen if found else None

    def _group(self, entrant: Entrant) -> str:
        if self.options.group_by is None:
            return ""
        if entrant.name == FLOOR:
            return FLOOR
        return str(getattr(entrant.facts, self.options.group_by)) or "unknown"

    # Columns

    def _maker(self, key: str, entrants: Sequence[Entrant]) -> tuple[Column, Callable[[Entrant], Entry]]:
        if key in _TEXTS:
            return Column(key, key, numeric=False), lambda entrant: self._text(entrant, key)
        if key == "rank":
            return Column("rank", "rank", direction="lower", raw_unit="integer"), self._rank
        if key.endswith(":x"):
            return self._relative(key, entrants)
        return self._absolute(key, entrants)

    def _absolute(self, key: str, entrants: Sequence[Entrant]) -> tuple[Column, Callable[[Entrant], Entry]]:
        figures = {e.name: self.figure(e, key) for e in entrants}
        unit = self._unit(key)
        if not unit:
            return Column(key, key, direction="lower"), lambda entrant: self._with_unit(entrant, key)
        per = self.options.per if key in _TIMES else 1
        if key in _TIMES and per > 1:
            scale = float(per), "s"
        elif key == "bytes":
            scale = 1.0, "B"
        else:
            scale = numbers.scale(self._comparable(key), unit)
        factor, name = scale
        what = f"{per:,}" if per > 1 else "record"
        if key not in _PER_CALL and key != "value":
            name = f"{name}/{what}"
        column = Column(key, key, unit=name, direction="lower", raw_unit=unit)

        def make(entrant: Entrant) -> Entry:
            found = figures[entrant.name]
            if found is None:
                return self._without(entrant, key)
            if found.limit is not None:
                return Entry(numbers.below(found.limit, unit, scale), *found)
            half = None if found.half is None else found.half * factor
            text = _amount(found.value * factor, half, exact=unit == "byte")
            return Entry(text, found.value, found.low, found.high, marks=self._unsteady(entrant, key))

        return column, make

    def _with_unit(self, entrant: Entrant, key: str) -> Entry:
        """Write a figure of a column that has no unit of its own."""
        found = self.figure(entrant, key)
        if found is None:
            return EMPTY
        unit = _unit_of(entrant)
        factor, name = numbers.scale([found.value], unit)
        half = None if found.half is None else found.half * factor
        text = _amount(found.value * factor, half, exact=unit == "byte", unit=name)
        return Entry(text, found.value, found.low, found.high)

    def _comparable(self, key: str) -> Iterable[float]:
        """Return the figures that stand in the same unit: a column's on all machines, and all times."""
        keys = ("dump", "load") if key in _TIMES else (key,)
        for builder in self.peers:
            for entrant in builder.shown:
                if entrant.name != FLOOR:
                    yield from (f.seen for name in keys if (f := builder.figure(entrant, name)))

    def _relative(self, key: str, entrants: Sequence[Entrant]) -> tuple[Column, Callable[[Entrant], Entry]]:
        base = key.removesuffix(":x")
        figures = {
            e.name: found
            for e in entrants
            if e.name != FLOOR and self._unit(base) and (found := self.figure(e, base)) is not None
        }
        best = min(figures, key=lambda name: figures[name].seen, default="")
        name = self.options.baseline or best
        column = Column(
            key, f"{base} ×", unit=self.options.baseline or "best", direction="lower", raw_unit="ratio"
        )
        against = next((e for e in entrants if e.name == name), None)
        judged = self._judged(name, base, [e for e in entrants if e.name in figures])

        def make(entrant: Entrant) -> Entry:
            if entrant.name not in figures or against is None or name not in figures:
                return EMPTY
            if (ours := figures[entrant.name]).limit is not None or figures[name].limit is not None:
                return _bound(ours, figures[name])
            if entrant is against:
                return Entry(numbers.ratio(1.0), 1.0, 1.0, 1.0)
            value, low, high = self._quotient(entrant, against, base, figures)
            if not math.isfinite(value):
                return EMPTY
            verdict = judged.get(entrant.name, "")
            half = None if low is None or high is None else (high - low) / 2
            text = " ".join(filter(None, (numbers.ratio(value), numbers.spread(value, half))))
            if verdict in ("same", "unresolved"):
                return Entry(f"≈{text}", value, low, high, tone="dim", verdict=verdict)
            return Entry(text, value, low, high, verdict=verdict)

        return column, make

    def _judged(self, name: str, key: str, entrants: Sequence[Entrant]) -> Mapping[str, Verdict]:
        """Return what each codec is to one of them in a column of times, judged as ranks are."""
        if key not in _TIMES:
            return {}
        judged = self.standing.judged
        if key != "cost":
            samples = {e.name: self._samples(e, key) for e in entrants}
            judged = verdicts(
                {n: s for n, s in samples.items() if min(x.value for x in s) > 0}, self.standing.alpha
            )
        return {a: verdict for (a, b), (verdict, _) in judged.items() if b == name}

    def _quotient(
        self, a: Entrant, b: Entrant, key: str, figures: Mapping[str, Figure]
    ) -> tuple[float, float | None, float | None]:
        if key in _TIMES:
            ours, theirs = self._samples(a, key), self._samples(b, key)
            if len(ours) > 1 and len(theirs) > 1 and all(s.value > 0 for s in (*ours, *theirs)):
                found = ratio(ours, theirs)
                known = math.isfinite(found.high)
                return found.value, found.low if known else None, found.high if known else None
        below = figures[b.name].value
        return (figures[a.name].value / below if below else math.inf), None, None

    # Entries

    def _samples(self, entrant: Entrant, key: str) -> tuple[Sample, ...]:
        if key == "cost":
            return self.standing.samples.get(entrant.name, ())
        return entrant.samples(*_operations(entrant, key))

    def figure(self, entrant: Entrant, key: str) -> Figure | None:
        """Return what a column says of a codec, in seconds or bytes."""
        if key == "cost":
            return self.standing.costs.get(entrant.name)
        if key == "peak":
            peaks = [f for op in ("peak-dump", "peak-load") if (f := entrant.figure(op))]
            return max(peaks, key=lambda peak: peak.seen, default=None)
        if key in _RESIDENT:
            return _resident(entrant.cells.get(_RESIDENT[key]))
        if key == "load+fix" and entrant.name == FLOOR:
            return None
        return entrant.figure(*_operations(entrant, key)) if key in _SUMS else None

    def _unit(self, key: str) -> str:
        """Return the unit of a column's figures; empty where rows differ, as benchmarks of others may."""
        if key == "value":
            units = {_unit_of(e) for peer in self.peers for e in peer.shown if "value" in e.cells}
            return units.pop() if len(units) == 1 else ""
        return "second" if key in _TIMES else "byte"

    def _without(self, entrant: Entrant, key: str) -> Entry:
        """Say why there is no figure: the outcome in its place, the reason as a footnote."""
        names = _SUMS.get(key, ("peak-dump", "peak-load") if key == "peak" else ())
        for name in names:
            cell = entrant.cells.get(name)
            if cell is not None and not cell.samples and cell.outcome not in ("ok", "lossy"):
                marks = (self.footnotes.mark(f"{name}: {cell.reason}"),) if cell.reason else ()
                return Entry(cell.outcome, cell.outcome, marks=marks, tone="bad")
        if key in ("fix", "fix-nogc") and key in entrant.cells:
            return Entry(
                "0", 0.0, marks=(self.footnotes.mark("the schema has nothing to fix for this codec"),)
            )
        return EMPTY

    def _unsteady(self, entrant: Entrant, key: str) -> tuple[str, ...]:
        names = [name for name in _SUMS.get(key, ()) if name in entrant.cells]
        if key in _TIMES and any(entrant.cells[name].facts.get("steady") is False for name in names):
            return (self.footnotes.mark("not steady: drifted while it was measured"),)
        return ()

    def _text(self, entrant: Entrant, key: str) -> Entry:
        if key == "codec":
            return self._codec(entrant)
        if entrant.name == FLOOR:
            return EMPTY
        if key == "fidelity":
            return self._fidelity(entrant)
        if key == "growth":
            return self._growth(entrant)
        value = str(getattr(entrant.facts, key))
        return Entry(value, value or None)

    def _codec(self, entrant: Entrant) -> Entry:
        texts = []
        if entrant.name == FLOOR:
            texts.append("copying the payload: what the harness itself costs; not a codec, not ranked")
        if entrant.slow_build:
            texts.append(f"C ACCELERATOR MISSING: {entrant.facts.library} runs as pure Python here")
        if entrant.facts.trusted_only:
            texts.append("runs code found in its input: for trusted data only")
        if entrant.outcome == "lossy" and "fidelity" not in self.keys:
            # No table hides a loss, whatever columns were asked for.
            texts.append(_lost(entrant))
        texts += entrant.facts.notes
        marks = tuple(self.footnotes.mark(text) for text in texts)
        return Entry(entrant.name, entrant.name, marks=marks, tone="bad" if entrant.slow_build else "")

    def _fidelity(self, entrant: Entrant) -> Entry:
        if not entrant.checked:
            return Entry("not checked", "not checked", tone="dim")
        if entrant.outcome == "ok":
            return Entry("exact", "exact", tone="good")
        if entrant.losses:
            mark = self.footnotes.mark(_lost(entrant))
            return Entry("lossy", "lossy", marks=(mark,), tone="bad")
        if entrant.outcome == "lossy":
            return Entry("lossy", "lossy", tone="bad")
        failed = next(cell for cell in entrant.cells.values() if cell.outcome == entrant.outcome)
        text = f"{failed.cell.operation}: {failed.reason}"
        marks = (self.footnotes.mark(text),) if failed.reason else ()
        return Entry(entrant.outcome, entrant.outcome, marks=marks, tone="bad")

    def _growth(self, entrant: Entrant) -> Entry:
        cells = {name: c for name, c in entrant.cells.items() if name.startswith("growth-")}
        said = {
            name.removeprefix("growth-"): str(cell.facts.get("verdict") or cell.outcome)
            for name, cell in cells.items()
            if weighed(cell)
        }
        if not said:
            return EMPTY
        growing = [name for name, text in said.items() if text == GROWING]
        texts = [_leak(name, cells[f"growth-{name}"]) for name in growing]
        texts += _coarse({n: cells[f"growth-{n}"] for n, text in said.items() if text == _CALM})
        marks = tuple(self.footnotes.mark(text) for text in texts)
        if growing:
            return Entry(f"{GROWING} ({', '.join(growing)})", GROWING, marks=marks, tone="bad")
        text = next((t for t in said.values() if t != _CALM), _CALM)
        return Entry(text, text, marks=marks, tone="" if text == _CALM else "dim")

    def _rank(self, entrant: Entrant) -> Entry:
        rank = self.standing.ranks.get(entrant.name)
        if rank is None:
            return Entry("–", None, tone="dim")
        text = f"{rank}=" if self.standing.tied(entrant.name) else str(rank)
        shared = self.standing.shared(entrant.name)
        return Entry(text, rank, verdict=shared[1] if shared else "")

    # Lines

    def _lines(self) -> Iterable[str]:
        corpus = self.corpus
        if corpus.description:
            yield corpus.description
        if corpus.records:
            yield _measured_on(corpus)
        if self.options.per > 1:
            yield f"times are for {self.options.per:,} records"
        if self.standing.ranks:
            line = f"rank by cost: {self.options.cost.sentence()}"
            if any(self.standing.tied(name) for name in self.standing.ranks):
                line += "; rows with = cannot be told apart from the first of their rank"
            yield line
        counts = [len(e.cells["dump"].samples) for e in self.shown if "dump" in e.cells]
        if counts and max(counts) == 1:
            yield "a single process: no intervals, and nothing can be told apart"
        elif counts:
            few = ", too few to tell anything apart" if max(counts) < FEW else ""
            yield f"± half the 95 % interval of the mean over {_range(counts)} processes{few}"


def _operations(entrant: Entrant, key: str) -> tuple[str, ...]:
    """Return the operations that a column adds up for a codec; one without a fix-up has only its load."""
    return ("load",) if key == "load+fix" and entrant.unfixed else _SUMS[key]


def _reason(entrant: Entrant) -> str:
    """Say all that failed and was lost, for other programs."""
    failed = (c for c in entrant.cells.values() if c.outcome not in ("ok", "lossy"))
    return "; ".join([*(f"{c.cell.operation}: {c.reason or c.outcome}" for c in failed), *entrant.losses])


def _lost(entrant: Entrant) -> str:
    """Say what is lost and how often; CSV, JSON and the page have all of it."""
    losses = entrant.losses or ("does not bring every record back",)
    more = len(losses) - _MOST_LOSSES
    text = "; ".join(losses[:_MOST_LOSSES]) + (
        f"; and {more} more loss{'es' * (more > 1)}" if more > 0 else ""
    )
    facts = next((c.facts for c in entrant.cells.values() if c.outcome == "lossy"), {})
    lossy, records = facts.get("lossy_records"), facts.get("records")
    if isinstance(lossy, int) and isinstance(records, int) and 0 < lossy < records:
        text += f" (in {lossy:,} of {records:,} records)"
    return text


def _resident(cell: CellResult | None) -> Figure | None:
    value = cell.facts.get("resident") if cell is not None else None
    return Figure(float(value), None, None) if isinstance(value, int | float) else None


def _leak(operation: str, cell: CellResult) -> str:
    """Say how much stays behind, and where it comes from."""
    found = figure(cell.samples)
    amount = f", {numbers.quantity(found.value)} bytes stay per call" if found else ""
    where = f": {cell.facts['where']}" if cell.facts.get("where") else ""
    return f"{operation} is growing{amount}{where}"


def _coarse(cells: Mapping[str, CellResult]) -> Iterable[str]:
    """Say how much growth would not have been seen, once for the operations that share it.

    Nothing is said where exact counters would have shown a byte a call.
    """
    found: dict[str, list[str]] = {}
    for operation, cell in cells.items():
        resolution, calls = cell.facts.get("resolution"), cell.facts.get("calls")
        counters = str(cell.facts.get("counters", ""))
        reasons = [counters] if "resident" in counters else []
        reasons += [str(cell.facts["allocator"])] if cell.facts.get("allocator") else []
        if isinstance(resolution, int | float) and (reasons or resolution > 1):
            text = f"growth under {resolution:.3g} bytes a call would not have been seen"
            text += f" in {calls:,} calls" if isinstance(calls, int) else ""
            found.setdefault("; ".join([text, *reasons]), []).append(operation)
    return (f"{listed(operations)}: {text}" for text, operations in found.items())


def _bound(ours: Figure, theirs: Figure) -> Entry:
    """Say what a ratio is above or below where one of its figures could not be measured."""
    if ours.limit is not None and theirs.limit is not None:
        return EMPTY
    bound = ours.seen / theirs.seen
    if ours.limit is None:
        return Entry(f">{numbers.ratio(bound)}", low=bound)
    return Entry(f"<{numbers.ratio(bound)}", high=bound)


def _unit_of(entrant: Entrant) -> str:
    return str(entrant.cells["value"].facts.get("unit", "second"))


def _amount(value: float, half: float | None, *, exact: bool, unit: str = "") -> str:
    if exact and (half is None or not half):
        text = numbers.grouped(value, 0 if value >= 100 or value == int(value) else 1)
    else:
        text = numbers.quantity(value, half)
    return " ".join(part for part in (text, unit, numbers.spread(value, half)) if part)


def _left_out(profile: Mapping[str, Fact]) -> str:
    """Say how the sample's mean record compares with that of all records, and how sure that is by itself."""
    error, own, mean = (profile.get(key) for key in ("sample_error", "sample_size", "size_mean"))
    rough = f"standard error {numbers.percent(error)}" if isinstance(error, float) and error > _ROUGH else ""
    if isinstance(own, float) and isinstance(mean, float) and mean > 0:
        text = f"; the sample's mean size is {own / mean:.2f} times that of all"
        return text + (f" ({rough})" if rough else "")
    return f"; {rough} of the sample's mean size" if rough else ""


def _measured_on(corpus: CorpusFacts) -> str:
    if corpus.sample >= corpus.records:
        text = f"measured on all {corpus.records:,} record{'s' * (corpus.records != 1)}"
    else:
        text = (
            f"measured on {corpus.sample:,} record{'s' * (corpus.sample != 1)} drawn from {corpus.records:,}"
        )
    mean = corpus.profile.get("bytes_mean")
    if isinstance(mean, int | float):
        text += f", {mean:,.0f} bytes each as JSON"
    if corpus.seed is not None:
        text += f", seed {corpus.seed}"
    if corpus.sha256:
        text += f", sha256 {corpus.sha256[:12]}"
    if corpus.sample < corpus.records:
        text += _left_out(corpus.profile)
    if corpus.skipped:
        text += f"; {corpus.skipped:,} bad record{'s' * (corpus.skipped != 1)} skipped"
    return text


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"
