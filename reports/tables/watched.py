"""A watch as a table, and what follows from it in sentences."""

from __future__ import annotations

import math
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ...bench.libraries import format_title
from ...bench.results.watched import SMALL, CallSite, Saving, WatchData
from ..model import numbers
from ..model.lists import few, listed
from ..model.table import Column, Entry, Row, Section, Table
from .savings import best_of, busy_of, by_format, excluded, of_group, tried, untriable
from .shares import percent, with_half

_SHOWN = 12
"""Most rows for the call sites of a function, and most lines for those without a replacement."""


def table(watch: WatchData) -> Table:
    """Convert a watch to the table model: a row for each function, followed by its call sites."""
    counted = watch.samples is None
    # All have the unit and the digits of the largest: the others matter less.
    most = max((busy_of(sites) for sites in by_function(watch.sites).values()), default=0.0)
    scale = numbers.scale([most], "second")
    columns = (
        Column("function", "function", numeric=False),
        *((Column("calls", "calls"), Column("time", "time", scale[1], raw_unit="second")) if counted else ()),
        Column("cpu", "CPU", "%"),
        *((Column("wall", "wall", "%"), Column("bytes", "bytes", "per call")) if counted else ()),
        Column("place", "called from", numeric=False),
    )
    section = Section(
        title(watch),
        columns,
        tuple(_rows(watch, scale[0], numbers.decimals(most * scale[0], None))),
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
        took, more = numbers.quantity(watch.busy), percent(watch.own, watch.busy)
        processes = "" if watch.processes == 1 else f" {watch.processes} of its processes call a codec."
        yield f"The program took {took} s of CPU, and watching it at least {more} % more.{processes}"


def by_function(sites: Iterable[CallSite]) -> Mapping[str, Sequence[CallSite]]:
    """Group sites by function, the one that takes most time first."""
    found: dict[str, list[CallSite]] = defaultdict(list)
    for site in sites:
        found[site.function].append(site)
    return dict(sorted(found.items(), key=lambda each: -sum(site.busy for site in each[1])))


def _rows(watch: WatchData, factor: float, decimals: int) -> Iterator[Row]:
    def row(shown: str, sites: Sequence[CallSite], place: str) -> Row:
        return _row(watch, shown, sites, place, numbers.grouped(factor * busy_of(sites), decimals))

    for function, sites in by_function(watch.sites).items():
        yield row(function, sites, sites[0].place if len(sites) == 1 else "")
        places = Counter(site.place for site in sites)
        for site in sites[:_SHOWN] if len(sites) > 1 else ():
            # Calls with different options have rows of their own.
            options = f", with {', '.join(site.options)}" if places[site.place] > 1 and site.options else ""
            yield row("", [site], site.place + options)
        if len(sites) > _SHOWN:
            yield row("", sites[_SHOWN:], f"{len(sites) - _SHOWN} other places")


def _row(watch: WatchData, shown: str, sites: Sequence[CallSite], place: str, time: str) -> Row:
    calls, busy = sum(site.calls or 0.0 for site in sites), busy_of(sites)
    size = sum(site.size or 0.0 for site in sites) / max(calls, 1)
    waited = sum(site.wall for site in sites)
    entries = {
        "function": Entry(shown, sites[0].function),
        "calls": Entry(f"{calls:,.0f}", calls),
        "time": Entry(time, busy),
        "cpu": Entry(percent(busy, watch.busy), busy / watch.busy if watch.busy else None),
        "wall": Entry(percent(waited, watch.wall), waited / watch.wall if watch.wall else None),
        "bytes": Entry(f"{size:,.0f}" if size else "", size or None),
        "place": Entry(place, place),
    }
    return Row(sites[0].function, entries)


def _limit(subject: str, part: float, whole: float) -> str:
    """Return what the CPU time of some calls says of another codec; the limit is never shown as zero."""
    return f"{subject} cannot save more than {percent(max(part, 0.001 * whole), whole)} % of CPU."


def sentences(watch: WatchData) -> Iterator[str]:
    """Yield what follows from a watch, a line each."""
    yield from answers(watch)
    found = excluded(watch)
    if found:
        yield "Calls without a replacement, and why:"
    for site, reason in found[:_SHOWN]:
        yield f"- {site.place}, {site.function}: {reason} ({percent(site.busy, watch.busy)} % of CPU)"
    if len(found) > _SHOWN:
        yield f"- {len(found) - _SHOWN} more, in a page: bakeoff report -f html"


def answers(watch: WatchData) -> Iterator[str]:
    """Yield what can be saved, a line each; the first one is the most important."""
    if watch.samples is not None:
        yield from _of_samples(watch, watch.samples)
        return
    if not watch.sites:
        yield "No call of a serialization library was seen."
        yield (
            "Calls are not seen in Python with -I, -E or -S, and in processes that cannot write to the "
            "folder for temporary files, because it is full or another user's."
        )
        return
    limit = _limit("Changing the codec", watch.spent, watch.busy)
    if watch.spent < SMALL * watch.busy:
        yield limit
        return
    possible = [site for site in watch.sites if not site.alone]
    if possible and not any(site.records for site in possible):
        yield f"{limit} No records were kept, so no other library was timed."
        return
    if not tried(watch.savings):
        yield limit
    yield from _predictions(watch, possible)
    collecting = sum(site.collecting for site in watch.sites)
    if collecting >= SMALL * watch.busy:
        share = percent(collecting, watch.busy)
        yield (
            f"The garbage collector took {share} % of CPU within the calls, "
            "little of which another library can save."
        )
    for reason, sites in _grouped(watch.sites, lambda site: site.alone).items():
        if reason and busy_of(sites) >= SMALL * watch.busy:
            names = listed(list(by_function(sites)))
            yield f"No prediction for {names} ({percent(busy_of(sites), watch.busy)} % of CPU): {reason}."


def _predictions(watch: WatchData, possible: Sequence[CallSite]) -> Iterator[str]:
    """Yield what another library or format would save, and then where none would."""
    forms = _grouped(possible, lambda site: site.form)
    large = [form for form, sites in forms.items() if form and busy_of(sites) >= SMALL * watch.busy]
    groups = by_format(watch.savings)
    several = sum(not best.into for best, *_ in groups) > 1
    for group in sorted(groups, key=_importance):
        yield from of_group(watch, group, several=several)
    known = {saving.form for saving in watch.savings if not saving.into}
    if unknown := [format_title(form) for form in large if form not in known]:
        yield f"bakeoff knows no other library for {listed(unknown)}."
    yield from _untriable(groups)
    small = [site for site in possible if site.form and site.form not in large]
    if small:
        names = few(list(by_function(small)))
        yield _limit(f"Changing the codec of {names}", busy_of(small), watch.busy)


def _importance(group: Sequence[Saving]) -> tuple[bool, bool, float]:
    """Return the sort key of a group: savings come first, those that keep the format before others."""
    best = best_of(tried(group))
    return best is None, bool(group[0].into), -best.seconds if best else 0.0


def _untriable(groups: Sequence[Sequence[Saving]]) -> Iterator[str]:
    """Yield the formats whose calls themselves are why no other library was tried, in a sentence each."""
    found: dict[str, list[bool]] = defaultdict(list)
    for group in groups:
        if untriable(group):
            found[group[0].form].append(bool(group[0].into))
    for form, changes in found.items():
        what = {(False, True): "library or format", (True,): "format"}.get(tuple(changes), "library")
        yield f"No other {what} could be tried for {format_title(form)}."


def _grouped(sites: Iterable[CallSite], key: Callable[[CallSite], str]) -> Mapping[str, Sequence[CallSite]]:
    found: dict[str, list[CallSite]] = defaultdict(list)
    for site in sites:
        found[key(site)].append(site)
    return found


def _of_samples(watch: WatchData, samples: int) -> Iterator[str]:
    """Yield what samples can show: a limit, with the interval of Agresti and Coull (1998)."""
    share = (watch.spent / watch.busy * samples + 2) / (samples + 4)
    half = 1.96 * math.sqrt(share * (1 - share) / (samples + 4))
    yield _limit("Changing the codec", min(1.0, share + half), 1.0)
    yield f"Serialization took {with_half(watch.spent, half * watch.busy, watch.busy)} of the samples."
    yield (
        "Samples have no records, so no other library was timed. "
        "To know what one would save, start the program with `bakeoff watch -- PROGRAM`."
    )
