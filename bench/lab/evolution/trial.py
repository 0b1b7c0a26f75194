"""What a codec makes of the payloads of another version of a schema: tried, not told by rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ....codecs import codec
from ....schemas.schema import Schema
from ....schemas.tree.difference import NUMBERED, SchemaDifference
from ....schemas.wire.layout import WireType
from ..fidelity.equality import equal
from .field_faults import Fault, FieldFault, findings
from .records import FieldMapping, Maker, Projector, translate

if TYPE_CHECKING:
    from ....codecs import Codec

__all__ = ["CrossReading", "EvolutionDirection", "Trial", "Version", "reader", "sample", "try_codec"]

EvolutionDirection = Literal["old→new", "new→old"]

FEW = 50
"""Records for each change on its own."""
_SAID = 160
"""Characters of an error."""


@dataclass(frozen=True, slots=True)
class CrossReading:
    """What a codec makes of the other version's payloads.

    Attributes:
        records: That were tried.
        refused: Of them, those that could not be read.
        error: Why the first of those.
        faults: Each place and what is wrong there, with the first example.
        unknown: Whether fields that the reading version does not know are kept; None where there were none.
        failed: Why the codec cannot even carry its own version; empty where it can.
    """

    records: int
    refused: int = 0
    error: str = ""
    faults: tuple[FieldFault, ...] = ()
    unknown: bool | None = None
    failed: str = ""

    @property
    def clean(self) -> bool:
        """Whether everything was read, and nothing is lost or wrong."""
        return not (self.failed or self.refused or self.faults)

    def places(self, *faults: Fault) -> list[str]:
        """Return the paths of these faults, each once."""
        return list(dict.fromkeys(found.path for found in self.faults if found.fault in faults))


@dataclass(slots=True)
class Version:
    """One version of a schema in one codec.

    Attributes:
        schema: The version.
        codec: Bound to it, or with it as its advisory schema.
        payloads: Of its records.
        records: As they come back from them: what the codec cannot carry anyhow is no matter of versions.
    """

    schema: Schema
    codec: Codec
    payloads: list[bytes]
    records: Sequence[Any]

    @classmethod
    def of(cls, bare: Codec, schema: Schema, records: Sequence[Any]) -> Version:
        """Write the records of a version and read them again.

        Raises:
            CodecError: The codec cannot.
            BakeoffError: It has no form of the schema.
            Exception: What else the library says of a record that it does not take.
        """
        made = cls(schema, bare.with_schema(schema), [], records)
        made.payloads = [made.written(record) for record in records]
        made.records = [made.given(made.codec.decode(payload)) for payload in made.payloads]
        return made

    @property
    def layout(self) -> WireType:
        """The kind of its records."""
        return self.schema.layout.root

    def written(self, record: Any) -> bytes:
        """Return the payload of a record of dicts.

        Raises:
            CodecError: It cannot be written.
        """
        bound = self.codec.bound
        return self.codec.encode(record if bound is None or bound.take is None else bound.take(record))

    def given(self, found: Any) -> Any:
        """Return a record of dicts for what was decoded."""
        bound = self.codec.bound
        return found if bound is None or bound.give is None else bound.give(found)

    def read(self, writer: Version, pairing: FieldMapping) -> CrossReading:
        """Decode the payloads of another version and hold them against what they should be in this one."""
        try:
            decode = reader(self.codec, writer.schema)
        except Exception as error:  # noqa: BLE001 - a library's word on two schemas is its refusal
            return CrossReading(len(writer.payloads), len(writer.payloads), _reason(error))
        seen: dict[tuple[str, str], FieldFault] = {}
        refused, why, kept, strange = 0, "", False, False
        for payload, record in zip(writer.payloads, writer.records, strict=True):
            try:
                found = self.given(decode(payload))
            except Exception as error:  # noqa: BLE001 - which ones come out is the question
                refused += 1
                why = why or _reason(error)
                continue
            projector = Projector(pairing)
            wanted = projector.project(record, writer.layout, self.layout)
            strange |= projector.dropped
            if equal(wanted, found):
                continue
            for one in findings(wanted, found, self.layout):
                if one.fault == "kept":
                    kept = True
                else:
                    seen.setdefault((one.fault, one.path), one)
        unknown = True if kept else False if strange else None
        return CrossReading(len(writer.payloads), refused, why, tuple(seen.values()), unknown)


def reader(codec: Codec, writer: Schema) -> Callable[[bytes], Any]:
    """Return what decodes the payloads of another version, told which where the format asks for it."""
    bound = codec.bound
    return codec.decode if bound is None or bound.reading is None else bound.reading(writer)


@dataclass(frozen=True, slots=True)
class Trial:
    """One codec, tried.

    Attributes:
        codec: Its name.
        backward: The newer version reads what the older one wrote.
        forward: The older version reads what the newer one wrote.
        changes: The same two of each change on its own, where that can be; none where it was not tried: a
            definition that was given in the codec's own language may say more than a layout (defaults,
            aliases of Avro), and belongs to the whole.
        old: The older version, to be timed; None where the codec cannot carry it.
        new: The newer one.
    """

    codec: str
    backward: CrossReading
    forward: CrossReading
    changes: tuple[tuple[CrossReading, CrossReading] | None, ...] = ()
    old: Version | None = None
    new: Version | None = None

    @property
    def clean(self) -> bool:
        """Whether both directions are read without loss."""
        return self.backward.clean and self.forward.clean

    def reading(self, direction: EvolutionDirection) -> CrossReading:
        """Return one of the two."""
        return self.backward if direction == "old→new" else self.forward


def sample(
    difference: SchemaDifference, count: int, records: Sequence[Any] = (), *, newer: bool = False
) -> tuple[list[Any], list[Any]]:
    """Return records of both versions, each beside its like in the other one.

    Args:
        difference: The versions.
        count: How many are made, where there are none.
        records: Of one of them.
        newer: They are the newer one's.
    """
    old, new = difference.old.layout.root, difference.new.layout.root
    maker, pairing = Maker(), FieldMapping(difference.renamed)
    if newer:
        return [translate(one, new, old, pairing.back(), maker) for one in records], list(records)
    mine = list(records) or [maker.make(old) for _ in range(count)]
    return mine, [translate(one, old, new, pairing, maker) for one in mine]


def _alone(difference: SchemaDifference, old: Sequence[Any]) -> Iterator[tuple[Schema, list[Any]] | None]:
    """Yield each change on its own: the old schema with it, and records of that."""
    if len(difference.changes) < 2:
        return
    for change in difference.changes:
        schema = difference.alone(change)
        if schema is None:
            yield None
            continue
        maker = Maker()
        pairing = FieldMapping(difference.renamed)
        before, after = difference.old.layout.root, schema.layout.root
        yield schema, [translate(one, before, after, pairing, maker) for one in old]


def try_codec(name: str, difference: SchemaDifference, old: Sequence[Any], new: Sequence[Any]) -> Trial:
    """Try one codec, both ways, with the whole change and step by step.

    Args:
        name: The codec.
        difference: The versions.
        old: Records of the older one.
        new: The same records in the newer one.
    """
    try:
        # What is decoded here was encoded here.
        bare = codec(name, trusted=True)
        before = Version.of(bare, difference.old, old)
    except Exception as error:  # noqa: BLE001 - which ones come out is the question
        failed = CrossReading(len(old), failed=f"the old version: {_reason(error)}")
        return Trial(name, failed, failed)
    pairing = FieldMapping(difference.renamed)
    whole = any(_says_more(version, bare.format) for version in (difference.old, difference.new))
    steps = () if whole else _alone(difference, old[:FEW])
    found = tuple(None if step is None else _both(bare, before, *step, pairing)[:2] for step in steps)
    backward, forward, after = _both(bare, before, difference.new, new, pairing)
    return Trial(name, backward, forward, found, before, after)


def _says_more(version: Schema, language: str) -> bool:
    """Whether a version is a definition in a language, of which not all is in its layout."""
    return version.layout.language == language and language not in NUMBERED


def _both(
    bare: Codec,
    before: Version,
    schema: Schema,
    records: Sequence[Any],
    pairing: FieldMapping,
) -> tuple[CrossReading, CrossReading, Version | None]:
    """Read an older version's payloads with a newer one, and the reverse."""
    try:
        after = Version.of(bare, schema, records)
    except Exception as error:  # noqa: BLE001 - which ones come out is the question
        failed = CrossReading(len(records), failed=f"the new version: {_reason(error)}")
        return failed, failed, None
    count = len(records)
    few = replace(before, payloads=before.payloads[:count], records=before.records[:count])
    return after.read(few, pairing), few.read(after, pairing.back()), after


def _reason(error: Exception) -> str:
    said = " ".join((getattr(error, "reason", None) or str(error) or type(error).__name__).split())
    return said if len(said) <= _SAID else f"{said[: _SAID - 1]}…"
