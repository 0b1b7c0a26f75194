"""Bind records to pydantic: TypedDicts or models, built from the description tree."""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import decimal
import functools
import operator
import re
from abc import ABC
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NotRequired

from ....codecs.binding import Binding
from ....codecs.conventions.classes import fields_of, record_class
from ....codecs.conventions.families import JSON_FAMILY, has_other_values
from ....codecs.conventions.rules import SCALAR_OF, duration_text
from ....codecs.paths import join, step
from ....errors import UsageError
from ...plan.build import build_of
from ...plan.convert import DECODERS, ConversionError, from_text
from ...tree import types as t
from ...tree.declare import SchemaError, tag_of
from ..languages.json_schema import write
from ._conversion import MisfitError
from .leaves import generic

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from . import BindableSchema

_OPTIONS: Any = {
    "strict": True,
    "allow_inf_nan": True,
    "val_json_bytes": "base64",
    "ser_json_inf_nan": "constants",
    "protected_namespaces": (),
}
_SIMPLE: dict[type[t.Type], Any] = dict(t.PYTHON)
for _without in (t.ComplexType, t.BytesType, t.ByteArrayType, t.TimeDeltaType):
    del _SIMPLE[_without]

_PLAIN = (t.NoneType, t.BoolType, t.IntType, t.FloatType, t.StrType, t.LiteralType)
"""Types that JSON distinguishes. Its values are read as these, whatever type was declared."""
_KEYS = (t.StrType, t.BoolType, t.FloatType, t.DateType, t.DateTimeType, t.TimeDeltaType,
         t.UUIDType, t.DecimalType, t.TextType, t.BytesType)  # fmt: skip
_TEXTS = (t.BytesType, t.ByteArrayType, t.TimeDeltaType)
_DEPTH = 120
"""Levels of values of any type; pydantic reads 200 in all."""
_INTEGER = re.compile(r"-?[1-9][0-9]*|0", re.ASCII)


class PydanticCalls(NamedTuple):
    """The library's own calls for the records of a schema.

    Attributes:
        adapter: A `pydantic.TypeAdapter` of the records' type.
        encode: Writes the result of `Binding.take` as JSON.
        decode: Reads JSON. Fields that the schema does not have keep their JSON values.
        only: As in `Bound`.
    """

    adapter: TypeAdapter[Any]
    encode: Callable[..., bytes]
    decode: Callable[[bytes], Any]
    only: type[Any] | None = None


class _Made(ABC):  # noqa: B024 - it only answers `isinstance`, and keeps the answer for each class
    """Models that are made here."""

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return kind.__module__ == __name__


def binding(schema: BindableSchema, *, models: bool = False) -> Binding:
    """Return pydantic's type for a schema's records, and the conversions to and from it.

    `type` are the `PydanticCalls`. `take` checks a record strictly: it converts only integers to floats, and
    refuses unknown fields. The JSON follows the conventions of all JSON codecs.

    Args:
        schema: The schema.
        models: Use models for records, not TypedDicts.

    Raises:
        SchemaError: JSON has no form for a type, a key is neither text nor of a single type, or the options
            of a union have the same form in JSON.
        UsageError: pydantic is not installed.
    """
    try:
        from pydantic import TypeAdapter, ValidationError
        from pydantic.errors import PydanticUserError
        from pydantic_core import SchemaSerializer
    except ImportError as error:
        raise UsageError("pydantic is not installed; pip install 'bakeoff[pydantic]'") from error
    if models and (cls := _own_class(schema)) is not None:
        return _own(schema, cls)
    own = isinstance(schema.types, t.RecordType) and not schema.types.positional

    kind = _Builder(models, schema.as_objects).whole(schema.types, deferred=schema.nests)
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(kind, config=None if own else _OPTIONS)
        if schema.nests:
            # If models wait for one another, so does the adapter.
            adapter.rebuild(force=True)
    except PydanticUserError as error:
        raise SchemaError("$", f"pydantic cannot validate this schema: {error.message}") from error
    # For a TypedDict, the adapter's own serializer would have no configuration.
    serializer = SchemaSerializer(adapter.core_schema, {"ser_json_inf_nan": "constants"})
    validate, load = adapter.validator.validate_python, adapter.validator.validate_json
    # Each keyword costs as much time as a small record.
    some = any(not item.required for _, node in t.walk(schema.types) for item in getattr(node, "fields", ()))
    options: Any = {"exclude_unset": True} if models and some else {}

    def take(record: Any) -> Any:
        try:
            return validate(record, extra="forbid")
        except ValidationError as error:
            place, reason = _first(error)
            raise MisfitError(reason, place) from error

    def decode(data: bytes) -> Any:
        try:
            return load(data, extra="allow")
        except ValidationError as error:
            raise _refused(error) from error

    encode: Callable[..., bytes]
    encode = functools.partial(serializer.to_json, **options) if options else serializer.to_json
    if any(isinstance(node, t.DictType | t.AnyType) for _, node in t.walk(schema.types)):
        encode = _with_whole_keys(encode)
    calls = PydanticCalls(adapter, encode, decode, _Made if models and own else None)
    give = functools.partial(serializer.to_python, **options)
    return Binding(calls, take, give, write(schema.layout).decode())


def _with_whole_keys(encode: Callable[..., bytes]) -> Callable[..., bytes]:
    """Return an encoder that refuses lone surrogates in keys, which pydantic replaces by U+FFFD."""

    def checked(record: Any) -> bytes:
        payload = encode(record)
        if b"\xef\xbf\xbd" in payload:
            _refuse_surrogates(record)
        return payload

    return checked


def _refuse_surrogates(value: Any) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(key, str):
                key.encode()
            _refuse_surrogates(item)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            _refuse_surrogates(item)
    elif hasattr(value, "__pydantic_fields__"):
        _refuse_surrogates([*vars(value).values(), value.model_extra])


def _own_class(schema: BindableSchema) -> Any:
    """Return the pydantic model of a schema that builds objects of one, or None."""
    node = schema.types.item if isinstance(schema.types, t.ListType) else schema.types
    if not schema.as_objects or not isinstance(node, t.RecordType) or node.cls is None:
        return None
    known = record_class(node.cls)
    return node.cls if known is not None and known.family == "model" else None


def _own(schema: BindableSchema, cls: Any) -> Binding:
    """Return the binding of a user's own models, which define how they write and read records.

    Aliases are written, as in FastAPI's responses. If a model does not read the alias that it writes, or has
    one alias for two fields, names are used in both directions.
    """
    from pydantic import TypeAdapter, ValidationError

    for path, node in t.walk(schema.types):
        if isinstance(node, t.EnumType):
            _refuse_other_values(node, path)
    adapter: TypeAdapter[Any] = TypeAdapter(list[cls] if isinstance(schema.types, t.ListType) else cls)
    models = [each.cls for _, each in t.walk(schema.types) if isinstance(each, t.RecordType)]
    fields = [getattr(model, "__pydantic_fields__", {}) for model in dict.fromkeys(models)]
    infos = [(name, info) for each in fields for name, info in each.items()]
    writing: dict[str, Any] = {}
    reading: dict[str, Any] = {}
    if any(map(_writes_one_key_twice, fields)) or not all(_reads_what_it_writes(*each) for each in infos):
        writing, reading = {"by_alias": False}, {"by_alias": False, "by_name": True}
    elif any(info.serialization_alias or info.validation_alias for _, info in infos):
        writing, reading = {"by_alias": True}, {"by_alias": True}
    if _has_json(adapter.core_schema) or any(map(_refuses_computed, models)):
        # Otherwise the text of `Json` is written as its value, and computed fields, which are refused.
        writing["round_trip"] = True
    encode: Callable[..., bytes] = functools.partial(adapter.serializer.to_json, **writing)
    if any(isinstance(node, t.DictType | t.AnyType) for _, node in t.walk(schema.types)):
        encode = _with_whole_keys(encode)
    load: Callable[..., Any] = functools.partial(adapter.validator.validate_json, **reading)

    def decode(data: bytes) -> Any:
        try:
            return load(data)
        except ValidationError as error:
            raise _refused(error) from error

    try:
        definition = write(schema.layout).decode()
    except SchemaError:
        definition = ""  # A type that only pydantic knows.
    return Binding(PydanticCalls(adapter, encode, decode), schema.apply, schema.apply, definition, as_is=True)


def _writes_one_key_twice(fields: Mapping[str, Any]) -> bool:
    return len({info.serialization_alias or name for name, info in fields.items()}) < len(fields)


def _refuse_other_values(node: t.EnumType, path: str) -> None:
    if has_other_values(node.cls):
        raise SchemaError(path, f"pydantic does not read `{node}`, whose members are not their values")


def _reads_what_it_writes(name: str, info: Any) -> bool:
    from pydantic import AliasChoices

    written, read = info.serialization_alias or name, info.validation_alias or name
    return written in (read.choices if isinstance(read, AliasChoices) else (read,))


def _refuses_computed(model: Any) -> bool:
    computed = getattr(model, "model_computed_fields", None)
    return bool(computed) and model.model_config.get("extra") == "forbid"


def _has_json(core: Any) -> bool:
    """Whether a core schema has a field of type `Json`."""
    if isinstance(core, Mapping):
        return core.get("type") == "json" or any(map(_has_json, core.values()))
    return isinstance(core, list | tuple) and any(map(_has_json, core))


def _refused(error: Any) -> ValueError:
    place, reason = _first(error)
    return ValueError(f"at `${place}`: {reason}" if place else reason)


def _first(error: Any) -> tuple[str, str]:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    reason = found[0]["msg"]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return join(found[0]["loc"]).removeprefix("$"), reason.removeprefix("Value error, ") + more


class _Builder:
    def __init__(self, models: bool, as_objects: bool) -> None:
        self.models, self.as_objects = models, as_objects and not models
        self.made: dict[t.RecordType, Any] = {}
        self.deferred: list[Any] | None = None

    def whole(self, node: t.Type, *, deferred: bool) -> Any:
        """Return the type of a record; `deferred` if it may contain others of its own kind."""
        self.deferred = [] if deferred and self.models else None
        made = self.type(node, "$")
        for model in self.deferred or ():
            model.model_rebuild(force=True)
        return made

    def type(self, node: t.Type, path: str) -> Any:
        if type(node) in _SIMPLE and not _is_big(node):
            if isinstance(node, t.DateTimeType) and node.epoch is not None:
                raise SchemaError(path, "pydantic does not read numbers as datetimes in strict mode")
            return _SIMPLE[type(node)]
        if (made := generic(node, path, self.type)) is not None:
            return made
        match node:
            case t.AnyType():
                return _written(Any, _any)
            case t.IntType():
                return _either(int, _integer)
            case t.BytesType("base64"):
                return _written(bytes, _text_of["base64"])
            case t.BytesType(encoding):
                return _written(_either(bytes, DECODERS[encoding]), _text_of[encoding])
            case t.ByteArrayType(encoding):
                read = DECODERS[encoding]
                return _written(_either(bytearray, lambda text: bytearray(read(text))), _text_of[encoding])
            case t.TimeDeltaType(unit=None):
                return _written(dt.timedelta, duration_text)
            case t.TimeDeltaType():
                raise SchemaError(path, "pydantic does not read numbers as durations in strict mode")
            case t.TextType(dt.time):
                return dt.time
            case t.TextType(cls):
                scalar = SCALAR_OF[cls]
                return _written(_either(cls, from_text(cls)), scalar.write)
            case t.EnumType(cls):
                if not all(isinstance(member.value, str | int) for member in cls):
                    raise SchemaError(path, f"the values of `{node}` are not all text or integers")
                _refuse_other_values(node, path)
                return cls
            case t.LiteralType(values):
                return Literal[values]
            case t.DictType(key, value):
                return dict[self._key(key, path + "{key}"), self.type(value, path + "{}")]  # type: ignore[misc]
            case t.UnionType(options):
                return self._union(options, path)
            case t.RecordType(positional=True):
                return self._named_tuple(node, path)
            case t.RecordType():
                return self._record(node, path)
            case t.RefType():
                return Annotated[Any, _Within(self.made, node)]
        raise SchemaError(path, f"pydantic's JSON does not support `{node}`")

    def _key(self, node: t.Type, path: str) -> Any:
        match node:
            case t.IntType():
                return _either(int, _integer)
            case t.EnumType(cls) if all(isinstance(member.value, str) for member in cls):
                return self.type(node, path)
            case t.LiteralType(values) if all(isinstance(value, str) for value in values):
                return Literal[values]
        if isinstance(node, _KEYS):
            return self.type(node, path)
        raise SchemaError(path, f"pydantic does not read keys of `{node}` from text")

    def _union(self, options: tuple[t.Type, ...], path: str) -> Any:
        if any(isinstance(option, t.AnyType) for option in options):
            return self.type(t.AnyType(), path)
        for i, one in enumerate(options):
            for other in options[:i]:
                alike = _forms(one) & _forms(other)
                plain = isinstance(one, _PLAIN) and isinstance(other, _PLAIN)
                # Integers beyond 64 bits are text there, and text of digits would be read as an integer.
                plain = plain and not ("text" in alike and (_is_big(one) or _is_big(other)))
                both = f"`{other}` and `{one}`"
                if _are_equal(one, other):
                    raise SchemaError(
                        path, f"{both} have equal values, so pydantic does not distinguish them"
                    )
                if alike and not plain and not _are_tagged(one, other):
                    raise SchemaError(
                        path, f"{both} are both written as {max(alike)}, so they cannot be distinguished"
                    )
        made = (self.type(option, path) for option in options)
        return functools.reduce(operator.or_, (type(None) if each is None else each for each in made))

    def _named_tuple(self, node: t.RecordType, path: str) -> Any:
        from pydantic import AfterValidator

        cls: Any = node.cls
        items = tuple(self.type(item.type, path + step(item.name)) for item in node.fields)
        made = tuple[items]  # type: ignore[valid-type]
        return made if cls is None else Annotated[made, AfterValidator(lambda values: cls(*values))]

    def _record(self, node: t.RecordType, path: str) -> Any:
        if node not in self.made:
            name = node.name if node.name.isidentifier() else "Record"
            kinds = {item.name: self.type(item.type, path + step(item.name)) for item in node.fields}
            required = {item.name for item in node.fields if item.required}
            if self.models:
                made = _model(name, kinds, required, deferred=self.deferred is not None)
                if self.deferred is not None:
                    self.deferred.append(made)
            else:
                made = _typed_dict(name, kinds, required)
            self.made[node] = made if node.cls is None else Annotated[made, _Objects(node, self.as_objects)]
        return self.made[node]


class _Within:
    """Placeholder for a record within itself: pydantic asks for the record after all of them exist.

    Args:
        made: The types of records.
        ref: A reference to one of them.
    """

    def __init__(self, made: Mapping[t.RecordType, Any], ref: t.RefType) -> None:
        self.made, self.ref = made, ref

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return handler.generate_schema(self.made[self.ref.record])


class _Objects:
    """Accepts objects of a record's class when writing, and builds them when reading if requested.

    It is not a function before the validation, as pydantic would then take JSON for Python objects, strictly.
    """

    def __init__(self, node: t.RecordType, read: bool) -> None:
        self.cls: Any = node.cls
        self.build: Callable[..., Any] | None = build_of(node) if read else None
        self.names = {item.name: item.attribute or item.name for item in node.fields}
        self.attributes = set(self.names.values())
        self.tag = dict([tag]) if (tag := tag_of(node.cls)) else {}

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        made = handler(source)
        read = made if self.build is None else core_schema.no_info_after_validator_function(self.built, made)
        opened = core_schema.no_info_before_validator_function(self.opened, made)
        return core_schema.json_or_python_schema(read, opened)

    def opened(self, value: Any) -> Any:
        if not isinstance(value, self.cls):
            return value
        found = ((name, getattr(value, attribute, ...)) for name, attribute in self.names.items())
        fields = self.tag | {name: held for name, held in found if held is not ...}
        # Those that a subclass adds are refused, like those of a dict.
        known = fields_of(value) or {}
        return fields | {name: known[name] for name in known.keys() - self.attributes}

    def built(self, fields: dict[str, Any]) -> Any:
        if self.build is None or fields.keys() != self.names.keys():
            return fields  # Do not drop values that the object has no place for.
        try:
            return self.build(**fields) if self.build is self.cls else self.build(fields)
        except Exception:  # noqa: BLE001 - the class refuses what was written; advice says so
            return fields


def _typed_dict(name: str, kinds: dict[str, Any], required: set[str]) -> Any:
    from typing_extensions import TypedDict

    functional: Any = TypedDict
    made = functional(
        name, {key: kind if key in required else NotRequired[kind] for key, kind in kinds.items()}
    )
    made.__pydantic_config__ = {**_OPTIONS, "extra": "forbid"}
    return made


def _model(name: str, kinds: dict[str, Any], required: set[str], *, deferred: bool) -> Any:
    from pydantic import BaseModel, Field, create_model

    fields: dict[str, Any] = {}
    for i, (key, kind) in enumerate(kinds.items()):
        attribute = key
        # pydantic reserves these names.
        if not key.isidentifier() or key.startswith("_") or hasattr(BaseModel, key):
            attribute = f"field_{i}"
            while attribute in kinds:
                attribute += "_"
        default = ... if key in required else None
        fields[attribute] = kind, default if attribute == key else Field(default, alias=key)
    # A model writes unknown fields that it has read only if it allows extra fields. Assignments are
    # validated, because pydantic only warns of wrong types when it writes.
    config: Any = {**_OPTIONS, "extra": "allow", "validate_assignment": True, "serialize_by_alias": True}
    config["defer_build"] = deferred
    return create_model(name, __config__=config, **fields)


def _any(value: Any) -> Any:
    made = JSON_FAMILY.lower(value)
    if _nests(made, _DEPTH):
        raise RecursionError
    return made


def _nests(value: Any, left: int) -> bool:
    """Return whether lists and dicts nest deeper than the given number of levels."""
    if type(value) is dict:
        return left == 0 or any(_nests(item, left - 1) for item in value.values())
    return type(value) is list and (left == 0 or any(_nests(item, left - 1) for item in value))


_text_of: dict[str, Callable[[Any], str]] = {
    "base64": lambda data: binascii.b2a_base64(data, newline=False).decode(),
    "base64url": lambda data: base64.urlsafe_b64encode(data).decode(),
    # Floats have a method `hex`, and pydantic tries the options of a union one by one.
    "hex": lambda data: binascii.hexlify(data).decode(),
}


def _written(kind: Any, write_text: Callable[[Any], Any]) -> Any:
    """Return a type whose values a function converts before they are written."""
    from pydantic import PlainSerializer

    return Annotated[kind, PlainSerializer(write_text, when_used="json")]


def _either(kind: type, read: Callable[[Any], Any]) -> Any:
    """Return a type whose values a function reads from JSON; other input must have the type already."""
    from pydantic import PlainValidator, ValidationInfo

    def validate(value: Any, info: ValidationInfo) -> Any:
        if type(value) is kind:
            return value
        if info.mode != "json" or not isinstance(value, str):
            raise ValueError(f"expected {kind.__name__}, got {type(value).__name__}")
        return read(value)

    return Annotated[kind, PlainValidator(validate)]


def _integer(text: str) -> int:
    if _INTEGER.fullmatch(text) is None:
        raise ConversionError("no integer")
    return int(text)


def _is_big(node: t.Type) -> bool:
    return isinstance(node, t.IntType) and node.big


def _forms(node: t.Type) -> set[str]:
    """Return the type that JSON writes values of a type as."""
    match node:
        case t.NoneType():
            return {"null"}
        case t.BoolType():
            return {"true or false"}
        case t.IntType(big=True):
            return {"a number", "text"}
        case t.IntType() | t.FloatType():
            return {"a number"}
        case t.LiteralType(values):
            return {form for value in values for form in _forms(t.LEAVES[type(value)])}
        case t.EnumType(cls):
            return {"text" if isinstance(member.value, str) else "a number" for member in cls}
        case t.RefType(record=record):
            return _forms(record)
        case t.RecordType(positional=False) | t.DictType():
            return {"an object"}
        case t.CollectionType() | t.TupleType() | t.RecordType():
            return {"an array"}
        case t.UnionType(options):
            return {form for option in options for form in _forms(option)}
    return {"text"}


_NUMBERS = {t.BoolType: bool, t.IntType: int, t.FloatType: float, t.DecimalType: decimal.Decimal}


def _are_equal(one: t.Type, other: t.Type) -> bool:
    """Return whether numbers of one type equal those of a Literal or Enum of another type (``1 == True``)."""
    for listed, rest in ((one, other), (other, one)):
        kinds = {type(value) for value in _listed(listed) if isinstance(value, int)}
        others = {type(value) for value in _listed(rest) if isinstance(value, int)}
        others |= {_NUMBERS[type(rest)]} if type(rest) in _NUMBERS else set()
        if kinds and others - kinds:
            return True
    return False


def _listed(node: t.Type) -> Iterable[Any]:
    match node:
        case t.LiteralType(values):
            return values
        case t.EnumType(cls):
            return (member.value for member in cls)
    return ()


def _are_tagged(one: t.Type, other: t.Type) -> bool:
    """Return whether a required field of both records has values that the other record's field excludes."""
    one, other = (each.record if isinstance(each, t.RefType) else each for each in (one, other))
    if not (isinstance(one, t.RecordType) and isinstance(other, t.RecordType)):
        return False
    others = {item.name: item.type for item in other.fields if item.required}
    for item in one.fields:
        match item.type, others.get(item.name):
            case t.LiteralType(values), t.LiteralType(those):
                if item.required and not set(values) & set(those):
                    return True
    return False
