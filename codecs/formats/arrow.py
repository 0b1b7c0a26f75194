"""Apache Arrow: IPC streams, by pyarrow.

A batch is stored by column, so that one record costs as much as a hundred: use the codec for lists of
records, with a schema of these lists. The reader maps no memory, and uses no data before Arrow has fully
validated it, as offsets may point anywhere. The sizes that batches claim are added up before that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from ..binding import Bound, SchemaProtocol
from ..conventions.notes import FIGURES, Note
from ..limits import DEFAULT, Limits
from ..registry import declare
from ..safety._walk import Rules, check_record
from ..safety.embedded import within_budget
from ..safety.policies import held
from ..spec import Format, RawCalls, Spec
from .ipc import DICTIONARY, END, Messages, messages
from .structs import WIRE_LOSSES, WIRE_POLICIES, WIRE_PRESERVES

ARROW = Format(
    name="arrow",
    media_type="application/vnd.apache.arrow.stream",
    file_extension=".arrows",
    framing=Messages(),
)

_EXTENSION = b"ARROW:extension:name"
"""Key of the metadata that names an extension type, whose Python class Arrow would run."""
_VERSIONS = 16
"""Schemas of other writers in a codec's cache."""


class _Reader:
    """Reads payloads of one schema, and of others that contain its fields.

    Args:
        schema: The schema.
    """

    def __init__(self, schema: SchemaProtocol) -> None:
        import pyarrow

        self._library, self._schema = pyarrow, schema
        binding = schema.binding("arrow")
        self.own, self.take, self.definition = binding.type, binding.take, binding.definition
        self.head: bytes = self.own.serialize().to_pybytes()
        self._own_give = binding.give
        self._other = lru_cache(_VERSIONS)(self._find)

    def batches(self, data: bytes, limits: Limits) -> tuple[Any, Callable[[Any], Any], list[Any], bool]:
        """Return schema, function from batches to record, the batches, and whether they are compressed.

        Raises:
            ValueError: The payload is not a valid stream, or does not match the schema.
            pyarrow.ArrowException: Arrow refuses it.
        """
        found, compressed = messages(data, limits)
        head = data[: found[0].end]
        schema, give = (self.own, self._own_give) if head == self.head else self._other(head)
        read = self._library.ipc
        if any(message.kind == DICTIONARY for message in found):
            with read.open_stream(data) as reader:
                batches = list(reader)
        else:
            whole = self._library.py_buffer(data)
            batches = [
                read.read_record_batch(whole.slice(start, end - start), schema) for _, start, end in found[1:]
            ]
        for batch in batches:
            batch.validate(full=True)
        return schema, give, batches, compressed

    def _find(self, head: bytes) -> tuple[Any, Callable[[Any], Any]]:
        if _EXTENSION in head:
            raise ValueError(
                "the payload's schema has extension types; bind the codec to a schema made from it"
            )
        found = self._library.ipc.read_schema(self._library.py_buffer(head))
        return found, self._schema.binding("arrow", of=found).give


def _rows(schema: SchemaProtocol) -> Bound:
    reader = _Reader(schema)
    take, head, join = reader.take, reader.head, b"".join
    # A record within a record of its own kind is stored as an embedded value.
    embeds = schema.embeds or schema.nests

    def encode(record: Any) -> bytes:
        return join((head, take(record).serialize(), END))

    def decode(data: bytes, *, limits: Limits = DEFAULT) -> Any:
        _, give, batches, compressed = reader.batches(data, limits)
        record = within_budget(give)(batches, items=limits.items) if embeds else give(batches)
        # Texts in compressed data may be longer than the payload.
        if compressed and limits.string is not None:
            check_record(record, Rules(max_items=limits.items, max_text=limits.string))
        return record

    return Bound(encode=encode, decode=decode, definition=reader.definition)


def _tables(schema: SchemaProtocol) -> Bound:
    import pyarrow

    reader = _Reader(schema)
    own, give, head = reader.own, within_budget(reader._own_give), reader.head

    def encode(table: Any) -> bytes:
        if not isinstance(table, (pyarrow.RecordBatch, pyarrow.Table)):
            raise TypeError(f"expected pyarrow.RecordBatch or pyarrow.Table, got {type(table).__name__}")
        if not table.schema.equals(own):
            raise ValueError(
                "the table has another schema; table.cast(codec.bound.take([]).schema) may convert it"
            )
        batches = table.to_batches() if isinstance(table, pyarrow.Table) else [table]
        return b"".join((head, *(batch.serialize() for batch in batches), END))

    def decode(data: bytes, *, limits: Limits = DEFAULT) -> Any:
        found, _, batches, _ = reader.batches(data, limits)
        table = pyarrow.Table.from_batches(batches, found)
        return table if found is own else table.cast(own)

    return Bound(
        encode=encode,
        decode=decode,
        take=reader.take,
        give=lambda table: give(table.to_batches()),
        dicts=False,
        definition=reader.definition,
    )


def _written(table: Any, schema: Any) -> bytes:
    """Return a table as a stream, with the calls that users of pyarrow make."""
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, schema) as writer:
        writer.write(table)
    payload: bytes = sink.getvalue().to_pybytes()
    return payload


def _read(data: bytes) -> Any:
    """Return the table of a stream, with the calls that users of pyarrow make."""
    import pyarrow

    with pyarrow.ipc.open_stream(data) as reader:
        return reader.read_all()


def _raw_rows(schema: SchemaProtocol) -> RawCalls:
    """Return pyarrow's own calls for lists of rows."""
    import pyarrow

    binding = schema.binding("arrow")
    of_rows = partial(pyarrow.RecordBatch.from_pylist, schema=binding.type)
    return RawCalls(
        lambda rows: _written(of_rows(rows), binding.type),
        lambda data: _read(data).to_pylist(),
        lambda record: binding.take(record).to_pylist(),
        lambda rows: binding.give([of_rows(rows)]),
    )


def _raw_tables(schema: SchemaProtocol) -> RawCalls:
    binding = schema.binding("arrow")
    return RawCalls(
        lambda table: _written(table, binding.type),
        _read,
        binding.take,
        lambda table: binding.give(table.to_batches()),
    )


def _inside(value: Any) -> Any:
    """Return the rows of a table, in which policies look for values to refuse."""
    rows = getattr(value, "to_pylist", None)
    return held(value) if rows is None else rows()


def _arrow(bind: Callable[[SchemaProtocol], Bound], raw: Callable[[SchemaProtocol], RawCalls]) -> Spec:
    # Imported here, so that a missing library is reported now and not at the first call.
    import pyarrow.ipc  # noqa: F401

    return Spec.of(
        bind=bind,
        raw=raw,
        bounded=lambda limits: {"limits": limits},
        accelerated=True,
        preserves=WIRE_PRESERVES,
        losses=WIRE_LOSSES,
        notes=(Note("writes a batch for each record: use lists of many (--batch)", FIGURES),),
        policies=replace(WIRE_POLICIES, inside=_inside),
    )


@declare("arrow", ARROW, library="pyarrow", extra="pyarrow", needs_schema=True)
def _dicts() -> Spec:
    return _arrow(_rows, _raw_rows)


@declare("arrow/object", ARROW, library="pyarrow", extra="pyarrow", needs_schema=True)
def _objects() -> Spec:
    return _arrow(_tables, _raw_tables).changed(takes="Arrow tables")


FRAMES = replace(ARROW, framing=None)
"""The same format, except that each payload is a whole stream with its schema."""


def _frames(kind: type, to_table: Callable[[Any], Any], of_table: Callable[[Any], Any]) -> Spec:
    """Return the codec for data frames of a library.

    Args:
        kind: The class of the data frames.
        to_table: Converts a frame to an Arrow table, with few copies.
        of_table: Converts a table to a frame, without a copy if possible.
    """
    import pyarrow

    def encode(frame: Any) -> bytes:
        if not isinstance(frame, kind):
            library = kind.__module__.partition(".")[0]
            raise TypeError(f"expected a DataFrame of {library}, got {type(frame).__name__}")
        table = to_table(frame)
        return _written(table, table.schema)

    def decode(data: bytes, *, limits: Limits = DEFAULT) -> Any:
        found, _ = messages(data, limits)
        if _EXTENSION in data[: found[0].end]:
            raise ValueError("the payload's schema has extension types, which are not supported")
        with pyarrow.ipc.open_stream(pyarrow.py_buffer(data)) as reader:
            batches, schema = list(reader), reader.schema
        for batch in batches:
            batch.validate(full=True)
        return of_table(pyarrow.Table.from_batches(batches, schema))

    spec = _arrow(_rows, _raw_rows)
    return spec.changed(
        bind=None,
        raw=None,
        encode=encode,
        decode=decode,
        preserves=frozenset(),
        losses=(),
        notes=("numbers are decoded as read-only views of the payload",),
    )


@declare(
    "arrow/pandas",
    FRAMES,
    library="pyarrow",
    extra="pyarrow",
    also=("pandas", "numpy"),
    values=("pandas.DataFrame",),
    only=True,
)
def _pandas() -> Spec:
    import pandas
    import pyarrow

    def of_table(table: Any) -> Any:
        # One block for each column, as a common block would need a copy.
        return table.to_pandas(split_blocks=True, use_threads=False)

    def to_table(frame: Any) -> Any:
        return pyarrow.Table.from_pandas(frame, nthreads=1)

    return _frames(pandas.DataFrame, to_table, of_table)


@declare(
    "arrow/polars",
    FRAMES,
    library="pyarrow",
    extra="pyarrow",
    also=("polars",),
    values=("polars.DataFrame",),
    only=True,
)
def _polars() -> Spec:
    import polars

    return _frames(polars.DataFrame, polars.DataFrame.to_arrow, polars.from_arrow)
