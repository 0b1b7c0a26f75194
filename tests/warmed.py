"""One process that forks the workers of all runs of a test process, as its start takes most of a short run.

A run with another environment or interpreter than the tests starts its own process, as usual.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping

from bakeoff.bench.run import processes
from bakeoff.bench.run.warm import Warm


class _Kept(Warm):
    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """Do nothing: other runs still use it, and it ends with the test process."""


class Shared:
    """Replacement for `Warm` with which runs share one process."""

    def __init__(self) -> None:
        self._environment = _without_test(processes._environment())
        self._kept: _Kept | None = None

    def __call__(self, environment: Mapping[str, str], python: str = sys.executable) -> Warm:
        """Return the shared process, or a new one for a run that cannot share it."""
        # The process ends with the thread that starts it.
        here = threading.current_thread() is threading.main_thread()
        if not here or python != sys.executable or _without_test(environment) != self._environment:
            return Warm(environment, python)
        if self._kept is None or not self._kept.is_running:
            self.close()
            self._kept = _Kept(environment, python)
        return self._kept

    def close(self) -> None:
        """Stop the shared process."""
        if self._kept is not None:
            Warm.close(self._kept)


def _without_test(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name != "PYTEST_CURRENT_TEST"}
