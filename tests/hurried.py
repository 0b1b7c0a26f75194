"""``bakeoff`` with few and short timing processes, for tests of everything in a run except its figures.

``python tests/hurried.py ARGUMENTS`` runs ``bakeoff ARGUMENTS``. The measurements and their evaluation are
the same, with fewer slices in fewer processes, which are all forked like those of checks, and with fewer
calls to find memory growth. Slices, these calls and the start of Python take most of the time of a short run.
Tests that begin a session themselves pass it the same pace.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from bakeoff.bench.method import Pace, Processes

BAKEOFF = (sys.executable, "-P", __file__)
"""The command, to which arguments are added."""
DECIDED = (sys.executable, "-P", __file__, "--in-full")
"""The same with as many timing processes as usual, for output with ranks and verdicts."""
IN_FULL = Pace(slices=0.1, reading=0.001, growth=0.05, forks=True, durable=False)
"""As many timing processes as usual, with enough slices to rank codecs."""
HURRIED = Pace(slices=0.0, fewest=Processes.FEWEST, reading=0.001, growth=0.05, forks=True, durable=False)
"""Few and short timing processes."""


def hurry(change: Callable[[object, str, object], None] = setattr, pace: Pace = HURRIED) -> None:
    """Shorten all runs of this process that are given no pace.

    Args:
        change: Function that sets an attribute.
        pace: That of these runs.
    """
    from bakeoff.bench.watch import tasks

    change(Pace, "usual", pace)
    change(tasks, "USUAL", tasks.Effort(seconds=0.05) if pace.fewest is None else tasks.Effort(2, 0.05))


if __name__ == "__main__":
    from bakeoff.cli import main

    in_full = sys.argv[1:2] == ["--in-full"]
    if in_full:
        del sys.argv[1]
    hurry(pace=IN_FULL if in_full else HURRIED)
    main()
