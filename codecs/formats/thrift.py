"""Apache Thrift's compact protocol (thrift-compact-protocol.md), by the compiled part of the Apache library.

It is called directly, as by the classes of Thrift's compiler; protocol and transport objects of the library
would cost more than many records. Text that is read into records must be UTF-8; the library replaces invalid
bytes by U+FFFD, and still does so in its own objects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any

from ..binding import DEEPEST, Bound, SchemaProtocol
from ..limits import DEFAULT
from ..registry import declare
from ..safety.embedded import within_budget
from ..spec import Format, RawCalls, Spec
from .structs import STRICT, UNCHECKED, WIRE_LOSSES, WIRE_POLICIES, WIRE_PRESERVES

THRIFT = Format(
    name="thrift",
    media_type="application/vnd.apache.thrift.compact",
    file_extension=".thrift.bin",
)


class _Payload(BytesIO):
    """A payload for the library's compiled part: protocol, transport and buffer in one object."""

    __slots__ = ()

    string_length_limit = container_length_limit = (1 << 31) - 1

    @property
    def trans(self) -> _Payload:
        return self

    cstringio_buf = trans

    def cstringio_refill(self, part: bytes, wanted: int) -> BytesIO:
        raise EOFError("the payload ends within a value")


def writer_of(kind: Any, to: Callable[[Any], Any] | None = None) -> Callable[[Any], bytes]:
    """Return an encoder of structs.

    Args:
        kind: A list of the struct's class and its `thrift_spec`.
        to: Converts a record to a struct.
    """
    from thrift.protocol.fastbinary import encode_compact

    def write(struct: Any) -> bytes:
        if not hasattr(type(struct), "thrift_spec"):
            # The library would write whatever attributes it has.
            raise TypeError(f"expected a Thrift struct, got {type(struct).__name__}")
        return encode_compact(struct, kind)  # type: ignore[no-any-return]

    if to is None:
        return write
    return lambda record: encode_compact(to(record), kind)


def reader_of(kind: Any) -> Callable[..., Any]:
    """Return a decoder that reads a whole payload into a struct.

    The codec has already counted the payload's values, so the limit of items is ignored here.

    Args:
        kind: As for `writer_of`.
    """
    from thrift.protocol.fastbinary import decode_compact

    def read(data: bytes, *, items: int = DEFAULT.items) -> Any:
        payload = _Payload(data)
        record = decode_compact(None, payload, kind)
        if (end := payload.tell()) != len(data):
            raise ValueError(f"data after the end of the value, at byte {end}")
        return record

    return read


def _raw(schema: SchemaProtocol) -> RawCalls:
    """Return the calls for structs of Thrift's classes, as the library cannot convert dicts."""
    from thrift.protocol.TCompactProtocol import TCompactProtocolAcceleratedFactory
    from thrift.TSerialization import deserialize, serialize

    binding = schema.binding("thrift", objects=True)
    struct, factory = binding.type[0], TCompactProtocolAcceleratedFactory(fallback=False)
    return RawCalls(
        lambda record: serialize(record, factory),
        lambda data: deserialize(struct(), data, factory),
        binding.take,
        binding.give,
    )


def _thrift(
    bind: Callable[[SchemaProtocol], Bound], *, losses: tuple[str, ...] = (), surrogates: str = "reject"
) -> Spec:
    # Imported here, so that a missing library is reported now and not at the first call.
    import thrift.protocol.fastbinary  # noqa: F401

    return Spec.of(
        bind=bind,
        raw=_raw,
        bounded=lambda limits: {"items": limits.items},
        too_deep=("Maximum recursion depth exceeded",),
        accelerated=True,
        preserves=WIRE_PRESERVES,
        losses=(*WIRE_LOSSES, *losses),
        notes=(STRICT, UNCHECKED),
        policies=replace(WIRE_POLICIES, surrogates=surrogates),
    )


@declare("thrift", THRIFT, library="thrift", extra="thrift", needs_schema=True)
def _records() -> Spec:
    def bind(schema: SchemaProtocol) -> Bound:
        binding = schema.binding("thrift")
        read = reader_of(binding.type)
        return Bound(
            encode=writer_of(binding.type, binding.take),
            decode=within_budget(read) if schema.embeds else read,
            definition=binding.definition,
            deepest=DEEPEST if schema.nests else 0,
        )

    return _thrift(bind)


@declare("thrift/object", THRIFT, library="thrift", extra="thrift", needs_schema=True)
def _objects() -> Spec:
    def bind(schema: SchemaProtocol) -> Bound:
        binding = schema.binding("thrift", objects=True)
        return Bound(
            encode=writer_of(binding.type),
            decode=reader_of(binding.type),
            take=binding.take,
            give=within_budget(binding.give),
            dicts=False,
            definition=binding.definition,
            deepest=DEEPEST if schema.nests else 0,
        )

    spec = _thrift(
        bind, losses=("invalid UTF-8 is decoded with U+FFFD in its place",), surrogates="reject/none"
    )
    return spec.changed(takes="Thrift structs")
