"""The timing contract in words, and what a run would do."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Iterator

from ...codecs.registry import bare_name
from ..jobs import Prepared
from ..method import Slices, Verdicts, printed
from ..operations import OPERATIONS, operation
from ..operations.base import Operation
from .context import Show
from .environment import abreast
from .options import Options
from .processes import LocalExecutor
from .reading import prepare
from .schedule import Schedule

__all__ = ["CONTRACT", "explain"]

CONTRACT = """\
The timing contract

1. Phases. Prepare (untimed: draw a sample, build encoders, compile the schema), check (untimed),
   dump, load, fix. What is measured is the object that `bakeoff.codec(NAME)` returns; NAME/raw
   (`--raw`) is what users of its library call instead.
2. Correctness gates speed. Every record of the sample goes through dump, load and fix and is
   compared, typed and strict (1 is not True is not 1.0, a tuple is not a list, NaN equals NaN).
   A declared loss is shown beside the figures; a wrong or crashing codec shows that instead.
3. One quantity per pass. Time, memory and fidelity come from separate processes. A figure is
   that of the mean record: slices rotate through the sample, dear records have slices of their
   own, and what a slice holds is known from what the check took for each record. Records for
   dump are fresh: CPython keeps the UTF-8 of text that is not ASCII, so a second dump of the
   same record is quicker than the first (`--repeat` shows it). Records and payloads are touched
   just before, as if they had just been made or received (`--streamed` shows the opposite), and
   half a slice of warm-up comes before each slice (none for slow codecs): the codecs before it
   left the caches cold.
4. Short shuffled slices, many short processes, paired statistics. A slice is some calls, about
   {slice:.2f} ms, timed in bursts of at most {burst}; a round is every codec once, in random order, with
   a reference kernel among them; a process is {rounds} rounds; the run goes on until every pair of interest
   is resolved or known to ±{precision:g} %, or the {budget:g} s for a corpus are over, which is then
   said: reading, check and memory take their part of them, and codecs that the rest does not
   suffice for are told with what their check took (--all gives all of them the time).
   Within a process the median over slices of many records counts, and the mean over slices of
   few in which those far off weigh less; over processes the mean, with Student's t. Slow codecs
   take part in fewer rounds. A slice is measured again on the same records when the kernel says
   it took the processor away. A neighbor on the same physical core slows each codec by another
   factor: the reference kernel over a chain of dependent steps shows it around every slice. Slices
   on a shared core are repeated, and figures are those of a free core wherever it was to be had.
5. Ties are ties. faster, slower, same (within ±{tie:g} %) or unresolved; Holm over the pairs of a table,
   whose cells lend each other what is common to their noise (Smyth 2004);
   looking early is paid for: verdicts spend {alpha:.4f} instead of {all_alpha:g}.
6. A cell can fail alone: checks run in a process per codec, with limits ({memory} MiB, {timeout:g} s
   without progress); who dies while being timed is out, the others go on. Results are on disk
   after every process; Ctrl-C keeps them, --resume goes on.
7. Environment with the numbers; the floor row is a plain copy of the bytes: what measuring costs.
"""

_CHECK = 0.05
"""Seconds that the check of a codec takes to begin."""
_COMPARED = 8e-8
"""Seconds of a check for each byte of the sample."""
_PATIENT = "with time for every codec (--all)"
_PROCESS = 0.35
_CALL = 2e-8
"""Seconds of a call for each byte of a record."""
_MEMORY = 1.2
_SLICE = 3.0
"""Warm-up, touching and making records, beside the slice itself."""
_FEW = 6
"""With so many codecs few are neighbours that only many processes tell apart."""


def explain(options: Options, show: Show = lambda text, done, total: None) -> str:
    """Return the contract with the numbers of these options, and what would be run; reads the corpora.

    Raises:
        RunError: A corpus cannot be read.
        UsageError: There is no such corpus.
    """
    contract = CONTRACT.format(
        slice=options.slice * 1000,
        burst=Slices.BURST,
        rounds=options.turns(_cells(options)),
        precision=100 * options.precision,
        budget=options.budget,
        tie=100 * options.tie,
        alpha=options.rule.alpha,
        all_alpha=Verdicts.ALPHA,
        memory=options.cell_memory >> 20,
        timeout=options.cell_timeout,
    )
    chosen = _all(options)
    operations = "\n".join(_line(name, operation(name)) for name in chosen)
    others = "\n".join(_line(o.syntax, o) for name, o in OPERATIONS.items() if name not in chosen)
    read = list(_read(options, show))
    joined = (name for prepared, _ in read for name in prepared.joined)
    options = dataclasses.replace(options, codecs=tuple(dict.fromkeys((*options.codecs, *joined))))
    seconds = sum(_seconds(options, prepared, taken) for prepared, taken in read)
    most = sum(Schedule(options, taken).most for _, taken in read)
    limit = f"and at most {most:.0f} s" if most < math.inf else _PATIENT
    mode = "one codec per process, alternating" if options.isolate else "all codecs in the same processes"
    return (
        f"{contract}\nThis run\n\n"
        f"  corpora     {'; '.join(_corpus(prepared, taken) for prepared, taken in read)}\n"
        f"  codecs      {len(options.codecs)}: {', '.join(options.codecs)}\n"
        f"  operations\n{operations}\n"
        f"  sample      at most {options.sample:,} records, {options.sample_bytes >> 20} MiB, a corpus\n"
        f"  mode        {mode}; garbage collector {options.gc}\n"
        f"  takes       about {seconds:.0f} s, {limit}\n"
        f"\nNot in this run (--ops, --repeat, --streamed, --gc both, --infer)\n\n{others}\n"
        f"\nThe constants of the method\n\n{printed()}"
    )


def _line(name: str, told: Operation) -> str:
    return f"    {name:22}{told.summary}"


def _all(options: Options) -> list[str]:
    rest = [name for name in options.operations if operation(name).phase != "time"]
    return [*options.timed(), *rest]


def _cells(options: Options) -> int:
    """Return the cells that share a process, the floor's among them, if every codec gets so far."""
    fixed = [name for name in options.timed() if operation(name).schema]
    if options.isolate:
        return max(1, len(options.timed()) - len(fixed))
    with_schema = [name for name in options.codecs if bare_name(name) != name]
    alone = len({bare_name(name) for name in options.codecs}) + 1
    return max(1, alone * (len(options.timed()) - len(fixed)) + len(with_schema) * len(fixed))


def _read(options: Options, show: Show) -> Iterator[tuple[Prepared, float]]:
    """Draw the samples, and say how long that took."""
    with LocalExecutor() as executor:
        for source, size in options.sources():
            begun = time.monotonic()
            show(f"reading {source}", -1, 0)
            yield prepare(executor, options, source, size=size), time.monotonic() - begun


def _corpus(prepared: Prepared, taken: float) -> str:
    facts = prepared.facts
    size = _size(prepared)
    drawn = f"{facts['sample']:,} of {facts['records']:,} records"
    return f"{facts['name']}, {drawn}, {size:,.0f} bytes each, read in {taken:.1f} s"


def _size(prepared: Prepared) -> float:
    """Return the bytes of a record, as JSON or else as a pickle."""
    profile = prepared.facts["profile"]
    return float(profile.get("bytes_mean") or profile.get("size_mean") or 0.0)


def _seconds(options: Options, prepared: Prepared, read: float) -> float:
    """Guess the seconds that a corpus takes: as long as there is time, unless the stop rule is content.

    It is with few codecs, in the first look or soon after: neighbours in rank are far apart then.
    """
    schedule, side, codecs = Schedule(options, read), abreast(), len(options.codecs)
    size = _size(prepared)
    compared = min(schedule.check_seconds, _COMPARED * size * float(prepared.facts["sample"]))
    check = min(codecs * (_CHECK + compared) / side, max(0.0, schedule.most - read))
    memory = codecs * len(options.memory()) * _MEMORY / side
    memory += min(
        codecs * len(options.alone()) * options.fewest * _PROCESS, max(schedule.budget - read - check, 0.0)
    )
    if not options.timed():
        return read + check + memory
    slices = options.turns(_cells(options)) * options.slice
    process = _PROCESS + codecs * len(options.timed()) * max(slices * _SLICE, 2 * _CALL * size)
    if options.isolate:
        process += (codecs - 1) * _PROCESS
    least = (options.fewest + 2) * process
    most = max(schedule.budget * schedule.timing_part - read - check, 0.0)
    if options.no_time_limit:
        return read + check + memory + (max(least, schedule.budget) if codecs > _FEW else least)
    timing = min(least, most) if codecs <= _FEW else most
    return min(read + check + timing + memory, max(schedule.budget, read + check))
