"""Every operation: what it measures, when it runs, and what carries it out.

An operation is an entry here, a unit in `results.UNITS`, and what does the work: for the memory kind a
function::

    def measure(codec, records, payloads, options) -> Measured: ...

It is called once in a fresh process, with the codec, the sample's records (made for this process,
nothing shared), their payloads, and the operation's options; `options["operation"]` names it, and
`options["beat"]`, if there, is called between calls of the codec, as who stands still is taken to hang.
The check kind is a figure of that name in the check's answer; the timed kind is prepared in `timing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, cast

from ..results import Fact

__all__ = [
    "BURST",
    "DEFAULT",
    "FRESH",
    "MEMORY",
    "OPERATIONS",
    "Measure",
    "Measured",
    "Operation",
    "entry",
    "still",
]

BURST = 32
"""Calls that are timed together at most, after their records or payloads were touched: as many as fit into
the processor's first caches, as those that were made or received a moment ago would, however large
the sample is; the same number for all codecs, as nearer data are quicker.
All of the sample is gone through, as few records again and again would teach the processor their branches,
by which some codecs gain more than others: ``bakeoff run --sample 64`` shows it."""
FRESH = 4
"""The same for records that were just decoded and are fixed up: nobody does that long after."""

Kind = Literal["timed", "check", "memory"]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a memory operation found.

    Attributes:
        value: In the operation's unit; 0 is allowed.
        facts: Flat extras that stand beside the value (``verdict``, ``slope``, ``resolution``).
        again: Further options for one more fresh process whose answer replaces this one, for instance
            to confirm a suspicion with more windows; None when this answer stands.
    """

    value: float
    facts: Mapping[str, Fact] = field(default_factory=dict)
    again: Mapping[str, Any] | None = None


Measure = Callable[[Any, Sequence[Any], Sequence[bytes], Mapping[str, Any]], Measured]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Attributes:
        name: As in result files.
        kind: "timed" shares timing processes, "check" falls out of the correctness check,
            "memory" runs alone in a fresh process.
        summary: One line for ``--explain``.
        entry: ``module:function`` of a memory operation.
        schema: Only for codecs with a schema.
    """

    name: str
    kind: Kind
    summary: str
    entry: str = ""
    schema: bool = False


_ALL = (
    Operation("dump", "timed", "time to encode one record, on records not encoded before"),
    Operation("dump-repeat", "timed", "time to encode a record that was encoded before"),
    Operation("dump-streamed", "timed", "dump of records that no cache holds, of a list larger than these"),
    Operation("load-streamed", "timed", "load of payloads that no cache holds"),
    Operation("load", "timed", "time to decode one payload, freeing the record included"),
    Operation("fix", "timed", "time of the schema's fix-up of one decoded record", schema=True),
    Operation("dump-nogc", "timed", "dump with the garbage collector off"),
    Operation("load-nogc", "timed", "load with the garbage collector off"),
    Operation("fix-nogc", "timed", "fix with the garbage collector off", schema=True),
    Operation("size", "check", "bytes of a payload, mean"),
    Operation("peak-dump", "memory", "most memory held above the input in any encode", "peak:measure"),
    Operation("peak-load", "memory", "most memory held above the input in any decode", "peak:measure"),
    Operation("retained-records", "memory", "bytes that a decoded record holds", "retained:measure"),
    Operation("retained-payloads", "memory", "bytes that a payload holds", "retained:measure"),
    Operation("growth-dump", "memory", "bytes that stay per encode after warm-up", "growth:measure"),
    Operation("growth-load", "memory", "bytes that stay per decode after warm-up", "growth:measure"),
    Operation(
        "growth-fix", "memory", "bytes that stay per decode with fix-up", "growth:measure", schema=True
    ),
    Operation("growth-failing-load", "memory", "bytes that stay per refused payload", "growth:measure"),
)

OPERATIONS: Mapping[str, Operation] = {o.name: o for o in _ALL}

DEFAULT = ("dump", "load", "fix", "size")
"""Operations of every run."""

MEMORY = ("peak-dump", "peak-load", "growth-dump", "growth-load", "growth-fix")
"""Operations that join unless ``--no-memory``."""


def still() -> None:
    """Beat no heart: for memory operations that nobody watches."""


def entry(name: str) -> Measure:
    """Import the function behind a memory operation."""
    module, _, function = OPERATIONS[name].entry.partition(":")
    return cast("Measure", getattr(import_module(f".{module}", __package__), function))
