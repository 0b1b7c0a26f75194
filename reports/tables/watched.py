"""A watch as a table, and what follows from it in sentences."""

from __future__ import annotations

import math
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ...bench.libraries import format_title
from ...bench.results.watched import SMALL, CallSite, LeftOut, Saving, WatchData
from ..model import numbers
from ..model.lists import few, listed
from ..model.table import Column, Entry, Row, Section, Table

_SHOWN = 12
"""Most rows for the call sites of a function, and most lines for those that a saving does not include."""


def table(watch: WatchData) -> Table:
    """Convert a watch to the table model: a row for each function, followed by its call sites."""
    counted = watch.samples is None
    # All have the unit and the digits of the largest: the others matter less.
    most = max((_busy(sites) for sites in by_function(watch.sites).values()), default=0.0)
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
        return _row(watch, shown, sites, place, numbers.grouped(factor * _busy(sites), decimals))

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
    calls, busy = sum(site.calls or 0.0 for site in sites), _busy(sites)
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


def percent(part: float, whole: float) -> str:
    """Return a share in per cent with two digits."""
    share = 100 * part / whole if whole > 0 else 0.0
    return f"{share:.0f}" if share >= 10 else f"{share:.1f}"


def with_half(part: float, half: float, whole: float) -> str:
    """Return a share in per cent with half of its interval, both with the same decimals."""
    share, spread = 100 * part / whole, max(100 * half / whole, 0.1)
    places = 0 if spread >= 1 else 1
    return f"{share:.{places}f} ± {spread:.{places}f} %"


def _limit(subject: str, part: float, whole: float) -> str:
    """Return what the CPU time of some calls says of another codec; the limit is never shown as zero."""
    return f"{subject} cannot save more than {percent(max(part, 0.001 * whole), whole)} % of CPU."


def sentences(watch: WatchData) -> Iterator[str]:
    """Yield what follows from a watch, a line each."""
    yield from answers(watch)
    if found := left_out(watch):
        yield "Calls without a replacement, and why:"
    for each in found[:_SHOWN]:
        share = percent(each.busy, watch.busy)
        yield f"- {each.place}, {each.function}: {each.reason} ({share} % of CPU)"


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
    if not any(saving.library for saving in watch.savings):
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
        if reason and _busy(sites) >= SMALL * watch.busy:
            names = listed(list(by_function(sites)))
            yield f"No prediction for {names} ({percent(_busy(sites), watch.busy)} % of CPU): {reason}."


def _predictions(watch: WatchData, possible: Sequence[CallSite]) -> Iterator[str]:
    """Yield what another library would save in each format, and then what another format would."""
    forms = _grouped(possible, lambda site: site.form)
    large = [form for form, sites in forms.items() if form and _busy(sites) >= SMALL * watch.busy]
    groups = by_format(watch.savings)
    several = sum(not best.into for best, *_ in groups) > 1
    for best, *others in groups:
        if not best.into:
            yield from _of_saving(watch, best, others, in_form=several)
    tried = {saving.form for saving in watch.savings if not saving.into}
    if unknown := [format_title(form) for form in large if form not in tried]:
        yield f"bakeoff knows no other library for {listed(unknown)}."
    for best, *others in groups:
        if best.into:
            yield from _of_saving(watch, best, others)
    for form in dict.fromkeys(saving.form for saving in watch.savings if saving.left_out):
        untried = [best.into for best, *_ in groups if best.form == form and not best.library]
        if untried:
            what = {(False, True): "library or format", (True,): "format"}.get(
                tuple(map(bool, untried)), "library"
            )
            yield f"No other {what} could be tried for {format_title(form)}."
    small = [site for site in possible if site.form and site.form not in large]
    if small:
        names = few(list(by_function(small)))
        yield _limit(f"Changing the codec of {names}", _busy(small), watch.busy)


def _grouped(sites: Iterable[CallSite], key: Callable[[CallSite], str]) -> Mapping[str, Sequence[CallSite]]:
    found: dict[str, list[CallSite]] = defaultdict(list)
    for site in sites:
        found[key(site)].append(site)
    return found


def _busy(sites: Iterable[CallSite]) -> float:
    return sum(site.busy for site in sites)


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


def left_out(watch: WatchData) -> Sequence[LeftOut]:
    """Return what the largest saving of each format does not include, the one that takes most time first."""
    found = dict.fromkeys(each for best, *_ in by_format(watch.savings) for each in best.left_out)
    return sorted(found, key=lambda each: -each.busy)


def by_format(savings: Sequence[Saving]) -> Sequence[Sequence[Saving]]:
    """Group savings by format; those that change it are groups of their own, the last ones."""
    keys = dict.fromkeys((bool(saving.into), saving.form) for saving in savings)
    return [
        [saving for saving in savings if (bool(saving.into), saving.form) == key]
        for key in sorted(keys, key=lambda each: each[0])
    ]


def in_format(saving: Saving) -> str:
    """Return the library of a saving, and the format if it is another one."""
    return f"{saving.library} ({format_title(saving.into)})" if saving.into else saving.library


def _of_saving(
    watch: WatchData, best: Saving, others: Sequence[Saving], *, in_form: bool = False
) -> Iterator[str]:
    """Yield what the libraries of one format save, of which the best names the format if that is asked."""
    form = format_title(best.form)
    if saves(best):
        into = f" ({format_title(best.into)} in place of {form})" if best.into else ""
        name = f"{best.library} for {form}" if in_form else f"{best.library}{into}"
        decimals = numbers.decimals(best.seconds, best.half)
        saved, whole = (numbers.grouped(each, decimals) for each in (best.seconds, watch.busy))
        yield (
            f"{'Another format: ' if into else ''}{name} would save {saved} s of {whole} s CPU "
            f"({with_half(best.seconds, best.half, watch.busy)})."
        )
        if into:
            yield f"Everything that writes or reads these {form} records would have to change with it."
        useful = [each for each in others if saves(each)]
        alike = [each for each in useful if not _differ(best, each)]
        less = [each for each in useful if _differ(best, each)]
        if alike:
            yield f"Too close to call: {_listed(alike, watch.busy)}."
        if less:
            yield f"Others would save less: {_listed(less, watch.busy)}."
    elif best.library:
        yield _of_none(watch, best, others)
    elif not best.left_out and not best.into:
        yield f"No other library for {form} is installed."


def _of_none(watch: WatchData, best: Saving, others: Sequence[Saving]) -> str:
    """Return what follows from times with which no library certainly saves anything."""
    form, tried = format_title(best.form), [best, *others]
    if best.into:
        formats = ", ".join(dict.fromkeys(format_title(each.into) for each in tried))
        subject = f"Another format in place of {form} ({formats})"
    else:
        subject = f"Another library for {form}" if others else f"{best.library} for {form}"
    whole = _busy(site for site in watch.sites if site.form == best.form)
    kept = (sum(site.busy for site in each.left_out) for each in tried)
    most = max(min(whole - busy, each.seconds + each.half) for each, busy in zip(tried, kept, strict=True))
    if most < SMALL * watch.busy:
        return f"{subject} would not make this program faster."
    return f"{subject} would save {percent(most, watch.busy)} % of CPU at most, and perhaps nothing."


def saves(saving: Saving) -> bool:
    """Whether a library certainly saves time."""
    return bool(saving.library) and saving.seconds > saving.half


def _differ(best: Saving, other: Saving) -> bool:
    """Whether the interval of the difference between two savings excludes zero."""
    return best.seconds - other.seconds > math.hypot(best.half, other.half)


def _listed(found: Sequence[Saving], total: float) -> str:
    return ", ".join(f"{in_format(each)} {percent(each.seconds, total)} %" for each in found)
