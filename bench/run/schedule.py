"""How the time for a corpus is dealt out: reading, check, timing and memory share one promise.

The check takes what it needs up to its part, what it leaves is for the timing, and a part of all is kept for
memory where that is asked for. Codecs that a part does not suffice for are left out of it, and say so.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, islice

from ..method import Budget, Processes
from .environment import abreast
from .options import Options

__all__ = ["Schedule"]


@dataclass(slots=True)
class Schedule:
    """The time of one corpus.

    Attributes:
        options: Of the run.
        read: Seconds that reading it has taken.
        few: Its records are too few to read less of it.
        begun: When its time began, on the monotonic clock.
    """

    options: Options
    read: float = 0.0
    few: bool = False
    begun: float = field(default_factory=time.monotonic)

    def begin(self) -> None:
        """Let its time run, that of reading it taken off: other corpora may have come first."""
        self.begun = time.monotonic() - self.read

    def begin_timing(self) -> None:
        """Let the time run anew where what comes before the timing may take as long as it takes."""
        if self.options.no_time_limit:
            self.begun = time.monotonic()

    @property
    def budget(self) -> float:
        """Seconds for all of it."""
        return self.options.budget if self.options.no_time_limit else max(Budget.LEAST, self.options.budget)

    def left(self, part: float = 1.0) -> float:
        """Return the seconds that are left of a part of the time, at least 0."""
        return max(0.0, self.begun + part * self.budget - time.monotonic())

    @property
    def reading(self) -> float:
        """Seconds after which a long source is read no further."""
        return Budget.READ * self.budget

    def reading_over(self) -> bool:
        """Whether reading is ended that has not even got to the first records."""
        return not self.options.no_time_limit and not self.left()

    @property
    def check_seconds(self) -> float:
        """Seconds after which one codec is checked on no further record."""
        if self.options.no_time_limit:
            return Budget.CHECKED
        share = Budget.CHECK * self.budget * abreast() / max(1, len(self.options.codecs))
        return min(Budget.CHECKED, max(0.1, share - Budget.FORK))

    def check_over(self, finished: int) -> bool:
        """Whether checks are ended that have not come to an end.

        Args:
            finished: Those that have.
        """
        if self.options.no_time_limit:
            return False
        if self.few and self.read > Budget.LARGE * self.budget:
            return self.all_over()
        enough = min(Budget.ENOUGH, len(self.options.codecs) // 2)
        part = Budget.CHECK_LAST if finished >= Budget.MOST * len(self.options.codecs) else Budget.CHECK
        return self.all_over() or (finished >= enough and not self.left(part))

    @property
    def timing_part(self) -> float:
        """The part of the time that is over when timing has to be."""
        if self.options.no_time_limit:
            return 1.0
        return self._alone_part - (Budget.ALONE if self.options.alone() else 0.0)

    @property
    def _alone_part(self) -> float:
        """The part of the time that is over when operations with processes of their own have to be."""
        return 1 - Budget.MEMORY if self.options.memory() else 1.0

    @property
    def stretched(self) -> float:
        """Likewise where nothing could be told without a little more."""
        return self.timing_part + Budget.SLACK

    def alone_over(self, seconds: float = 0.0) -> bool:
        """Whether there is no time for one more process, which takes so many seconds."""
        return not self.options.no_time_limit and self.left(self._alone_part) <= seconds

    def all_over(self) -> bool:
        """Whether everything is ended that is still at work."""
        return time.monotonic() >= self.begun + self.most

    @property
    def most(self) -> float:
        """Seconds that all of it takes at most, when everything is ended that is still at work."""
        return math.inf if self.options.no_time_limit else (1 + Budget.SLACK) * self.budget + Budget.GRACE

    def processes(self, seconds: Mapping[str, float]) -> list[str]:
        """Return the codecs for which the time suffices, or nearly does; the quickest first.

        Args:
            seconds: What one timing process takes for each codec, roughly.
        """
        order = sorted(seconds, key=seconds.__getitem__)
        totals = accumulate((seconds[name] for name in order), initial=Budget.START)
        left = math.inf if self.options.no_time_limit else self.left(self.timing_part + Budget.SLACK / 2)
        found = [
            name
            for name, total in zip(order, islice(totals, 1, None), strict=True)
            if min(self.options.fewest, Processes.FEWEST) * total <= left
        ]
        return found if len(found) > 1 or len(found) == len(order) else []
