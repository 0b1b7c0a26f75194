"""The plan of a run, and the timing method in words."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...codecs.naming import bare_name
from ..method import Slices, Verdicts, printed
from ..operations import declared, operation
from ..operations.base import Operation
from .context import Show
from .options import Options
from .processes import LocalExecutor
from .reading import prepare
from .schedule import Schedule

CONTRACT = """\
The timing contract

1. Phases. Prepare (untimed: draw a sample, create encoders, compile the schema), check
   (untimed), dump, load, fix. The object that is measured is the one that `bakeoff.codec(NAME)`
   returns. NAME/raw (`--raw`) is the call that users of the library make instead.
2. Correctness before speed. Every record of the sample goes through dump, load and fix, and is
   compared strictly, with types (1 is not True is not 1.0, a tuple is not a list, NaN equals
   NaN). A declared loss is shown next to the figures. A wrong or crashing codec has no figures.
3. One quantity per pass. Separate processes measure time, memory and fidelity. A figure is that
   of the mean record: slices rotate through the sample, expensive records have slices of their
   own, and the check gives the expected cost of each slice. Records for dump are fresh, because
   CPython keeps the UTF-8 form of non-ASCII text, so a second dump of the same record is faster
   (`--repeat` shows it). Records and payloads are touched just before, as if they were new
   (`--cold` shows the opposite). Half a slice of warm-up comes before each slice (none for slow
   codecs), because the other codecs left the caches cold. With `--burst` each call is timed by
   itself, after other work that takes the codec out of the caches.
4. Short shuffled slices, many short processes, paired statistics. A slice is some calls, about
   {slice:.2f} ms, timed in bursts of at most {burst}. A round is every codec once, in random order, with
   a reference kernel among them. A process is {rounds} rounds. The run continues until every pair of
   interest is resolved or known to ±{precision:g} %, or until the {budget:g} s for a corpus are over, and the
   table says which. Reading, check and memory take their part of this time. Codecs that do not
   fit into the rest are listed with the time of their check (--all times all of them).
   Within a process the median over slices of many records counts. For slices of few records it
   is a mean that gives outliers less weight. Over processes it is the mean, with Student's t.
   Slow codecs take part in fewer rounds. If the kernel took the processor away during a slice,
   the slice is measured again on the same records. A neighbor on the same physical core slows
   each codec by a different factor. The reference kernel over a chain of dependent steps detects
   it around every slice. Slices on a shared core are repeated, and figures are those of a free
   core if there was one.
5. Ties are ties. Verdicts are faster, slower, same (within ±{tie:g} %) or unresolved, with Holm over the
   pairs of a table. Cells share the common part of their noise (Smyth 2004). Because the run peeks
   early, it demands stronger evidence ({alpha:.4f}, not {all_alpha:g}).
6. A cell can fail alone. Checks run in a process per codec, with limits ({memory} MiB, {timeout:g} s
   without progress). A codec that dies while it is timed is dropped, and the others continue.
   Results are written after every process. Ctrl-C keeps them, --resume continues.
7. The result stores the environment. The baseline row is a plain copy of the bytes, which is the
   overhead of the harness.
"""

_CHECK = 0.05
"""Seconds to start the check of a codec."""
_COMPARED = 8e-8
"""Seconds of a check per byte of the sample."""
_PATIENT = "with time for every codec (--all)"
_PROCESS = 0.35
_CALL = 2e-8
"""Seconds of a call per byte of a record."""
_MEMORY = 1.2
_COUNT = 6.0
"""Seconds to count the instructions of a codec, which no budget limits."""
_SLICE = 3.0
"""Time of a slice including warm-up, touching and making records, as a multiple of the slice itself."""
_FEW = 6
"""With at most this number of codecs, few pairs are so close that they need many processes."""


def explain(options: Options, show: Show = lambda text, done, total: None) -> str:
    """Return the plan, and the method with the numbers of these options; reads the corpora.

    Raises:
        RunError: A corpus cannot be read.
        UsageError: There is no such corpus.
    """
    plans = list(_plans(options, show))
    contract = CONTRACT.format(
        slice=options.slice * 1000,
        burst=Slices.BURST,
        rounds=min(plan.rounds for plan in plans),
        precision=100 * options.precision,
        budget=options.budget,
        tie=100 * Verdicts.TIE,
        alpha=options.rule.alpha,
        all_alpha=Verdicts.ALPHA,
        memory=options.cell_memory >> 20,
        timeout=options.cell_timeout,
    )
    chosen = [*options.timed(), *options.untimed()]
    operations = _listed((name, operation(name)) for name in chosen)
    others = _listed((o.syntax, o) for o in declared() if o.syntax not in chosen)
    readers = f"  readers     {', '.join(options.readers)}\n" if options.readers else ""
    codecs = dict.fromkeys((*options.codecs, *(name for plan in plans for name in plan.codecs)))
    counting = sum(plan.counting() for plan in plans)
    seconds = sum(plan.seconds() for plan in plans) + counting
    most = sum(plan.schedule.most for plan in plans) + counting
    limit = f"and at most {most:.0f} s" if most < math.inf else _PATIENT
    mode = "one codec per process, alternating" if options.isolate else "all codecs in the same processes"
    each = "; each call after other work" if options.burst else ""
    return (
        "This run\n\n"
        f"  corpora     {'; '.join(map(str, plans))}\n"
        f"  codecs      {len(codecs)}: {', '.join(codecs)}\n"
        f"  operations\n{operations}\n"
        f"{readers}"
        f"  sample      at most {options.sample:,} records, {options.sample_bytes >> 20} MiB, a corpus\n"
        f"  mode        {mode}; garbage collector {options.gc}{each}\n"
        f"  takes       about {seconds:.0f} s, {limit}\n"
        f"\n{contract}"
        f"\nNot in this run (--ops, --repeat, --cold, --gc both, --infer)\n\n{others}\n"
        f"\nThe constants of the method\n\n{printed()}"
    )


def _listed(operations: Iterable[tuple[str, Operation]]) -> str:
    lines = []
    for name, found in operations:
        summary = found.summary.replace("{place}", found.place.lower())
        summary = summary.replace("{parameter}", found.parameter)
        lines.append(f"    {name:21} {summary}")
    return "\n".join(lines)


def _plans(options: Options, show: Show) -> Iterator[_Plan]:
    """Draw the samples."""
    with LocalExecutor() as executor:
        for source, size in options.sized():
            begun = time.monotonic()
            show(f"reading {source}", -1, 0)
            prepared = prepare(executor, options, source, size=size)
            entered = dataclasses.replace(options, codecs=prepared.codecs)
            yield _Plan(prepared.facts, Schedule(entered, time.monotonic() - begun))


@dataclass(frozen=True, slots=True)
class _Plan:
    """The plan for a corpus.

    Attributes:
        facts: Facts about the corpus.
        schedule: Its schedule, with the options for this corpus.
    """

    facts: Mapping[str, Any]
    schedule: Schedule

    def __str__(self) -> str:
        drawn = f"{self.facts['sample']:,} of {self.facts['records']:,} records"
        read = f"read in {self.schedule.read:.1f} s"
        return f"{self.facts['name']}, {drawn}, {self.record_size:,.0f} bytes each, {read}"

    @property
    def codecs(self) -> tuple[str, ...]:
        """The codecs that are entered on it."""
        return self.schedule.options.codecs

    @property
    def record_size(self) -> float:
        """The bytes of a record as JSON, or else as a pickle."""
        profile = self.facts["profile"]
        sizes = ("batch_bytes_mean", "bytes_mean", "size_mean")
        return float(next(filter(None, map(profile.get, sizes)), 0.0))

    @property
    def rounds(self) -> int:
        """The rounds of a process if every codec passes its check."""
        options = self.schedule.options
        timed = options.timed()
        fixed = [name for name in timed if operation(name).schema]
        if options.isolate:
            return options.rounds_for(max(1, len(timed) - len(fixed)))
        bare = {bare_name(name) for name in self.codecs}
        with_schema = [name for name in self.codecs if bare_name(name) != name]
        cells = (len(bare) + 1) * (len(timed) - len(fixed)) + len(with_schema) * len(fixed)
        return options.rounds_for(max(1, cells))

    def counting(self) -> float:
        """Estimate the seconds for counts of instructions."""
        counted = bool(self.schedule.options.counted())
        return counted * len(self.codecs) * _COUNT / self.schedule.side

    def seconds(self) -> float:
        """Estimate the seconds that it takes: the whole budget, unless the stop rule ends it earlier.

        With few codecs the rule does so at the first look or soon after, as neighbors in rank are far apart.
        """
        schedule, options, side = self.schedule, self.schedule.options, self.schedule.side
        read, codecs, size = schedule.read, len(self.codecs), self.record_size
        compared = min(schedule.check_seconds, _COMPARED * size * float(self.facts["sample"]))
        check = min(codecs * (_CHECK + compared) / side, max(0.0, schedule.most - read))
        memory = codecs * len(options.memory()) * _MEMORY / side
        alone = codecs * len(options.alone()) * options.fewest * _PROCESS
        memory += min(alone, max(schedule.budget - read - check, 0.0))
        if not options.timed():
            return read + check + memory
        slices = self.rounds * options.slice_seconds
        process = _PROCESS + codecs * len(options.timed()) * max(slices * _SLICE, 2 * _CALL * size)
        if options.isolate:
            process += (codecs - 1) * _PROCESS
        least = (options.fewest + 2) * process
        most = max(schedule.budget * schedule.timing_part - read - check, 0.0)
        if options.no_time_limit:
            return read + check + memory + (max(least, schedule.budget) if codecs > _FEW else least)
        timing = min(least, most) if codecs <= _FEW else most
        return min(read + check + timing + memory, max(schedule.budget, read + check))
