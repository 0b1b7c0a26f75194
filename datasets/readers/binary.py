"""Read binary files: any by the codec of its format, and BSON, Avro and pickle by their libraries."""

from __future__ import annotations

import datetime as dt
import io
import ipaddress
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from ...codecs import Codec, DecodeError, codec
from ...codecs.core.decoder import payloads
from ...codecs.limits import OWN_DATA
from ...codecs.registry import spec_of
from ...schemas import Schema, SchemaError
from ..errors import UnreadableCorpus
from .foreign import OwnTypes, Plain
from .json_window import RECORD_LIMIT
from .problems import Problems
from .streams import BUFFER, Pieces

FILE = OWN_DATA | {"size": RECORD_LIMIT}
RATIO = 200
"""Largest growth factor of a deflated file: rows that hardly differ reach 150, a bomb 1,000."""
BROKEN = "; the rest cannot be read"


def _records(kind: Codec, file: Any, problems: Problems, decode: Callable[[bytes], Any]) -> Iterator[Any]:
    number = 1
    try:
        for start, payload in payloads(kind, file):
            try:
                record = decode(payload)
            except DecodeError as error:
                problems.add(f"byte {start:,}, record {number}", error.reason, error)
            else:
                yield record
            number += 1
    except DecodeError as error:
        problems.add(f"record {number}", error.reason + BROKEN, error)


def read_framed(name: str, file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
    """Iterate over the records that the framing of a codec's format finds in a file.

    Args:
        name: The codec. If it can run code, it is trusted: the caller has checked that this is allowed.
    """
    kind = codec(name, trusted=True).with_limits(**FILE)
    own = OwnTypes(name, spec_of(name).facts.policies.classes, _PLAIN.get(name, dict)())
    return _records(kind, file, problems, lambda payload: own.replaced(kind.decode(payload)))


def _plain_cbor() -> Plain:
    import cbor2

    addresses = (
        ipaddress.IPv4Address,
        ipaddress.IPv6Address,
        ipaddress.IPv4Network,
        ipaddress.IPv6Network,
        ipaddress.IPv4Interface,
        ipaddress.IPv6Interface,
    )
    # Other than cbor2 6, earlier releases have a frozendict of another module, or none.
    frozen = getattr(cbor2, "frozendict", None)
    return dict.fromkeys(addresses, str) | ({} if frozen is None else {frozen: dict})


_PLAIN: Mapping[str, Callable[[], Plain]] = {"cbor2": _plain_cbor}
"""For codecs whose library has types of its own: those that have a plain value."""


def read_bson(file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
    """Iterate over concatenated BSON documents, as ``mongodump`` writes them.

    The database's own types become plain types, so that every codec can encode the record: ObjectId becomes
    its 24 digits, Decimal128 a Decimal, Int64 an int, binary data bytes, code its text, and a reference the
    dict that is stored. Dates are aware, in UTC. The others, such as Regex and MinKey, are refused.
    """
    # This import comes first: a format's file declares its codecs on import, and their order matters.
    kind = codec("bson").with_limits(**FILE)
    import bson
    from bson import codec_options
    from bson.binary import Binary, UuidRepresentation
    from bson.code import Code
    from bson.dbref import DBRef
    from bson.son import SON

    from ...codecs.formats.bson import WRAP

    def plain(kind: type, convert: Any) -> codec_options.TypeDecoder:
        class Plain(codec_options.TypeDecoder):
            bson_type = kind

            def transform_bson(self, value: Any) -> Any:
                return convert(value)

        return Plain()

    options: codec_options.CodecOptions[dict[str, Any]] = codec_options.CodecOptions(
        tz_aware=True,
        tzinfo=dt.UTC,
        uuid_representation=UuidRepresentation.STANDARD,
        type_registry=codec_options.TypeRegistry(
            [
                plain(bson.Int64, int),
                plain(bson.ObjectId, str),
                plain(bson.Decimal128, bson.Decimal128.to_decimal),
                plain(bson.Timestamp, lambda value: dt.datetime.fromtimestamp(value.time, dt.UTC)),
            ]
        ),
    )

    plain_values: Plain = {
        Binary: bytes,
        Code: lambda code: None if code.scope is not None else str(code),
        DBRef: DBRef.as_doc,
        SON: dict,
        bson.Decimal128: bson.Decimal128.to_decimal,
        bson.ObjectId: str,
        bson.Int64: int,
    }
    own = OwnTypes("bson", spec_of("bson").facts.policies.classes, plain_values)

    def decode(payload: bytes) -> Any:
        try:
            record = bson.decode(payload, options)
        except (bson.InvalidBSON, ValueError, OverflowError, RecursionError) as error:
            raise DecodeError("bson", f"not BSON: {error}") from error
        # Our own codec does the same with values other than documents.
        return own.replaced(record[WRAP] if record.keys() == {WRAP} else record)

    return _records(kind, file, problems, decode)


def read_avro(file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
    """Iterate over the records of an Avro container file, by the schema at its start.

    Raises:
        UnreadableCorpus: The file has no schema, or one whose records can contain themselves.
    """
    if not file.peek(1):
        return
    kind, schema, head = _avro_of(file, problems.source)
    if _has_nanoseconds(schema):
        problems.remark("its times in nanoseconds are cut to microseconds")
    rest = iter(partial(file.read, BUFFER), b"")
    yield from _records(kind, Pieces(chain([head], rest)), problems, kind.decode)


def schema_of_avro(file: io.BufferedReader, source: str) -> Schema:
    """Return the schema at the start of an Avro container file.

    Raises:
        UnreadableCorpus: As `read_avro`.
    """
    return _avro_of(file, source)[1]


def _avro_of(file: io.BufferedReader, source: str) -> tuple[Codec, Schema, bytes]:
    """Return the codec and the schema of a container file, and the bytes that were read."""
    from ...codecs.formats.avro import schema_of_file

    bare = codec("avro").with_limits(**FILE | {"ratio": RATIO})
    try:
        definition, head = schema_of_file(bare, file)
        schema = Schema.of_definition(definition, "avro", "its schema")
        return bare.with_schema(schema), schema, head
    except (DecodeError, SchemaError) as error:
        raise UnreadableCorpus(f"{source}: {getattr(error, 'reason', error)}") from error


def _has_nanoseconds(schema: Schema) -> bool:
    """Return whether an Avro schema has times in nanoseconds, at any depth."""
    found: list[object] = []
    json.loads(schema.layout.definition, object_hook=lambda node: found.append(node.get("logicalType")))
    return any(str(kind).endswith("timestamp-nanos") for kind in found)


def read_pickle(file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
    """Iterate over concatenated pickles, which can run code: the caller has checked that this is allowed.

    No limit applies to that code. Most of these files are one list of all records, of any size.
    """
    import pickle

    number = 0
    while file.peek(1):
        number += 1
        where = f"byte {file.tell():,}, record {number}"
        try:
            record = pickle.load(file)
        except Exception as error:  # noqa: BLE001 - unpickling can raise anything
            cause = f"not a pickle: {type(error).__name__}: {error}{BROKEN}"
            problems.add(where, cause, error)
            return
        yield record
