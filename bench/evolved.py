"""What `bakeoff evolve` found: how codecs read payloads of another version of a schema, and at what cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .stats import Ratio

EvolutionDirection = Literal["old→new", "new→old"]
Fault = Literal["lost", "wrong", "made up", "unfit", "kept"]


@dataclass(frozen=True, slots=True)
class FieldFault:
    """One place where a record differs from the expected record of the reading version.

    Attributes:
        fault: ``"lost"``: written, but missing. ``"wrong"``: another value. ``"made up"``: a value that was
            not written. ``"unfit"``: a value in its written type, or another type than the reading version's;
            or a required value that is missing and was not written. ``"kept"`` is not a fault: a field that
            the reading version does not know.
        path: Names of the reading version, without the indices of items. For a record within another of its
            kind, it is the path of the outermost.
        example: The written and the decoded value, in short.
    """

    fault: Fault
    path: str
    example: str = ""


@dataclass(frozen=True, slots=True)
class CrossReading:
    """The result of reading the other version's payloads with a codec.

    Attributes:
        records: Records that were tried.
        refused: Records that could not be read.
        error: Error of the first of these.
        faults: Each place and its fault, with the first example.
        unknown: Whether fields that the reading version does not know are kept; None if there were none.
        failed: Why the codec does not support even its own version; empty if it does.
        untimed: Why its timing failed; empty if it did not.
    """

    records: int
    refused: int = 0
    error: str = ""
    faults: tuple[FieldFault, ...] = ()
    unknown: bool | None = None
    failed: str = ""
    untimed: str = ""

    @property
    def clean(self) -> bool:
        """Whether everything was read, and nothing is lost or wrong."""
        return not (self.failed or self.refused or self.faults)

    def places(self, *faults: Fault) -> list[str]:
        """Return the paths of these faults, without repeats."""
        return list(dict.fromkeys(found.path for found in self.faults if found.fault in faults))


@dataclass(frozen=True, slots=True)
class TriedCodec:
    """The results of one codec.

    Attributes:
        backward: The newer version reads payloads of the older one.
        forward: The older version reads payloads of the newer one.
        changes: The same two for each separate change. It is empty if this was not possible: a definition in
            the codec's own language may say more than a layout (defaults, aliases of Avro) that belongs to
            the whole.
    """

    codec: str
    backward: CrossReading
    forward: CrossReading
    changes: tuple[tuple[CrossReading, CrossReading] | None, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether both directions are read without loss."""
        return self.backward.clean and self.forward.clean

    def reading(self, direction: EvolutionDirection) -> CrossReading:
        """Return the result for a direction."""
        return self.backward if direction == "old→new" else self.forward


@dataclass(frozen=True, slots=True)
class ReadingCost:
    """The cost of reading.

    Attributes:
        other: Seconds for a payload of the other version.
        own: Seconds for the same record as the reading version writes it.
        ratio: `other` divided by `own`.
    """

    other: float
    own: float
    ratio: Ratio
