"""What an operation is: a declaration and the function that carries it out, both in one file.

A file of this folder, or of a package that publishes one through the entry-point group
``bakeoff.operations``, makes an `Operation`. What its function takes and returns depends on its phase:

========  ============================================  =====================================================
phase     function                                      when
========  ============================================  =====================================================
time      ``(Given) -> Work``                           in timing processes, shared by all codecs of a corpus
check     ``(Given) -> float | Measured``               at the end of the correctness check
memory    ``(codec, records, payloads, options) ->      alone in a fresh process; see `Measure`
          Measured``
alone     ``(Given, Tools) -> Measured``                alone in a fresh process, in several one after the
                                                        other
========  ============================================  =====================================================

The check calls every timed operation once on each record and compares what comes back with what its
`TimedCall` says it expects. Unit, direction and heading travel in the result file. Of a timed operation more
is better where its figure is a rate, records a second: what is measured is seconds, and turned over in the
result.

An operation may be asked for with a place and a parameter, ``get@lmdb:LG``; see `bench.cells`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ...errors import UsageError
from ..backends.registry import shown_name
from ..cells import Cell, operation_name
from ..method import Slices
from ..results import Direction, Fact, Facts, OperationFacts, Part, Phase, Setup, Unit, without_defaults

if TYPE_CHECKING:
    from ...codecs import Codec

__all__ = [
    "COLD",
    "NOGC",
    "PLAIN",
    "Batch",
    "CodecParts",
    "Context",
    "Measure",
    "MeasureAlone",
    "Measured",
    "Operation",
    "Ring",
    "Sample",
    "TimedCall",
    "Toolkit",
    "UnfitError",
    "Variant",
    "burst",
    "length_of_slice",
    "made_anew",
    "nowhere",
    "rotating",
    "still",
]


_SEPARATORS = "/,"
"""Part cells' names and lists of operations."""

Ring = Sequence[int]
"""Indices into the sample, in the order they are gone through and round again."""
Batch = Callable[[int, int], tuple[list[Any], int]]
"""``batch(start, count)`` returns a list and the index in it to start at."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Another way to carry out an operation; the name in result files is ``OPERATION-VARIANT``.

    Attributes:
        summary: One line for ``--dry-run``; ``{}`` stands for the operation.
        collect: Garbage collection is on during the calls.
        cold: Items come from memory, as those of a list larger than the caches do.
        repeated: Items have been used before.
    """

    name: str
    summary: str
    collect: bool = True
    cold: bool = False
    repeated: bool = False


class Sample(Protocol):
    """The records that are measured.

    Attributes:
        pickles: One per record.
        weights: Size of each record relative to the mean record.
    """

    @property
    def pickles(self) -> Sequence[bytes]: ...
    @property
    def weights(self) -> Sequence[float]: ...
    def records(self, indices: Iterable[int] | None = None) -> list[Any]:
        """Make records anew, all unless some are named."""
        ...


@dataclass(frozen=True, slots=True)
class CodecParts:
    """A codec and its parts.

    Attributes:
        codec: As named, what users would import.
        bare: The same without its schema, or its library's own calls; what dump and load measure.
        fix: The schema's fix-up, or None when there is none or nothing to do.
        take: Makes of a record what the codec takes; for codecs that need a schema.
        give: Makes of what the codec gives a record again, for comparison.
    """

    codec: Codec
    bare: Codec
    fix: Callable[[Any], Any] | None = None
    take: Callable[[Any], Any] | None = None
    give: Callable[[Any], Any] | None = None

    def taken(self, records: list[Any]) -> list[Any]:
        """Return records as the codec takes them."""
        return records if self.take is None else [self.take(record) for record in records]


PLAIN = Variant("", "{}")
"""The operation itself."""
NOGC = Variant("nogc", "{} with the garbage collector off", collect=False)
COLD = Variant("cold", "{} of what no cache holds, of a list larger than these", cold=True)


@dataclass(frozen=True, slots=True)
class Context:
    """What an operation is carried out with.

    Attributes:
        parts: The codec.
        sample: The records.
        payloads: The codec's own payloads of them.
        shared: All records of the sample, to be encoded by one codec after the other; None where encoding
            may leave something behind in them.
        variant: How; what is common to all operations is seen to by who asks.
        place: What stands behind ``@`` in the operation's name.
        parameter: What stands behind ``:``.
        url: Where the place is, for places that are servers; never to be shown, as it may hold a password.
    """

    parts: CodecParts
    sample: Sample
    payloads: Sequence[bytes] = ()
    shared: Sequence[Any] | None = None
    variant: Variant = PLAIN
    place: str = ""
    parameter: str = ""
    url: str = ""

    def records(self) -> list[Any]:
        """Return fresh copies of the records that have payloads, in the form that the codec takes."""
        return self.parts.taken(self.sample.records(range(len(self.payloads))))


def nowhere(place: str, parameter: str) -> Setup | None:
    """Accept what an operation is asked for with: it looks at neither."""
    return None


def _nothing() -> None:
    """Leave nothing behind."""


class UnfitError(Exception):
    """A codec has no such operation; says why."""


@dataclass(frozen=True, slots=True)
class TimedCall:
    """A timed operation of one codec on one sample.

    A function that cannot make one for this codec raises `UnfitError`, with the reason.

    Attributes:
        call: What is timed.
        batches: Makes of a ring of records what gives `call` its items; not timed.
        expected: What `call` returns for a record of the sample, by its index, compared strictly and typed;
            None where returning at all is enough.
        collect: Garbage collection switched on during the calls.
        touched: Items are touched just before, untimed. Records have been made and payloads received
            a moment before they are encoded and decoded; without this the first codec of a round
            would fetch them from memory for all others.
        burst: Calls that are timed together.
        cold: Items come from memory instead, as those of a list larger than the caches do.
        inside: Returns the nanoseconds that count, spent within the calls since it was last asked, in place
            of all that the calls take: those of a codec in a store, for instance.
        waits: A call waits for others, a server or a disk: the processor's time tells nothing of it.
        records: How many records a call is for, if not for that of its item: figures are per record, and the
            check makes one call and takes all for equal.
        calls: How many different calls there are, if not one for each record: indices count calls then, and
            the check makes them all.
        close: Called when all is done: files, stores.
    """

    call: Callable[[Any], object]
    batches: Callable[[Ring], Batch]
    expected: Callable[[int], object] | None = None
    collect: bool = True
    touched: bool = False
    burst: int = Slices.BURST
    cold: bool = False
    inside: Callable[[], int] | None = None
    waits: bool = False
    records: int = 1
    calls: int | None = None
    close: Callable[[], object] = _nothing


@dataclass(frozen=True, slots=True)
class Measured:
    """What an operation found that has a process for itself.

    Attributes:
        value: In the operation's unit; 0 is allowed.
        extras: What is known besides, flat; see `Operation.columns`.
        facts: The same where there is a type for it.
        resolution: Least value that the method can see, in the same unit; None where it sees all.
        again: Further options for one more fresh process whose answer replaces this one, for instance
            to confirm a suspicion with more windows; None when this answer stands.
        together: Of operations that are measured together, the figure of each by its name without place and
            parameter, or why there is none; it stands in place of `value`.
    """

    value: float
    extras: Mapping[str, Fact] = field(default_factory=dict)
    facts: Facts | None = None
    resolution: float | None = None
    again: Mapping[str, Any] | None = None
    together: Mapping[str, float | str] = field(default_factory=dict)

    def known(self) -> dict[str, Any]:
        """Return what is known besides the value as plain values, by the fields of `CellResult`."""
        found = without_defaults(self)
        found["extras"] = {str(key): _flat(value) for key, value in self.extras.items()}
        return {key: found[key] for key in ("extras", "facts", "resolution") if found.get(key)}


def _flat(value: object) -> Fact:
    """Return a value as a result file can hold it: another package's operation may find anything."""
    if value is None or isinstance(value, str | bool | int):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)


Measure = Callable[[Any, Sequence[Any], Sequence[bytes], Mapping[str, Any]], Measured]
"""``(codec, records, payloads, options)``: the records were made for this process and nothing is shared;
``options["operation"]`` names the operation, and ``options["beat"]``, if there, is called between calls of
the codec, as who stands still is taken to hang."""


@dataclass(frozen=True, slots=True)
class Toolkit:
    """What an operation that runs alone, process after process, is lent.

    Attributes:
        beat: Called between calls of the codec, as who stands still is taken to hang.
        each: ``each(call, items)`` calls with each item in turn and returns the nanoseconds of each call,
            clocked in C; what comes back is dropped, and each item is touched before, untimed.
        clock: Nanoseconds that `each` tells of calls of nothing, in rising order: what the clock itself adds.
        path: What other processes need in `sys.path`, for codecs of the user's own modules.
    """

    beat: Callable[[], object]
    each: Callable[[Callable[[Any], object], list[Any]], list[int]]
    clock: Sequence[int]
    path: Sequence[str] = ()


MeasureAlone = Callable[[Context, Toolkit], Measured]
"""An operation that runs alone: one value for this process, none of whose calls has used the codec before.
Raises `UnfitError` where the codec has no such operation."""


def _once_each(records: int, call: float) -> float:
    return records * call


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation.

    Attributes:
        name: As in result files.
        phase: When it runs: "time" shares timing processes, "check" falls out of the correctness check,
            "memory" runs alone in a fresh process, "alone" likewise but once a round, as timing does, so that
            its figures have intervals.
        summary: One line for ``--dry-run``.
        carry_out: What does the work; see above.
        unit: Of its figures, per record.
        direction: Which figures are better; the higher ones of a timed operation are records a second.
        heading: Of its column; here and in `summary` stand ``{place}`` and ``{parameter}`` for what they are.
        place: What its place is, for instance "STORE"; empty where it has none.
        parameter: What its parameter is, for instance "ITEMS"; empty where it has none.
        accepts: ``accepts(place, parameter)`` raises `UsageError` for what it cannot be asked for with; texts
            that are not there are empty. Ours return what they amount to, defaults included.
        setup: What that returned.
        at_place: The place that it was asked for with.
        at_parameter: The parameter that it was asked for with.
        needs: "schema": only for codecs with a schema that has something to do.
        fixes: The schema has a part in it: with one it is another operation, and is measured for itself.
        baseline: It has a row for copying the record's bytes, the least that any codec has to do.
        cost: It is part of the cost of a write or of a read.
        default: It is in every run; where its phase is "memory", unless ``--no-memory``.
        columns: Extras of the figure that have a column of their own, in the same unit, with its heading; the
            mean over processes is shown.
        variants: Other ways to carry it out.
        operation: Its name without variant, place and parameter.
        base: Its name without variant.
        variant: Which variant this is.
        lasts: Of one that measures memory: the seconds that it takes, given the records of the sample and the
            seconds of a call, both roughly; starting is not among them.
        together: Of those that run alone: one process measures all operations that have this in common, of
            one place, parameter and variant; see `Measured.together`.
        sums: Rare calls may take much longer than most, and they count in full: the figure of a process is
            the sum of times over the sum of works, no slice weighs less than another or is measured again,
            and the mean over processes is arithmetic.
        fewest: Calls that a slice holds at least, unless it would take too long: with more calls, more of the
            rare ones are seen.
    """

    name: str
    phase: Phase
    summary: str
    carry_out: Callable[..., Any]
    unit: Unit = "second"
    direction: Direction = "lower"
    heading: str
    place: str = ""
    parameter: str = ""
    accepts: Callable[[str, str], Setup | None] = nowhere
    setup: Setup | None = None
    at_place: str = ""
    at_parameter: str = ""
    needs: frozenset[str] = frozenset()
    fixes: bool = False
    baseline: bool = False
    cost: Part | None = None
    default: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    variants: tuple[Variant, ...] = ()
    operation: str = ""
    base: str = ""
    variant: Variant = PLAIN
    lasts: Callable[[int, float], float] = _once_each
    together: str = ""
    sums: bool = False
    fewest: int = 1

    @property
    def schema(self) -> bool:
        """Whether it is only for codecs with a schema."""
        return "schema" in self.needs

    @property
    def syntax(self) -> str:
        """How its declaration's name is written."""
        return operation_name(self.operation, self.variant.name, self.place, self.parameter)

    def at(self, place: str, parameter: str) -> Operation:
        """Return the operation at a place and with a parameter, those that were asked for.

        Raises:
            UsageError: It cannot be asked for with those.
        """
        for text, taken, what in ((place, self.place, "place"), (parameter, self.parameter, "parameter")):
            if text and not taken:
                raise UsageError(f"operation {self.name!r} has no {what}, got {shown_name(text)!r}")
            if any(character in _SEPARATORS or character.isspace() for character in text):
                raise UsageError(
                    f"operation {self.name!r}: no {taken} has `/`, `,` or blanks, as what was given has "
                    "(not shown: a URL may hold a password)"
                )
        setup = self.accepts(place, parameter)

        def filled(text: str) -> str:
            return text.replace("{place}", place).replace("{parameter}", parameter)

        return dataclasses.replace(
            self,
            name=operation_name(self.operation, self.variant.name, place, parameter),
            base=operation_name(self.operation, "", place, parameter),
            setup=setup,
            at_place=place,
            at_parameter=parameter,
            heading=filled(self.heading),
            summary=filled(self.summary),
        )

    def family(self) -> Iterator[Operation]:
        """Yield the operation and its variants."""
        whole = dataclasses.replace(self, operation=self.operation or self.name, base=self.base or self.name)
        yield whole
        for variant in self.variants:
            yield dataclasses.replace(
                whole,
                name=operation_name(whole.operation, variant.name, self.at_place, self.at_parameter),
                summary=variant.summary.replace("{}", self.name),
                heading=f"{self.heading} {variant.name}",
                baseline=False,
                cost=None,
                default=False,
                variants=(),
                variant=variant,
            )

    def cell(self, corpus: str, codec: str) -> Cell:
        """Return its cell of a corpus and a codec."""
        return Cell(
            corpus,
            self.operation,
            codec,
            variant=self.variant.name,
            place=self.at_place,
            parameter=self.at_parameter,
        )

    def facts(self) -> OperationFacts:
        """Return what reports need to know."""
        return OperationFacts(
            self.name,
            self.unit,
            self.direction,
            self.heading,
            self.phase,
            self.summary,
            self.cost,
            dict(self.columns),
            self.sums,
            self.place,
            self.parameter,
            self.setup,
        )


def burst(sample: Sample) -> int:
    """Return how many calls on records of this size are timed together."""
    mean = sum(map(len, sample.pickles)) / len(sample.pickles)
    return max(1, min(Slices.BURST, round(Slices.BURST_BYTES / mean)))


def length_of_slice(wanted: float, call: float, fewest: int) -> float:
    """Return the seconds of a slice.

    Args:
        wanted: Its length where one call tells as much as many.
        call: Seconds of a call.
        fewest: Calls that it is to hold; see `Operation.fewest`.
    """
    return wanted if fewest == 1 else max(wanted, min(Slices.LONGEST * wanted, fewest * call))


def rotating(items: Sequence[Any]) -> Callable[[Ring], Batch]:
    """Return batches of items that are there already."""

    def batches(ring: Ring) -> Batch:
        ordered = [items[index] for index in ring]
        return lambda start, count: (ordered, start % len(ordered))

    return batches


def made_anew(make: Callable[[int], Any]) -> Callable[[Ring], Batch]:
    """Return batches of items that are made anew for each call."""

    def batches(ring: Ring) -> Batch:
        return lambda start, count: ([make(ring[(start + i) % len(ring)]) for i in range(count)], 0)

    return batches


def still() -> None:
    """Beat no heart: for memory operations that nobody watches."""
