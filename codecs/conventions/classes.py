"""Classes of records: their kinds, their fields, and the plain values of their instances.

Supports dataclasses, attrs classes, `msgspec.Struct`, pydantic models and named tuples. No library is
imported for this: a class shows which library made it, and that library is already loaded.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from keyword import iskeyword
from typing import Any, Literal, cast

from .rules import SCALARS

ClassFamily = Literal["model", "struct", "attrs", "dataclass", "namedtuple"]

CLASS_FAMILIES: dict[ClassFamily, str] = {
    "model": "pydantic model",
    "struct": "msgspec Struct",
    "attrs": "attrs class",
    "dataclass": "dataclass",
    "namedtuple": "named tuple",
}
"""The kinds of record classes, each with its name in texts."""

_PLAIN = (
    enum.Enum,
    collections.abc.Mapping,
    str,
    int,
    float,
    list,
    set,
    frozenset,
    bytes,
    bytearray,
    *(scalar.type for scalar in SCALARS),
)
"""Subclasses of these types are not records, even if they have fields."""
CLASSES = 1024
"""Classes in the cache."""


@dataclass(frozen=True, slots=True)
class RecordClass:
    """Facts about one class.

    Attributes:
        cls: The class.
        family: Its kind.
        attributes: Names of its fields in Python.
        keys: Names of its fields in payloads, in the same order: the encoded names of a Struct, the
            serialization aliases of a pydantic model, else the attributes.
        open: Converts an instance to a dict by `keys` with unchanged values, for formats without objects.
            A Struct with `array_like` becomes a list, and a RootModel its root value.
    """

    cls: type[Any]
    family: ClassFamily
    attributes: tuple[str, ...]
    keys: tuple[str, ...]
    open: Callable[[Any], Any]

    @property
    def token(self) -> str:
        """The name in `Codec.preserves` of codecs that preserve its instances."""
        return "namedtuple" if self.family == "namedtuple" else "dataclass"


def _record_class(cls: type[Any]) -> RecordClass | None:
    """Return the facts about a class whose instances are records; None for any other class."""
    if issubclass(cls, _PLAIN):
        return None
    if issubclass(cls, tuple):
        if isinstance(names := getattr(cls, "_fields", None), tuple):
            return RecordClass(cls, "namedtuple", names, names, list)
        return None
    if hasattr(cls, "__struct_fields__"):
        return _struct(cls)
    if hasattr(cls, "__pydantic_fields__") and hasattr(cls, "model_validate"):
        return _model(cls)
    if isinstance(declared := getattr(cls, "__attrs_attrs__", None), tuple):
        return _by_attributes(cls, "attrs", tuple(one.name for one in declared))
    if dataclasses.is_dataclass(cls):
        return _by_attributes(cls, "dataclass", tuple(one.name for one in dataclasses.fields(cls)))
    return None


record_class = cast("Callable[[type[Any]], RecordClass | None]", lru_cache(CLASSES)(_record_class))
"""Returns the facts about a class whose instances are records; None for any other class."""


def opened(value: Any) -> Any:
    """Return an object of a record class as plain values; None for other objects and for named tuples."""
    known = record_class(type(value))
    return None if known is None or known.family == "namedtuple" else known.open(value)


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return the values by which two objects of one class are compared, by name; None for other objects.

    Deleted fields are left out. A pydantic model's extra fields are included; its private attributes and the
    record of which fields were set are not.
    """
    known = record_class(type(value))
    if known is None:
        return None
    found = ((name, getattr(value, name, ...)) for name in known.attributes)
    fields = {name: held for name, held in found if held is not ...}
    extra = getattr(value, "__pydantic_extra__", None) if known.family == "model" else None
    return {**fields, **extra} if extra else fields


def named_fields(value: Any) -> dict[str, Any] | None:
    """Return all fields of an object by the names that it is written with, also of named tuples and arrays.

    None for other objects, and for what is no record: a RootModel.
    """
    known = record_class(type(value))
    if known is None:
        return None
    held = known.open(value)
    if known.family != "namedtuple" and isinstance(held, dict):
        return held
    if getattr(known.cls, "__pydantic_root_model__", False):
        return None
    return {key: getattr(value, name) for key, name in zip(known.keys, known.attributes, strict=True)}


def _by_attributes(cls: type[Any], family: ClassFamily, names: tuple[str, ...]) -> RecordClass:
    return RecordClass(cls, family, names, names, _getter(names, names))


def _getter(names: tuple[str, ...], keys: tuple[str, ...]) -> Callable[[Any], dict[str, Any]]:
    """Return a function that makes a dict of attributes, in less than half the time of a loop over names."""
    if not all(name.isidentifier() and not iskeyword(name) for name in names):
        pairs = tuple(zip(names, keys, strict=True))
        return lambda value: {key: getattr(value, name) for name, key in pairs}
    items = ", ".join(f"{key!r}: value.{name}" for name, key in zip(names, keys, strict=True))
    made: Callable[[Any], dict[str, Any]] = eval(f"lambda value: {{{items}}}", {})  # noqa: S307 - of identifiers only
    return made


def _model(cls: Any) -> RecordClass:
    infos = cls.__pydantic_fields__
    names = tuple(infos)
    keys = tuple(info.serialization_alias or name for name, info in infos.items())
    if len({*keys}) < len(keys):
        keys = names  # by its alias, one field would replace another
    pairs = tuple(zip(names, keys, strict=True))
    if getattr(cls, "__pydantic_root_model__", False):
        return RecordClass(cls, "model", names, keys, lambda value: value.root)

    copied = names == keys and not any(
        isinstance(each, cached_property) for base in cls.__mro__ for each in vars(base).values()
    )

    def fields(value: Any) -> dict[str, Any]:
        held = value.__dict__
        if copied and len(held) == len(names):
            made = held.copy()
        else:  # an object made without validation may lack fields; cached properties are stored with them
            made = {key: held[name] for name, key in pairs if name in held}
        return made if not (extra := value.__pydantic_extra__) else {**made, **extra}

    return RecordClass(cls, "model", names, keys, fields)


def _struct(cls: Any) -> RecordClass:
    from msgspec import NODEFAULT, UNSET

    config, names, keys = cls.__struct_config__, cls.__struct_fields__, cls.__struct_encode_fields__
    tag = {} if config.tag is None else {config.tag_field: config.tag}
    pairs = tuple(zip(names, keys, strict=True))
    if config.array_like:

        def values(value: Any) -> list[Any]:
            return [*tag.values(), *(getattr(value, name) for name in names)]

        return RecordClass(cls, "struct", names, keys, values)
    optional = any(default is UNSET for default in cls.__struct_defaults__)
    if not (tag or optional or config.omit_defaults):
        return RecordClass(cls, "struct", names, keys, _getter(names, keys))
    # Defaults belong to the last fields.
    padded = (NODEFAULT,) * (len(names) - len(cls.__struct_defaults__)) + cls.__struct_defaults__
    defaults = dict(zip(names, padded, strict=True)) if config.omit_defaults else {}

    def fields(value: Any) -> dict[str, Any]:
        made = dict(tag)
        for name, key in pairs:
            held = getattr(value, name)
            if held is not UNSET and not (defaults and _is_default(held, defaults[name])):
                made[key] = held
        return made

    return RecordClass(cls, "struct", names, keys, fields)


def _is_default(value: Any, default: Any) -> bool:
    """Whether msgspec omits a value as the default; a container from a factory only if it is empty."""
    factory = getattr(default, "factory", None)
    if factory in (list, dict, set):
        return type(value) is factory and not value
    return value is default
