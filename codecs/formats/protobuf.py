"""Protocol Buffers (protobuf.dev/programming-guides/encoding), by protobuf's upb.

A payload does not mark its end: further fields belong to the same message, and if a value occurs twice, the
last one is read. So each payload in a stream follows its length (`Delimited`), and changed bytes are often
read without an error.

Its media type is registered (iana.org/assignments/media-types/application/protobuf), with two older names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..binding import DEEPEST, Bound, SchemaProtocol
from ..errors import LimitError
from ..limits import DEFAULT
from ..registry import declare
from ..safety.embedded import Budget, within_budget
from ..safety.policies import held
from ..spec import Format, RawCalls, Spec
from ..streams.framing import Cuts, Framing, cut_short, damage, varint
from . import schema_ids
from .structs import STRICT, UNCHECKED, WIRE_POLICIES, WIRE_PRESERVES

if TYPE_CHECKING:
    from ..binding import CodecProtocol
    from ..safety._scan import StreamBuffer


class Delimited(Framing):
    """Each payload after its length as a varint, as in ``writeDelimitedTo`` of protobuf's libraries.

    The start of the next record is not marked, so that nothing after a damaged record is read.
    """

    def frame(self, payload: bytes) -> bytes:
        return varint(len(payload)) + payload

    def cut(self, codec: CodecProtocol, pending: StreamBuffer) -> Cuts:
        limit = codec.limits.size
        while True:
            start, length, size = pending.position, 0, 0
            while True:
                while len(pending) <= size and not pending.ended:
                    yield None
                head = pending.peek(size + 1)
                if not head:
                    return
                if len(head) <= size:
                    raise cut_short(codec, start)
                length |= (head[size] & 0x7F) << 7 * size
                size += 1
                if head[size - 1] < 0x80:
                    break
                if size == 10:
                    raise damage(codec, start, "its length is not a 64-bit number")
            if length > limit:
                raise damage(codec, start, f"it claims {length:,} bytes of {limit:,}", LimitError)
            while len(pending) < size + length:
                if pending.ended:
                    raise cut_short(codec, start)
                yield None
            pending.drop(size)
            payload = pending.take(length)
            pending.start = start
            yield payload


PROTOBUF = Format(
    name="protobuf",
    media_type="application/protobuf",
    media_type_aliases=("application/x-protobuf", "application/x-protobuffer"),
    file_extension=".binpb",
    empty=True,
    framing=Delimited(),
)
WITH_ID = Format(
    name="protobuf", media_type="application/x.schema-registry.protobuf", syntax="protobuf-registry"
)
REGISTRY = "protobuf/registry"
_declare = partial(
    declare,
    library="protobuf",
    module="google.protobuf",
    extra="protobuf",
    needs_schema=True,
)


def _inside(value: Any) -> Any:
    """Return the values of a message's fields."""
    from google.protobuf.message import Message

    if not isinstance(value, Message):
        return held(value)
    return [
        item if not field.is_repeated else dict(item) if hasattr(item, "items") else list(item)
        for field, item in value.ListFields()
    ]


def _protobuf(bind: Callable[..., Bound], raw: Callable[[SchemaProtocol], RawCalls]) -> Spec:
    # Imported here, so that a missing library is reported now and not at the first call.
    from google.protobuf.internal import api_implementation

    return Spec.of(
        bind=bind,
        raw=raw,
        bounded=lambda limits: {"items": limits.items},
        accelerated=api_implementation.Type() == "upb",
        preserves=WIRE_PRESERVES,
        losses=(
            "datetimes with an offset are decoded in UTC",
            "decoded fields are in the order of the schema, keys of maps in no order",
            "integers become floats if the schema says float",
        ),
        notes=(
            STRICT,
            "a required field that is not in the payload is decoded as 0, '' or empty",
            UNCHECKED,
        ),
        policies=replace(WIRE_POLICIES, trailing="none", inside=_inside),
    )


def _bound(schema: SchemaProtocol) -> Bound:
    binding = schema.binding("protobuf", payloads="of records")
    give: Callable[..., Any] = binding.give

    def decode(data: bytes, *, items: int = DEFAULT.items) -> Any:
        with Budget(items):
            return give(data, items=items)

    return Bound(
        encode=binding.take,
        decode=decode if schema.embeds else give,
        definition=binding.definition,
        index=binding.index,
        deepest=DEEPEST if schema.nests else 0,
    )


def _raw(schema: SchemaProtocol) -> RawCalls:
    """Return the calls for dicts of the JSON mapping, the library's own conversion to messages."""
    from google.protobuf.json_format import MessageToDict, ParseDict

    binding = schema.binding("protobuf")
    message = binding.type
    shown = partial(MessageToDict, preserving_proto_field_name=True)
    return RawCalls(
        lambda record: ParseDict(record, message()).SerializeToString(),
        lambda data: shown(message.FromString(data)),
        lambda record: shown(binding.take(record)),
        lambda record: binding.give(ParseDict(record, message())),
    )


@_declare("protobuf", PROTOBUF)
def _records() -> Spec:
    return _protobuf(_bound, _raw)


@_declare("protobuf/object", PROTOBUF)
def _objects() -> Spec:
    def bind(schema: SchemaProtocol) -> Bound:
        binding, payloads = schema.binding("protobuf"), schema.binding("protobuf", payloads="of messages")
        return Bound(
            encode=payloads.take,
            decode=payloads.give,
            take=binding.take,
            give=within_budget(binding.give),
            dicts=False,
            definition=binding.definition,
            deepest=DEEPEST if schema.nests else 0,
        )

    def raw(schema: SchemaProtocol) -> RawCalls:
        binding = schema.binding("protobuf")
        return RawCalls(binding.type.SerializeToString, binding.type.FromString, binding.take, binding.give)

    return _protobuf(bind, raw).changed(takes="protobuf messages")


@_declare(REGISTRY, WITH_ID)
def _registry() -> Spec:
    bind = partial(schema_ids.bound, REGISTRY, _bound)
    return schema_ids.with_ids(_protobuf(bind, partial(schema_ids.raw, _bound, _raw)))
