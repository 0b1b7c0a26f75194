"""Conventions of each format family for the Python types that its format lacks.

All codecs of a family use the same rule for a type, so that every codec can encode every corpus and
a schema can restore the types. If the format has a type of its own, that is used.

The text "$null" comes from Apple's keyed archives.
"""

from __future__ import annotations

import datetime as dt
import enum
import functools
import operator
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ._forms import Forms, Rewriter
from .arrays import DOCUMENTED, convention, holds_numbers
from .classes import CLASSES, opened, record_class
from .finite import dict_of
from .rules import RULES, SCALARS, Rule

NULL_TEXT = "$null"
WORDS = range(-(2**63), 2**64)
"""Integers of 64 bits, with a sign or without one."""


def _exact_datetime(value: dt.datetime) -> dt.datetime:
    return dt.datetime.combine(dt.datetime.date(value), dt.datetime.timetz(value))


_WHOLE = slice(None)
EXACT: Mapping[type, Callable[[Any], Any]] = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    OrderedDict: lambda value: dict(OrderedDict.items(value)),
    dict: lambda value: dict(dict.items(value)),
    list: list.copy,
    tuple: lambda value: tuple.__getitem__(value, _WHOLE),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    bytes: bytes.__bytes__,
    bytearray: bytearray.copy,
    dt.datetime: _exact_datetime,
    **{scalar.type: scalar.exact for scalar in SCALARS},
}
"""Converts a value of a subclass to the base type, ignoring overridden methods; datetime before date."""
_CONTAINERS = (dict, list, tuple, set, frozenset)
_ASKED = (
    "__iter__", "__len__", "__getitem__", "__contains__", "__int__", "__index__", "__float__", "__str__",
    "__repr__", "__bytes__", "__format__", "items", "keys", "values", "get", "copy", "as_tuple", "isoformat",
    "__sub__", "utcoffset", "timetuple", "bytes",
)  # fmt: skip
"""Methods of built-in types that a library may call to write a value."""


def exact_form(kind: type) -> Callable[[Any], Any] | None:
    """Return what converts values of a subclass with such methods, or of a dataclass, to the type it extends.

    None for all other types, those with a convention of their own, and members of enumerations.
    """
    if kind in EXACT or kind is bool or convention(kind) is not None or issubclass(kind, enum.Enum):
        return None
    for base, exact in EXACT.items():
        if issubclass(kind, base):
            inherits = all(getattr(kind, name, None) is getattr(base, name, None) for name in _ASKED)
            if inherits and not hasattr(kind, "__dataclass_fields__"):
                return None
            return None if _of_own_type.dispatch(kind) is not _NO_RULE else exact
    return None


def _plain_container(kind: type) -> Callable[[Any], Any] | None:
    """Return what makes a plain container of one whose type extends it: a library goes into that by itself.

    None for all other types, and those with a convention of their own.
    """
    if kind in _CONTAINERS or convention(kind) is not None or issubclass(kind, enum.Enum):
        return None
    if hasattr(kind, "_fields") or _of_own_type.dispatch(kind) is not _NO_RULE:
        return None
    return next((EXACT[base] for base in (OrderedDict, *_CONTAINERS) if issubclass(kind, base)), None)


def _extended(kind: type) -> type | None:
    """Return the type of values that the members of an enumeration are."""
    return next((base for base in EXACT if issubclass(kind, base)), None)


def has_other_values(kind: type[enum.Enum]) -> bool:
    """Whether members of an enumeration are a text or a number, but have another value."""
    if (base := _extended(kind)) is None:
        return False
    value, exact = _member_getter(kind), EXACT[base]
    return not all(type(value(each)) is base and value(each) == exact(each) for each in kind)


def member_form(kind: type) -> Callable[[Any], Any] | None:
    """Return what gets a member's value, if the type extends another and libraries may write that otherwise.

    None for all other types, and if all members are their values and override no methods.
    """
    if not issubclass(kind, enum.Enum) or _of_own_type.dispatch(kind) is not _NO_RULE:
        return None
    if (base := _extended(kind)) is None:
        return None
    own = [vars(each) for each in kind.__mro__[: kind.__mro__.index(base)] if each.__module__ != "enum"]
    overrides = any(name in methods for name in _ASKED for methods in own)
    return _member_getter(kind) if overrides or has_other_values(kind) else None


@functools.singledispatch
def _of_own_type(value: Any) -> Any:
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    raise TypeError(f"no convention for {kind}; add one with bakeoff.codecs.register_type")


_NO_RULE = _of_own_type.dispatch(object)
_OPEN: dict[type, Callable[[Any], Any]] = {}
"""Converters for the record classes and enumerations met so far, unless another was registered for them.

The lookup takes longer than the conversion of most objects.
"""
_NAMED: set[type] = set()
"""The named tuples among these classes, which are written like tuples."""
_REWRITERS: list[Rewriter] = []
"""What `exactly` has made, each with the forms of the types that it has met."""


def _forget_some() -> None:
    """Make room for the converter of one more class."""
    if len(_OPEN) + len(_NAMED) >= CLASSES:
        _OPEN.clear()
        _NAMED.clear()


def _member_getter(kind: type[enum.Enum]) -> Callable[[Any], Any]:
    """Return a function that returns a member's value, past the usual property, which is in Python."""
    own = next(vars(base)["value"] for base in kind.__mro__ if "value" in vars(base))
    usual = own is vars(enum.Enum)["value"]
    return operator.attrgetter("_value_" if usual else "value")


def register_type(kind: type[Any], write: Callable[[Any], Any]) -> None:
    """Have every codec convert the values of your type with a function before writing them.

    This applies in this process, and to subclasses and abstract base classes as in
    `functools.singledispatch`. A codec whose library supports the type does not call the function: pickle
    for any type, BSON for an ObjectId, msgspec for attrs classes. Decoding returns the converted values.

    Args:
        kind: The type.
        write: ``(value) -> object``; values within the object are converted in turn.

    Raises:
        ValueError: Codecs already write the type, or it already has a convention.
    """
    if not isinstance(kind, type) or kind is object:
        raise ValueError(f"expected a type, got {kind!r:.80}")
    if kind in EXACT or kind in (bool, type(None), memoryview):
        raise ValueError(f"{kind.__name__} is written by every codec already, by one rule for all of them")
    _of_own_type.register(kind, write)
    _OPEN.clear()
    _NAMED.clear()
    for rewriter in _REWRITERS:
        rewriter.forget()


def _native_bytes(value: bytearray | memoryview) -> bytes:
    """Bytes."""
    return bytes(value)


class FormatFamily:
    """The conventions of one format family.

    Args:
        name: For the documentation.
        native: Types that the format supports: None leaves them to the library, a function converts them.
        text_keys: Dict keys must be text.
        integers: Integers outside this range are written as decimal text; None for no bounds.
        null: Text that stands for None, where the format has no null.

    Attributes:
        leaf: Returns the written form of a value that the library does not support; a hook for most
            libraries. Raises TypeError: no convention for this type.
    """

    def __init__(
        self,
        name: str,
        native: Mapping[type, Callable[[Any], Any] | None],
        *,
        text_keys: bool = True,
        integers: range | None = None,
        null: str | None = None,
    ) -> None:
        self.name = name
        self.text_keys = text_keys
        self.integers = integers
        self.null = null
        self.native = dict(native)
        self._untouched = tuple(kind for kind, write in self.native.items() if write is None)
        self._write: dict[type, Callable[[Any], Any]] = {}
        for rule in RULES:
            if rule.type in self.native:
                if (other := self.native[rule.type]) is not None:
                    self._write[rule.type] = other
            else:
                self._write[rule.type] = rule.write
        self._tuple = self._write.get(tuple, tuple)
        # Of integers, a library refuses those that do not fit, so only these are asked for.
        self._forms: dict[type, Callable[[Any], Any]] = {**self._write, int: str, tuple: self._tuple}
        self.leaf = Forms(self._forms, _OPEN, _NAMED, self._other_leaf).leaf

    def doubting_leaf(self, doubt: Callable[[], None]) -> Callable[[Any], Any]:
        """Return `leaf` with a function that is called for each list and dict that it returns."""
        return Forms(self._forms, _OPEN, _NAMED, self._other_leaf, doubt).leaf

    def exact_leaf(self, exact: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return `leaf` for a library that needs `exactly`, also for what the returned forms hold."""
        return Forms(self._forms, _OPEN, _NAMED, self._other_leaf, None, exact).leaf

    def leaf_or(self, other: Callable[[Any], Any], doubt: Callable[[], None] | None = None) -> Any:
        """Return `leaf` with another function for all types without a rule, and `doubt` as above."""
        return Forms(self._forms, {}, set(), other, doubt).leaf

    def _other_leaf(self, value: Any) -> Any:
        kind = type(value)
        if (own := _of_own_type.dispatch(kind)) is not _NO_RULE:
            return own(value)
        if (held := convention(kind)) is not None:
            written = held(value)
            if convention(type(written)) is not None:
                return self.leaf(written)
            own_rule = self._write.get(type(written))
            return written if own_rule is None else own_rule(written)
        if (known := record_class(kind)) is not None:
            _forget_some()
            if known.family == "namedtuple":
                if exact_form(kind) is not None:
                    return self._tuple(EXACT[tuple](value))
                _NAMED.add(kind)
                return self._tuple(value)
            _OPEN[kind] = known.open
            return known.open(value)
        if isinstance(value, enum.Enum):
            _forget_some()
            write = _OPEN[kind] = _member_getter(kind)
            return write(value)
        for base, exact in EXACT.items():
            if isinstance(value, base) and kind is not base:
                return self._of_subclass(base, exact(value), value)
        if isinstance(value, Mapping) and not isinstance(value, dict):
            return dict_of(value)
        return _of_own_type(value)

    def lowered_leaf(self, value: Any) -> Any:
        """Return the same as `leaf`, with all nested values rewritten, for libraries without a depth limit.

        Python's recursion limit applies.
        """
        written = self.leaf(value)
        if type(written) is int:
            return self._integer(written)
        if type(written) not in (dict, list, tuple, set, frozenset):
            return written
        if holds_numbers(value) and _of_own_type.dispatch(type(value)) is _NO_RULE:
            return written
        return self.lower(written)

    def _of_subclass(self, base: type, plain: Any, value: Any) -> Any:
        if base in (dt.datetime, dt.timedelta) and plain != value:
            raise TypeError(f"{value!r} is finer than a {base.__name__}")
        if base is int:
            return self._integer(plain)
        write = self._write.get(base)
        return write(plain) if write else plain

    def _integer(self, value: int) -> int | str:
        return value if self.integers is None or value in self.integers else str(value)

    def lower(self, value: Any) -> Any:
        """Return a copy of a whole object that contains only types of the format.

        Raises:
            TypeError: No convention for a type in it.
            ValueError: Two keys of a dict become the same text.
        """
        kind = type(value)
        if kind is str or kind is bool or kind is float:
            return value
        if value is None:
            return self.null
        if kind is int:
            return self._integer(value)
        if kind is dict:
            return self._lower_dict(value)
        if kind is list:
            return [self.lower(item) for item in value]
        if isinstance(value, enum.Enum) and _of_own_type.dispatch(kind) is _NO_RULE:
            return self.lower(value.value)
        if kind in self._untouched:
            if kind is tuple:
                return tuple(self.lower(item) for item in value)
            return kind(map(self._lower_hashable, value)) if kind in (set, frozenset) else value
        return self.lowered_leaf(value)

    def encodes_as(self, preserves: Collection[str]) -> dict[str, str]:
        """Return the written form of each type that a codec does not preserve: token to form."""
        forms = {rule.token: rule.form for rule in RULES}
        if bytes in self.native:
            forms["bytearray"] = "bytes"
        if self.native.get(frozenset) is not None:
            forms["frozenset"] = "set"
        forms |= {
            "datetime_aware": "iso",
            "datetime_offset": "iso",
            "dataclass": "dict",
            "namedtuple": "list",
        }
        if self.text_keys:
            forms["int_keys"] = "text"
        if self.integers is not None:
            forms["bigint"] = "text"
        if self.null is not None:
            forms["none"] = NULL_TEXT
        return {token: form for token, form in forms.items() if token not in preserves}

    def _lower_hashable(self, value: Any) -> Any:
        """Lower a dict key or an item of a set, in which an array remains a tuple."""
        for kind in (tuple, frozenset):
            if isinstance(value, kind):
                items = value if type(value) is kind else EXACT[kind](value)
                return kind(map(self._lower_hashable, items))
        return self.lower(value)

    def _lower_dict(self, value: dict[Any, Any]) -> dict[Any, Any]:
        lowered = {}
        for key, item in value.items():
            name = key if type(key) is str else self._key(key)
            if name in lowered:
                raise ValueError(f"two keys of a dict are both written as {name!r}")
            lowered[name] = self.lower(item)
        return lowered

    def _key(self, key: Any) -> Any:
        written = _text_key(key) if self.text_keys else self._lower_hashable(key)
        try:
            hash(written)
        except TypeError:
            raise TypeError(f"a dict key of type {type(key).__name__} has no written form") from None
        return written


NO_NUMBERS = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}
"""As the JSON libraries write them."""


def _text_key(key: Any) -> Any:
    """Return a key as text, as in JSON, even if the format has its type for values."""
    if isinstance(key, enum.Enum):
        return _text_key(key.value)
    if (held := convention(type(key))) is not None:
        return _text_key(held(key))
    if key is None:
        return "null"
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, int):
        return int.__repr__(key)
    if isinstance(key, float):
        text = float.__repr__(key)
        return NO_NUMBERS.get(text, text)
    return JSON_FAMILY.leaf(key)


def _is_whole(key: Any) -> bool:
    """Return whether a key has no offset that a library may round to minutes."""
    return type(key) is not dt.datetime or key.tzinfo is None or key.tzinfo is dt.UTC


def distinct_keys(kinds: Collection[type]) -> Callable[[dict[Any, Any]], bool]:
    """Return a function: whether a library writes all keys of a dict as text, like the conventions.

    Args:
        kinds: The types of keys, in addition to text and integers, that the library writes like them. `Enum`
            means members whose values are of such a type.
    """
    allowed, members = {str, int, *kinds} - {enum.Enum}, enum.Enum in kinds

    def is_distinct(record: dict[Any, Any]) -> bool:
        keys = list(record)
        unlike = len(set(map(type, keys))) == 1
        if members and not allowed.issuperset(map(type, keys)):
            unlike, keys = False, [key.value if isinstance(key, enum.Enum) else key for key in keys]
        types = set(map(type, keys))
        if not types <= allowed or (dt.datetime in types and not all(map(_is_whole, keys))):
            return False
        return unlike or len(set(map(_text_key, keys))) == len(keys)

    return is_distinct


NATIVE_BYTES: Mapping[type, Callable[[Any], Any] | None] = {
    bytes: None,
    bytearray: _native_bytes,
    memoryview: _native_bytes,
}
"""The binary types, for formats with bytes."""

JSON_FAMILY = FormatFamily("JSON", {})
JSON64_FAMILY = FormatFamily("JSON (64-bit integers)", {}, integers=WORDS)


def content(value: Any) -> Any:
    """Return what an object holds that a library writes by `leaf`; None if that cannot be seen."""
    if _of_own_type.dispatch(type(value)) is not _NO_RULE:
        return None
    return [] if holds_numbers(value) else opened(value)


@functools.cache
def exactly(
    others: Callable[[type], Callable[[Any], Any] | None] | None = None,
    own: str = "",
    *,
    members: bool = True,
) -> Callable[[Any], Any]:
    """Return a function that rewrites the values that a library would write otherwise than the conventions.

    Args:
        others: ``(type) -> (value) -> form, or None``: the written form of types that the library writes by
            rules of its own. Subclasses with methods of their own are always rewritten.
        own: The library's package, whose types are left to it.
        members: Members of enums that extend other types are rewritten, too; a library that knows the enum
            of a field needs the member.
    """

    def form_of(kind: type) -> Callable[[Any], Any] | None:
        if own and kind.__module__.partition(".")[0] == own:
            return None
        found = None if others is None else others(kind)
        found = found or exact_form(kind) or _plain_container(kind)
        return member_form(kind) if found is None and members else found

    def fields(kind: type) -> tuple[str, ...] | None:
        if _of_own_type.dispatch(kind) is not _NO_RULE or (known := record_class(kind)) is None:
            return None
        return known.attributes

    _REWRITERS.append(Rewriter(form_of, fields, _opened))
    return _REWRITERS[-1].rewrite


def _opened(value: Any) -> Any:
    return EXACT[tuple](value) if isinstance(value, tuple) else opened(value)


def documented(shown: Sequence[FormatFamily]) -> list[list[str]]:
    """Return conventions as a table: a header row, a row for each type, a column for each format family."""
    rows = [["type", *(family.name for family in shown)]]
    rows += [[rule.type.__name__, *(_documented(rule, f) for f in shown)] for rule in RULES]
    rows.append(["object with fields", *["dict of its fields"] * len(shown)])
    rows += [[name, *[words] * len(shown)] for name, words in DOCUMENTED]
    rows.append(["None", *("text `$null`" if f.null else "native" for f in shown)])
    big = ("native" if f.integers is None else "decimal text" for f in shown)
    rows.append(["int beyond 64 bits", *big])
    rows.append(["dict keys other than text", *("text" if f.text_keys else "native" for f in shown)])
    rows.append(["name of a time zone, fold", *["not written"] * len(shown)])
    return rows


def _documented(rule: Rule, family: FormatFamily) -> str:
    if rule.type not in family.native:
        return rule.words
    write = family.native[rule.type]
    if write is None:
        return "native"
    words = (write.__doc__ or "").split("\n")[0].rstrip(".")
    return words[:1].lower() + words[1:]
