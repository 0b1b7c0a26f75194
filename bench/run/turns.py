"""Turns of sessions that share this machine, so that only one of them works at a time."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

_TICK = 0.1
"""Seconds between two calls of `waiting`."""


class Turn:
    """The turn of one session.

    Args:
        line: The turns of all sessions; the first one works.
        changed: Protects the line, and says that it has changed.
    """

    def __init__(self, line: list[Turn], changed: threading.Condition) -> None:
        self._line = line
        self._changed = changed
        line.append(self)

    @contextlib.contextmanager
    def taken(self, waiting: Callable[[], object]) -> Iterator[None]:
        """Wait for the turn, and leave the line at the end.

        Args:
            waiting: Called regularly until then; may raise to give up.
        """
        try:
            with self._changed:
                while self._line[0] is not self:
                    waiting()
                    self._changed.wait(_TICK)
            yield
        finally:
            self.leave()

    def leave(self) -> None:
        """Leave the line, unless that is done."""
        with self._changed:
            if self in self._line:
                self._line.remove(self)
            self._changed.notify_all()

    def pass_on(self) -> float:
        """Let each of the others work once; return the seconds that this took."""
        begun = time.monotonic()
        with self._changed:
            self._line.append(self._line.pop(0))
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._line[0] is self)
        return time.monotonic() - begun


def turns(number: int) -> list[Turn]:
    """Return the turns of so many sessions, in their order."""
    line: list[Turn] = []
    changed = threading.Condition()
    return [Turn(line, changed) for _ in range(number)]
