"""Python's own annotations for a schema, for libraries that read and write what classes declare.

Records are objects of the user's class if the schema builds them, otherwise TypedDicts made from its tree.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import operator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NotRequired

from typing_extensions import TypedDict

from ....codecs.conventions.classes import opened, record_class
from ....codecs.paths import step
from ...plan.convert import DECODERS
from ...tree import types as t
from ...tree.declare import SchemaError
from ._conversion import MisfitError
from .leaves import generic, is_list

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from . import BindableSchema

_SIMPLE: dict[type[t.Type], Any] = t.PYTHON | {t.AnyType: Any, t.NoneType: type(None)}
del _SIMPLE[t.ComplexType]
_PLAIN = (t.NoneType, t.BoolType, t.IntType, t.FloatType, t.StrType)
"""Types that every format distinguishes."""
_SEQUENCES = (t.CollectionType, t.TupleType)
_CONTAINERS = (*_SEQUENCES, t.DictType, t.RecordType)
_KEYS = (t.StrType, t.IntType, t.FloatType, t.DateType, t.UUIDType, t.DecimalType)


class LibraryCalls(NamedTuple):
    """A library's code for the records of a schema.

    Attributes:
        encode: Writes a record.
        decode: Reads one.
        opens: Whether records have objects that `encode` opens.
    """

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]
    opens: bool = False


class Form(NamedTuple):
    """How a type is written, where the library has no form of it or one that loses something.

    Attributes:
        write: Converts a value to one that the format has.
        read: Converts it back.
    """

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def bytes_forms(*, texts: bool) -> dict[type, Form]:
    """Return the forms of bytes: base64, as all codecs of JSON write them, or bytes."""
    # Without the view, a number would become as many zeros.
    read: Callable[[Any], Any] = DECODERS["base64"] if texts else memoryview
    write = _base64 if texts else bytes
    return {
        bytes: Form(write, lambda raw: bytes(read(raw))),
        bytearray: Form(write, lambda raw: bytearray(read(raw))),
    }


def _base64(value: bytes | bytearray) -> str:
    return base64.b64encode(value).decode()


class Annotation(NamedTuple):
    """The type of a schema's records.

    Attributes:
        type: A class, a TypedDict, or a list of one.
        own: Whether records are objects of the user's class.
        tuples: The tuples that the fields of named tuples are, by the named tuple; inner ones first.
        built: The classes whose objects the library builds.
    """

    type: Any
    own: bool
    tuples: dict[type, Any]
    built: set[type]

    def calls(self, encode: Callable[[Any], Any], decode: Callable[[Any], Any]) -> LibraryCalls:
        """Return a library's code as calls that refuse to write what would be read otherwise."""

        def compared(record: Any) -> Any:
            payload = encode(record)
            if decode(payload) != record:
                raise MisfitError("a field with `init=False` has another value than `__init__` gives it")
            return payload

        late = any(not each.init for cls in self.built for each in _declared(cls))
        return LibraryCalls(compared if late else encode, decode, bool(self.built))


def annotation(
    schema: BindableSchema, families: Collection[str], library: str, *, splits_text: bool = False
) -> Annotation:
    """Return the type of a schema's records.

    Args:
        schema: The schema.
        families: Kinds of classes that the library builds.
        library: Its name, for messages.
        splits_text: It takes a text for a list of its letters, if a union has the list before the text.

    Raises:
        SchemaError: The library has no form of a type, or reads another from it.
    """
    builder = _Builder(families if schema.as_objects else None, library, splits_text)
    made = builder.type(schema.types, "$")
    node = schema.types.item if isinstance(schema.types, t.ListType) else schema.types
    own = (
        schema.as_objects and isinstance(node, t.RecordType) and node.cls is not None and not node.positional
    )
    return Annotation(made, own, builder.tuples, builder.built)


def checked(schema: BindableSchema) -> Callable[[Any], Any]:
    """Return a conversion of records that refuses those which do not fit the schema."""

    def take(record: Any) -> Any:
        made, advice = schema.advise(record if schema.as_objects else _opened(record))
        for each in advice:
            raise MisfitError(f"expected {each.expected}, found {each.found}", each.path.removeprefix("$"))
        return made

    return take


def located(
    decode: Callable[[bytes], Any], read: Callable[[bytes], Any], schema: BindableSchema
) -> Callable[[bytes], Any]:
    """Return a decoder whose errors say where a value of which type was expected; the libraries' do not.

    Args:
        decode: The library's decoder.
        read: Reads the same payload without types.
        schema: The schema of the records.
    """
    adviser = functools.cache(lambda: schema.as_dicts().adviser())

    def decode_or_locate(data: bytes) -> Any:
        try:
            return decode(data)
        except (MemoryError, RecursionError):
            raise
        except Exception as error:
            _, advice = adviser()(read(data))
            wrong = [str(each) for each in advice if each.outcome != "fixed"]
            if not wrong:
                raise
            more = f" (and {len(wrong) - 1:,} more)" if len(wrong) > 1 else ""
            raise ValueError(wrong[0] + more) from error

    return decode_or_locate


def _is_plain(value: Any) -> bool:
    """Return whether an enum's value is text, or an integer of 64 bits."""
    return isinstance(value, str) or (isinstance(value, int) and -(2**63) <= value < 2**63)


def _opened(value: Any) -> Any:
    """Return a value in which all objects of classes are dicts."""
    if type(value) is dict:
        return {key: _opened(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_opened, value))
    if hasattr(value, "_fields"):
        return type(value)(*map(_opened, tuple.__iter__(value)))
    return value if (fields := opened(value)) is None else _opened(fields)


def _declared(cls: Any) -> Sequence[Any]:
    """Return the fields of a dataclass or an attrs class as its library describes them."""
    return dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else cls.__attrs_attrs__


def _has_aliases(cls: Any) -> bool:
    """Return whether a class is a dataclass of pydantic's that takes fields by other names only."""
    infos: Mapping[str, Any] = getattr(cls, "__pydantic_fields__", {})
    return any(info.alias or info.validation_alias for info in infos.values())


def _is_sequence(node: t.Type) -> bool:
    return isinstance(node, _SEQUENCES) or (isinstance(node, t.RecordType) and node.positional)


class _Builder:
    def __init__(self, families: Collection[str] | None, library: str, splits_text: bool) -> None:
        self.families, self.library, self.splits_text = families, library, splits_text
        self.made: dict[t.RecordType, Any] = {}
        self.tuples: dict[type, Any] = {}
        self.built: set[type] = set()

    def type(self, node: t.Type, path: str) -> Any:
        self._check(node, path)
        if type(node) in _SIMPLE:
            return _SIMPLE[type(node)]
        if (made := generic(node, path, self.type)) is not None:
            return made
        match node:
            case t.TextType(kind):
                return kind
            case t.EnumType(cls):
                if not all(_is_plain(each.value) for each in cls):
                    raise SchemaError(path, f"the values of `{node}` are not all text or integers of 64 bits")
                return cls
            case t.LiteralType(values):
                if len({*values}) < len(values):
                    raise SchemaError(path, f"{self.library} reads equal values of `{node}` as one")
                return Literal[values]
            case t.DictType(key, value):
                if not isinstance(key, _KEYS):
                    raise SchemaError(path, f"{self.library} does not read keys of `{key}`")
                return dict[self.type(key, path + "{key}"), self.type(value, path + "{}")]  # type: ignore[misc]
            case t.UnionType(options):
                return functools.reduce(operator.or_, (self.type(each, path) for each in options))
            case t.RecordType(positional=False):
                return self._record(node, path)
            case t.RecordType(fields=fields, cls=cls):
                items = tuple(self.type(item.type, path + step(item.name)) for item in fields)
                if is_list(cls):
                    raise SchemaError(path, f"{self.library} does not read lists of the values of `{node}`")
                if cls is None:
                    return tuple[items]  # type: ignore[valid-type]
                self.tuples[cls] = tuple[items]  # type: ignore[valid-type]
                return cls
            case t.RefType() if self.families and node.record.cls is not None:
                return node.record.declared
        raise SchemaError(path, f"{self.library} does not support `{node}`")

    def _check(self, node: t.Type, path: str) -> None:
        match node:
            case t.BytesType(encoding) | t.ByteArrayType(encoding) if encoding != "base64":
                raise SchemaError(path, f"{self.library} reads bytes from base64 only, not {encoding}")
            case t.DateTimeType(epoch=unit) | t.TimeDeltaType(unit=unit) if unit is not None:
                raise SchemaError(path, f"{self.library} does not read numbers of {unit} as `{node}`")
            case t.UnionType(options):
                others = [each for each in options if not isinstance(each, _PLAIN)]
                some = len(options) > 1 + (t.NoneType() in options)
                if len(others) > 1 or (others and some and not isinstance(others[0], _CONTAINERS)):
                    raise SchemaError(path, f"{self.library} does not distinguish the options of `{node}`")
                if self.splits_text and t.StrType() in options[1:]:
                    before = options[: options.index(t.StrType())]
                    if any(map(_is_sequence, before)):
                        reason = f"{self.library} reads text as a list in `{node}`; write `str` first"
                        raise SchemaError(path, reason)

    def _record(self, node: t.RecordType, path: str) -> Any:
        kinds = {item.name: self.type(item.type, path + step(item.name)) for item in node.fields}
        if self.families and node.cls is not None:
            known = record_class(node.cls)
            if known is None or known.family not in self.families or _has_aliases(node.cls):
                raise SchemaError(path, f"{self.library} does not build objects of `{node}`")
            self.built.add(node.cls)
            return node.declared
        if node not in self.made:
            for item in node.fields:
                # mashumaro puts the names into its code as they are, so one could contain code.
                if not item.name.isprintable() or {"'", "\\"} & {*item.name}:
                    raise SchemaError(path, f"{self.library} does not support a field named {item.name!r}")
            required = {item.name for item in node.fields if item.required}
            functional: Any = TypedDict
            name = node.name if node.name.isidentifier() else "Record"
            self.made[node] = functional(
                name, {key: kind if key in required else NotRequired[kind] for key, kind in kinds.items()}
            )
        return self.made[node]
