"""The table of one corpus: choose columns, rank and sort rows, write figures and ratios."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from ...bench.results import Measurement, PyperfFacts
from ...bench.stats import OPPOSITE, Noise, Verdict, common, ratio, verdicts
from ...errors import UsageError, hint, near
from ..model import numbers
from ..model.candidates import BASELINE, WELL, Candidate, MeanInterval, failures
from ..model.columns import ColumnSpec, best, figure_of
from ..model.options import TableOptions
from ..model.row import Setting, rare
from ..model.table import EMPTY, Absent, Column, Entry, Section
from ..model.view import CorpusView
from . import captions
from .builder import Style, TableBuilder, written
from .longer import longer

_LEVEL: Final = ("same", "unresolved")
"""Verdicts that do not decide which of two codecs is faster."""


class SectionBuilder(TableBuilder[Candidate]):
    """Builds the section of one corpus on one machine.

    Args:
        view: The corpus, with the codecs on it.
        options: The reader's options.

    Attributes:
        peers: The builders of the same corpus on all machines, including this one. Figures to be compared
            share a unit.
    """

    def __init__(self, view: CorpusView, options: TableOptions) -> None:
        super().__init__(lambda row: row.cells.values(), lambda row: row.name)
        self.view = view
        self.corpus = corpus = view.corpus
        self.options = options
        self.known = view.columns
        self.shown = [candidate for candidate in view.candidates if candidate.measured]
        self.gone = [e for e in view.codecs if not e.measured]
        self.standing = view.standing
        self.peers = [self]
        self.keys = self._keys()
        self.setting = Setting(self, self.standing, self.keys, corpus.profile)
        names = [candidate.name for candidate in view.candidates]
        if options.relative_to and options.relative_to not in names:
            alike = hint(near(options.relative_to, names), f"there are {', '.join(names)}")
            raise UsageError(f"--relative-to {options.relative_to}: took no part on {corpus.name}; {alike}")

    def section(self) -> Section:
        """Build the section."""
        candidates = self._ordered()
        makers = [self._maker(key, candidates) for key in self.keys]
        return self.table(
            self.corpus.name,
            candidates,
            makers,
            absent=(Absent(e.name, e.outcome, e.reason, e.stderr) for e in self.gone),
            remarks=self._remarks(),
            origin=captions.origin(self.corpus),
        )

    def ranked(self, row: Candidate) -> bool:
        return row.name in self.standing.ranks

    def group(self, row: Candidate) -> str:
        if self.options.group_by is None:
            return ""
        if row.name == BASELINE:
            return BASELINE
        return str(getattr(row.facts, self.options.group_by)) or "unknown"

    def outcome(self, row: Candidate) -> tuple[str, str]:
        return row.outcome, "; ".join([*failures(row.cells.values()), *row.losses])

    def _keys(self) -> list[str]:
        if self.options.columns is not None:
            keys = dict.fromkeys(self.options.columns)
            return list(keys if "codec" in keys else {"codec": None, **keys})
        wanted = []
        for key, spec in self.known.items():
            if key == "codec" or self._tells(spec):
                wanted += [key] * spec.default + [f"{key}:x"] * spec.default_ratio
        if "cost:x" in wanted and "rank" in wanted:
            # The rank uses it.
            wanted.remove("cost:x")
            if self.standing.costs or any(self._rough(e, self.known["cost"]) for e in self.shown):
                wanted.insert(wanted.index("rank"), "cost:x")
        # If other tables have all figures, this one names their codecs.
        return wanted if len(wanted) > 1 else [*wanted, "library", "fidelity"]

    def _tells(self, spec: ColumnSpec) -> bool:
        """Return whether an unrequested column has figures; a sum needs figures for all its operations."""
        whole = not spec.parts or all(any(n in e.cells for e in self.shown) for n in spec.operations)
        return whole and any(map(spec.tells, self.shown))

    def _remarks(self) -> Iterable[str]:
        """Name the requested columns that are empty, and the unknowns of the others."""
        asked = {key: self._spec(key) for key in self.options.columns or ()}
        empty = [
            key
            for key, spec in asked.items()
            if not any(map(spec.tells, self.shown)) and (spec.unit or spec.operations or spec.holds)
        ]
        more = longer(self.view.result)
        yield from captions.meaning(self.shown, self.standing, self.options, more)
        if self.shown and empty:
            yield f"{', '.join(empty)}: not measured in this run"
        yield from captions.below(self.corpus, self.shown, more)

    def _ordered(self) -> list[Candidate]:
        """Sort rows: those with a figure first, the best of them first, the baseline last.

        Groups are in the order of their best row.
        """
        spec = self._spec(self.options.sort.removeprefix("-"))
        in_words = spec.words is not None and spec.figure is None
        descending = self.options.sort.startswith("-") != (spec.direction == "higher")

        def place(candidate: Candidate) -> tuple[bool, bool, float, str]:
            if spec.words is not None and in_words:
                value = spec.words(candidate, self.setting).value
                return candidate.name == BASELINE, value is None, 0.0, "" if value is None else str(value)
            found = self.figure(candidate, spec)
            number = found.seen if found else 0.0
            if found is None and (rough := self._rough(candidate, spec)) is not None:
                return candidate.name == BASELINE, True, -rough if descending else rough, ""
            return candidate.name == BASELINE, found is None, -number if descending else number, ""

        ordered = sorted(self.shown, key=place)
        if descending and in_words:
            ordered.reverse()
            ordered.sort(key=lambda candidate: candidate.name == BASELINE)
        if self.options.group_by:
            order = list(dict.fromkeys(self.group(candidate) for candidate in ordered))
            ordered.sort(key=lambda candidate: order.index(self.group(candidate)))
        return ordered

    # Columns

    def _spec(self, key: str) -> ColumnSpec:
        return self.known[figure_of(key, self.known)]

    def _maker(
        self, key: str, candidates: Sequence[Candidate]
    ) -> tuple[Column, Callable[[Candidate], Entry]]:
        spec = self._spec(key)
        if spec.words is not None:
            return self._worded(spec, spec.words)
        return self._absolute(spec, candidates) if key == spec.key else self._relative(spec, candidates)

    def _worded(
        self, spec: ColumnSpec, words: Callable[[Candidate, Setting], Entry]
    ) -> tuple[Column, Callable[[Candidate], Entry]]:
        column = Column(
            spec.key,
            spec.title,
            direction=spec.direction,
            raw_unit=spec.unit,
            numeric=bool(spec.unit),
            dispensable=spec.dispensable,
        )
        return column, lambda candidate: words(candidate, self.setting)

    def _absolute(
        self, spec: ColumnSpec, candidates: Sequence[Candidate]
    ) -> tuple[Column, Callable[[Candidate], Entry]]:
        figures = {e.name: self.figure(e, spec) for e in candidates}
        unit = self._unit(spec)
        column = Column(spec.key, spec.title, direction=spec.direction, dispensable=spec.dispensable)
        if not unit:
            return column, lambda candidate: _with_unit(candidate, figures[candidate.name])
        per = self.options.scale_to if spec.timed else 1
        scale = (
            (float(per), "s")
            if per > 1
            else spec.scale or numbers.scale(self._comparable(spec), spec.measure or unit)
        )
        factor, name = scale
        if spec.per:
            name = f"{name}/{per:,}" if per > 1 else f"{name}/{spec.per}"
        style = Style(scale, write=_whole if unit == "byte" else numbers.quantity, unit=unit)

        def make(candidate: Candidate) -> Entry:
            found = figures[candidate.name]
            if found is None:
                rough = self._rough(candidate, spec)
                if rough is None:
                    return self._without(candidate, spec)
                return Entry(f"≈{numbers.approximate(rough * factor)}", tone="dim", verdict="rough")
            return replace(written(found, style), marks=self._doubts(candidate, spec))

        return replace(column, unit=name, raw_unit=unit), make

    def _comparable(self, spec: ColumnSpec) -> list[float]:
        """Return the figures that share a unit: those of a column on all machines, and all times."""
        for specs in ([self.known["dump"], self.known["load"]] if spec.timed else [], [spec]):
            found = [
                figure.seen
                for builder in self.peers
                for candidate in builder.shown
                if candidate.name != BASELINE
                for one in specs
                if (figure := builder.figure(candidate, one))
            ]
            if found:
                return found
        return [rough for e in self.shown if (rough := self._rough(e, spec)) is not None]

    def _relative(
        self, spec: ColumnSpec, candidates: Sequence[Candidate]
    ) -> tuple[Column, Callable[[Candidate], Entry]]:
        figures = {
            e.name: found
            for e in candidates
            if e.name != BASELINE and self._unit(spec) and (found := self.figure(e, spec)) is not None
        }
        first = best(spec.direction)(figures, key=lambda name: figures[name].seen, default="")
        name = self.options.relative_to or first
        column = Column(
            f"{spec.key}:x",
            f"{spec.title} ×",
            unit=self.options.relative_to or "best",
            direction=spec.direction,
            raw_unit="ratio",
            dispensable=spec.dispensable_ratio,
        )
        against = next((e for e in candidates if e.name == name), None)
        usable = self._usable(spec, [e for e in candidates if e.name in figures])
        judged = self._judged(name, spec, usable)
        noise = common(usable)

        roughly = filter(None, (self._rough(e, spec) for e in candidates))
        unit = figures[name].value if name in figures else best(spec.direction)(roughly, default=0.0)

        def make(candidate: Candidate) -> Entry:
            if unit and candidate.name not in figures and (rough := self._rough(candidate, spec)):
                return Entry(f"≈{numbers.approximate(rough / unit)}×", tone="dim", verdict="rough")
            if candidate.name not in figures or against is None or name not in figures:
                return EMPTY
            if (ours := figures[candidate.name]).limit is not None or figures[name].limit is not None:
                return _bound(ours, figures[name])
            if candidate is against:
                return Entry(numbers.ratio(1.0), 1.0, 1.0, 1.0)
            value, low, high = _quotient(candidate.name, name, usable, figures, noise)
            if not math.isfinite(value):
                return EMPTY
            verdict = judged.get(candidate.name, "")
            half = None if low is None or high is None else (high - low) / 2
            level = verdict in _LEVEL
            shown = f"({numbers.ratio(value)})" if level else numbers.ratio(value)
            spread = numbers.spread(value, half)
            return Entry(
                f"{shown} {spread}".rstrip(),
                value,
                low,
                high,
                tone="dim" if level else "",
                verdict=verdict,
                spread=spread,
                level=level,
            )

        return column, make

    def _usable(
        self, spec: ColumnSpec, candidates: Sequence[Candidate]
    ) -> Mapping[str, Sequence[Measurement]]:
        """Return samples that can be paired by process: of several processes, and with logarithms."""
        if spec.phase not in ("time", "alone") or spec.fact:
            return {}
        samples = {e.name: self._samples(e, spec) for e in candidates}
        return {name: found for name, found in samples.items() if min(s.value for s in found) > 0}

    def _judged(
        self, name: str, spec: ColumnSpec, usable: Mapping[str, Sequence[Measurement]]
    ) -> Mapping[str, Verdict]:
        """Return each codec's verdict relative to one of them, judged like ranks."""
        judged = self.standing.judged if spec.figure else verdicts(usable, self.standing.alpha)
        found = {a: verdict for (a, b), (verdict, _) in judged.items() if b == name}
        # In some columns more is better, so that the smaller figure is the slower codec.
        return {a: OPPOSITE[v] for a, v in found.items()} if spec.direction == "higher" else found

    # Entries

    def _samples(self, candidate: Candidate, spec: ColumnSpec) -> tuple[Measurement, ...]:
        """Return the samples of a time; for one that is not a sum of operations, those of the cost."""
        if spec.figure:
            return self.standing.samples.get(candidate.name, ())
        return candidate.samples(*spec.added(candidate))

    def figure(self, candidate: Candidate, spec: ColumnSpec) -> MeanInterval | None:
        """Return the figure of a column for a codec, in its raw unit."""
        if spec.figure:
            return spec.figure(candidate, self.standing)
        if spec.fact:
            cell = candidate.cells.get(spec.operations[0])
            value = cell.extras.get(spec.fact) if cell else None
            return MeanInterval(float(value), None, None) if isinstance(value, int | float) else None
        return candidate.figure(*spec.added(candidate))

    def _rough(self, candidate: Candidate, spec: ColumnSpec) -> float | None:
        """Return a rough time, in seconds, if there was no time to measure it."""
        if not candidate.untimed:
            return None
        if spec.key in ("cost", "rank"):
            return candidate.rough_cost(self.options.cost)
        return candidate.rough(*spec.added(candidate)) if spec.phase == "time" else None

    def _unit(self, spec: ColumnSpec) -> str:
        """Return the unit of a column's figures; empty if rows differ, as in other programs' benchmarks."""
        if spec.unit:
            return spec.unit
        units = {_unit_of(e) for peer in self.peers for e in peer.shown if "value" in e.cells}
        return units.pop() if len(units) == 1 else ""

    def _without(self, candidate: Candidate, spec: ColumnSpec) -> Entry:
        """Write why there is no figure: the outcome in its place, the reason as a footnote."""
        cells = [candidate.cells[name] for name in spec.operations if name in candidate.cells]
        if spec.fact or not cells:
            return EMPTY
        for cell in cells:
            if not cell.samples and cell.outcome not in WELL:
                return self.failed(cell)
        return Entry("0", 0.0, marks=(self.mark(spec.nothing),)) if spec.nothing else EMPTY

    def _doubts(self, candidate: Candidate, spec: ColumnSpec) -> tuple[str, ...]:
        cells = [candidate.cells[name] for name in spec.operations if name in candidate.cells]
        if spec.phase != "time":
            return ()
        texts = [self._rare] if any(rare(cell.samples) for cell in cells) else []
        if any(cell.steady is False for cell in cells):
            texts.append("not steady: drifted while it was measured")
        return tuple(self.mark(text) for text in texts)

    @cached_property
    def _rare(self) -> str:
        """The remark on figures that rare slow calls would raise."""
        found = (rare(cell.samples) for candidate in self.shown for cell in candidate.cells.values())
        most = numbers.percent(max(found))
        return f"a few calls are much slower; with them the mean is up to {most} higher"


def _quotient(
    ours: str,
    theirs: str,
    samples: Mapping[str, Sequence[Measurement]],
    figures: Mapping[str, MeanInterval],
    noise: Noise,
) -> tuple[float, float | None, float | None]:
    """Return the ratio of two codecs, with an interval for times of several processes."""
    if samples.keys() >= {ours, theirs}:
        found = ratio(samples[ours], samples[theirs], prior=noise.between(ours, theirs))
        return found.value, *found.ends
    below = figures[theirs].value
    return (figures[ours].value / below if below else math.inf), None, None


def _bound(ours: MeanInterval, theirs: MeanInterval) -> Entry:
    """Write the bound of a ratio of which one figure could not be measured."""
    if ours.limit is not None and theirs.limit is not None:
        return EMPTY
    bound = ours.seen / theirs.seen
    if ours.limit is None:
        return Entry(f">{numbers.ratio(bound)}", low=bound)
    return Entry(f"<{numbers.ratio(bound)}", high=bound)


def _unit_of(candidate: Candidate) -> str:
    facts = candidate.cells["value"].facts
    return facts.unit if isinstance(facts, PyperfFacts) else "second"


def _with_unit(candidate: Candidate, found: MeanInterval | None) -> Entry:
    """Write a figure of a column without a unit."""
    if found is None:
        return EMPTY
    unit = _unit_of(candidate)
    scale = numbers.scale([found.value], unit)
    write = _whole if unit == "byte" else numbers.quantity
    return written(
        found, Style(scale, write=lambda *value: f"{write(*value)} {scale[1]}".rstrip(), unit=unit)
    )


def _whole(value: float, half: float | None) -> str:
    """Write bytes, as `Style.write` does."""
    return numbers.quantity(value, half) if half else numbers.whole(value)
