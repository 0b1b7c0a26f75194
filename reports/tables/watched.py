"""A watch as a table, and what follows from it in sentences."""

from __future__ import annotations

import math
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...bench.results.watched import SMALL, CallSite, LeftOut, Saving, WatchData
from ..model.lists import listed
from ..model.table import Column, Entry, Row, Section, Table

_SHOWN = 12
"""Most rows for the call sites of a function, and most lines for those that a saving does not include."""


def table(watch: WatchData) -> Table:
    """Convert a watch to the table model: a row for each function, followed by its call sites."""
    counted = watch.samples is None
    columns = (
        Column("function", "function", numeric=False),
        *((Column("calls", "calls"), Column("time", "time", "s")) if counted else ()),
        Column("cpu", "CPU", "%"),
        *((Column("wall", "wall", "%"), Column("bytes", "bytes", "per call")) if counted else ()),
        Column("place", "called from", numeric=False),
    )
    section = Section(
        title(watch),
        columns,
        tuple(_rows(watch)),
        lines=tuple(facts(watch)),
        answer=tuple(sentences(watch)),
        remarks=watch.notes,
    )
    return Table((section,))


def title(watch: WatchData) -> str:
    """Return what was watched."""
    return shlex.join(watch.program) or "watched program"


def facts(watch: WatchData) -> Iterator[str]:
    """Yield what the figures come from."""
    if watch.samples is not None:
        yield f"{watch.samples:,} samples of running threads in {watch.wall:.3g} s."
    elif watch.sites:
        processes = "" if watch.processes == 1 else f" in {watch.processes} processes that call a codec"
        took = percent(watch.own, watch.busy)
        yield f"The program took {watch.busy:.3g} s of CPU{processes}; watching took about {took} % more."


def by_function(sites: Iterable[CallSite]) -> Mapping[str, Sequence[CallSite]]:
    """Group sites by function, the one that takes most time first."""
    found: dict[str, list[CallSite]] = defaultdict(list)
    for site in sites:
        found[site.function].append(site)
    return dict(sorted(found.items(), key=lambda each: -sum(site.busy for site in each[1])))


def _rows(watch: WatchData) -> Iterator[Row]:
    for function, sites in by_function(watch.sites).items():
        yield _row(watch, function, sites, sites[0].place if len(sites) == 1 else "")
        for site in sites[:_SHOWN] if len(sites) > 1 else ():
            yield _row(watch, "", [site], site.place)
        if len(sites) > _SHOWN:
            yield _row(watch, "", sites[_SHOWN:], f"{len(sites) - _SHOWN} other places")


def _row(watch: WatchData, shown: str, sites: Sequence[CallSite], place: str) -> Row:
    calls, busy = sum(site.calls or 0.0 for site in sites), sum(site.busy for site in sites)
    size = sum(site.size or 0.0 for site in sites) / max(calls, 1)
    waited = sum(site.wall for site in sites)
    entries = {
        "function": Entry(shown, sites[0].function),
        "calls": Entry(f"{calls:,.0f}", calls),
        "time": Entry(f"{busy:.3g}", busy),
        "cpu": Entry(percent(busy, watch.busy), busy / watch.busy if watch.busy else None),
        "wall": Entry(percent(waited, watch.wall), waited / watch.wall if watch.wall else None),
        "bytes": Entry(f"{size:,.0f}" if size else "", size or None),
        "place": Entry(place, place),
    }
    return Row(sites[0].function, entries)


def percent(part: float, whole: float) -> str:
    """Return a share in per cent with two digits."""
    share = 100 * part / whole if whole > 0 else 0.0
    return f"{share:.0f}" if share >= 10 else f"{share:.1f}"


def sentences(watch: WatchData) -> Iterator[str]:
    """Yield what follows from a watch, a line each."""
    yield from answers(watch)
    if found := left_out(watch):
        yield "Not included:"
    for each in found[:_SHOWN]:
        share = percent(each.busy, watch.busy)
        yield f"- {each.place}, {each.function}: {each.reason} ({share} % of CPU)"


def answers(watch: WatchData) -> Iterator[str]:
    """Yield what can be saved, a line each; the first one is the most important."""
    if watch.samples is not None:
        yield from _of_samples(watch, watch.samples)
        return
    if not watch.sites:
        yield "No call of a watched function was seen. Python with -I, -E or -S cannot be watched."
        return
    limit = f"Changing the codec cannot save more than {percent(watch.spent, watch.busy)} %."
    if watch.spent < SMALL * watch.busy:
        yield limit
        return
    if not any(site.records for site in watch.sites):
        yield f"No records were kept, so no other library was timed. {limit}"
        return
    for best, *others in by_format(watch.savings):
        yield from _of_saving(watch, best, others)
    rest = by_function(site for site in watch.sites if not site.form)
    names = [name for name, sites in rest.items() if sum(s.busy for s in sites) >= SMALL * watch.busy]
    if names:
        yield f"No other library was tried for {listed(names)}; only another format could save more there."


def _of_samples(watch: WatchData, samples: int) -> Iterator[str]:
    """Yield what samples can show: a limit, with the interval of Agresti and Coull (1998)."""
    share = (watch.spent / watch.busy * samples + 2) / (samples + 4)
    half = 1.96 * math.sqrt(share * (1 - share) / (samples + 4))
    seen = percent(watch.spent, watch.busy)
    yield f"Changing the codec cannot save more than {percent(min(1.0, share + half), 1.0)} % of CPU."
    yield f"Serialization took {seen} % of the samples; the 95 % interval is ± {100 * half:.1f}."
    yield (
        "Samples have no records, so no other library was timed. "
        "To know what one would save, start the program with `bakeoff watch -- PROGRAM`."
    )


def left_out(watch: WatchData) -> Sequence[LeftOut]:
    """Return what the largest saving of each format does not include, the one that takes most time first."""
    found = [each for best, *_ in by_format(watch.savings) for each in best.left_out]
    return sorted(found, key=lambda each: -each.busy)


def by_format(savings: Sequence[Saving]) -> Sequence[Sequence[Saving]]:
    """Group savings by format."""
    forms = dict.fromkeys(saving.form for saving in savings)
    return [[saving for saving in savings if saving.form == form] for form in forms]


def _of_saving(watch: WatchData, best: Saving, others: Sequence[Saving]) -> Iterator[str]:
    if saves(best):
        half = max(100 * best.half / watch.busy, 0.1)
        share = percent(best.seconds, watch.busy)
        yield (
            f"With {best.library} this program would take {share} % ± {half:.1f} less CPU: "
            f"{best.seconds:.2g} of {watch.busy:.3g} s."
        )
        useful = [each for each in others if saves(each)]
        alike = [each for each in useful if not _differ(best, each)]
        less = [each for each in useful if _differ(best, each)]
        if alike:
            yield f"Not distinguishable from it: {_listed(alike, watch.busy)}."
        if less:
            yield f"Others would save less: {_listed(less, watch.busy)}."
    elif best.library:
        yield f"No installed library for {best.form} would make this program faster."


def saves(saving: Saving) -> bool:
    """Whether a library certainly saves time."""
    return bool(saving.library) and saving.seconds > saving.half


def _differ(best: Saving, other: Saving) -> bool:
    """Whether the interval of the difference between two savings excludes zero."""
    return best.seconds - other.seconds > math.hypot(best.half, other.half)


def _listed(found: Sequence[Saving], total: float) -> str:
    return ", ".join(f"{each.library} {percent(each.seconds, total)} %" for each in found)
