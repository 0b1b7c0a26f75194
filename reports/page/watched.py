"""The page of a watch: shares of processor time, the stacks of the calls, and what other libraries save."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, NamedTuple

from ...bench.libraries import format_title
from ...bench.results.watched import CallSite, Frame, Saving, Stack, WatchData
from ...escape import all_visible
from ..model import numbers
from ..tables import savings as compared
from ..tables import watched as told
from ..tables.markup import html_grid
from ..tables.shares import percent, with_half
from .template import TEMPLATES, environment, policy
from .themes import PAGE, colors
from .words import machine_facts

_ROW: Final = 26
"""Pixels from one row of frames to the next."""
_NARROW: Final = 0.0015
"""Share of the width below which a frame is not drawn."""
_SLIM: Final = 14
"""Per cent of the width below which a frame shows only its function, and nothing on a phone."""
_DEEPEST: Final = 24
"""Rows of frames that are drawn."""


def render(watch: WatchData) -> str:
    """Write a watch as one self-contained HTML page.

    Raises:
        UsageError: The extra is missing.
    """
    from markupsafe import Markup

    template = environment().get_template("watch.html.j2")
    watch = all_visible(watch)
    section = told.table(watch).sections[0]
    shades = _shades(watch)
    styles = ((TEMPLATES / name).read_text("utf-8") for name in ("page.css", "watch.css"))
    return template.render(
        style=colors() + "".join(styles),
        policy=policy(""),
        title=section.title,
        answers=list(told.answers(watch)),
        facts=section.lines,
        notes=watch.notes,
        shares=list(_shares(watch, shades)),
        boxes=(boxes := list(_boxes(watch, shades))),
        height=_ROW * (1 + max((box.row for box in boxes), default=-1)),
        row=_ROW,
        keys=dict.fromkeys((box.step.text, box.color) for box in boxes if box.color),
        # The renderer escapes text from the file.
        grid=Markup(html_grid(section)) if section.rows else "",  # noqa: S704
        formats=[
            _what_if(watch, timed)
            for group in compared.by_format(watch.savings)
            if (timed := compared.tried(group))
        ],
        excluded=[
            (site, reason, percent(site.busy, watch.busy)) for site, reason in compared.excluded(watch)
        ],
        machine=machine_facts(watch.environment),
        watch=watch,
    )


def _shades(watch: WatchData) -> Mapping[str, str]:
    """Return a color for each function, the same in all charts."""
    names = told.by_function(watch.sites)
    return {name: PAGE.families[n % len(PAGE.families)] for n, name in enumerate(names)}


def _shares(watch: WatchData, shades: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Yield a bar for each function: its share of the program's processor time."""
    for name, sites in told.by_function(watch.sites).items():
        busy = sum(site.busy for site in sites)
        yield {
            "name": name,
            "amount": f"{percent(busy, watch.busy)} %",
            "text": ", ".join(_amounts(sites, busy)),
            "length": _per_cent(busy / watch.busy),
            "color": shades[name],
        }


def _amounts(sites: Sequence[CallSite], busy: float) -> Iterator[str]:
    yield numbers.amount(busy, "second")
    if calls := sum(site.calls or 0.0 for site in sites):
        yield f"{calls:,.0f} call{'s' * (round(calls) != 1)}"
        yield f"{numbers.amount(busy / calls, 'second')} per call"
        if size := sum(site.size or 0.0 for site in sites):
            yield f"{size / calls:,.0f} B per call"


def _what_if(watch: WatchData, tried: Sequence[Saving]) -> Mapping[str, Any]:
    """Return the bars of one format: the processor time with each library, in shares of the present one."""
    # A little more, as an interval that ends at the frame looks cut off.
    longest = 1.02 * max([1.0, *(_left(watch, each) + each.half / watch.busy for each in tried)])
    best = compared.best_of(tried)
    now = {"name": "as it is", "amount": numbers.amount(watch.busy, "second")}
    bars: list[Mapping[str, Any]] = [now | {"length": _per_cent(1 / longest), "ends": None, "best": False}]
    for saving in tried:
        left, half = _left(watch, saving), saving.half / watch.busy
        share = with_half(abs(saving.seconds), saving.half, watch.busy)
        bars.append(
            {
                "name": f"with {compared.in_format(saving)}",
                "amount": f"saves {share}" if saving.seconds >= 0 else f"takes {share} more",
                "length": _per_cent(left / longest),
                "ends": (_per_cent((left - half) / longest), _per_cent((left + half) / longest)),
                "best": saving is best,
            }
        )
    form = format_title(tried[0].form)
    caption = f"Another format in place of {form}" if tried[0].into else form
    return {"form": caption, "bars": bars, "now": _per_cent(1 / longest)}


def _left(watch: WatchData, saving: Saving) -> float:
    return 1 - saving.seconds / watch.busy


def _per_cent(share: float) -> float:
    return round(100 * min(1.0, max(0.0, share)), 3)


class _Step(NamedTuple):
    """A frame as it is shown, or several of libraries as one.

    Attributes:
        function: Its function.
        place: Its file and line, and how many frames it has joined.
        detail: Those frames, a line each; empty if it is one frame.
        kind: "own", "library", or the function that was called.
    """

    function: str
    place: str
    detail: str
    kind: str

    @property
    def text(self) -> str:
        """Function and place."""
        return f"{self.function} {self.place}".rstrip()


@dataclass(slots=True)
class _Node:
    """Frames of many stacks that have the same callers.

    Attributes:
        step: What they are.
        busy: Seconds of processor time.
        parts: What they call, by text.
    """

    step: _Step
    busy: float = 0.0
    parts: dict[str, _Node] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Box:
    """A frame as it is drawn; `x` and `width` are in per cent."""

    x: float
    width: float
    row: int
    step: _Step
    words: str
    kind: str
    color: str

    @property
    def label(self) -> str:
        """The text that fits; only the function if the box is narrow."""
        return self.step.text if self.width >= _SLIM else self.step.function

    @property
    def classes(self) -> str:
        """Classes for the style sheet."""
        return self.kind if self.width >= _SLIM else f"{self.kind} slim"


def _boxes(watch: WatchData, shades: Mapping[str, str]) -> Iterator[_Box]:
    """Yield the frames of all calls, callers above the functions that they call."""
    root = _Node(_Step("", "", "", "own"))
    for site in watch.sites:
        for stack in site.stacks:
            node = root
            node.busy += stack.busy
            for step in [*_steps(stack), _Step(site.function, "", "", site.function)]:
                node = node.parts.setdefault(step.text, _Node(step))
                node.busy += stack.busy
    yield from _drawn(root, root.busy, watch.busy, shades, 0.0, 0)


def _drawn(
    node: _Node, whole: float, total: float, shades: Mapping[str, str], begin: float, row: int
) -> Iterator[_Box]:
    """Yield the boxes of what a frame calls, the one that takes most time first."""
    for part in sorted(node.parts.values(), key=lambda each: -each.busy):
        share = part.busy / whole if whole else 0.0
        if share >= _NARROW and row < _DEEPEST:
            step = part.step
            words = f"{step.text}: {percent(part.busy, total)} % of CPU\n{step.detail}".rstrip()
            color = shades.get(step.kind, "")
            kind = "call" if color else step.kind
            yield _Box(_per_cent(begin), _per_cent(share), row, step, words, kind, color)
            yield from _drawn(part, whole, total, shades, begin, row + 1)
        begin += share


def _steps(stack: Stack) -> Iterator[_Step]:
    """Yield the frames, the outermost first.

    Frames of libraries that lie next to each other are one step. Those that start the program's own code,
    such as a server's, are left out.
    """
    frames = list(reversed(stack.frames))
    first = next((place for place, frame in enumerate(frames) if frame.own), 0)
    for own, group in groupby(frames[first:], key=lambda frame: frame.own):
        found = list(group)
        if own:
            yield from (_step(frame, "own") for frame in found)
        else:
            step = _step(found[-1], "library")
            if more := len(found) - 1:
                detail = "\n".join(_step(frame, "library").text for frame in found)
                step = step._replace(place=f"{step.place} and {more} more", detail=detail)
            yield step


def _step(frame: Frame, kind: str) -> _Step:
    return _Step(frame.function, f"({frame.place})", "", kind)
