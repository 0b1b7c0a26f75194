"""The timing contract in words, and what a run would do."""

from __future__ import annotations

from ...codecs.registry import bare_name
from ..operations import OPERATIONS, operation
from ..operations.base import BURST
from .environment import abreast
from .options import Options

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
   a yardstick among them; a process is {rounds} rounds; the run goes on until every pair of interest
   is resolved or known to ±{precision:g} %, or the budget of {budget:g} s per corpus is spent (five
   processes at the least), which is then said.
   Within a process the median over slices of many records counts, and the mean over slices of
   few in which those far off weigh less; over processes the mean, with Student's t. Slow codecs
   take part in fewer rounds. A slice is measured again on the same records when the kernel says
   it took the processor away; none is dropped.
5. Ties are ties. faster, slower, same (within ±{tie:g} %) or unresolved; Holm over the pairs of a table;
   looking early is paid for: verdicts spend {alpha:.4f} instead of 0.05.
6. A cell can fail alone: checks run in a process per codec, with limits ({memory} MiB, {timeout:g} s
   without progress); who dies while being timed is out, the others go on. Results are on disk
   after every process; Ctrl-C keeps them, --resume goes on.
7. Environment with the numbers; the floor row is a plain copy of the bytes: what measuring costs.
"""

_CHECK = 0.8
_PROCESS = 0.35
_MEMORY = 1.5
_SLICE = 2.0
"""Warm-up, touching and making records, beside the slice itself."""


def explain(options: Options) -> str:
    """Return the contract with the numbers of these options, and what would be run."""
    contract = CONTRACT.format(
        slice=options.slice * 1000,
        burst=BURST,
        rounds=options.turns(_cells(options)),
        precision=100 * options.precision,
        budget=options.budget,
        tie=100 * options.tie,
        alpha=options.rule.alpha,
        memory=options.cell_memory >> 20,
        timeout=options.cell_timeout,
    )
    chosen = _all(options)
    operations = "\n".join(_line(name) for name in chosen)
    others = "\n".join(_line(name) for name in OPERATIONS if name not in chosen)
    corpora = len(options.corpora)
    low, high = (corpora * seconds for seconds in _seconds(options))
    mode = "one codec per process, alternating" if options.isolate else "all codecs in the same processes"
    return (
        f"{contract}\nThis run\n\n"
        f"  corpora     {', '.join(options.corpora)}\n"
        f"  codecs      {len(options.codecs)}: {', '.join(options.codecs)}\n"
        f"  operations\n{operations}\n"
        f"  sample      at most {options.sample:,} records, {options.sample_bytes >> 20} MiB, a corpus\n"
        f"  mode        {mode}; garbage collector {options.gc}\n"
        f"  takes       about {low:.0f} to {high:.0f} s, as ties need longer than clear differences\n"
        f"\nNot in this run (--ops, --repeat, --streamed, --gc both, --infer)\n\n{others}\n"
    )


def _line(name: str) -> str:
    return f"    {name:22}{operation(name).summary}"


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


def _seconds(options: Options) -> tuple[float, float]:
    """Guess the time for one corpus: a lower and an upper end in seconds."""
    side = abreast()
    codecs = len(options.codecs)
    fixed = codecs * _CHECK / side + codecs * len(options.memory()) * _MEMORY / side
    rounds = options.turns(_cells(options))
    process = _PROCESS + codecs * len(options.timed()) * rounds * options.slice * _SLICE
    if options.isolate:
        process += (codecs - 1) * _PROCESS
    least = options.fewest * process if options.timed() else 0.0
    most = max(options.budget, least) if options.timed() else 0.0
    return fixed + min(least, most), fixed + most
