"""Trials of a codec on payloads of another version of a schema: measured, not derived from rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ....codecs import codec
from ....escape import shortened
from ....schemas.difference import NUMBERED, SchemaDifference
from ....schemas.schema import Schema
from ....schemas.wire.layout import WireType
from ...equality.equal import equal
from ...evolved import CrossReading as CrossReading
from ...evolved import EvolutionDirection as EvolutionDirection
from ...evolved import FieldFault, TriedCodec
from ...versions.field_faults import findings
from ...versions.records import FieldMapping, Maker, Projector, translate

if TYPE_CHECKING:
    from ....codecs import Codec

FEW = 50
"""Records for each separate change."""
_SAID = 160
"""Most characters of an error."""


@dataclass(slots=True)
class Version:
    """One version of a schema in one codec.

    Attributes:
        schema: The version.
        codec: The codec bound to it, or with it as its advisory schema.
        payloads: Payloads of its records.
        records: The records as decoded from them: losses of the codec itself are not due to the versions.
    """

    schema: Schema
    codec: Codec
    payloads: list[bytes]
    records: Sequence[Any]

    @classmethod
    def of(cls, bare: Codec, schema: Schema, records: Sequence[Any]) -> Version:
        """Encode and decode the records of a version.

        Raises:
            CodecError: The codec refuses a record.
            BakeoffError: It does not support the schema.
            Exception: Any other error of the library for a record.
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
            CodecError: It cannot be encoded.
        """
        bound = self.codec.bound
        return self.codec.encode(record if bound is None or bound.take is None else bound.take(record))

    def given(self, found: Any) -> Any:
        """Return a record of dicts for a decoded object."""
        bound = self.codec.bound
        return found if bound is None or bound.give is None else bound.give(found)

    def read(self, writer: Version, pairing: FieldMapping) -> CrossReading:
        """Decode the payloads of another version and compare them with the expected records."""
        try:
            decode = reader(self.codec, writer.schema)
        except Exception as error:  # noqa: BLE001 - any error of the library on two schemas is a refusal
            return CrossReading(len(writer.payloads), len(writer.payloads), _reason(error))
        seen: dict[tuple[str, str], FieldFault] = {}
        refused, why, kept, strange = 0, "", False, False
        for payload, record in zip(writer.payloads, writer.records, strict=True):
            try:
                found = self.given(decode(payload))
            except Exception as error:  # noqa: BLE001 - the errors are what is tested
                refused += 1
                why = why or _reason(error)
                continue
            projector = Projector(pairing, language=self.codec.format)
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
    """Return a decoder for the payloads of another version, with its schema if the format needs that."""
    bound = codec.bound
    return codec.decode if bound is None or bound.reading is None else bound.reading(writer)


@dataclass(frozen=True, slots=True)
class Trial(TriedCodec):
    """The trial of one codec, with what is timed.

    Attributes:
        old: The older version, for timing; None if the codec does not support it.
        new: The newer version.
    """

    old: Version | None = None
    new: Version | None = None


def sample(
    difference: SchemaDifference, count: int, records: Sequence[Any] = (), *, newer: bool = False
) -> tuple[list[Any], list[Any]]:
    """Return records of both versions, as pairs that correspond.

    Args:
        difference: The versions.
        count: Number of records to generate if there are none.
        records: Records of one version.
        newer: They are of the newer version.
    """
    old, new = difference.old.layout.root, difference.new.layout.root
    maker, pairing = Maker(), FieldMapping(difference.renamed)
    if newer:
        return [translate(one, new, old, pairing.back(), maker) for one in records], list(records)
    mine = list(records) or [maker.make(old) for _ in range(count)]
    return mine, [translate(one, old, new, pairing, maker) for one in mine]


def _alone(difference: SchemaDifference, old: Sequence[Any]) -> Iterator[tuple[Schema, list[Any]] | None]:
    """Yield each change separately: the old schema with this change, and records of it."""
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
    """Try one codec in both directions, with the whole change and with each separate change.

    Args:
        difference: The versions.
        old: Records of the older one.
        new: The same records in the newer one.
    """
    try:
        # All decoded data were encoded here.
        bare = codec(name, trusted=True)
        before = Version.of(bare, difference.old, old)
    except Exception as error:  # noqa: BLE001 - the errors are what is tested
        failed = CrossReading(len(old), failed=f"the old version: {_reason(error)}")
        return Trial(name, failed, failed)
    pairing = FieldMapping(difference.renamed)
    whole = any(_says_more(version, bare.format) for version in (difference.old, difference.new))
    steps = () if whole else _alone(difference, old[:FEW])
    found = tuple(None if step is None else _both(bare, before, *step, pairing)[:2] for step in steps)
    backward, forward, after = _both(bare, before, difference.new, new, pairing)
    return Trial(name, backward, forward, found, before, after)


def _says_more(version: Schema, language: str) -> bool:
    """Return whether a version is a definition in a language that says more than its layout."""
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
    except Exception as error:  # noqa: BLE001 - the errors are what is tested
        failed = CrossReading(len(records), failed=f"the new version: {_reason(error)}")
        return failed, failed, None
    count = len(records)
    few = replace(before, payloads=before.payloads[:count], records=before.records[:count])
    return after.read(few, pairing), few.read(after, pairing.back()), after


def _reason(error: Exception) -> str:
    said = getattr(error, "reason", None) or str(error) or type(error).__name__
    return shortened(" ".join(said.split()), _SAID)
