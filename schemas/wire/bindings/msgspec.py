"""Bind records to msgspec: the classes of the schema, or Structs built from its tree."""

from __future__ import annotations

import datetime as dt
import functools
from typing import TYPE_CHECKING, Any, ForwardRef, Literal, Union

from ....codecs.binding import Binding
from ....codecs.conventions.classes import opened, record_class
from ....codecs.conventions.families import exactly, has_other_values
from ....codecs.paths import step
from ....errors import UsageError
from ...tree import types as t
from ...tree.declare import SchemaError, tag_of
from .leaves import generic

if TYPE_CHECKING:
    from collections.abc import Callable

    from . import BindableSchema

_SIMPLE: dict[type[t.Type], Any] = t.PYTHON | {
    t.AnyType: Any,
    t.NoneType: None,
}
del _SIMPLE[t.ComplexType]


def binding(schema: BindableSchema, *, array_like: bool = False, text_keys: bool = False) -> Binding:
    """Return the `msgspec.Struct` classes of a schema's records, and the conversions to and from them.

    `type` is the type for msgspec's typed decoders and for `msgspec.convert`. Types other than records are
    unchanged. `take` drops fields that the schema does not have, as typed decoders do. If a schema builds
    objects, its own classes replace ours: Structs, dataclasses and attrs classes.

    Args:
        schema: The schema.
        array_like: Write records as lists of their values, without field names.
        text_keys: The format writes all keys of maps as text.

    Raises:
        SchemaError: msgspec has no typed form for a type (complex; bytes in hex; numbers for datetimes;
            unions of two records).
        UsageError: msgspec is not installed.
    """
    try:
        from msgspec import ValidationError, convert
    except ImportError as error:
        raise UsageError("msgspec is not installed; pip install 'bakeoff[msgspec]'") from error
    if text_keys:
        _refuse_keys_alike(schema.types)
    as_objects = schema.as_objects and not array_like
    if as_objects and _is_own(schema.types.item if isinstance(schema.types, t.ListType) else schema.types):
        _refuse_private(schema.types)
        kind = _struct_type(schema.types, array_like, as_objects)
        return Binding(kind, schema.apply, schema.apply, as_is=True)
    kind = _struct_type(schema.types, array_like, as_objects)
    give = functools.partial(_plain, as_objects=as_objects)
    # msgspec asks methods of subclasses, such as `__int__`, and looks for attributes by the names of keys.
    plain = exactly(_opened_with_keys, members=False)
    # msgspec reads array-like Structs from lists only, but also from the attributes of other Structs.
    steps = (_struct_type(schema.types, array_like=False), kind) if array_like else (kind,)

    def take(record: Any) -> Any:
        made = plain(record)
        try:
            for each in steps:
                made = convert(made, each, from_attributes=True)
        except ValidationError as error:
            raise ValueError(str(error)) from error
        return made

    suspect = _suspect_rows(schema.types) if array_like else _suspect(schema.types)
    return Binding(kind, take, give, suspect=suspect)


def _opened_with_keys(kind: type) -> Callable[[Any], Any] | None:
    """Return what makes a dict of objects of a class whose keys are not the names of its attributes."""
    known = record_class(kind)
    return None if known is None or known.keys == known.attributes else known.open


def _refuse_keys_alike(types: t.Type) -> None:
    """Refuse maps with text and other values as keys, which are the same text."""
    for path, each in t.walk(types):
        if not isinstance(each, t.DictType):
            continue
        options = getattr(each.key, "options", (each.key,))
        literals = [str(value) for option in options for value in getattr(option, "values", ())]
        if (t.StrType() in options and len(options) > 1) or len({*literals}) < len(literals):
            raise SchemaError(path, f"the keys of `{each.key}` are all written as text")


def _refuse_private(types: t.Type) -> None:
    """Refuse attrs classes with fields that msgspec does not write."""
    for path, each in t.walk(types):
        if isinstance(each, t.RecordType) and hasattr(each.cls, "__attrs_attrs__"):
            for field in each.fields:
                if field.name.startswith("_"):
                    raise SchemaError(path, f"msgspec does not write the field {field.name!r} of `{each}`")


def _suspect(types: t.Type) -> tuple[bytes, ...]:
    """Return parts of payloads that msgspec may write and not read.

    They are True and False as keys in JSON, and Structs of one's own that are arrays, where records are maps.
    """
    found: set[bytes] = set()
    for _, each in t.walk(types):
        if isinstance(each, t.DictType) and t.BoolType() in getattr(each.key, "options", (each.key,)):
            found |= {b'"true"', b'"false"'}
        if isinstance(each, t.RecordType) and _is_row(each.cls):
            return (b"",)
    return tuple(sorted(found))


def _suspect_rows(types: t.Type) -> tuple[bytes, ...]:
    """Return the same where records are arrays, unless each object that is written is known to be one.

    They are not known in Structs of one's own, nor in values that are neither records nor lists of records.
    """
    records = [each for _, each in t.walk(types) if isinstance(each, t.RecordType)]
    rows = [_is_row(each.cls) for each in records if each.cls is not None]
    known = types in records or getattr(types, "item", None) in records
    return (b"",) if (any(rows) and not all(rows)) or (records and not known) else ()


def _is_row(cls: Any) -> bool:
    return bool(getattr(getattr(cls, "__struct_config__", None), "array_like", False))


def _is_own(node: t.Type) -> bool:
    """Return whether msgspec builds objects of a record's own class, and of all classes below it."""
    if not isinstance(node, t.RecordType) or node.cls is None:
        return False
    below = (each.cls for _, each in t.walk(node) if isinstance(each, t.RecordType) and each.cls is not None)
    known = map(record_class, below)
    return all(each is not None and each.family != "model" for each in known)


def _struct_type(types: t.Type, array_like: bool, as_objects: bool = False) -> Any:
    import msgspec

    try:
        kind = _Builder(msgspec, array_like, as_objects).whole(types)
        msgspec.msgpack.Decoder(kind)
    except SchemaError:
        raise
    except (TypeError, ValueError) as error:
        raise SchemaError("$", f"msgspec cannot decode this schema: {error}") from error
    return kind


def _plain(value: Any, as_objects: bool) -> Any:
    """Convert a value that msgspec decoded to a record; its objects stay objects only if requested."""
    if type(value).__module__ == _MADE:
        import msgspec

        cls = type(value)
        names = dict(zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True))
        present = ((name, getattr(value, name)) for name in names)
        tag = tag_of(cls)
        record = {
            names[name]: _plain(item, as_objects) for name, item in present if item is not msgspec.UNSET
        }
        return record if tag is None else {tag[0]: tag[1]} | record
    if type(value) is dict:
        return {key: _plain(item, as_objects) for key, item in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(_plain(item, as_objects) for item in value)
    # msgspec gets a named tuple as its class, and builds objects of the classes that its fields name.
    if isinstance(value, tuple):
        return type(value)(*(_plain(item, as_objects) for item in tuple.__iter__(value)))
    if not as_objects and (fields := opened(value)) is not None:
        return _plain(fields, as_objects)
    return value


_MADE = "bakeoff.schemas.wire.bindings.made"
"""The module name of our Structs. No such module exists, so none of the user's classes belong to it."""


class _Builder:
    def __init__(self, msgspec: Any, array_like: bool, as_objects: bool) -> None:
        self.msgspec = msgspec
        self.array_like = array_like
        self.as_objects = as_objects
        self.made: dict[t.RecordType, Any] = {}
        self.refs: dict[str, t.RefType] = {}

    def whole(self, node: t.Type) -> Any:
        """Return the type of a record."""
        made = self.type(node, "$")
        for name, ref in self.refs.items():
            # msgspec looks up the names in a Struct's annotations here.
            for struct in self.made.values():
                setattr(struct, name, self.made[ref.record])
        return made

    def type(self, node: t.Type, path: str) -> Any:
        self._check(node, path)
        if type(node) in _SIMPLE:
            return _SIMPLE[type(node)]
        if (made := generic(node, path, self.type)) is not None:
            return made
        match node:
            case t.TextType(dt.time):
                return dt.time
            case t.EnumType(cls):
                return cls
            case t.LiteralType(values):
                return Literal[values]
            case t.DictType(key, value):
                return dict[self.type(key, path + "{key}"), self.type(value, path + "{}")]  # type: ignore[misc]
            case t.UnionType(options):
                return Union[tuple(self.type(o, path) for o in options)]  # noqa: UP007
            case t.RecordType():
                return self._record(node, path)
            case t.RefType(name):
                if hasattr(node.record.cls, "_fields"):
                    raise SchemaError(
                        path, f"msgspec does not support the named tuple `{name}` within itself"
                    )
                self.refs[f"_bakeoff_{name}"] = node
                return ForwardRef(f"_bakeoff_{name}")
        raise SchemaError(path, f"msgspec does not support `{node}`")

    def _check(self, node: t.Type, path: str) -> None:
        match node:
            case t.BytesType(encoding) | t.ByteArrayType(encoding) if encoding != "base64":
                raise SchemaError(path, f"msgspec reads bytes from base64 only, not {encoding}")
            case t.DateTimeType(epoch=unit) | t.TimeDeltaType(unit=unit) if unit not in (None, "s"):
                raise SchemaError(path, f"msgspec reads numbers of seconds only, not of {unit}")
            case t.EnumType(cls) if has_other_values(cls):
                raise SchemaError(path, f"msgspec does not read `{node}`, whose members are not their values")

    def _record(self, node: t.RecordType, path: str) -> Any:
        if node.cls is not None and hasattr(node.cls, "_fields"):
            return node.declared
        if self.as_objects and _is_own(node):
            for below, each in t.walk(node, path):
                self._check(each, below)
            return node.declared
        if node not in self.made:
            unset, names = self.msgspec.UNSET, {}
            fields: list[Any] = []
            tag_field, tag = tag_of(node.cls) or (None, None)
            taken = {item.name for item in node.fields}
            for i, item in enumerate(item for item in node.fields if item.name != tag_field):
                attribute = item.name
                # msgspec does not find a name that Python would mangle.
                if not attribute.isidentifier() or attribute.startswith("__"):
                    attribute = f"field_{i}"
                    while attribute in taken:
                        attribute += "_"
                names[attribute] = item.name
                kind = self.type(item.type, path + step(item.name))
                if item.required:
                    fields.append((attribute, kind))
                elif self.array_like:
                    raise SchemaError(path + step(item.name), "an array cannot have optional fields")
                else:
                    fields.append((attribute, Union[kind, self.msgspec.UnsetType], unset))  # noqa: UP007
            name = node.name if node.name.isidentifier() else "Record"
            self.made[node] = self.msgspec.defstruct(
                name,
                fields,
                array_like=self.array_like,
                kw_only=True,
                tag=tag,
                tag_field=tag_field,
                rename=names if any(a != n for a, n in names.items()) else None,
                gc=True,
                module=_MADE,
            )
        return self.made[node]
