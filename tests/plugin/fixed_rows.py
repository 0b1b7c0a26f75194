"""Records of numbers as rows of one layout, without names or lengths: a codec that needs a schema.

A file begins with the layout, so that a file of other records is not misread.
"""

from __future__ import annotations

import struct

from bakeoff import Codec, Schema
from bakeoff.codecs import Bound
from bakeoff.codecs.streams.framing import Cuts, Framing, StreamBuffer
from bakeoff.schemas import SchemaError
from bakeoff.schemas.tree import types as t

LETTERS = {t.IntType: "q", t.FloatType: "d", t.BoolType: "?"}


def bind(schema: Schema) -> Bound:
    """Return encoder and decoder for the records of a schema.

    Raises:
        SchemaError: They are not records of numbers.
    """
    if not isinstance(schema.types, t.RecordType):
        raise SchemaError("$", f"rows hold records, not `{schema.types}`")
    for field in schema.types.fields:
        if type(field.type) not in LETTERS or not field.required:
            raise SchemaError(f"$.{field.name}", f"rows have no place for `{field.type}`")
    names = [field.name for field in schema.types.fields]
    layout = struct.Struct("<" + "".join(LETTERS[type(field.type)] for field in schema.types.fields))
    return Bound(
        encode=lambda row: layout.pack(*row),
        decode=layout.unpack,
        take=lambda record: tuple(record[name] for name in names),
        give=lambda row: dict(zip(names, row, strict=True)),
        dicts=False,
        definition=f"{layout.format} {' '.join(names)}",
    )


class Rows(Framing):
    """Rows one after another, after their definition."""

    def header(self, codec: Codec) -> bytes:
        assert codec.bound is not None
        return f"rows {codec.bound.definition}\n".encode()

    def cut(self, codec: Codec, pending: StreamBuffer) -> Cuts:
        assert codec.bound is not None
        size = struct.calcsize(codec.bound.definition.partition(" ")[0])
        while True:
            while len(pending) < size and not pending.ended:
                yield None  # until more data arrives
            if not len(pending):
                return
            yield pending.take(size)


def rows() -> Codec:
    """Return the codec, as the entry point names it."""
    return Codec(
        "rows",
        "rows",
        bind=bind,
        framing=Rows(),
        file_extension=".rows",
        preserves={"bool", "int", "float", "nonfinite"},
        losses=("decoded fields are in the order of the schema",),
    )
