"""What other libraries would save in a watched program."""

from __future__ import annotations

import contextlib
import marshal
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ...codecs.installed import version
from ...errors import RunError
from ..results.watched import SMALL, LeftOut, Saving
from .alternatives import FILES, OWN, Other, decoded, is_plain, obstacle, others
from .measure import Found, SiteFindings, measure
from .parts import Site
from .saved import collected, replaced, seconds_of
from .tasks import Effort, Task, task

_MOST = 20
"""Call sites that are timed."""
_WORKERS: Final = "multiprocessing/"
"""Folder of the modules that exchange pickles with their own processes."""
_DISTRIBUTIONS: Final = {"rapidjson": "python-rapidjson", "libyaml": "PyYAML"}
"""Names on PyPI, where they differ."""


class Prediction(NamedTuple):
    """What other libraries would save.

    Attributes:
        savings: As in `WatchData`.
        notes: What disturbed the timing, a sentence each.
    """

    savings: Sequence[Saving]
    notes: Sequence[str]


def versions(savings: Sequence[Saving]) -> dict[str, str]:
    """Return the versions of the libraries that were timed."""
    names = dict.fromkeys(each.library for each in savings if each.tried)
    found = {name: version(_DISTRIBUTIONS.get(name, name)) for name in names}
    return {name: text for name, text in found.items() if text is not None}


def predict(
    sites: Sequence[Site], total: float, effort: Effort, show: Callable[[float], object]
) -> Prediction:
    """Time the kept records and return what each library would save, or why it could not be tried.

    Args:
        sites: All call sites.
        total: Seconds of processor time of the program.
        effort: How long to time.
        show: Called with the share that is done.
    """
    usable = _usable(sites, total)
    timed, left_out = _tasks(usable, effort.of_process(total))
    try:
        measured = measure([job for _, job in timed], effort, show) if timed else SiteFindings([])
    except RunError as error:
        measured = SiteFindings([Found({}, {OWN: str(error)})] * len(timed))
    found = [(site, each) for (site, _), each in zip(timed, measured.found, strict=True)]
    made: list[Saving] = []
    for form in dict.fromkeys(site.facts.form for site in usable):
        known = dict.fromkeys(
            other
            for site in usable
            if site.facts.form == form
            for other in others(site.facts.function, site.facts.options)
        )
        mine = [(site, each) for site, each in found if site.facts.form == form]
        never = [(site, each) for site, each in left_out if site.facts.form == form]
        made += [_saving(form, other, mine, never) for other in known]
    made.sort(key=lambda each: (not each.tried, -each.seconds))
    return Prediction(made, measured.notes)


def _usable(sites: Sequence[Site], total: float) -> Sequence[Site]:
    """Return the call sites whose function could be replaced, of formats that take enough time to matter."""
    possible = [site for site in sites if not site.facts.alone]
    busy: dict[str, float] = defaultdict(float)
    for site in possible:
        busy[site.facts.form] += site.facts.busy
    return [site for site in possible if busy[site.facts.form] >= SMALL * total]


def _tasks(
    sites: Sequence[Site], seconds: float
) -> tuple[list[tuple[Site, Task]], list[tuple[Site, LeftOut]]]:
    """Return the call sites to time within some seconds, and those for which there is a reason not to."""
    whole = sum(site.facts.busy for site in sites[:_MOST]) or 1.0
    timed, left_out = [], []
    for site in sites[:_MOST]:
        job = task(site, seconds * site.facts.busy / whole)
        if reason := _obstacle(site):
            left_out.append((site, _left_out(site, reason)))
        elif job is None:
            left_out.append((site, _left_out(site, "no record was kept")))
        else:
            timed.append((site, job))
    few = f"only the {_MOST} places that take most time are timed"
    left_out += [(site, _left_out(site, few)) for site in sites[_MOST:]]
    return timed, left_out


def _obstacle(site: Site) -> str:
    """Return what keeps other libraries from replacing the calls of a site; empty if there is nothing."""
    facts = site.facts
    callers = [stack.frames[0].place for stack in facts.stacks if stack.frames]
    if facts.form == "pickle" and any(place.startswith(_WORKERS) for place in callers):
        return "multiprocessing chooses the format"
    if reason := obstacle(facts.options, facts.function):
        return reason
    has_objects = any(kept.value is False or not is_plain(facts.function, kept) for kept in site.kept)
    return "its records have objects of classes" if has_objects else ""


def _saving(
    form: str, other: Other, found: Sequence[tuple[Site, Found]], never: Sequence[tuple[Site, LeftOut]]
) -> Saving:
    """Return what a library would save in place of others, or why it could not be tried."""
    seconds, square, tried = 0.0, 0.0, False
    left_out = [each for site, each in never if _replaces(other, site)]
    slower = _slower(found)
    for site, each in found:
        if not _replaces(other, site):
            continue
        facts = site.facts
        busy = facts.busy - facts.collecting
        from_file = facts.function in FILES  # which takes time to read
        usual = 0.0 if from_file else busy / site.calls
        ratio = replaced(each, other, site.after_work, usual)
        if ratio is None:
            left_out.append(_refusal(site, each, other))
            continue
        tried = True
        if from_file:
            busy = min(busy, site.calls * seconds_of(each.times[OWN]) * slower)
        # The collector also visits other objects of the program: at least none, and at most as many as take
        # all of its time.
        collecting = facts.collecting * (1 - collected(each, other)) / 2
        seconds += busy * (1 - ratio.ratio) + collecting
        square += (busy * ratio.half) ** 2 + collecting**2
    into = other.form if other.form != form else ""
    return Saving(form, other.library, seconds, math.sqrt(square), tuple(left_out), into, tried)


def _replaces(other: Other, site: Site) -> bool:
    """Whether a library is another one than that of a call site."""
    return other in others(site.facts.function, site.facts.options)


def _slower(found: Sequence[tuple[Site, Found]]) -> float:
    """Return how many times as long calls that use no file took in the program as when they are timed."""
    timed = [
        (site, each.times[OWN])
        for site, each in found
        if site.facts.function not in FILES and OWN in each.times
    ]
    usual = sum(site.calls * seconds_of(times) for site, times in timed)
    return (
        max(sum(site.facts.busy - site.facts.collecting for site, _ in timed) / usual, 1.0) if usual else 1.0
    )


def _left_out(site: Site, reason: str) -> LeftOut:
    return LeftOut(site.facts.function, site.facts.place, site.facts.busy, reason)


def _refusal(site: Site, found: Found, other: Other) -> LeftOut:
    """Return why a library, or any, has no times at a call site."""
    if OWN in found.refused:
        return _left_out(site, found.refused[OWN])
    return replace(_left_out(site, found.refused[other]), by_library=True)


def records(sites: Sequence[Site]) -> Iterator[Any]:
    """Yield the kept records, and those of the kept payloads; what cannot be decoded is left out.

    Args:
        sites: The call sites.
    """
    for site in sites:
        for kept in site.kept:
            with contextlib.suppress(Exception):  # the program's library may have refused the payload, too
                if site.facts.decodes and not kept.result and isinstance(kept.value, bytes | str):
                    yield decoded(site.facts.function, kept.value)
                elif isinstance(kept.value, bytes):
                    yield marshal.loads(kept.value)  # noqa: S302 - from a folder of our own
