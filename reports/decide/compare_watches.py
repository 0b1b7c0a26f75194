"""Compare two watches of a program: before and after a change.

A watch is one run of a program, so its figures have no interval of their own. How much two watches of the
same program differ is assumed: shares as two runs of the same code do (`bench.stats.RUN_TO_RUN`), times by
more, as nothing normalizes them, and all by more for functions that took little time. Holm's method guards
all figures of a comparison together, and intervals have the level at which it ends.
"""

from __future__ import annotations

import json as _json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import Any, Final, Literal

from ...bench.method import Verdicts
from ...bench.results.watched import CallSite, WatchData
from ...bench.stats import Ratio, between_runs, holm_level
from ...errors import UsageError
from ..model import numbers
from ..model.environment import differences
from ..model.lists import some
from ..model.table import Column, Entry, Row, Section, Table
from ..tables.shares import percent
from ..tables.watched import title
from .compare import Gate
from .compare_output import concluded, exit_code, interval, level, levels, signed

_RUN: Final = 0.06
"""Standard deviation of the log time of a program: 12 watches of one, on a quiet virtual machine."""
_SHORT: Final = 2e-4
"""Variance of the log time of a function that took 1 s; it grows as the time gets shorter. Eight watches each
of two programs, on a busy machine, had 0.035 to 0.045 (standard deviation) where the function took 0.04 to
0.2 s, and 0.11 where it took 0.02 s."""

Figure = Literal["CPU", "share of CPU", "CPU per call", "bytes per call", "calls"]


@dataclass(frozen=True, slots=True)
class WatchChange:
    """The change of one figure.

    Attributes:
        group: The calls: a function, all that encode, or others.
        figure: What was measured.
        before: In seconds, bytes, calls, or as a share.
        after: The same.
        ratio: After/before with its interval; None for calls, which are counted.
        worst: Factor by which a call may cost more, at a confidence of 95 %.
        alpha: The level of its verdict: one minus the confidence of the interval.
    """

    group: str
    figure: Figure
    before: float
    after: float
    ratio: Ratio | None
    worst: float = 1.0
    alpha: float = Verdicts.ALPHA

    @property
    def verdict(self) -> str:
        """Whether it is distinguishable from no change."""
        if self.ratio is None:
            return "" if self.before == self.after else "other work"
        if self.ratio.p >= self.alpha or self.ratio.inside(Verdicts.TIE):
            return "not distinguishable"
        return "less" if self.ratio.value < 1 else "more"

    @property
    def gated(self) -> bool:
        """Whether a limit applies: to what a call costs, and not to what the program does."""
        return self.figure in ("CPU per call", "bytes per call")

    def beyond(self, limit: float) -> bool:
        """Return whether it certainly became more, by more than a limit."""
        return (
            self.gated and self.verdict == "more" and self.ratio is not None and self.ratio.value > 1 + limit
        )

    def undecided(self, limit: float) -> bool:
        """Return whether it could hide an increase of twice the limit."""
        if not self.gated or self.ratio is None or self.beyond(limit):
            return False
        return self.worst > 1 + 2 * max(limit, Verdicts.TIE)


@dataclass(frozen=True, slots=True)
class WatchComparison:
    """The comparison of two watches.

    Attributes:
        title: The program.
        changes: All figures that both have.
        notes: Other differences, a line each.
    """

    title: str
    changes: tuple[WatchChange, ...]
    notes: tuple[str, ...]

    def gate(self, limit: float) -> Gate:
        """Return whether the second watch passes."""
        if any(change.beyond(limit) for change in self.changes):
            return "failed"
        return "undecided" if any(change.undecided(limit) for change in self.changes) else "passed"


def compare(before: WatchData, after: WatchData) -> WatchComparison:
    """Compare two watches.

    Raises:
        UsageError: One of them has no calls.
    """
    for name, watch in (("before", before), ("after", after)):
        if not watch.sites:
            raise UsageError(f"the watch {name} has no call of a watched function")
    alone = list(_changes(before, after, Verdicts.ALPHA))
    alpha = holm_level([change.ratio.p for change in alone if change.ratio is not None])
    # That a call costs no more than a limit is claimed for every figure, so each has its own 95 %.
    ends = (
        change.ratio.high if change.ratio else 1.0 for change in _changes(before, after, 2 * Verdicts.ALPHA)
    )
    changes = [
        replace(change, worst=worst, alpha=alpha)
        for change, worst in zip(_changes(before, after, alpha), ends, strict=True)
    ]
    return WatchComparison(title(after), tuple(changes), tuple(_notes(before, after)))


def _changes(before: WatchData, after: WatchData, alpha: float) -> Iterator[WatchChange]:
    """Yield all figures, with intervals of a level."""
    if before.samples is None and after.samples is None:
        found = _ratio(before.busy, after.busy, _RUN**2, alpha)
        yield WatchChange("program", "CPU", before.busy, after.busy, found)
    yield from _of_share("all calls", _Side(before, before.sites), _Side(after, after.sites), alpha)
    for group, chosen in _groups(before, after).items():
        old, new = (_Side(watch, [s for s in watch.sites if chosen(s)]) for watch in (before, after))
        if old.sites and new.sites:
            yield from _of_share(group, old, new, alpha)
            yield from _of_calls(group, old, new, alpha)


def _groups(before: WatchData, after: WatchData) -> dict[str, Callable[[CallSite], bool]]:
    """Return the groups of calls: by direction, and by function if a direction has several.

    A function that takes the place of another one is compared with it by direction.
    """
    if before.samples is not None or after.samples is not None:
        # Samples do not have the direction of compiled functions.
        return {}
    found: dict[str, Callable[[CallSite], bool]] = {}
    for group, decodes in (("encoding", False), ("decoding", True)):
        old, new = ({s.function for s in watch.sites if s.decodes == decodes} for watch in (before, after))
        found[group] = partial(_in_direction, decodes)
        if len(old | new) > 1:
            found |= {name: partial(_of_function, name) for name in sorted(old & new)}
    return found


def _in_direction(decodes: bool, site: CallSite) -> bool:
    return site.decodes == decodes


def _of_function(name: str, site: CallSite) -> bool:
    return site.function == name


@dataclass(frozen=True, slots=True)
class _Side:
    """Some calls of a watch."""

    watch: WatchData
    sites: Sequence[CallSite]

    @property
    def busy(self) -> float:
        return sum(site.busy for site in self.sites)

    @property
    def share(self) -> float:
        return self.busy / self.watch.busy

    @property
    def calls(self) -> float:
        return sum(site.calls or 0.0 for site in self.sites)

    @property
    def size(self) -> float:
        return sum(site.size or 0.0 for site in self.sites)

    @property
    def size_error(self) -> float:
        """Relative standard error of the bytes, which come from a sample of the calls."""
        return math.sqrt(sum(site.size_error**2 for site in self.sites)) / self.size

    @property
    def odds_noise(self) -> float:
        """Variance of the log odds of the share."""
        if self.watch.samples is None:
            return _SHORT / self.busy
        return 1 / (self.watch.samples * self.share * (1 - self.share))


def _ratio(before: float, after: float, noise: float, alpha: float) -> Ratio:
    return between_runs([math.log(before)], [math.log(after)], noise, alpha=alpha)


def _of_share(group: str, old: _Side, new: _Side, alpha: float) -> Iterator[WatchChange]:
    """Yield the change of a share; odds are compared, which have no upper bound."""
    if not (0 < old.share < 1 and 0 < new.share < 1):
        return
    noise = (old.odds_noise + new.odds_noise) / 2
    odds = _ratio(old.share / (1 - old.share), new.share / (1 - new.share), noise, alpha)

    def share(ratio: float) -> float:
        return ratio / (1 + old.share * (ratio - 1)) if math.isfinite(ratio) else 1 / old.share

    found = replace(odds, value=share(odds.value), low=share(odds.low), high=share(odds.high))
    yield WatchChange(group, "share of CPU", old.share, new.share, found)


def _of_calls(group: str, old: _Side, new: _Side, alpha: float) -> Iterator[WatchChange]:
    if not (old.calls and new.calls and old.busy and new.busy):
        return
    before, after = old.busy / old.calls, new.busy / new.calls
    noise = _RUN**2 + _SHORT * (1 / old.busy + 1 / new.busy) / 2
    yield WatchChange(group, "CPU per call", before, after, _ratio(before, after, noise, alpha))
    if old.size and new.size:
        before, after = old.size / old.calls, new.size / new.calls
        yield WatchChange(group, "bytes per call", before, after, _of_sizes(before, after, old, new, alpha))
    yield WatchChange(group, "calls", float(round(old.calls)), float(round(new.calls)), None)


def _of_sizes(before: float, after: float, old: _Side, new: _Side, alpha: float) -> Ratio:
    value, error = after / before, math.hypot(old.size_error, new.size_error)
    half = NormalDist().inv_cdf(1 - alpha / 2) * error
    distance = abs(math.log(value)) / max(error, 1e-12)
    return Ratio(
        value, value * math.exp(-half), value * math.exp(half), 0.0, 2, math.erfc(distance / math.sqrt(2))
    )


def _notes(before: WatchData, after: WatchData) -> Iterator[str]:
    for one, other, when in ((before, after, "before"), (after, before, "after")):
        names = {site.function for site in other.sites}
        if only := [name for name in dict.fromkeys(site.function for site in one.sites) if name not in names]:
            yield f"only {when}: {', '.join(only)}"
    if before.program != after.program:
        yield f"program: {title(before)} → {title(after)}"
    common = before.versions.keys() & after.versions.keys()
    old, new = (
        watch.environment | {name: watch.versions[name] for name in sorted(common)}
        for watch in (before, after)
    )
    yield from differences([*old.items()], [*new.items()])


def table(found: WatchComparison, limit: float | None = None, conclusion: str = "") -> Table:
    """Convert a comparison to the table model.

    Args:
        limit: Limit of an increase; None for no gate.
        conclusion: The first line; by default the summary.
    """
    columns = (
        Column("calls", "calls", numeric=False),
        Column("figure", "figure", numeric=False),
        Column("before", "before"),
        Column("after", "after"),
        Column("change", "change", unit=level(change.alpha for change in found.changes if change.ratio)),
        *((Column("worst", "at worst", unit="95 %"),) if limit is not None else ()),
        Column("verdict", "verdict", numeric=False),
    )
    rows = tuple(_row(change) for change in found.changes)
    method = (
        f"assumed: two watches of the same program differ by {100 * _RUN:.0f} % in times and "
        f"{100 * Verdicts.SESSION:.0f} % in shares, and by more "
    )
    return Table(
        (Section(found.title, columns, rows),),
        notes=(*found.notes, f"{method}if a function takes less than 1 s", *levels("figures", limit)),
        opening=conclusion or summary(found, limit),
    )


def _row(change: WatchChange) -> Row:
    entries = {
        "calls": Entry(change.group, change.group),
        "figure": Entry(change.figure, change.figure),
        "before": Entry(_amount(change.figure, change.before), change.before),
        "after": Entry(_amount(change.figure, change.after), change.after),
        "verdict": Entry(change.verdict, change.verdict, tone=_tone(change)),
    }
    if change.ratio is not None:
        found = change.ratio
        entries["change"] = Entry(interval(found), found.value, *found.ends)
        if change.gated:
            entries["worst"] = Entry(signed(change.worst), change.worst)
    return Row(change.group, entries)


def _tone(change: WatchChange) -> Literal["good", "bad", "dim"]:
    if change.ratio is None or change.verdict == "not distinguishable":
        return "dim"
    return "good" if change.verdict == "less" else "bad"


def _amount(figure: Figure, value: float) -> str:
    if figure == "share of CPU":
        return f"{percent(value, 1.0)} %"
    if figure == "bytes per call":
        return f"{value:,.0f} B"
    return f"{value:,.0f}" if figure == "calls" else numbers.amount(value, "second")


def summary(found: WatchComparison, limit: float | None = None) -> str:
    """Describe the result in one sentence, and with a limit whether it was met."""
    lists = {way: [c for c in found.changes if c.verdict == way] for way in ("less", "more")}
    if limit is not None:
        lists[f"beyond {limit * 100:g}%"] = [c for c in found.changes if c.beyond(limit)]
        open_ones = [c for c in found.changes if c.undecided(limit)]
        lists[f"it is not known whether these are beyond {limit * 100:g}%"] = open_ones
    parts = [
        f"{what}: {some([f'{c.figure} of {c.group}' for c in changes])}"
        for what, changes in lists.items()
        if changes
    ]
    return f"{'; '.join(parts) or 'no difference that can be distinguished'}."


def conclusion(found: WatchComparison, limit: float | None) -> str:
    """Return the exit code of a comparison with its reason, in a line."""
    return concluded(None if limit is None else found.gate(limit), summary(found, limit))


def json(found: WatchComparison, limit: float | None = None) -> str:
    """Render a comparison as JSON; ratios are after/before."""
    plain = {
        "figures": [_plain(change) for change in found.changes],
        "notes": found.notes,
        "limit": limit,
        "summary": summary(found, limit),
        "exit_code": exit_code(None if limit is None else found.gate(limit)),
        "conclusion": conclusion(found, limit),
    }
    return _json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(change: WatchChange) -> dict[str, Any]:
    found = change.ratio
    low, high = found.ends if found else (None, None)
    return {
        "calls": change.group,
        "figure": change.figure,
        "before": change.before,
        "after": change.after,
        "ratio": found and found.value,
        "low": low,
        "high": high,
        "confidence": 1 - change.alpha if found else None,
        "at_worst": change.worst if change.gated and math.isfinite(change.worst) else None,
        "verdict": change.verdict,
    }
