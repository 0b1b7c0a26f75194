"""What other libraries would save in a watched program, and why some could not be tried, in sentences."""

from __future__ import annotations

import math
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from ...bench.libraries import format_title
from ...bench.results.watched import SMALL, CallSite, LeftOut, Saving, WatchData
from ..model import numbers
from ..model.lists import FEW_NAMES, listed
from .shares import percent, with_half

_REASON: Final = 120
"""Most characters of a reason in a sentence."""


def busy_of(sites: Iterable[CallSite | LeftOut]) -> float:
    """Return the seconds of processor time of some call sites."""
    return sum(site.busy for site in sites)


def by_format(savings: Iterable[Saving]) -> Sequence[Sequence[Saving]]:
    """Group savings by format; those that change it are groups of their own, the last ones."""
    keys = dict.fromkeys((bool(saving.into), saving.form) for saving in savings)
    return [
        [saving for saving in savings if (bool(saving.into), saving.form) == key]
        for key in sorted(keys, key=lambda each: each[0])
    ]


def tried(savings: Iterable[Saving]) -> Sequence[Saving]:
    """Return those of libraries that were timed, the largest one first."""
    return [saving for saving in savings if saving.tried and saving.library]


def untriable(savings: Sequence[Saving]) -> bool:
    """Whether it is due to the calls themselves that none of some libraries was tried."""
    return not tried(savings) and not any(site.by_library for each in savings for site in each.left_out)


def saves(saving: Saving) -> bool:
    """Whether a library certainly saves time."""
    return saving.seconds > saving.half


def best_of(savings: Iterable[Saving]) -> Saving | None:
    """Return the largest certain saving; a larger one may be uncertain."""
    return next(filter(saves, savings), None)


def in_format(saving: Saving) -> str:
    """Return the library of a saving, and the format if it is another one."""
    return f"{saving.library} ({format_title(saving.into)})" if saving.into else saving.library


class Excluded(NamedTuple):
    """Calls that keep their library in what others would save.

    Attributes:
        site: The call site.
        reason: Why, with the libraries whose reason it is if others could be used.
    """

    site: LeftOut
    reason: str


def excluded(watch: WatchData) -> Sequence[Excluded]:
    """Return the calls without a replacement by any or by some library, those that take most time first.

    Why a library could not be tried anywhere is said by `of_group`.
    """
    found: dict[LeftOut, list[Saving]] = defaultdict(list)
    for saving in watch.savings:
        for site in saving.left_out:
            if not site.by_library or saving.tried:
                found[site].append(saving)
    ordered = sorted(found.items(), key=lambda each: -each[0].busy)
    return [
        Excluded(site, f"{_names(savings)}: {_short(site.reason)}" if site.by_library else site.reason)
        for site, savings in ordered
    ]


def of_group(watch: WatchData, savings: Sequence[Saving], *, several: bool = False) -> Iterator[str]:
    """Yield what the libraries of a group of `by_format` save, and why others could not be tried.

    Args:
        watch: The watch.
        savings: The group.
        several: There are groups of several formats, so that the best library is named with its format.
    """
    if untriable(savings):
        return
    timed, form = tried(savings), format_title(savings[0].form)
    if best := best_of(timed):
        yield from _of_saving(watch, best, [each for each in timed if each is not best], several=several)
    elif timed:
        yield _of_none(watch, timed)
    if reasons := ", ".join(_untried(savings)):
        what = f"format in place of {form}" if savings[0].into else f"library for {form}"
        yield f"{'Not tried' if timed else f'No other {what} could be tried'}: {reasons}."


def _untried(savings: Sequence[Saving]) -> Iterator[str]:
    """Yield the libraries that could not be tried anywhere, each reason once."""
    found: dict[str, list[Saving]] = defaultdict(list)
    for saving in savings:
        if not saving.tried:
            sites = sorted(saving.left_out, key=lambda site: -site.busy)
            own = [site for site in sites if site.by_library] or sites
            reasons = list(dict.fromkeys(_short(site.reason) for site in own))
            more = ["..."] if len(reasons) > FEW_NAMES else []
            found["; ".join(reasons[:FEW_NAMES] + more)].append(saving)
    for reason, alike in found.items():
        yield f"{_names(alike)} ({reason})"


def _names(savings: Sequence[Saving]) -> str:
    """Return the names of libraries, with the formats that are other ones: "a and b for JSON"."""
    found: dict[str, list[str]] = defaultdict(list)
    for saving in savings:
        found[saving.into].append(saving.library)
    return ", ".join(
        f"{listed(names)} for {format_title(into)}" if into else listed(names)
        for into, names in found.items()
    )


def _short(reason: str) -> str:
    return textwrap.shorten(reason, _REASON, placeholder=" ...")


def _of_saving(watch: WatchData, best: Saving, others: Iterable[Saving], *, several: bool) -> Iterator[str]:
    """Yield what the best library saves, and how the others compare."""
    form = format_title(best.form)
    into = f" ({format_title(best.into)} in place of {form})" if best.into else ""
    name = f"{best.library} for {form}" if several and not into else f"{best.library}{into}"
    decimals = numbers.decimals(best.seconds, best.half)
    saved, whole = (numbers.grouped(each, decimals) for each in (best.seconds, watch.busy))
    yield (
        f"{'Another format: ' if into else ''}{name} would save {saved} s of {whole} s CPU "
        f"({with_half(best.seconds, best.half, watch.busy)})."
    )
    if into:
        yield f"Everything that writes or reads these {form} records would have to change with it."
    kinds = _by_kind(best, others)
    for words, shown in _KINDS.items():
        if found := kinds[words]:
            shares = (f"{in_format(each)} {shown(each, watch.busy)}".rstrip() for each in found)
            yield f"{words}: {', '.join(shares)}."


_ALIKE, _LESS, _MORE, _OPEN = (
    "Too close to call",
    "Others would save less",
    "Others would take more CPU",
    "Undecided, as the interval includes 0",
)
_KINDS: Final[Mapping[str, Callable[[Saving, float], str]]] = {
    _ALIKE: lambda each, whole: f"{percent(each.seconds, whole)} %",
    _LESS: lambda each, whole: f"{percent(each.seconds, whole)} %",
    _MORE: lambda each, whole: f"{percent(-each.seconds, whole)} %",
    # Beyond 100 %, the interval says nothing.
    _OPEN: lambda each, whole: with_half(each.seconds, each.half, whole) if each.half < whole else "",
}
"""How others compare with the best library, and how their figure is written."""


def _by_kind(best: Saving, others: Iterable[Saving]) -> Mapping[str, Sequence[Saving]]:
    found: dict[str, list[Saving]] = defaultdict(list)
    for other in others:
        if saves(other):
            found[_LESS if _differ(best, other) else _ALIKE].append(other)
        else:
            found[_MORE if other.seconds < -other.half else _OPEN].append(other)
    return found


def _differ(best: Saving, other: Saving) -> bool:
    """Whether the interval of the difference between two savings excludes zero."""
    return best.seconds - other.seconds > math.hypot(best.half, other.half)


def _of_none(watch: WatchData, timed: Sequence[Saving]) -> str:
    """Return what follows from times with which no library certainly saves anything."""
    best, *others = timed
    form = format_title(best.form)
    subject, names = f"{best.library} for {form}", ""
    if best.into or others:
        subject = f"Another format in place of {form}" if best.into else f"Another library for {form}"
        names = f" Tried: {_names(timed)}."
    whole = busy_of(site for site in watch.sites if site.form == best.form)
    most = max(min(whole - busy_of(each.left_out), each.seconds + each.half) for each in timed)
    if most < SMALL * watch.busy:
        return f"{subject} would not make this program faster.{names}"
    return f"{subject} would save {percent(most, watch.busy)} % of CPU at most, and perhaps nothing.{names}"
