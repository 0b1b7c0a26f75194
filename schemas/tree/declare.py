"""Convert declarations to the tree of types.

A declaration is a TypedDict, dataclass, attrs class, NamedTuple, `msgspec.Struct`, pydantic model or plain
dict of types. `Annotated` with a `Hint` adds details that Python's types cannot express.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import fractions
import ipaddress
import itertools
import pathlib
import re
import types as pytypes
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from ...codecs.conventions.classes import RecordClass, record_class
from ...codecs.paths import step
from ...errors import SchemaError
from . import types as t

__all__ = ["MAX_DEPTH", "Hint", "SchemaError", "describe", "met", "tag_of"]

MAX_DEPTH = 64
"""Deepest schema. A plan recurses further only if records may contain others of their kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Details that Python's types cannot express, for use in ``Annotated[type, Hint(...)]``.

    Args:
        severity: Severity of advice about a whole field: ``"error"`` (the default), ``"note"`` (advised, but
            strict mode does not raise for it), ``"ignore"`` (corrected, never advised).
        epoch: Unit of the number that represents a datetime (since 1970-01-01T00:00Z) or timedelta.
        encoding: Encoding of bytes in formats without bytes: ``"base64"``, ``"base64url"`` or ``"hex"``. The
            other two are for data of other programs: codecs write base64, and codecs without bytes refuse to
            encode with a schema that has another encoding.
        aware: Whether a datetime has an offset.
        big: Whether an int may exceed 64 bits, see `IntType`.
    """

    severity: t.Severity | None = None
    epoch: t.TimeUnit | None = None
    encoding: t.Encoding | None = None
    aware: bool | None = None
    big: bool | None = None

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in allowed:
                raise ValueError(f"{name} is one of {', '.join(map(repr, allowed))}, got {value!r}")


CHOICES: Mapping[str, tuple[object, ...]] = {
    name: tuple(
        value
        for kind in typing.get_args(annotation)
        if kind is not type(None)
        for value in ((True, False) if kind is bool else typing.get_args(kind))
    )
    for name, annotation in typing.get_type_hints(Hint).items()
}
"""The values of each hint."""

_LEAVES: dict[Any, t.Type] = {Any: t.AnyType(), object: t.AnyType(), None: t.NoneType(), **t.LEAVES}
_abc = collections.abc
_LISTS = (list, _abc.Sequence, _abc.MutableSequence, _abc.Collection, _abc.Iterable)
_SETS = (set, _abc.Set, _abc.MutableSet)
_MAPS = (dict, _abc.Mapping, _abc.MutableMapping, collections.OrderedDict, collections.defaultdict)
_NO_KEYS = (t.ByteArrayType, t.ComplexType)
_KEYS = (
    t.AnyType,
    t.EnumType,
    t.LiteralType,
    *(type(leaf) for leaf in t.LEAVES.values() if not isinstance(leaf, _NO_KEYS)),
)
_SUPPORTED = ", ".join(kind.__name__ for kind in t.LEAVES if kind is not type(None)) + (
    ", Enum, Literal, list, tuple, set, frozenset, dict, unions, TypedDict, dataclass, attrs classes, "
    "NamedTuple, msgspec.Struct, pydantic models and dicts of types"
)
_LEFT_ALONE = (
    ipaddress.IPv4Address,
    ipaddress.IPv6Address,
    ipaddress.IPv4Network,
    ipaddress.IPv6Network,
    pathlib.PurePath,
    re.Pattern,
    fractions.Fraction,
)
_VALIDATED = ("pydantic.networks", "pydantic.types", "pydantic.color", "pydantic_core._pydantic_core")
_QUALIFIERS = ("Required", "NotRequired", "ReadOnly", "Final")


def describe(spec: Any, *, lenient: bool = False, objects: bool = False) -> t.Type:
    """Return the tree of types of a declaration.

    Args:
        spec: The declaration.
        lenient: Read fields of unsupported types as `Any`, instead of raising.
        objects: Objects will be built of it.

    Raises:
        SchemaError: A type is not supported, contains itself outside a record, or has no objects that can be
            built. The message has its place.
    """
    describer = _Describer(lenient)
    made = describer.node(spec, "$")
    if objects and describer.root_models:
        path, name = describer.root_models[0]
        raise SchemaError(path, f"`{name}` is a RootModel, and built only as the field of a class")
    return made


def tag_of(cls: Any) -> tuple[str, str | int] | None:
    """Return the name and value of a Struct's tag, or None without one.

    A tag is written before the fields, and is not a field of the object.
    """
    config = getattr(cls, "__struct_config__", None)
    return None if config is None or config.tag is None else (config.tag_field, config.tag)


class _Describer:
    """Walks annotations, and keeps track of the enclosing classes."""

    def __init__(self, lenient: bool) -> None:
        self.lenient = lenient
        self.inside: list[object] = []
        self.refs: dict[int, t.RefType] = {}
        self.referred: dict[int, t.RefType] = {}
        self.names: set[str] = set()
        self.references = 0
        # Places and names of RootModels that are in no field of a class.
        self.root_models: list[tuple[str, str]] = []
        # Place and severities of the current field.
        self.field: tuple[str, list[t.Severity]] = ("", [])

    def node(self, spec: Any, path: str) -> t.Type:
        if isinstance(spec, t.Type):
            return spec
        try:
            if (leaf := _LEAVES.get(spec)) is not None:
                return leaf
        except TypeError:  # unhashable: a dict or list of types, or Annotated with such metadata
            pass
        if (known := self.referred.get(id(spec))) is not None:
            self.references += 1
            return known
        if len(self.inside) >= MAX_DEPTH:
            raise SchemaError(path, f"nested more than {MAX_DEPTH} deep")
        # Records are distinguished by identity, because the same class may appear twice.
        if (at := next((i for i, outer in enumerate(self.inside) if spec is outer), -1)) >= 0:
            if _is_record(spec):
                self.references += 1
                return self._ref(spec, "Record")
            # A union or alias around a record ends there. Without a record in between, recursion never ends.
            if not any(map(_is_record, self.inside[at:])):
                name = getattr(spec, "__name__", "this type")
                reason = f"`{name}` contains itself but is not a record; make it one, or use `Any` instead"
                raise SchemaError(path, reason)
        self.inside.append(spec)
        before = self.references
        try:
            made = self._compound(spec, path)
        finally:
            self.inside.pop()
        if self.references > before and isinstance(made, t.RecordType) and _is_record(spec):
            # A node with references is described once. Repeated in each place, it would grow without end.
            ref = self._ref(spec, made.name)
            made = dataclasses.replace(made, name=ref.name)
            ref.bind(made)
            self.referred[id(spec)] = ref
        return made

    def _ref(self, spec: Any, name: str) -> t.RefType:
        """Return the reference to a record, with a unique name."""
        if id(spec) not in self.refs:
            wanted = name if isinstance(spec, dict) else _class_name(spec)
            numbered = (wanted if i == 1 else f"{wanted}{i}" for i in itertools.count(1))
            name = next(name for name in numbered if name not in self.names)
            self.names.add(name)
            self.refs[id(spec)] = t.RefType(name)
        return self.refs[id(spec)]

    def _compound(self, spec: Any, path: str) -> t.Type:
        if isinstance(spec, dict):
            return self._plain(spec, path)
        if isinstance(spec, list):
            if len(spec) != 1:
                raise SchemaError(
                    path, f"a list in a dict of types holds the one type of its items, got {len(spec)}"
                )
            return t.ListType(self.node(spec[0], path + "[]"))
        if isinstance(spec, str | typing.ForwardRef):
            raise SchemaError(path, f"the name {spec!r} was not resolved; use the type itself")
        if isinstance(spec, TypeVar):
            return self.node(spec.__bound__ or Any, path)
        if isinstance(spec, typing.NewType):
            return self.node(spec.__supertype__, path)
        if type(spec).__name__ == "TypeAliasType":
            return self.node(spec.__value__, path)
        origin = typing.get_origin(spec)
        if origin is typing.Annotated:
            return self._annotated(spec, path)
        if _qualifier(origin):
            return self.node(typing.get_args(spec)[0], path)
        if origin is typing.Literal:
            return self._literal(spec, path)
        if origin in (typing.Union, pytypes.UnionType):
            return self._union(typing.get_args(spec), path)
        if origin is not None and _is_record(spec):
            given = dict(zip(origin.__parameters__, typing.get_args(spec), strict=True))
            made = self._class(origin, path, given)
            if not isinstance(made, t.RecordType):
                return made
            return dataclasses.replace(made, name=_class_name(spec), arguments=typing.get_args(spec))
        if origin is not None or spec in _LISTS + _SETS + _MAPS + (tuple, frozenset):
            return self._container(origin or spec, typing.get_args(spec), spec, path)
        if isinstance(spec, type):
            return self._class(spec, path)
        raise _unsupported(spec, path)

    # containers ----------------------------------------------------------------------------------

    def _container(self, kind: Any, arguments: tuple[Any, ...], spec: Any, path: str) -> t.Type:
        if kind in _LISTS:
            return t.ListType(self.node(arguments[0] if arguments else Any, path + "[]"))
        if kind is tuple:
            return self._tuple(arguments, spec, path)
        if kind in _SETS or kind is frozenset:
            item = self.node(arguments[0] if arguments else Any, path + "[]")
            _check_hashable(item, path + "[]")
            return t.FrozenSetType(item) if kind is frozenset else t.SetType(item)
        if kind in _MAPS:
            key, value = arguments or (Any, Any)
            key_type = self.node(key, path + "{key}")
            for option in key_type.options if isinstance(key_type, t.UnionType) else (key_type,):
                if not isinstance(option, _KEYS):
                    raise SchemaError(path + "{key}", f"`{option}` cannot be the key of a map")
            return t.DictType(key_type, self.node(value, path + "{}"))
        raise _unsupported(spec, path)

    def _tuple(self, arguments: tuple[Any, ...], spec: Any, path: str) -> t.Type:
        if not arguments:
            return t.VarTupleType(t.AnyType()) if spec is tuple or spec is typing.Tuple else t.TupleType(())  # noqa: UP006
        if len(arguments) == 2 and arguments[1] is ...:
            return t.VarTupleType(self.node(arguments[0], path + "[]"))
        return t.TupleType(tuple(self.node(item, f"{path}[{i}]") for i, item in enumerate(arguments)))

    def _union(self, arguments: tuple[Any, ...], path: str) -> t.Type:
        options: list[t.Type] = []
        for argument in arguments:
            if _is_unset(argument):
                continue  # msgspec does not write such a field.
            option = self.node(argument, path)
            if isinstance(option, t.AnyType):
                return option
            options += option.options if isinstance(option, t.UnionType) else [option]
        options = list(dict.fromkeys(options))
        for one, other in itertools.combinations(options, 2):
            if _alike(one, other):
                names = [
                    " ".join([str(each), *(o.words for o in t.options(each))]).strip()
                    for each in (one, other)
                ]
                mend = "keep one of them" if list(t.options(one)) else "join them, as in `list[A | B]`"
                raise SchemaError(
                    path, f"`{names[0]}` and `{names[1]}` cannot be distinguished in a union; {mend}"
                )
        return options[0] if len(options) == 1 else t.UnionType(tuple(options))

    def _literal(self, spec: Any, path: str) -> t.Type:
        values = typing.get_args(spec)
        enums = {type(value) for value in values if isinstance(value, enum.Enum)}
        if enums:
            others = tuple(value for value in values if not isinstance(value, enum.Enum))
            rest = (typing.Literal[others],) if others else ()
            return self._union((*sorted(enums, key=lambda cls: cls.__qualname__), *rest), path)
        for value in values:
            if type(value) not in (str, int, bool, type(None)):
                raise SchemaError(path, f"a Literal must be str, int, bool or None, got {value!r}")
        return t.LiteralType(values)

    def _annotated(self, spec: Any, path: str) -> t.Type:
        inner = self.node(spec.__origin__, path)
        place, severities = self.field
        for hint in spec.__metadata__:
            if isinstance(hint, Hint):
                if hint.severity is not None and (path != place or hint.severity not in severities):
                    raise SchemaError(path, "a severity must be on a whole field, `X` or `X | None`")
                inner = _hinted(inner, hint, path)
        return inner

    # records -------------------------------------------------------------------------------------

    def _class(self, cls: type[Any], path: str, given: Mapping[Any, Any] = MappingProxyType({})) -> t.Type:
        if issubclass(cls, enum.Enum):
            return t.EnumType(cls)
        bound = {**_bound(cls), **given}
        if _is_typed_dict(cls):
            return self._typed_dict(cls, path, bound)
        known = record_class(cls)
        if known is None:
            if _is_left_alone(cls):
                return t.AnyType()
            raise _unsupported(cls, path)
        declared = {
            name: (_filled(hint, bound), must) for name, (hint, must) in _declared(known, path).items()
        }
        if getattr(cls, "__pydantic_root_model__", False):
            self.root_models.append((path, cls.__name__))
            return self.node(declared["root"][0], path)
        fields = [
            (key, name, *declared[name]) for key, name in zip(known.keys, known.attributes, strict=True)
        ]
        positional = known.family == "namedtuple"
        if known.family == "struct":
            positional = bool(cls.__struct_config__.array_like)
            if (tag := tag_of(cls)) is not None:
                name, value = tag
                fields.insert(0, (name, name, Literal[value], True))
        return self._record(cls, fields, path, positional=positional)

    def _typed_dict(self, cls: Any, path: str, bound: Mapping[Any, Any]) -> t.Type:
        required = cls.__required_keys__
        hints = {name: _filled(hint, bound) for name, hint in _hints(cls, path).items()}
        fields = [(name, name, hint, name in required) for name, hint in hints.items()]
        return dataclasses.replace(self._record(cls, fields, path), cls=None)

    def _plain(self, spec: dict[Any, Any], path: str) -> t.Type:
        for name in spec:
            if not isinstance(name, str):
                raise SchemaError(path, f"a field is named by text, got {name!r}; a map is dict[key, value]")
        fields = [(name, name, hint, True) for name, hint in spec.items()]
        name = path.rpartition(".")[2].strip("$[]{}'\"").title().replace("_", "") or "Record"
        return self._record(None, fields, path, name=name if name.isidentifier() else "Record")

    def _record(
        self,
        cls: Any,
        fields: list[tuple[str, str, Any, bool]],
        path: str,
        *,
        positional: bool = False,
        name: str = "",
    ) -> t.RecordType:
        described = []
        for wire_name, attribute, hint, required in fields:
            place = path + step(wire_name)
            hint, required, severities = _qualified(hint, required)
            outer, self.field = self.field, (place, severities)
            before = len(self.root_models)
            kind = self._field(hint, place)
            self.field = outer
            renamed = attribute if attribute != wire_name else ""
            severity = severities[0] if severities else "error"
            rooted = None
            if len(self.root_models) > before and cls is not None and not _is_typed_dict(cls):
                rooted = hint
                del self.root_models[before:]
            described.append(t.Field(wire_name, kind, required, severity, renamed, rooted))
        return t.RecordType(name or cls.__name__, tuple(described), cls, positional)

    def _field(self, hint: Any, path: str) -> t.Type:
        try:
            return self.node(hint, path)
        except SchemaError:
            if not self.lenient:
                raise
            return t.AnyType()


def _is_typed_dict(cls: Any) -> bool:
    return typing.is_typeddict(cls) or type(cls).__name__ == "_TypedDictMeta"


def _is_record(spec: Any) -> bool:
    """Return whether a declaration is a class, a dict of types, or a generic record class with arguments."""
    if isinstance(spec, type | dict):
        return True
    origin = typing.get_origin(spec)
    return isinstance(origin, type) and (_is_typed_dict(origin) or record_class(origin) is not None)


def _class_name(spec: Any) -> str:
    """Return the name of a class; that of a generic one has the names of its arguments."""
    if (origin := typing.get_origin(spec)) is None:
        name: str = getattr(spec, "__name__", "") or "Any"
        return name
    words = (_class_name(each) for each in (origin, *typing.get_args(spec)))
    return "".join(word[:1].upper() + word[1:] for word in words)


def _bound(cls: Any) -> dict[Any, Any]:
    """Return the arguments of a class's generic bases by their parameters, unless two bases differ in one."""
    found: dict[Any, Any] = {}
    for owner in cls.__mro__:
        for base in vars(owner).get("__orig_bases__", ()):
            parameters = getattr(typing.get_origin(base), "__parameters__", ())
            for parameter, argument in zip(parameters, typing.get_args(base), strict=False):
                same = found.setdefault(parameter, argument) is argument
                found[parameter] = argument if same else Any
    return {parameter: _filled(argument, found) for parameter, argument in found.items()}


def _filled(hint: Any, bound: Mapping[Any, Any]) -> Any:
    """Return an annotation with arguments in place of type parameters."""
    if isinstance(hint, TypeVar):
        return bound.get(hint, hint)
    parameters = () if isinstance(hint, type) else getattr(hint, "__parameters__", ())
    return hint[tuple(bound.get(each, each) for each in parameters)] if parameters and bound else hint


def _is_unset(spec: Any) -> bool:
    return isinstance(spec, type) and (spec.__module__, spec.__name__) == ("msgspec", "UnsetType")


def _is_left_alone(cls: type[Any]) -> bool:
    """Return whether a class is not a type of ours, but a usual one of values that models validate.

    Their fields are any value. If a record has such an object, codecs refuse that record.
    """
    return issubclass(cls, _LEFT_ALONE) or cls.__module__ in _VALIDATED


def _declared(known: RecordClass, path: str) -> dict[str, tuple[Any, bool]]:
    """Return the types of a class's fields by attribute, and whether each is required."""
    cls: Any = known.cls
    if known.family == "model":
        return {
            name: (_annotated(info), info.is_required()) for name, info in cls.__pydantic_fields__.items()
        }
    if known.family == "struct":
        from msgspec.structs import fields

        try:
            return {info.name: (info.type, info.required) for info in fields(cls)}
        except NameError as error:
            raise SchemaError(path, f"`{cls.__name__}`: {error}") from error
    if known.family == "attrs":
        from attr import NOTHING

        optional = {field.name for field in cls.__attrs_attrs__ if field.default is not NOTHING}
    elif known.family == "dataclass":
        missing = dataclasses.MISSING
        optional = {
            field.name
            for field in dataclasses.fields(cls)
            if field.default is not missing or field.default_factory is not missing
        }
    else:
        optional = set(getattr(cls, "_field_defaults", ()))
    hints = _hints(cls, path)
    return {name: (hints.get(name, Any), name not in optional) for name in known.attributes}


def _annotated(info: Any) -> Any:
    """Return the annotation of a pydantic model's field with our hints, which pydantic stores separately."""
    hints = tuple(item for item in info.metadata if isinstance(item, Hint))
    return typing.Annotated[(info.annotation, *hints)] if hints else info.annotation


def _qualified(hint: Any, required: bool) -> tuple[Any, bool, list[t.Severity]]:
    """Remove Required, NotRequired and the severities from an annotation, however nested, outermost first."""
    severities: list[t.Severity] = []
    inner = hint
    while True:
        origin = typing.get_origin(inner)
        if name := _qualifier(origin):
            required = {"Required": True, "NotRequired": False}.get(name, required)
            hint = inner = typing.get_args(inner)[0]
        elif origin is typing.Annotated:
            given = (item.severity for item in reversed(inner.__metadata__) if isinstance(item, Hint))
            severities += [severity for severity in given if severity is not None]
            inner = inner.__origin__
            if name := _qualifier(typing.get_origin(inner)):
                hint = typing.Annotated[(typing.get_args(inner)[0], *hint.__metadata__)]
                required = {"Required": True, "NotRequired": False}.get(name, required)
                inner = typing.get_args(inner)[0]
        elif origin in (typing.Union, pytypes.UnionType):
            rest = [option for option in typing.get_args(inner) if option is not type(None)]
            if len(rest) > 1:
                return hint, required, severities
            inner = rest[0]
        else:
            return hint, required, severities


def _qualifier(origin: Any) -> str:
    """Return the name of a field qualifier from `typing` or `typing_extensions`, or an empty string."""
    name = "" if isinstance(origin, type) else getattr(origin, "_name", None)
    return name if name in _QUALIFIERS else ""


def _hints(cls: Any, path: str) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except (NameError, TypeError, SyntaxError) as error:
        raise SchemaError(path, f"`{cls.__name__}`: {error}") from error


def _hinted(node: t.Type, hint: Hint, path: str) -> t.Type:
    """Return `node` with the options of a hint. A union passes them to the options that accept them."""
    if isinstance(node, t.UnionType):
        options = tuple(_hinted(o, hint, path) if not isinstance(o, t.NoneType) else o for o in node.options)
        return t.UnionType(options)
    given = {name: getattr(hint, name) for name in CHOICES if name != "severity"}
    given = {name: value for name, value in given.items() if value is not None}
    known = {option.hint: option.attribute for option in t.options(node)}
    if unfit := sorted(given.keys() - known):
        raise SchemaError(path, f"`{node}` has no {' or '.join(unfit)}")
    return dataclasses.replace(node, **{known[name]: value for name, value in given.items()})


def _alike(one: t.Type, other: t.Type) -> bool:
    """Return whether two options of a union cannot be distinguished, not even in Python."""
    one, other = met(one), met(other)
    match one, other:
        case t.TupleType(items), t.TupleType(others):
            return len(items) == len(others)
        case (t.TupleType() | t.VarTupleType(), t.TupleType() | t.VarTupleType()):
            return True
        case t.RecordType(positional=True), t.RecordType(positional=True):
            return not any(_exclude(*pair) for pair in zip(one.fields, other.fields, strict=False))
        case (t.BytesType(), t.BytesType()) | (t.ByteArrayType(), t.ByteArrayType()):
            return True  # Most texts in one encoding are also texts in another.
        case t.DateTimeType(epoch=str()), t.DateTimeType(epoch=str()):
            return True
        case t.TimeDeltaType(unit=str()), t.TimeDeltaType(unit=str()):
            return True
    return type(one) is type(other) and isinstance(one, t.CollectionType | t.DictType)


def met(node: t.Type) -> t.Type:
    """Return the record of a reference if it is complete."""
    return node.record if isinstance(node, t.RefType) and node.is_bound else node


def _exclude(one: t.Field, other: t.Field) -> bool:
    """Return whether the Literals of two fields have no value in common."""
    if not isinstance(one.type, t.LiteralType) or not isinstance(other.type, t.LiteralType):
        return False
    return all(type(a) is not type(b) or a != b for a in one.type.values for b in other.type.values)


def _check_hashable(node: t.Type, path: str) -> None:
    match node:
        case t.RefType() if node.is_bound:
            _check_hashable(node.record, path)
        case t.ListType() | t.SetType() | t.DictType() | t.ByteArrayType() | t.RefType():
            raise SchemaError(path, f"`{node}` is not hashable and cannot be in a set")
        case t.RecordType() if not node.positional:
            raise SchemaError(path, f"`{node}` is not hashable and cannot be in a set")
        case _:
            for part, child in t.children(node):
                _check_hashable(child, path + part)


def _unsupported(spec: Any, path: str) -> SchemaError:
    name = spec.__name__ if isinstance(spec, type) else repr(spec)
    return SchemaError(path, f"unsupported type `{name}`; supported are {_SUPPORTED}")
