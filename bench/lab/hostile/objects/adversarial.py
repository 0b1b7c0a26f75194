"""Objects whose methods lie, raise errors, or interrupt."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import uuid
from collections import OrderedDict, UserDict, UserList, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..cases import HostileCase
from .kinds import Box, GivenMapping

if TYPE_CHECKING:
    from .....codecs import Codec

# The encoding of an inconsistent object may be inconsistent, so it need not be decodable.
_case = partial(HostileCase, "encode", reads_back=False)

raised: list[BaseException] = []
"""Errors that hostile objects have raised; `attack` clears it before each call."""


def spring(error: BaseException) -> Any:
    """Raise an error and note it in `raised`."""
    raised.append(error)
    raise error


def _raise(error: Callable[[], BaseException], *arguments: Any) -> Any:
    return spring(error())


def _answer(answer: Any, *arguments: Any) -> Any:
    return answer


class OwnInterruption(BaseException):
    """An exception of a program that must reach the top level."""


class UnprintableError(Exception):
    """An error whose text cannot be read."""

    def __str__(self) -> str:
        raise RuntimeError("no text either")


_METHODS = (
    "__iter__", "__len__", "items", "keys", "values", "__getitem__", "__contains__", "__bool__",
    "__str__", "__repr__", "__format__", "__int__", "__index__", "__float__", "__bytes__", "__buffer__",
    "encode", "__reduce_ex__", "__reduce__", "__getstate__", "isoformat", "utcoffset", "tzname",
    "as_tuple", "__eq__", "__hash__", "__lt__", "__dict__", "__abs__", "value", "_asdict", "copy",
    "bit_length", "to_bytes", "is_nan",
)  # fmt: skip


MADE_OF: dict[type, tuple[Any, ...]] = {
    str: ("x",),
    bytes: (b"x",),
    int: (7,),
    float: (0.5,),
    list: ([1],),
    tuple: ((1,),),
    dict: ({"a": 1},),
    set: ({1},),
    frozenset: ({1},),
    bytearray: (b"x",),
    decimal.Decimal: ("1.5",),
    dt.datetime: (2024, 1, 2),
    dt.date: (2024, 1, 2),
    dt.time: (1,),
    dt.timedelta: (1,),
    uuid.UUID: ("1" * 32,),
    OrderedDict: ({"a": 1},),
    UserDict: ({"a": 1},),
    UserList: ([1],),
    deque: ([1],),
    object: (),
}
"""The types that the objects imitate, and their content."""
_BASES = tuple(MADE_OF)
_NO_SETS = tuple(base for base in _BASES if base not in (set, frozenset))


def _armed(method: str, act: Callable[..., Any], bases: Sequence[type] = _BASES) -> Iterator[Any]:
    """Yield an object of each base with one active method, enabled once it is made; alone, and nested."""
    for base in bases:
        if not (base is object or hasattr(base, method)):
            continue
        armed: list[object] = []

        def method_of(
            self: Any, *arguments: Any, base: type = base, armed: list[object] = armed, **options: Any
        ) -> Any:
            if armed:
                return act(self, *arguments)
            return getattr(base, method)(self, *arguments, **options)

        attribute: Any = property(method_of) if method in ("__class__", "__dict__", "value") else method_of
        kind = type(f"{base.__name__}-with-{method}", (base,), {method: attribute})
        if method == "__eq__":
            kind.__hash__ = base.__hash__  # type: ignore[method-assign]
        subject = kind(*MADE_OF[base])
        armed.append(1)
        yield subject
        yield {"a": [subject]}


def _lies(method: str, *answers: Any) -> Callable[[Codec], Iterator[Any]]:
    def make(codec: Codec) -> Iterator[Any]:
        for answer in answers:
            yield from _armed(method, partial(_answer, answer))

    return make


def _lying_iterators(codec: Codec) -> Iterator[Any]:
    for answer in (None, 1):
        yield from _armed("__iter__", partial(_answer, answer))
    others: tuple[list[Any], ...] = ([[]], [1, [], None])
    for items in others:
        yield from _armed("__iter__", lambda *arguments, items=items: iter(items))


class _Key:
    """A key that behaves well while it is put into a dict, and not afterwards."""

    def __init__(self, method: str, act: Callable[[], Any]) -> None:
        self.method, self.act, self.armed = method, act, False

    def _asked(self, method: str, usual: Any) -> Any:
        return self.act() if self.armed and method == self.method else usual

    def __hash__(self) -> int:
        return self._asked("__hash__", 1)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return self._asked("__eq__", self is other)  # type: ignore[no-any-return]

    def __lt__(self, other: object) -> bool:
        return self._asked("__lt__", False)  # type: ignore[no-any-return]


class _TextKey(_Key, str):
    """The same as a str."""

    def __new__(cls, method: str, act: Callable[[], Any]) -> _TextKey:
        return str.__new__(cls, "a")

    __hash__ = _Key.__hash__
    __eq__ = _Key.__eq__
    __lt__ = _Key.__lt__


def _keys(act: Callable[[], Any]) -> Iterator[Any]:
    for kind in (_Key, _TextKey):
        for method in ("__hash__", "__eq__", "__lt__"):
            keys = [kind(method, act), kind(method, act)]
            subject, group = dict.fromkeys(keys, 1), set(keys)
            for key in keys:
                key.armed = True
            yield subject
            yield group
            yield [MappingProxyType(subject)]
            for key in keys:
                key.armed = False


def _lying_mappings(codec: Codec) -> Iterator[Any]:
    answers: tuple[Any, ...] = (
        None,
        1,
        "ab",
        [1, 2],
        [("a",)],
        [("a", 1, 2)],
        [([], 1)],
        iter(()),
        -1,
        2**70,
        [None],
    )
    for what in ("iter", "len", "getitem", "keys", "items", "values"):
        for answer in answers:
            subject = GivenMapping(**{what: partial(_answer, answer)})
            yield from (subject, [subject], MappingProxyType(subject))


class Zone(dt.tzinfo):
    """A time zone with given answers."""

    def __init__(self, offset: Callable[[], Any]) -> None:
        self.offset = offset

    def utcoffset(self, moment: dt.datetime | None) -> dt.timedelta | None:
        return self.offset()  # type: ignore[no-any-return]

    dst = utcoffset

    def tzname(self, moment: dt.datetime | None) -> str | None:
        return self.offset()  # type: ignore[no-any-return]

    def __reduce__(self) -> Any:
        return Zone, (self.offset,)


def _zones(offset: Callable[[], Any]) -> Iterator[Any]:
    moment = dt.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=Zone(offset))
    yield from (moment, [moment], {"a": moment}, moment.timetz(), Box(moment))


def _raising_zones(codec: Codec) -> Iterator[Any]:
    return _zones(lambda: spring(ValueError("raised on purpose")))


def _odd_zones(codec: Codec) -> Iterator[Any]:
    for answer in ("x", 1, dt.timedelta(days=2), dt.timedelta(days=-1), dt.timedelta(microseconds=1), None):
        yield from _zones(partial(_answer, answer))


_ERRORS: tuple[Callable[[], BaseException], ...] = (
    lambda: ValueError("raised on purpose"),
    lambda: RecursionError("raised on purpose"),
    lambda: StopIteration("raised on purpose"),
)
_INTERRUPTIONS: tuple[Callable[[], BaseException], ...] = (
    KeyboardInterrupt,
    lambda: SystemExit(7),
    OwnInterruption,
)


def _raising(errors: Iterable[Callable[[], BaseException]]) -> Callable[[Codec], Iterator[Any]]:
    """Return a function that makes raising objects, except the ones of the next two functions."""

    def make(codec: Codec) -> Iterator[Any]:
        for error in errors:
            for method in _METHODS:
                yield from _armed(
                    method, partial(_raise, error), _NO_SETS if method == "__iter__" else _BASES
                )
            yield from _keys(partial(_raise, error))
            for what in ("iter", "len", "getitem", "keys", "items", "values"):
                subject = GivenMapping(**{what: partial(_raise, error)})
                yield from (subject, [subject], MappingProxyType(subject))

    return make


def _raising_lookups(errors: Iterable[Callable[[], BaseException]]) -> Callable[[Codec], Iterator[Any]]:
    def make(codec: Codec) -> Iterator[Any]:
        for error in errors:
            for method in ("__getattribute__", "__class__"):
                yield from _armed(method, partial(_raise, error))

    return make


def _raising_sets(errors: Iterable[Callable[[], BaseException]]) -> Callable[[Codec], Iterator[Any]]:
    return lambda codec: (
        each for error in errors for each in _armed("__iter__", partial(_raise, error), (set, frozenset))
    )


def _liar(base: type, **methods: Any) -> Any:
    """Return an object of a base with other methods: functions, or their answers."""
    made = {
        f"__{name}__" if name not in ("items", "keys", "encode") else name: (
            answer if callable(answer) else lambda self, *arguments, answer=answer: answer
        )
        for name, answer in methods.items()
    }
    return type(f"Lying{base.__name__}", (base,), made)(*MADE_OF[base])


def _liars(codec: Codec) -> Iterator[Any]:
    def refuse(self: Any, *arguments: Any) -> Any:
        spring(RuntimeError("asked"))

    yield _liar(list, len=10**6, iter=lambda self: iter([1, 2, 3]), getitem=lambda self, index: index)
    yield _liar(dict, items=[1, (2,), (3, 4, 5)], keys=5, len=6, iter=lambda self: iter(["not", "there"]))
    yield _liar(str, str=5, encode=None, eq=refuse, hash=7)
    yield _liar(int, int="x", index=2**80, repr="many")
    yield _liar(float, repr=refuse, float=refuse)
    yield GivenMapping(iter=lambda: iter(range(1000)), getitem=lambda: spring(KeyError("a")))
    yield type("Raising", (), {name: refuse for name in _METHODS if name not in ("__hash__", "__dict__")})()


CASES: tuple[HostileCase, ...] = (
    _case("raising", "methods that raise errors", _raising(_ERRORS)),
    _case("raising-lookups", "lookups of attributes that raise errors", _raising_lookups(_ERRORS)),
    _case("raising-sets", "sets whose iteration raises errors", _raising_sets(_ERRORS)),
    _case("unprintable", "methods that raise errors without text", _raising([UnprintableError])),
    _case("interruptions", "methods that raise an interruption, which passes", _raising(_INTERRUPTIONS)),
    _case("interrupted-lookups", "the same from lookups of attributes", _raising_lookups(_INTERRUPTIONS)),
    _case("interrupted-sets", "the same from the iteration of sets", _raising_sets(_INTERRUPTIONS)),
    _case(
        "raising-zones",
        "datetimes whose utcoffset raises",
        _raising_zones,
    ),
    _case("lying-zones", "datetimes with an invalid utcoffset", _odd_zones),
    _case("lying-lengths", "lengths that are wrong", _lies("__len__", 0, 1, 2**31, 2**62, -1, "x", None)),
    _case(
        "lying-iterators",
        "invalid iterators, and iterators with other items",
        _lying_iterators,
    ),
    _case("lying-items", "invalid items, keys and values", _lying_mappings),
    _case(
        "lying-classes",
        "objects that pretend to be of another type",
        _lies("__class__", dict, list, str, int, Box, bytes, tuple, enum.Enum, Mapping, None, 1),
    ),
    _case("lying-numbers", "invalid numbers and texts", _lies("__repr__", None, 1, "]", '"')),
    _case("liars", "objects of which several methods lie or raise", _liars),
    _case("lying-keys", "keys with a broken hash or equality", lambda codec: _keys(lambda: None)),
    _case("lying-fields", "an invalid `__dict__`", _lies("__dict__", None, [], {1: 2}, {"a": []})),
)
