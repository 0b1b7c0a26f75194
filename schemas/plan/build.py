"""Compile a description tree and a codec's facts to a plan, and describe the same plan in words.

`lack` alone decides what a codec leaves to do at a node. Both the compiler and the description ask it.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import functools
import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...codecs.conventions.classes import record_class
from ...codecs.conventions.families import JSON64_FAMILY, NO_NUMBERS
from ...codecs.conventions.rules import SCALAR_OF, SCALARS
from ..tree import types as t
from ..tree.declare import SchemaError, tag_of
from . import _plan as p
from . import convert

if TYPE_CHECKING:
    from ...codecs.binding import CodecProtocol


@dataclass(frozen=True, slots=True)
class SchemaLimits:
    """Limits on the work that one record may cause.

    Attributes:
        digits: Most digits of a Decimal or int read from text.
        exponent: Largest exponent of a Decimal, positive or negative.
        keys: Most keys of a map that are converted to another type.
        bytes: Longest text that is decoded to bytes.
        shared: Number of visited nodes after which shared containers are detected.
        nodes: Most nodes visited in one record.
        advice: Most pieces of advice about one record.
    """

    digits: int = 1_000
    exponent: int = 6_144
    keys: int = 1_000_000
    bytes: int = 64 * 1024 * 1024
    shared: int = 1_000_000
    nodes: int = 50_000_000
    advice: int = 100

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            if getattr(self, name) < 1:
                raise ValueError(f"limit {name} must be at least 1, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What a codec preserves. Without a codec nothing is known, so every value is checked.

    Attributes:
        known: Whether there is a codec, whose written forms are converted without advice.
    """

    known: bool = False
    preserves: frozenset[str] = frozenset()
    encodes_as: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, codec: CodecProtocol | None) -> PlanFacts:
        """Return the facts of a codec, or of an unknown one."""
        if codec is None:
            return cls()
        return cls(True, frozenset(codec.preserves), dict(getattr(codec, "encodes_as", None) or {}))

    def lacks(self, token: str) -> bool:
        """Return whether the codec does not preserve a type, so that it must be restored."""
        return token not in self.preserves

    @property
    def null(self) -> str | None:
        """The text that represents None, in formats without a null."""
        return self.encodes_as.get("none") if self.known and self.lacks("none") else None


# What a codec leaves to do --------------------------------------------------------------------------

_NATIVE = ("utc-ms", "utc", "native")
"""Written forms of datetimes that are decoded as datetimes; precision that they lose cannot be restored."""


def lack(node: t.Type, facts: PlanFacts, *, objects: bool = False) -> str | None:
    """Describe the conversion of `node` itself after a codec, or return None if none is needed."""
    match node:
        case t.NoneType():
            return f"from the text {facts.null!r}" if facts.null is not None else None
        case t.LiteralType() if _holds_none(node):
            return lack(t.NoneType(), facts)
        case t.IntType():
            return "from decimal text, beyond 64 bits" if node.big and facts.lacks("bigint") else None
        case t.BytesType():
            return f"from {node.encoding} text" if facts.lacks("bytes") else None
        case t.ByteArrayType():
            if facts.lacks("bytearray"):
                return f"from {node.encoding} text" if facts.lacks("bytes") else "from bytes"
            return None
        case t.DateTimeType():
            return _lack_datetime(node, facts)
        case t.TimeDeltaType() if node.unit is not None:
            return f"from a number of {node.unit}"
        case t.DecimalType() if facts.encodes_as.get("decimal") == "float":
            return "from float" if facts.lacks("decimal") else None
        case t.ListType():
            return "from tuple" if facts.lacks("list") else None
        case t.TupleType() | t.VarTupleType():
            return "from list" if facts.lacks("tuple") else None
        case t.DictType():
            return _lack_keys(node, facts)
        case t.RecordType():
            return f"build {node.name}" if objects and node.cls is not None else None
        case t.TextType(kind):
            scalar = SCALAR_OF[kind]
            return f"from {scalar.words}" if facts.lacks(scalar.token) else None
    token, words = _SIMPLE.get(type(node), ("", ""))
    return words if token and facts.lacks(token) else None


_SIMPLE = {
    **{
        type(t.LEAVES[scalar.type]): (scalar.token, f"from {scalar.words}")
        for scalar in SCALARS
        if scalar.read is None
    },
    t.EnumType: ("enum", "from its value"),
    t.SetType: ("set", "from list"),
    t.FrozenSetType: ("frozenset", "from list or set"),
}


def _lack_datetime(node: t.DateTimeType, facts: PlanFacts) -> str | None:
    if node.epoch is not None:
        return f"from a number of {node.epoch} since 1970"
    tokens = {None: ("datetime", "datetime_aware", "datetime_offset"), False: ("datetime",)}.get(
        node.aware, ("datetime_aware", "datetime_offset")
    )
    if (
        node.aware is False
        and facts.lacks("datetime")
        and facts.encodes_as.get("datetime", "").startswith("utc")
    ):
        return "from UTC to no offset"
    if any(facts.lacks(token) and facts.encodes_as.get(token) not in _NATIVE for token in tokens):
        return "from ISO 8601 text"
    return None


def _lack_keys(node: t.DictType, facts: PlanFacts) -> str | None:
    # Among the keys that a union allows, text needs no conversion.
    options = node.key.options if isinstance(node.key, t.UnionType) else (node.key,)
    if any(isinstance(option, t.AnyType | t.StrType) for option in options):
        return None
    if not facts.lacks("any_keys"):  # Keys are written in the form of values.
        return None if lack(node.key, facts) is None else f"keys to {node.key}"
    native = (str,) if facts.lacks("int_keys") else (str, int)
    if isinstance(node.key, t.LiteralType) and all(type(value) in native for value in node.key.values):
        return None
    if isinstance(node.key, t.IntType) and int in native:
        return None
    return f"keys to {node.key}"


class _Needs:
    """Decides whether any conversion is needed at a node or below it, after a codec with given facts."""

    def __init__(self, facts: PlanFacts, objects: bool) -> None:
        self.facts, self.objects = facts, objects
        self.known: dict[int, bool] = {}

    def __call__(self, node: t.Type) -> bool:
        seen: set[int] = set()
        found = self._find(node, seen)
        if isinstance(node, t.RefType):
            node = node.record
        if isinstance(node, t.RecordType):
            self.known[id(node)] = found
        if not found:
            self.known.update(dict.fromkeys(seen, False))
        return found

    def _find(self, node: t.Type, seen: set[int]) -> bool:
        if isinstance(node, t.RefType):
            node = node.record
        if isinstance(node, t.RecordType):
            if id(node) in self.known or id(node) in seen:
                return self.known.get(id(node), False)
            seen.add(id(node))
        if lack(node, self.facts, objects=self.objects) is not None:
            return True
        return any(self._find(child, seen) for _, child in _below(node, self.facts))


def _below(node: t.Type, facts: PlanFacts) -> Iterator[tuple[str, t.Type]]:
    """Yield the nodes visited below `node`, without keys and without options that another option shadows."""
    options = node.options if isinstance(node, t.UnionType) else ()
    for part, child in t.children(node):
        if part != "{key}" and not _shadowed(child, [each for each in options if each is not child], facts):
            yield part, child


def _shadowed(option: t.Type, others: Collection[t.Type], facts: PlanFacts) -> bool:
    """Return whether the codec writes all values of one option in a form that is valid for another option."""
    words = lack(option, facts)
    if not others or words is None or _holds_none(option):
        return False
    kinds = set(map(type, others))
    match option:
        case t.CollectionType() | t.TupleType():
            written: type[t.Type] = t.VarTupleType if facts.lacks("list") else t.ListType
            if isinstance(option, t.FrozenSetType) and facts.encodes_as.get("frozenset") == "set":
                written = t.SetType
            return any(isinstance(each, written) and _holds_items(each, option) for each in others)
        case t.DecimalType() if facts.encodes_as.get("decimal") == "float":
            return t.FloatType in kinds
        case t.ByteArrayType() if words == "from bytes":
            return t.BytesType in kinds
        case t.EnumType(cls):
            return all(_fitting(member.value) in kinds for member in cls)
    return t.StrType in kinds and "text" in words


def _holds_items(container: Any, option: t.Type) -> bool:
    """Return whether the items of one container are of the type that another has."""
    return all(container.item in (t.AnyType(), item) for _, item in t.children(option))


def _fitting(value: Any) -> type[t.Type] | None:
    """Return the type that an Enum's values fit after any codec, or None."""
    match value:
        case bool():
            return t.BoolType
        case str():
            return t.StrType
        case int() if value.bit_length() < 64:  # Codecs may write other values as text.
            return t.IntType
        case float() if math.isfinite(value):
            return t.FloatType
    return None


def _holds_none(node: t.Type) -> bool:
    return isinstance(node, t.NoneType) or (isinstance(node, t.LiteralType) and None in node.values)


def miswritten(node: t.Type, codec: CodecProtocol) -> str | None:
    """Describe the first place where the codec writes bytes in another encoding than the schema expects."""
    for path, kind in t.walk(node):
        if isinstance(kind, t.BytesType | t.ByteArrayType):
            as_text = path.endswith("{key}") and codec.encodes_as.get("int_keys") == "text"
            form = "base64" if as_text else codec.encodes_as.get("bytes", kind.encoding)
            if form != kind.encoding:
                return (
                    f"bytes at `{path}` would be written as {form} and read as {kind.encoding}; write that "
                    "text yourself and encode without the schema, or leave the encoding out of the hint"
                )
    return None


# Words --------------------------------------------------------------------------------------------


def lines(node: t.Type, facts: PlanFacts, *, objects: bool = False) -> Iterator[tuple[str, str, str]]:
    """Yield path, type and conversion of every node that is converted."""
    yield from _lines(node, "$", _Needs(facts, objects))


def _lines(node: t.Type, path: str, needs: _Needs) -> Iterator[tuple[str, str, str]]:
    words = lack(node, needs.facts, objects=needs.objects)
    if isinstance(node, t.RefType) and needs(node):
        words = "as in the record of that name, at any depth"
    if words is not None:
        yield path, str(node), words
    for part, child in _below(node, needs.facts):
        yield from _lines(child, path + part, needs)


# Compiling ----------------------------------------------------------------------------------------


def compile_plan(
    node: t.Type, facts: PlanFacts, limits: SchemaLimits, *, full: bool = False, objects: bool = False
) -> p.Plan | None:
    """Compile a plan.

    Args:
        node: The root of a description tree.
        facts: Facts of the codec that decoded the records.
        limits: See `SchemaLimits`.
        full: Visit and check everything. Otherwise, visit only the places that the codec leaves to convert.
        objects: Build the classes that the schema was declared with.

    Returns:
        The plan, or None if there is nothing to do.
    """
    step = _Compiler(facts, limits, full, objects).step(node)
    return None if step is None else p.Plan(step, limits.shared, limits.nodes, limits.advice)


def leaf_step(node: t.Type) -> p.Step:
    """Return the step of a type without parts, where nothing is left to convert."""
    return _Compiler(PlanFacts(), SchemaLimits(), True, False)._leaf(node, False)


class _Compiler:
    def __init__(self, facts: PlanFacts, limits: SchemaLimits, full: bool, objects: bool) -> None:
        self.facts, self.limits, self.full, self.objects = facts, limits, full, objects
        self.needs = _Needs(facts, objects)
        # Compare by identity: equal records are rare, and comparing them walks through all their contents.
        self.records: dict[int, p.Step] = {}
        self.begun: dict[int, list[p.RefStep]] = {}

    @functools.cached_property
    def whole(self) -> _Compiler:
        """The compiler of steps that check everything, for options of unions."""
        return self if self.full else _Compiler(self.facts, self.limits, True, self.objects)

    def step(self, node: t.Type) -> p.Step | None:
        """Return the step for a node, or None if there is nothing to do there or below."""
        if isinstance(node, t.AnyType):
            return None
        if not self.full and not self.needs(node):
            return None
        return self._make(node)

    def _make(self, node: t.Type) -> p.Step:
        name = str(node)
        quiet = self.facts.known and lack(node, self.facts, objects=self.objects) is not None
        match node:
            case t.ListType(item):
                return p.ListStep(name, self.step(item), quiet=quiet)
            case t.VarTupleType(item):
                return p.TupleStep(name, self.step(item), quiet=quiet)
            case t.TupleType(items):
                places = [self.step(item) for item in items]
                return p.TupleStep(name, places=places if self.full or any(places) else None, quiet=quiet)
            case t.SetType(item) | t.FrozenSetType(item):
                kind = set if isinstance(node, t.SetType) else frozenset
                return p.SetStep(name, kind, self.step(item), quiet=quiet)
            case t.DictType():
                key = self._key(node.key) if self.full or quiet else None
                return p.DictStep(name, key, self.step(node.value), self.limits.keys)
            case t.UnionType():
                return self._union(node)
            case t.RecordType():
                return self._once(node)
            case t.RefType():
                return self._ref(node)
        return self._leaf(node, quiet)

    def _leaf(self, node: t.Type, quiet: bool, *, key: bool = False) -> p.Step:
        name, limits = str(node), self.limits
        match node:
            case t.NoneType():
                return p.NoneLeaf(name, self.facts.null, quiet=quiet)
            case t.BoolType():
                return p.BoolLeaf(name, quiet=quiet)
            case t.IntType():
                return p.IntLeaf(name, 18 if key else limits.digits, key=key, quiet=quiet)
            case t.FloatType():
                return p.FloatLeaf(name, quiet=quiet)
            case t.StrType():
                return p.StrLeaf(name, quiet=quiet)
            case t.BytesType() | t.ByteArrayType():
                kind = bytes if isinstance(node, t.BytesType) else bytearray
                return p.BytesLeaf(name, kind, convert.DECODERS[node.encoding], limits.bytes, quiet=quiet)
            case t.DateTimeType():
                unit = None if node.epoch is None else convert.unit(node.epoch)
                naive = node.aware is False and self.facts.encodes_as.get("datetime", "").startswith("utc")
                return p.DateTimeLeaf(name, unit, naive=naive, aware=node.aware, quiet=quiet)
            case t.DateType():
                return p.DateLeaf(name, quiet=quiet)
            case t.TimeDeltaType():
                forms = (str,) if node.unit is None else (str, int, float)
                return p.CallLeaf(
                    name, dt.timedelta, convert.to_timedelta(node.unit), forms=forms, quiet=quiet
                )
            case t.DecimalType():
                return p.DecimalLeaf(
                    name,
                    limits.digits,
                    limits.exponent,
                    float_form=self.facts.encodes_as.get("decimal") == "float",
                    quiet=quiet,
                )
            case t.UUIDType():
                return p.UUIDLeaf(name, quiet=quiet)
            case t.TextType(kind):
                return p.CallLeaf(name, kind, convert.from_text(kind), quiet=quiet)
            case t.EnumType():
                members = _members(node.cls, self.facts.null, key=key)
                bits = _bits(node.cls) if issubclass(node.cls, enum.Flag) else None
                number = p.IntLeaf("int", 18 if key else limits.digits, key=key)
                return p.EnumLeaf(name, node.cls, members, bits=bits, number=number, quiet=quiet)
            case t.LiteralType():
                return p.LiteralLeaf(name, node.values, _texts(node, self.facts.null, key=key), quiet=quiet)
            case t.ComplexType():
                return p.ExactLeaf(name, complex, quiet=quiet)
        raise AssertionError(f"no step for {node!r}")

    def _key(self, node: t.Type) -> p.Step | None:
        """Return the step for the keys of a map, which nearly all formats write as text."""
        quiet = self.facts.known
        match node:
            case t.AnyType():
                return None
            case t.BoolType():
                return p.EnumLeaf("bool", bool, {(str, "true"): True, (str, "false"): False}, quiet=quiet)
            case t.NoneType():
                return p.NoneLeaf("None", "null", quiet=quiet)
            case t.FloatType():
                return p.CallLeaf("float", float, _float_key, quiet=quiet)
            case t.UnionType():
                keys = [self._key(option) for option in node.options]
                return p.UnionStep(str(node), self._ordered(keys, node.options), quiet=quiet)
        return self._leaf(node, quiet, key=True)

    def _union(self, node: t.UnionType) -> p.Step:
        rest = tuple(option for option in node.options if not isinstance(option, t.NoneType))
        if len(rest) == len(node.options) - 1 == 1:
            inner = self.step(rest[0])
            return p.OptionalStep(str(node), inner or self._make(rest[0]), self.facts.null)
        steps = [self.whole._make(option) for option in node.options]
        nullable = any(_holds_none(option) for option in node.options)
        return p.UnionStep(
            str(node), self._ordered(steps, node.options), self.facts.null if nullable else None
        )

    @staticmethod
    def _ordered(steps: list[Any], nodes: tuple[t.Type, ...]) -> list[p.Step]:
        """Sort options so that the most specific option is tried first."""
        ranked = sorted(zip(nodes, steps, strict=True), key=lambda pair: _rank(pair[0]))
        return [step for _, step in ranked]

    def _ref(self, node: t.RefType) -> p.Step:
        """Return the step of a recursive record, which may be incomplete."""
        made = p.RefStep(str(node))
        if (waiting := self.begun.get(id(node.record))) is not None:
            waiting.append(made)
        else:
            made.bind(self._once(node.record))
        return made

    def _once(self, node: t.RecordType) -> p.Step:
        """Return the step of a record, the same one in each place."""
        if (above := self.begun.get(id(node))) is not None:
            # An enclosing record is referred to, because it is not complete yet.
            above.append(within := p.RefStep(str(node)))
            return within
        if id(node) not in self.records:
            waiting = self.begun[id(node)] = []
            made = self.records[id(node)] = self._record(node)
            for ref in waiting:
                ref.bind(made)
            del self.begun[id(node)]
        return self.records[id(node)]

    def _record(self, node: t.RecordType) -> p.Step:
        fields = []
        tags: list[tuple[int, str, p.Step]] = []
        for position, item in enumerate(node.fields):
            step = self.step(item.type)
            if step is not None or self.full or self.objects or node.positional:
                fields.append((item.name, step, item.required, item.severity))
            if isinstance(item.type, t.LiteralType):
                tags.append((position, item.name, self._leaf(item.type, False)))
        build = build_of(node) if self.objects and node.cls is not None else None
        return p.RecordStep(
            str(node),
            tuple(fields),
            positional=node.positional,
            build=build,
            kind=node.cls,
            full=self.full,
            tags=tuple(tags),
        )


_RANK = {
    kind: rank
    for rank, kind in enumerate(
        (t.LiteralType, t.EnumType, t.DecimalType, t.TextType, t.UUIDType, t.DateType, t.TimeDeltaType,
         t.DateTimeType, t.IntType, t.BytesType, t.ByteArrayType, t.FloatType, t.BoolType, t.RecordType),
        start=-20,
    )
}  # fmt: skip
_RANK[t.RefType] = _RANK[t.RecordType]


def _rank(node: t.Type) -> float:
    """Return the place of an option among those that text is converted to.

    Numbers that are written as text precede times and dates: bare digits are ISO 8601, too, but not written.
    """
    if isinstance(node, t.IntType) and node.big:
        return _RANK[t.DecimalType] - 0.5
    return _RANK.get(type(node), 0)


def _float_key(value: Any) -> float:
    """Convert the text that the conventions write for a float, or `repr` returns."""
    if not isinstance(value, str):
        raise TypeError
    number = float(value)
    text = repr(number)
    if value not in (text, NO_NUMBERS.get(text)):
        raise convert.ConversionError("not as a float is written")
    return number


def _members(cls: type[enum.Enum], null: str | None, *, key: bool) -> dict[tuple[type, Any], enum.Enum]:
    """Return the closed table of an Enum: its values, then the forms in which formats write them."""
    members = list(cls.__members__.values())
    forms = [(member.value, member) for member in members]
    forms += [(form, member) for member in members for form in _written(member.value, null, key=key)]
    table: dict[tuple[type, Any], enum.Enum] = {}
    for form, member in forms:
        try:
            table.setdefault((type(form), form), member)
        except TypeError:  # An unhashable value cannot be restored.
            continue
    return table


def _bits(cls: type[enum.Flag]) -> int:
    """Return all bits that any member of a Flag has."""
    return functools.reduce(operator.or_, (int(member.value) for member in cls.__members__.values()), 0)


def _texts(node: t.LiteralType, null: str | None, *, key: bool) -> dict[str, Any]:
    """Return the values of a Literal that formats write as text."""
    forms = ((form, value) for value in node.values for form in _written(value, null, key=key))
    return {form: value for form, value in forms if isinstance(form, str)}


def _written(value: Any, null: str | None, *, key: bool) -> Iterator[Any]:
    """Yield the forms of a value, as value and as key, in formats that lack its type."""
    family = JSON64_FAMILY
    try:
        form = null if value is None else family.lower(value)
        yield tuple(form) if isinstance(form, list) else form
        if key:
            yield from family.lower({value: None})
    except (TypeError, ValueError):  # Without a written form it cannot be restored.
        return


def build_of(node: t.RecordType) -> Callable[[dict[str, Any]], Any]:
    """Return the class if it takes its fields as keyword arguments, or else a function of their dict.

    Dataclasses, attrs classes and Structs are called. pydantic models are constructed without validation: a
    validator must not refuse or change values that were valid when they were written. For the same reason, a
    field gets its value back if code of the class, such as `__post_init__`, has changed it, or replaced it by
    another one of its type. Only fields with RootModels are validated, because just pydantic knows where in
    the value they are.
    """
    rooted = {item.name: item.rooted for item in node.fields if item.rooted is not None}
    return _with_root_models(node, rooted) if rooted else _build_of(node)


def _with_root_models(node: t.RecordType, rooted: Mapping[str, Any]) -> Callable[[dict[str, Any]], Any]:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        made = {name: TypeAdapter(annotation).validate_python for name, annotation in rooted.items()}
    except PydanticUserError as error:
        raise SchemaError("$", f"pydantic cannot build the fields of `{node}`: {error.message}") from error
    cls, inner = node.cls, _build_of(node)

    def build(record: dict[str, Any]) -> Any:
        held = {name: made[name](value) if name in made else value for name, value in record.items()}
        return inner(**held) if inner is cls else inner(held)

    return build


def _build_of(node: t.RecordType) -> Callable[..., Any]:
    cls: Any = node.cls
    known = record_class(cls)
    family = None if known is None else known.family
    arguments = {item.name: item.attribute for item in node.fields if item.attribute}
    late: frozenset[str] = frozenset()
    if family == "model":
        return _constructor(node)
    if family == "dataclass":
        late = frozenset(field.name for field in dataclasses.fields(cls) if not field.init)
        arguments = _dataclass_arguments(cls)
    elif family == "attrs":
        late = frozenset(field.name for field in cls.__attrs_attrs__ if not field.init)
        arguments = {field.name: field.alias for field in cls.__attrs_attrs__ if field.alias != field.name}
    tag, kept = tag_of(cls), _kept(node) if _runs_code(cls) else ()
    if not arguments and not late and tag is None and not kept:
        return cls  # type: ignore[no-any-return]
    put = _setter(cls)

    def build(record: dict[str, Any]) -> Any:
        if tag is not None:
            name, value = tag
            record = dict(record)
            if (found := record.pop(name, value)) != value:
                raise ValueError(f"{name} is {found!r}, not {value!r}")
        given = _apart(record, kept)
        made = cls(**{arguments.get(name, name): value for name, value in given.items() if name not in late})
        for name in late & record.keys():
            put(made, name, record[name])
        _restore(made, kept, record, put)
        return made

    return build


def _constructor(node: t.RecordType) -> Callable[[dict[str, Any]], Any]:
    cls: Any = node.cls
    construct, infos = cls.model_construct, cls.__pydantic_fields__
    required = {item.name for item in node.fields if item.required}
    names = {item.name: item.attribute or item.name for item in node.fields}
    arguments = {name: _input_name(infos[name], name) for name in names.values()}
    kept = _kept(node) if cls.__pydantic_post_init__ else ()

    def build(record: dict[str, Any]) -> Any:
        if not required <= record.keys():
            raise ValueError(f"{min(required - record.keys())} is missing")
        fields = {names[key]: value for key, value in _apart(record, kept).items()}
        made = construct({*fields}, **{arguments[name]: value for name, value in fields.items()})
        if not kept:
            vars(made).update(fields)  # two of them may have been one argument
        else:
            _restore(made, kept, record, object.__setattr__)
        return made

    return build


def _dataclass_arguments(cls: Any) -> dict[str, str]:
    """Return the arguments of fields that have other names: of pydantic's dataclasses, by their aliases."""
    infos: Mapping[str, Any] = getattr(cls, "__pydantic_fields__", {})
    if not getattr(cls, "__pydantic_config__", {}).get("validate_by_alias", True):
        return {}
    named = ((name, _input_name(info, name)) for name, info in infos.items())
    return {name: given for name, given in named if given != name}


def _input_name(info: Any, name: str) -> str:
    """Return the name by which pydantic looks for a field first; it may be the name of another field."""
    aliases = (info.alias, info.validation_alias, *getattr(info.validation_alias, "choices", ()))
    return next((alias for alias in aliases if isinstance(alias, str)), name)


def _runs_code(cls: Any) -> bool:
    """Return whether building an object of a class runs code of its own, which may change the fields."""
    if any(hasattr(cls, name) for name in ("__post_init__", "__attrs_pre_init__", "__attrs_post_init__")):
        return True
    if any(field.converter or field.validator for field in getattr(cls, "__attrs_attrs__", ())):
        return True
    return any(map(_is_own, (type(cls).__call__, cls.__new__, cls.__init__, cls.__setattr__)))


def _is_own(method: Any) -> bool:
    """Return whether a method is neither in C nor made by the libraries of dataclasses and attrs classes."""
    if not isinstance(method, FunctionType):
        return False
    made = method.__code__.co_filename.startswith(("<string>", "<attrs generated"))
    return not made and method.__globals__.get("__name__") != "attr._make"


class _Kept(NamedTuple):
    """A field that keeps its value when code of its class runs.

    Attributes:
        key: Its key in records.
        name: Its attribute.
        copied: Copies the value for the code, which may change it in place; None if nothing in it can change.
    """

    key: str
    name: str
    copied: Callable[[Any], Any] | None


def _kept(node: t.RecordType) -> tuple[_Kept, ...]:
    """Return the fields whose values are converted wholly."""
    return tuple(
        _Kept(item.name, item.attribute or item.name, _copier(item.type))
        for item in node.fields
        if not any(isinstance(each, t.AnyType) for _, each in t.walk(item.type))
    )


def _copier(node: t.Type) -> Callable[[Any], Any] | None:
    """Return what copies a value of a type up to the objects in it; None if nothing can change in place."""
    outer = getattr(node, "options", (node,))
    parts = ((option, each) for option in outer for _, each in t.walk(option))
    if any(_changes(each) for option, each in parts if each is not option or isinstance(each, t.RefType)):
        return _copied
    return _shallow if any(map(_changes, outer)) else None


def _changes(node: t.Type) -> bool:
    """Return whether values of a type can change in place, other than objects, which others may refer to."""
    if isinstance(node, t.RefType):
        node = node.record
    if isinstance(node, t.RecordType):
        return node.cls is None
    return isinstance(node, t.ListType | t.SetType | t.DictType | t.ByteArrayType)


def _copied(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {key: _copied(item) for key, item in value.items()}
    return kind(map(_copied, value)) if kind in (list, tuple) else _shallow(value)


def _shallow(value: Any) -> Any:
    return value.copy() if type(value) in (list, dict, set, bytearray) else value


def _apart(record: Mapping[str, Any], kept: Iterable[_Kept]) -> Mapping[str, Any]:
    """Return a record for code of a class, which then changes no value of the given one."""
    copies = {key: copied(record[key]) for key, _, copied in kept if copied and key in record}
    return {**record, **copies} if copies else record


def _restore(
    made: Any, kept: Iterable[_Kept], record: Mapping[str, Any], put: Callable[[Any, str, Any], None]
) -> None:
    """Give fields their values back, unless the class has made another type of them."""
    for key, name, _ in kept:
        if key in record:
            value, now = record[key], getattr(made, name, None)
            # Signaling NaNs cannot be compared.
            if now is not value and type(now) is type(value) and now != value:
                put(made, name, value)


def _setter(cls: Any) -> Callable[[Any, str, Any], None]:
    """Return what sets a field, also of a frozen object."""
    if not hasattr(cls, "__struct_config__"):
        return object.__setattr__
    from msgspec.structs import force_setattr

    return force_setattr
