"""Operations: a declaration and the function that runs it, both in one file.

A file of this folder, or of a package that publishes one through the entry-point group
``bakeoff.operations``, makes an `Operation`. Arguments and result of its function depend on its phase:

========  ============================================  =====================================================
phase     function                                      when
========  ============================================  =====================================================
time      ``(Context) -> TimedCall``                    in timing processes, shared by all codecs of a corpus
check     ``(Context) -> float | Measured``             at the end of the correctness check
memory    ``(codec, records, payloads, options) ->      alone in a process; see `Measure`
          Measured``
alone     ``(Context, Toolkit) -> Measured``            alone in a fresh process, in several one after the
                                                        other
========  ============================================  =====================================================

The check calls every timed operation once on each record and compares the result with the one that its
`TimedCall` expects. Unit, direction and heading are stored in the result file. For a timed operation, more
is better if its figure is a rate, in records per second: seconds are measured, and inverted in the
result.

An operation may have a place and a parameter, ``get@lmdb:LG``; see `bench.cells`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Protocol

from ...errors import UsageError
from ..backends.registry import shown_name
from ..cells import Cell, operation_name
from ..method import Slices
from ..results import Direction, Fact, Facts, FigureDetails, OperationFacts, Setup, Unit

if TYPE_CHECKING:
    from ...codecs import Codec

_SEPARATORS = "/,"
"""Characters that separate the parts of cells' names and lists of operations."""

Ring = Sequence[int]
"""Indices into the sample, in the order of use, repeated from the start."""
Batch = Callable[[int, int], tuple[list[Any], int]]
"""``batch(start, count)`` returns a list and the index in it to start at."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Another way to run an operation; the name in result files is ``OPERATION-VARIANT``.

    Attributes:
        summary: One line for ``--dry-run``; ``{}`` stands for the operation.
        collect: Garbage collection is on during the calls.
        cold: Items come from memory, as in a list larger than the caches.
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
        """Make new records, all unless some are named."""
        ...


@dataclass(frozen=True, slots=True)
class CodecParts:
    """A codec and its parts.

    Attributes:
        codec: As named; the object that users would import.
        bare: The same without its schema, or its library's own calls, which dump and load measure.
        fix: The schema's fix-up, or None if there is none or nothing to do.
        take: Converts a record to the object that the codec takes; for codecs that need a schema.
        give: Converts the codec's object to a record, for comparison.
    """

    codec: Codec
    bare: Codec
    fix: Callable[[Any], Any] | None = None
    take: Callable[[Any], Any] | None = None
    give: Callable[[Any], Any] | None = None

    def taken(self, records: list[Any]) -> list[Any]:
        """Return records in the form that the codec takes."""
        return records if self.take is None else [self.take(record) for record in records]


PLAIN = Variant("", "{}")
"""The operation itself."""
NOGC = Variant("nogc", "{} with the garbage collector off", collect=False)
COLD = Variant("cold", "{} with cold caches, from a list larger than the caches", cold=True)


@dataclass(frozen=True, slots=True)
class Context:
    """The context of an operation.

    Attributes:
        parts: The codec.
        sample: The records.
        payloads: The codec's own payloads of them.
        shared: All records of the sample, to be encoded by several codecs in turn; None if encoding
            may change them.
        variant: The variant; the caller handles the parts that all operations share.
        place: The part after ``@`` in the operation's name.
        parameter: The part after ``:``.
        url: The place's URL, if it is a server; never show it, as it may contain a password.
        client: Settings of the client of a transport, by the client's names for them.
    """

    parts: CodecParts
    sample: Sample
    payloads: Sequence[bytes] = ()
    shared: Sequence[Any] | None = None
    variant: Variant = PLAIN
    place: str = ""
    parameter: str = ""
    url: str = ""
    client: Mapping[str, str] = field(default_factory=dict)

    def records(self) -> list[Any]:
        """Return fresh copies of the records that have payloads, in the form that the codec takes."""
        return self.parts.taken(self.sample.records(range(len(self.payloads))))


def nowhere(place: str, parameter: str) -> Setup | None:
    """Accept any place and parameter."""
    return None


def still() -> None:
    """Do nothing: where nothing is left behind, and for memory operations without a watchdog."""


class UnfitError(Exception):
    """A codec does not support the operation; says why."""


@dataclass(frozen=True, slots=True)
class TimedCall:
    """A timed operation of one codec on one sample.

    A function that cannot make one for this codec raises `UnfitError` with the reason.

    Attributes:
        call: The timed call.
        batches: Turns a ring of records into the items for `call`; not timed.
        expected: The expected result of `call` for a record of the sample, by its index, compared strictly
            and typed; None if returning at all is enough.
        collect: Garbage collection switched on during the calls.
        touched: Items are touched just before, untimed. Records have been made and payloads received
            a moment before they are encoded and decoded; without this the first codec of a round
            would fetch them from memory for all others.
        burst: Calls that are timed together.
        cold: Items come from memory instead, as in a list larger than the caches.
        inside: Returns the nanoseconds that count, spent within the calls since it was last called, instead
            of the time of the calls: the time of a codec in a store, for instance.
        waits: A call waits for others, a server or a disk, so processor time does not show its cost.
        records: How many records a call is for, if more than its item: figures are per record, and the
            check makes one call and treats all as equal.
        calls: How many different calls there are, if not one for each record: indices then count calls, and
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
    close: Callable[[], object] = still


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of an operation that has its own process.

    Attributes:
        value: In the operation's unit; 0 is allowed.
        extras: Further figures, flat; see `Operation.columns`.
        facts: The same, if there is a type for it.
        resolution: Smallest value that the method can measure, in the same unit; None for all.
        again: Further options for one more process whose answer replaces this one, for instance
            to confirm a suspicion with more windows; None if this answer is final.
        together: Of operations that are measured together, the figure of each by its name without place and
            parameter, or why there is none; replaces `value`.
    """

    value: float
    extras: Mapping[str, Fact] = field(default_factory=dict)
    facts: Facts | None = None
    resolution: float | None = None
    again: Mapping[str, Any] | None = None
    together: Mapping[str, float | str] = field(default_factory=dict)

    def details(self) -> FigureDetails:
        """Return the facts besides the value, as a result file can hold them."""
        extras = {str(key): _flat(value) for key, value in self.extras.items()}
        return FigureDetails(extras, self.facts, self.resolution or None)


def _flat(value: object) -> Fact:
    """Return a value as a result file can hold it: another package's operation may find anything."""
    if value is None or isinstance(value, str | bool | int):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)


Measure = Callable[[Any, Sequence[Any], Sequence[bytes], Mapping[str, Any]], Measured]
"""A function of ``(codec, records, payloads, options)``.

The records were made for this process, and nothing is shared. ``options["operation"]`` names the operation.
``options["beat"]``, if present, is called between calls of the codec, as a process without a beat counts as
hanging.
"""


@dataclass(frozen=True, slots=True)
class Toolkit:
    """Tools for an operation that runs alone, process after process.

    Attributes:
        beat: Called between calls of the codec, as a process without a beat counts as hanging.
        each: ``each(call, items)`` calls with each item in turn and returns the nanoseconds of each call,
            clocked in C; results are dropped, and each item is touched before, untimed.
        clock: Nanoseconds that `each` returns for empty calls, in rising order: the cost of the clock itself.
        path: Entries of `sys.path` that other processes need, for codecs of the user's own modules.
        release: Folder that they must find first, see `jobs.Job`.
    """

    beat: Callable[[], object]
    each: Callable[[Callable[[Any], object], list[Any]], list[int]]
    clock: Sequence[int]
    path: Sequence[str] = ()
    release: str = ""


def _always() -> bool:
    return True


def _once_each(records: int, call: float) -> float:
    return records * call


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(OperationFacts):
    """One operation: what reports know of it, and how it is carried out.

    Attributes:
        name: As in result files.
        phase: When it runs: "time" shares timing processes, "check" falls out of the correctness check,
            "memory" runs alone in a process, "alone" also, but in a fresh one in each round, as timing does,
            so that its figures have intervals.
        summary: One line for ``--dry-run``.
        carry_out: The function that does the work; see above.
        unit: Of its figures, per record.
        direction: Which figures are better; the higher ones of a timed operation are records a second.
        heading: Of its column; ``{place}`` and ``{parameter}`` are replaced, also in `summary`.
        place: Name of its place, for instance "STORE"; empty if it has none.
        parameter: Name of its parameter, for instance "ITEMS"; empty if it has none.
        accepts: ``accepts(place, parameter)`` raises `UsageError` for invalid ones; missing ones
            are empty texts. Ours return the effective setup, defaults included.
        setup: The result of `accepts`.
        at_place: The requested place.
        at_parameter: The requested parameter.
        needs: "schema": only for codecs with a schema that has something to do.
        fixes: The schema is part of it: with one it is another operation, and is measured separately.
        baseline: It has a row for copying the record's bytes, the minimum for any codec.
        cost: It is part of the cost of a write or of a read.
        default: It is in every run; where its phase is "memory", unless ``--no-memory``.
        columns: Extras of the figure that have a separate column, in the same unit, with its heading; the
            mean over processes is shown.
        variants: Other ways to run it.
        operation: Its name without variant, place and parameter.
        base: Its name without variant.
        variant: Which variant this is.
        lasts: Of one that measures memory: the seconds that it takes, given the records of the sample and the
            seconds of a call, both roughly; starting is not among them.
        together: For operations that run alone: one process measures all operations with this in common, of
            one place, parameter and variant; see `Measured.together`.
        sums: Rare calls may take much longer than most, and they count in full: the figure of a process is
            the sum of times over the sum of works, no slice weighs less than another or is measured again,
            and the mean over processes is arithmetic.
        fewest: Calls that a slice holds at least, unless it would take too long: with more calls, more of the
            rare ones are seen.
        exact: For operations that run alone: the process runs under Valgrind, and nothing else on the machine
            changes the figure. So it has one process, several run at the same time, and no budget limits
            them.
        works: For operations that measure memory or run alone: whether the system has what they need; if not,
            they have no cells.
    """

    summary: str
    unit: Unit = "second"
    direction: Direction = "lower"
    carry_out: Callable[..., Any]
    accepts: Callable[[str, str], Setup | None] = nowhere
    at_place: str = ""
    at_parameter: str = ""
    needs: frozenset[str] = frozenset()
    fixes: bool = False
    baseline: bool = False
    default: bool = False
    variants: tuple[Variant, ...] = ()
    operation: str = ""
    base: str = ""
    variant: Variant = PLAIN
    lasts: Callable[[int, float], float] = _once_each
    together: str = ""
    fewest: int = 1
    works: Callable[[], bool] = _always

    @property
    def schema(self) -> bool:
        """Whether it is only for codecs with a schema."""
        return "schema" in self.needs

    @property
    def syntax(self) -> str:
        """How its declaration's name is written."""
        return operation_name(self.operation, self.variant.name, self.place, self.parameter)

    def at(self, place: str, parameter: str) -> Operation:
        """Return the operation at a place and with a parameter.

        Raises:
            UsageError: They are invalid.
        """
        for text, taken, what in ((place, self.place, "place"), (parameter, self.parameter, "parameter")):
            if text and not taken:
                raise UsageError(f"operation {self.name!r} has no {what}, got {shown_name(text)!r}")
            if any(character in _SEPARATORS or character.isspace() for character in text):
                raise UsageError(
                    f"operation {self.name!r}: no {taken} may contain `/`, `,` or blanks (value not shown: "
                    "a URL may contain a password)"
                )
        try:
            setup = self.accepts(place, parameter)
        except UsageError as error:
            raise UsageError(f"operation {self.name!r}: {error}") from error

        def filled(text: str) -> str:
            return text.replace("{place}", place).replace("{parameter}", parameter)

        return dataclasses.replace(
            self,
            name=operation_name(self.operation, self.variant.name, place, parameter),
            base=operation_name(self.operation, "", place, parameter),
            setup=setup,
            at_place=place,
            at_parameter=parameter,
            heading=filled(self.heading).strip(),
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
        """Return what reports know of it."""
        known = {each.name: getattr(self, each.name) for each in fields(OperationFacts)}
        return OperationFacts(**known | {"columns": dict(self.columns)})


def burst(sample: Sample) -> int:
    """Return how many calls on records of this size are timed together."""
    mean = sum(map(len, sample.pickles)) / len(sample.pickles)
    return max(1, min(Slices.BURST, round(Slices.BURST_BYTES / mean)))


def length_of_slice(wanted: float, call: float, fewest: int) -> float:
    """Return the seconds of a slice.

    Args:
        wanted: Its length, unless `fewest` calls take longer.
        call: Seconds of a call.
        fewest: Minimum number of calls; see `Operation.fewest`.
    """
    return wanted if fewest == 1 else max(wanted, min(Slices.LONGEST * wanted, fewest * call))


def rotating(items: Sequence[Any]) -> Callable[[Ring], Batch]:
    """Return batches of existing items."""

    def batches(ring: Ring) -> Batch:
        ordered = [items[index] for index in ring]
        return lambda start, count: (ordered, start % len(ordered))

    return batches


def made_anew(make: Callable[[int], Any]) -> Callable[[Ring], Batch]:
    """Return batches of items that are newly made for each call."""

    def batches(ring: Ring) -> Batch:
        return lambda start, count: ([make(ring[(start + i) % len(ring)]) for i in range(count)], 0)

    return batches
