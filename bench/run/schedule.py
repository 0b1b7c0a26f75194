"""The schedule of a corpus: reading, check, timing and memory share one time budget.

The check takes the time that it needs, up to its part. The rest is for timing, except for a part that is kept
for memory operations if they are requested. Codecs for which a part is too short are left out of it, and the
result says so.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, islice

from ..capabilities import cores
from ..method import Budget, Processes, Readers
from .environment import abreast
from .options import Options


@dataclass(slots=True)
class Schedule:
    """The schedule of one corpus.

    Attributes:
        options: The options of the run.
        read: Seconds that reading it has taken.
        few: It has too few records to stop reading early.
        side: Processes that run in parallel when nothing is timed.
        begun: When its time began, on the monotonic clock.
    """

    options: Options
    read: float = 0.0
    few: bool = False
    side: int = field(default_factory=lambda: abreast(cores()))
    begun: float = field(default_factory=time.monotonic)

    def begin(self) -> None:
        """Start the clock, with the time of reading deducted, as other corpora may come first."""
        self.begun = time.monotonic() - self.read

    def begin_timing(self) -> None:
        """Restart the clock if the phases before timing have no time limit."""
        if self.options.no_time_limit:
            self.begun = time.monotonic()

    @property
    def budget(self) -> float:
        """The budget in seconds."""
        return self.options.budget if self.options.no_time_limit else max(Budget.LEAST, self.options.budget)

    def left(self, part: float = 1.0) -> float:
        """Return the remaining seconds of a part of the time, at least 0."""
        return max(0.0, self.begun + part * self.budget - time.monotonic())

    @property
    def passed(self) -> float:
        """The share of the budget that is over, at most 1."""
        return 1 - self.left() / self.budget if self.budget else 1.0

    @property
    def codecs_share(self) -> float:
        """The share of the time that the codecs in Python have; readers in other languages have the rest."""
        return 1 / (1 + Readers.BUDGET * len(self.options.readers))

    @property
    def reading(self) -> float:
        """Seconds after which reading of a long source ends."""
        return Budget.READ * self.budget

    def reading_over(self) -> bool:
        """Return whether to stop reading a source that has not yielded its first records in time."""
        return not self.options.no_time_limit and not self.left()

    @property
    def check_seconds(self) -> float:
        """Seconds after which the check of one codec takes no further record."""
        if self.options.no_time_limit:
            return Budget.CHECKED
        own = self.codecs_share * self.budget
        share = Budget.CHECK * own * self.side / max(1, len(self.options.codecs))
        return min(Budget.CHECKED, max(0.1, share - Budget.FORK))

    def check_over(self, finished: int) -> bool:
        """Return whether to end the checks that are still running.

        Args:
            finished: Number of checks that have finished.
        """
        if self.options.no_time_limit:
            return False
        if self.few and self.read > Budget.LARGE * self.budget:
            return self.all_over()
        enough = min(Budget.ENOUGH, len(self.options.codecs) // 2)
        part = Budget.CHECK_LAST if finished >= Budget.MOST * len(self.options.codecs) else Budget.CHECK
        return self.all_over() or (finished >= enough and not self.left(part * self.codecs_share))

    @property
    def timing_part(self) -> float:
        """The share of the time after which timing must be over."""
        if self.options.no_time_limit:
            return 1.0
        return self._alone_part - (Budget.ALONE if self.options.alone() else 0.0)

    @property
    def _alone_part(self) -> float:
        """The share of the time after which operations with separate processes must be over."""
        return 1 - Budget.MEMORY if self.options.memory() else 1.0

    @property
    def stretched(self) -> float:
        """The same, with a small extension if there would otherwise be no result."""
        return self.timing_part + Budget.SLACK

    def alone_over(self, seconds: float = 0.0) -> bool:
        """Return whether there is no time for one more process of that many seconds."""
        return not self.options.no_time_limit and self.left(self._alone_part) <= seconds

    def all_over(self) -> bool:
        """Return whether to end everything that is still running."""
        return time.monotonic() >= self.begun + self.most

    @property
    def most(self) -> float:
        """Maximum seconds in total, until everything is ended."""
        return math.inf if self.options.no_time_limit else (1 + Budget.SLACK) * self.budget + Budget.GRACE

    def processes(self, seconds: Mapping[str, float]) -> list[str]:
        """Return the codecs for which there is, or nearly is, enough time, the fastest first.

        Args:
            seconds: Rough time of one timing process for each codec.
        """
        order = sorted(seconds, key=seconds.__getitem__)
        totals = accumulate((seconds[name] for name in order), initial=Budget.START)
        left = self.codecs_share * self.left(self.timing_part + Budget.SLACK / 2)
        if self.options.no_time_limit:
            left = math.inf
        found = [
            name
            for name, total in zip(order, islice(totals, 1, None), strict=True)
            if min(self.options.fewest, Processes.FEWEST) * total <= left
        ]
        return found if len(found) > 1 or len(found) == len(order) else []
