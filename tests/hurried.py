"""``bakeoff`` with few and short timing processes, for tests of everything in a run except its figures.

``python tests/hurried.py ARGUMENTS`` runs ``bakeoff ARGUMENTS``. The measurements and their evaluation are
the same, with fewer slices in fewer processes, which are all forked like those of checks, and with fewer
calls to find memory growth. Slices, these calls and the start of Python take most of the time of a short run.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from bakeoff.bench.method import Budget, Processes, Readers

if TYPE_CHECKING:
    from bakeoff.bench.messages.alone import Alone
    from bakeoff.bench.results import Cell
    from bakeoff.bench.run.context import Run, Stage

BAKEOFF = (sys.executable, "-P", __file__)
"""The command, to which arguments are added."""
DECIDED = (sys.executable, "-P", __file__, "--in-full")
"""The same with as many timing processes as usual, for output with ranks and verdicts."""
GROWTH = 0.05
"""Seconds of a pass that looks for memory growth; it takes up to 3 s per cell otherwise."""


def hurry(change: Callable[[object, str, object], None] = setattr, *, in_full: bool = False) -> None:
    """Shorten runs of this process.

    Args:
        change: Function that sets an attribute.
        in_full: Keep the number of timing processes and enough slices to rank codecs.
    """
    from bakeoff.bench.messages.alone import Alone
    from bakeoff.bench.messages.evolution import TimeVersions
    from bakeoff.bench.messages.prepare import Prepare
    from bakeoff.bench.messages.timing import Time
    from bakeoff.bench.run import journal, memory, processes
    from bakeoff.bench.run.alone import job_of
    from bakeoff.bench.watch import tasks

    # Slices of a process take as long.
    change(Processes, "START", 0.1 if in_full else 0.0)
    change(tasks, "USUAL", tasks.Effort(seconds=0.05) if in_full else tasks.Effort(2, 0.05))
    change(Readers, "SLICE", 0.001)
    if not in_full:
        change(Processes, "CHOSEN", Processes.FEWEST)
        change(Budget, "QUICK_FIRST_LOOK", Processes.FEWEST)

    def brief(run: Run, stage: Stage, cell: Cell) -> Alone:
        return dataclasses.replace(job_of(run, stage, cell), options={"seconds": GROWTH})

    change(memory, "job_of", brief)
    # A test is not continued after a loss of power.
    change(journal, "fsync", lambda handle: None)
    change(processes, "FORKED", (*processes.FORKED, Alone, Prepare, TimeVersions, Time))


if __name__ == "__main__":
    from bakeoff.cli import main

    in_full = sys.argv[1:2] == ["--in-full"]
    if in_full:
        del sys.argv[1]
    hurry(in_full=in_full)
    main()
