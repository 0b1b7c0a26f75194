"""What a watched program spends on serialization, and what another library would save."""

from __future__ import annotations

import contextlib
import marshal
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from . import timing
from .alternatives import USES, decoded, obstacle
from .parts import Site, Watch, by_function
from .timing import Task, Times, measure, replaced, task

SMALL = 0.01
"""Share of the processor time below which no other codec is timed."""
_MOST = 20
"""Call sites that are timed."""
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A call site that a saving does not include.

    Attributes:
        site: The call site.
        reason: What would not work there.
    """

    site: Site
    reason: str


@dataclass(frozen=True, slots=True)
class Saving:
    """What one library would save in place of others that write the same format.

    Attributes:
        form: The format.
        library: The library.
        seconds: Seconds of processor time saved; below 0 if it is slower.
        half: Half of the width of the 95 % interval of that.
        left_out: Call sites that it does not include.
    """

    form: str
    library: str
    seconds: float
    half: float
    left_out: Sequence[LeftOut]


def savings(watch: Watch, total: float, show: Callable[[float], object]) -> Sequence[Saving]:
    """Time the kept records and return what each library would save, the largest saving first.

    Args:
        watch: What was seen.
        total: Seconds of processor time of the program.
        show: Called with the share that is done.

    Raises:
        RunError: The records could not be timed.
    """
    usable = [site for site in watch.sites if site.function in USES]
    if sum(site.busy for site in usable) < SMALL * total:
        return ()
    timed, left_out = _tasks(usable)
    times = measure([job for _, job in timed], show) if timed else []
    found = [(site, each) for (site, _), each in zip(timed, times, strict=True)]
    made = []
    for form in dict.fromkeys(USES[site.function].form for site in usable):
        mine = [(site, each) for site, each in found if USES[site.function].form == form]
        never = [each for each in left_out if USES[each.site.function].form == form]
        libraries = dict.fromkeys(name for _, each in mine for one in each for name in one.seconds if name)
        made += [_saving(form, library, mine, never) for library in libraries] or [
            Saving(form, "", 0.0, 0.0, never)
        ]
    return sorted(made, key=lambda each: -each.seconds)


def _tasks(sites: Sequence[Site]) -> tuple[list[tuple[Site, Task]], list[LeftOut]]:
    """Return the call sites to time, and those for which there is a reason not to."""
    whole = sum(site.busy for site in sites[:_MOST]) or 1.0
    timed, left_out = [], []
    for site in sites[:_MOST]:
        job = task(site, timing.SECONDS * site.busy / whole)
        if option := obstacle(site.options, site.function):
            left_out.append(LeftOut(site, option))
        elif any(kept.value is False for kept in site.kept):
            left_out.append(LeftOut(site, "records with objects of classes"))
        elif job is None:
            left_out.append(LeftOut(site, "no record was kept"))
        else:
            timed.append((site, job))
    left_out += [LeftOut(site, "little time") for site in sites[_MOST:]]
    return timed, left_out


def _saving(
    form: str, library: str, found: Sequence[tuple[Site, Sequence[Times]]], never: Sequence[LeftOut]
) -> Saving:
    seconds, square = 0.0, 0.0
    left_out = list(never)
    for site, times in found:
        if USES[site.function].library == library:
            continue
        other = replaced(times, library)
        if other is None:
            left_out.append(LeftOut(site, _reason(times, library)))
            continue
        seconds += site.busy * (1 - other.ratio)
        square += (site.busy * other.half) ** 2
    return Saving(form, library, seconds, math.sqrt(square), left_out)


def _reason(times: Sequence[Times], library: str) -> str:
    return next((each.refused[library] for each in times if library in each.refused), "cannot be used")


def table(watch: Watch, total: float, wall: float) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return headers and rows: a row for each function, followed by its call sites.

    Args:
        watch: What was seen.
        total: Seconds of processor time of the program.
        wall: Seconds that it ran.
    """
    headers = ("function", "calls", "time s", "CPU %", "wall %", "bytes/call", "called from")
    rows = []
    for function, sites in by_function(watch.sites).items():
        rows.append(_row(function, sites, total, wall, sites[0].place if len(sites) == 1 else ""))
        shown = sites[:_SHOWN] if len(sites) > 1 else ()
        rows += [_row("", [site], total, wall, site.place) for site in shown]
        if len(sites) > _SHOWN:
            rows.append(_row("", sites[_SHOWN:], total, wall, f"{len(sites) - _SHOWN} other places"))
    return headers, rows


def _row(name: str, sites: Sequence[Site], total: float, wall: float, place: str) -> Sequence[str]:
    calls, busy = sum(site.calls for site in sites), sum(site.busy for site in sites)
    size = sum(site.size for site in sites) / max(calls, 1)
    waited = sum(site.wall for site in sites)
    return (
        name,
        f"{calls:,.0f}",
        f"{busy:.3g}",
        f"{percent(busy, total)}",
        f"{percent(waited, wall)}",
        f"{size:,.0f}" if size else "",
        place,
    )


def percent(part: float, whole: float) -> str:
    """Return a share in per cent with two digits."""
    share = 100 * part / whole if whole > 0 else 0.0
    return f"{share:.0f}" if share >= 10 else f"{share:.1f}"


def sentences(watch: Watch, found: Sequence[Saving], total: float) -> Iterator[str]:
    """Yield what follows from the savings.

    Args:
        watch: What was seen.
        found: From `savings`.
        total: Seconds of processor time of the program.
    """
    spent = sum(site.busy for site in watch.sites)
    if not watch.sites:
        yield "No call of a watched function was seen. Python with -I, -E or -S cannot be watched."
        return
    if spent < SMALL * total:
        yield f"Changing the codec cannot save more than {percent(spent, total)} %."
        return
    if not any(site.kept for site in watch.sites):
        yield (
            "No records were kept, so no other library was timed. "
            f"Changing the codec cannot save more than {percent(spent, total)} %."
        )
        return
    for form in dict.fromkeys(saving.form for saving in found):
        best, *others = [saving for saving in found if saving.form == form]
        yield from _of_saving(best, others, total)
    rest = by_function(site for site in watch.sites if site.function not in USES)
    names = [name for name, sites in rest.items() if sum(site.busy for site in sites) >= SMALL * total]
    if names:
        yield f"No other library was tried for {', '.join(names)}; only another format could save more there."


def _of_saving(best: Saving, others: Sequence[Saving], total: float) -> Iterator[str]:
    if best.library and best.seconds > best.half:
        half = max(100 * best.half / total, 0.1)
        share = percent(best.seconds, total)
        yield (
            f"With {best.library} this program would take {share} % ± {half:.1f} less CPU: "
            f"{best.seconds:.2g} of {total:.3g} s."
        )
        useful = [each for each in others if each.seconds > each.half]
        alike = [each for each in useful if not _differ(best, each)]
        less = [each for each in useful if _differ(best, each)]
        if alike:
            yield f"Not distinguishable from it: {_listed(alike, total)}."
        if less:
            yield f"Others would save less: {_listed(less, total)}."
    elif best.library:
        yield f"No installed library for {best.form} would make this program faster."
    if best.left_out:
        yield "Not included:"
    for each in sorted(best.left_out, key=lambda one: -one.site.busy)[:_SHOWN]:
        share = percent(each.site.busy, total)
        yield f"  {each.site.place}  {each.site.function}  {each.reason}  ({share} % of CPU)"


def _differ(best: Saving, other: Saving) -> bool:
    """Whether the interval of the difference between two savings excludes zero."""
    return best.seconds - other.seconds > math.hypot(best.half, other.half)


def _listed(found: Sequence[Saving], total: float) -> str:
    return ", ".join(f"{each.library} {percent(each.seconds, total)} %" for each in found)


def records(watch: Watch) -> Iterator[Any]:
    """Yield the kept records, and those of the kept payloads; what cannot be decoded is left out.

    Args:
        watch: What was seen.
    """
    for site in watch.sites:
        for kept in site.kept:
            with contextlib.suppress(Exception):  # the program's library may have refused the payload, too
                if site.payloads and isinstance(kept.value, bytes | str):
                    yield decoded(site.function, kept.value)
                elif isinstance(kept.value, bytes):
                    yield marshal.loads(kept.value)  # noqa: S302 - from a folder of our own
