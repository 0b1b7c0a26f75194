"""``bakeoff`` whose timing processes are few and short: for tests of all of a run but its figures.

``python tests/hurried.py ARGUMENTS`` is ``bakeoff ARGUMENTS``. What is measured and what becomes of it are as
ever; there are only fewer slices, in fewer processes, all of which are forked as those of checks are. Slices
and the start of Python are most of what a short run costs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from bakeoff.bench.method import Budget, Processes

__all__ = ["BAKEOFF", "hurry"]

BAKEOFF = (sys.executable, "-P", __file__)
"""The command, to which arguments are added."""


def hurry(change: Callable[[object, str, object], None] = setattr) -> None:
    """Have runs of this process take little time.

    Args:
        change: Sets an attribute.
    """
    from bakeoff.bench.jobs import Alone, Prepare, Time
    from bakeoff.bench.run import processes

    change(Processes, "START", 0.0)  # of slices in a process: FEWEST_ROUNDS are left
    change(Processes, "CHOSEN", Processes.FEWEST)
    change(Budget, "QUICK_FIRST_LOOK", Processes.FEWEST)
    change(processes, "FORKED", (*processes.FORKED, Alone, Prepare, Time))


if __name__ == "__main__":
    from bakeoff.cli import main

    hurry()
    main()
