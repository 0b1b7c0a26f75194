"""Bind records to protobuf: message classes in a separate pool, and conversions to and from them.

Equal definitions share their classes, so codecs can exchange messages.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ....codecs.binding import Binding
from ....codecs.safety.keys import FEW_KEYS, refuse_one_hash
from ...tree import types as t
from .. import layout as w
from ..languages import write
from ..languages.proto_file import file_of
from ..languages.proto_sets import pool_of
from ..languages.proto_words import TIMESTAMP, VALUE, WRAPPERS, boxed_slot
from . import _conversion as c
from .fit import fit
from .leaves import builder, hashes_safely, kinds, reader, writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.descriptor import FieldDescriptor
    from google.protobuf.message import Message

    from . import BindableSchema


def binding(schema: BindableSchema, *, payloads: Literal["", "of records", "of messages"] = "") -> Binding:
    """Return the message class of a schema's records, and the conversions to and from it.

    Args:
        schema: The schema.
        payloads: Convert records or messages to payloads and back. Otherwise, convert records to messages and
            back.

    Raises:
        SchemaError: Protocol Buffers have no form for a type.
        UsageError: protobuf is not installed.
    """
    layout = schema.layout
    file = file_of(layout)
    file.ClearField("source_code_info")
    cls = _message_class(file.SerializeToString(deterministic=True))
    compiler = _Compiler(as_objects=schema.as_objects)
    compiled = compiler.message(layout.root, cls)
    if compiler.nests:
        compiled.weight.nested(each.weight for each in compiler.made.values())
    definition = write(layout, "protobuf").decode()
    if not payloads:
        return Binding(cls, c.ToMessage(cls, compiled.into), compiled.step, definition, index=layout.index)
    into, step = (compiled.into, compiled.step) if payloads == "of records" else (None, None)
    # Maps have no other order.
    options = {"deterministic": True} if compiler.has_maps else None
    take = c.ToPayload(cls, into, _adopter(cls), options, compiled.weight)
    give = c.FromPayload(cls, step, compiled.weight)
    return Binding(cls, take, give, definition, index=layout.index)


@functools.lru_cache(maxsize=64)
def _message_class(definition: bytes) -> type[Message]:
    """Return the class of a file's first message."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet
    from google.protobuf.message_factory import GetMessageClass

    files = FileDescriptorSet()
    files.file.add().MergeFromString(definition)
    name = files.file[0].message_type[0].name
    return GetMessageClass(pool_of(files, "the definition").FindMessageTypeByName(name))


def _adopter(cls: type[Message]) -> Callable[[Any], None]:
    """Return a check that raises for messages of another class, unless they have the same fields."""
    from google.protobuf.message import Message

    known: set[type] = set()

    def adopt(message: Any) -> None:
        if (kind := type(message)) in known:
            return
        name = cls.DESCRIPTOR.name
        if not isinstance(message, Message):
            raise c.MisfitError(f"expected a message {name}, got {kind.__name__}")
        theirs: Any = message.DESCRIPTOR
        if not _same_fields(theirs, cls.DESCRIPTOR):
            raise c.MisfitError(f"the message {theirs.full_name} has other fields than {name}")
        known.add(kind)

    return adopt


def _same_fields(one: Any, other: Any, seen: set[tuple[str, str]] | None = None) -> bool:
    """Return whether two messages have the same fields on the wire."""
    seen = set() if seen is None else seen
    if (both := (one.full_name, other.full_name)) in seen:
        return True
    seen.add(both)
    fields = one.fields_by_number, other.fields_by_number
    return fields[0].keys() == fields[1].keys() and all(
        (field.type, field.is_repeated) == (same.type, same.is_repeated)
        and (
            field.message_type is None
            or same.message_type is None
            or _same_fields(field.message_type, same.message_type, seen)
        )
        for number, field in fields[0].items()
        for same in [fields[1][number]]
    )


@dataclass(frozen=True, slots=True)
class _Compiled:
    """The conversions of a message.

    Attributes:
        into: From the value to the message.
        step: From the message to the value.
        sure: Whether the message always has a field set.
        weight: Number of values in it.
    """

    into: c.Into
    step: c.Step
    sure: bool
    weight: c.Weight


class _Compiler:
    """Compiles the conversions of messages, each once.

    Attributes:
        has_maps: Whether a message has a native map.
        nests: Whether a message may contain its own kind.
    """

    def __init__(self, *, as_objects: bool) -> None:
        self.as_objects = as_objects
        self.has_maps = self.nests = False
        self.begun: dict[str, _Compiled] = {}
        self.made: dict[str, _Compiled] = {}

    def message(self, kind: w.WireType, cls: type[Message]) -> _Compiled:
        """Return the conversions of the message that represents a kind."""
        name = cls.DESCRIPTOR.full_name
        if name in self.begun:
            self.nests = True
            return self.begun[name]
        if name not in self.made:
            kind = w.opened(kind)
            self.begun[name] = begun = _begun(kind)
            made = self.made[name] = self._message(kind, cls, begun)
            begun.into.inside, begun.step.step = made.into, made.step  # type: ignore[attr-defined]
            del self.begun[name]
        return self.made[name]

    def _message(self, kind: w.WireType, cls: type[Message], begun: _Compiled) -> _Compiled:
        weight = begun.weight
        if isinstance(kind, w.WireRecord):
            parts = [self.part(slot, cls, weight) for slot in kind.slots]
            build = builder(kind, as_objects=self.as_objects)
            into, step = c.IntoMessage(parts, kind.places), c.FromMessage(parts, kind.places, build)
            return replace(begun, into=into, step=step)
        if isinstance(kind, w.WireUnion):
            options = [self.part(replace(option, required=False), cls, weight) for option in kind.options]
            return replace(begun, into=c.IntoOption(options), step=c.FromChosen(options))
        part = self.part(w.WireField(VALUE, VALUE, 1, kind), cls, weight)
        return replace(begun, into=c.IntoValue(part), step=c.FromValue(part))

    def part(self, slot: w.WireField, cls: type[Message], weight: c.Weight) -> c.Part:
        """Return the conversions of a field."""
        field: Any = cls.DESCRIPTOR.fields_by_name[slot.name]
        nullable = w.may_be_null(slot.kind)
        kind = slot.kind.kind if isinstance(slot.kind, w.Nullable) else slot.kind
        put, get, held = self.ways(kind, field, cls, boxed=boxed_slot(slot))
        if held is not None:
            once = slot.required and not isinstance(slot.kind, w.Nullable) and not field.is_repeated
            weight.holds(field.number, held, once)
        has: Callable[[Any, str], bool] | None = None
        if not slot.required or isinstance(slot.kind, w.Nullable):
            has = cls.HasField if field.has_presence else _never if w.is_null(kind) else None
        return c.Part(
            slot.key,
            slot.name,
            put,
            get,
            nullable=nullable,
            has=has,
            falsy=field.message_type is None,
            among=slot.among,
            required=slot.required,
            null=slot.null_name if slot.null else "",
            kinds=kinds(kind),
            fit=fit(kind),
        )

    def ways(
        self, kind: w.WireType, field: FieldDescriptor, cls: type[Message], *, boxed: bool
    ) -> tuple[c.Put, c.Step | None, c.Weight | int | None]:
        """Return how a field is written and read, and its content's weight if its payload has a length."""
        name = field.name
        if isinstance(kind, w.WireSequence) and not boxed:
            return self.items(kind, field, cls)
        if isinstance(kind, w.WireMap) and not boxed:
            return self.entries(kind, field, cls)
        if isinstance(kind, w.Leaf) and field.message_type is None:
            if w.is_null(kind):
                return c.PutNothing(name), c.Nothing(), None
            return c.PutLeaf(name, _to(kind), _exact(kind)), _from(kind), None
        inside = self.inside(kind, field)
        mark = None if inside.sure else type(_held(field, cls)).SetInParent
        return c.PutMessage(name, inside.into, mark), inside.step, inside.weight

    def inside(self, kind: w.WireType, field: FieldDescriptor) -> _Compiled:
        """Return the conversions of the message in a field."""
        from google.protobuf.message_factory import GetMessageClass

        assert field.message_type is not None
        cls = GetMessageClass(field.message_type)
        if isinstance(kind, w.Leaf) and kind.form == TIMESTAMP:
            plain = replace(kind, form="", unit="us")
            step = reader(plain)
            assert step is not None
            return _Compiled(c.IntoMoment(writer(plain)), c.FromMoment(step), False, c.Weight(1))
        if isinstance(kind, w.Leaf) and kind.form in WRAPPERS:
            return self.message(replace(kind, form=WRAPPERS[kind.form]), cls)
        return self.message(kind, cls)

    def items(
        self, kind: w.WireSequence, field: FieldDescriptor, cls: type[Message]
    ) -> tuple[c.Put, c.Step, c.Weight | int | None]:
        held, item = t.collection(kind.type), kind.item
        guard = _guard(item) if held in (set, frozenset) else None
        container = type(_held(field, cls))
        if isinstance(item, w.Leaf) and field.message_type is None:
            to, back = _both(item)
            put: c.Put = c.PutValues(field.name, to, _exact(item), held, container.extend)
            return put, c.FromValues(held, back, guard), _PACKED.get(field.cpp_type)
        inside = self.inside(item, field)
        put = c.PutMessages(field.name, inside.into, held, container.add)
        return put, c.FromValues(held, inside.step, guard), inside.weight

    def entries(
        self, kind: w.WireMap, field: FieldDescriptor, cls: type[Message]
    ) -> tuple[c.Put, c.Step, c.Weight | int | None]:
        from google.protobuf.message_factory import GetMessageClass

        entry = field.message_type
        assert entry is not None
        guard, weight = _guard(kind.key), c.Weight(2)
        if not entry.GetOptions().map_entry:
            pair = GetMessageClass(entry)
            key = self.part(w.WireField("key", "key", 1, kind.key), pair, weight)
            value = self.part(w.WireField(VALUE, VALUE, 2, kind.value), pair, weight)
            put: c.Put = c.PutPairs(field.name, key, value, type(_held(field, cls)).add)
            return put, c.FromEntries(key, value, guard), weight
        self.has_maps = True
        assert isinstance(kind.key, w.Leaf)
        to_key, from_key, of = _to(kind.key), _from(kind.key), entry.fields_by_name[VALUE]
        if of.message_type is None:
            assert isinstance(kind.value, w.Leaf)
            to, back = _both(kind.value)
            return c.PutItems(field.name, to_key, to), c.FromItems(from_key, back, guard), weight
        inside = self.inside(kind.value, of)
        weight.holds(2, inside.weight)
        put = c.PutItems(field.name, to_key, inside=inside.into)
        return put, c.FromItems(from_key, inside.step, guard), weight


def _begun(kind: w.WireType) -> _Compiled:
    """Return placeholders for the converters of a message, which are built later."""
    if isinstance(kind, w.WireRecord):
        sure = any(slot.required and _always_sets(slot.kind) for slot in kind.slots)
        return _Compiled(
            c.IntoWithin(), c.Within(), sure, c.Weight(1 + sum(slot.required for slot in kind.slots))
        )
    if isinstance(kind, w.WireUnion):
        return _Compiled(c.IntoWithin(), c.Within(), True, c.Weight(0))
    return _Compiled(c.IntoWithin(), c.Within(), _always_sets(kind), c.Weight(1))


_PACKED = {1: 0, 2: 0, 3: 0, 4: 0, 5: 8, 6: 4, 7: 0, 8: 0}
"""Bytes per item, by the type in C++, of a list whose items have one length; 0 for varints."""


def _held(field: FieldDescriptor, cls: type[Message]) -> Any:
    return getattr(cls(), field.name)


def _never(message: Message, name: str) -> bool:
    return False


def _always_sets(kind: w.WireType) -> bool:
    """Return whether a field with a value of this kind is always set."""
    return isinstance(w.opened(kind), (w.WireRecord, w.WireUnion)) or (
        isinstance(kind, w.Leaf) and kind.wire != "null"
    )


def _guard(key: w.WireType) -> Callable[[list[Any]], None] | None:
    """Return a check that refuses keys with one hash, or None if the keys are safe."""
    if hashes_safely(key):
        return None

    def check(keys: list[Any]) -> None:
        if len(keys) > FEW_KEYS:
            refuse_one_hash(keys)

    return check


# Leaves ---------------------------------------------------------------------------------------------


def _exact(leaf: w.Leaf) -> type | None:
    """Return the type whose values are written unchanged; upb refuses integers that are too large."""
    match leaf:
        case w.Leaf("int", t.IntType() | t.LiteralType()):
            return int
        case w.Leaf("text", t.StrType() | t.LiteralType()):
            return str
        case w.Leaf("bytes", t.BytesType()):
            return bytes
        case w.Leaf("float", bits=64):
            return float
        case w.Leaf("bool"):
            return bool
    return None


def _both(leaf: w.Leaf) -> tuple[c.Step, c.Step | None]:
    """Return the conversions of items and of map values, with a placeholder for None."""
    return (c.Null(0), c.Nothing()) if w.is_null(leaf) else (_to(leaf), _from(leaf))


def _to(leaf: w.Leaf) -> c.Step:
    if leaf.wire == "enum":
        return c.Lookup(dict(leaf.symbols), int)
    if leaf.form.removeprefix("required ") in _UNSIGNED:
        return c.Call(_unsigned)
    return writer(leaf)


def _from(leaf: w.Leaf) -> c.Step | None:
    step = reader(leaf)
    if leaf.wire == "enum":
        return c.Lookup({number: name for name, number in reversed(leaf.symbols)}, int)
    if leaf.wire == "any" and step is not None:
        # An unset field is not MessagePack.
        return c.Call(lambda data: step(data) if data else None)
    return step


_UNSIGNED = ("uint32", "uint64", "fixed32", "fixed64")


def _unsigned(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise c.MisfitError(f"expected int, got {type(value).__name__}")
    return int(value)
