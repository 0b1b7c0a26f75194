"""Objects that would end the process, or never end: those of a codec are tried in a separate process."""

from __future__ import annotations

import dataclasses
import itertools
import os
import signal
from collections import UserDict, UserList, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

import attrs
import pytest

from bakeoff import EncodeError, codec
from bakeoff.codecs import names

pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


@dataclasses.dataclass(slots=True)
class Slots:
    a: object


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: object


class Base:
    __slots__ = ("b",)


@dataclasses.dataclass(slots=True)
class Child(Base):
    a: object


@dataclasses.dataclass
class Half:
    __slots__ = ("__dict__", "a")
    a: object


@attrs.define
class Attrs:
    a: object


class EndlessMapping(Mapping[int, int]):
    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, key: int) -> int:
        return key

    def __iter__(self) -> Iterator[int]:
        return itertools.count()


class HashedMapping(EndlessMapping):
    def __hash__(self) -> int:
        return 1


class EndlessSequence(Sequence[int]):
    """Its items never end, but its length is short, or claims more than any memory has."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: Any) -> Any:
        return place


class EndlessIteration(EndlessSequence):
    def __iter__(self) -> Iterator[int]:
        return itertools.count()


class EndlessSet(Set[int]):
    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __contains__(self, item: object) -> bool:
        return True

    def __iter__(self) -> Iterator[int]:
        return itertools.count()


class OwnDeque(deque[int]):
    def __iter__(self) -> Iterator[int]:
        return itertools.count()


class OwnUserList(UserList[int]):
    def __len__(self) -> int:
        return 10**12

    def __getitem__(self, place: Any) -> Any:
        return place


class OwnUserDict(UserDict[int, int]):
    def __len__(self) -> int:
        return 10**12

    def __iter__(self) -> Iterator[int]:
        return itertools.count()


@dataclasses.dataclass
class Holder:
    a: object


ENDLESS: Mapping[str, Callable[[], Any]] = {
    "range": lambda: range(10**12),
    **{
        f"{kind.__name__} of {length}": partial(kind, length)
        for kind in (EndlessMapping, HashedMapping, EndlessSequence, EndlessIteration, EndlessSet)
        for length in (3, 10**12)
    },
    "deque": OwnDeque,
    "UserList": OwnUserList,
    "UserDict": OwnUserDict,
    "proxy": lambda: MappingProxyType(EndlessMapping(3)),
    "keys": lambda: EndlessMapping(3).keys(),
    "values": lambda: EndlessMapping(3).values(),
    "items": lambda: EndlessMapping(3).items(),
    "count": itertools.count,
    "repeat": lambda: itertools.repeat(1),
    "long repeat": lambda: itertools.repeat(1, 10**12),
    "cycle": lambda: itertools.cycle([1]),
    "map": lambda: map(str, itertools.count()),
    "generator": lambda: (number for number in itertools.count()),
}
PLACES: Mapping[str, Callable[[Any], Any]] = {
    "whole": lambda value: value,
    "item": lambda value: [value],
    "deep": lambda value: {"a": ({"b": value},)},
    "field": lambda value: Holder([value]),
    "key": lambda value: {value: 1},
    "in a set": lambda value: {value},
}


UNSET = (Slots, Frozen, Child, Half, Attrs)
PICKLES = ("pickle", "cloudpickle", "dill")
LENIENT = (*PICKLES, "msgspec-json", "msgspec-msgpack")
"""Their libraries write an object without its fields."""
SECONDS = 5
"""Most CPU time of a record."""


def ended(name: str, records: Iterable[Any]) -> list[int]:
    """Return how encoding ends for each record: 0 with a payload, 2 with an `EncodeError`.

    3: refused only because the memory did not suffice. The list ends where the process dies, also after
    `SECONDS`. A process for each record would take most of the time.
    """
    reading, writing = os.pipe()
    if not (child := os.fork()):
        try:
            encode = codec(name).encode
            for record in records:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)  # its signal ends the process
                code = 0
                try:
                    encode(record)
                except EncodeError as error:
                    code = 3 if isinstance(error.__cause__, MemoryError) else 2
                os.write(writing, bytes([code]))
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        found = list(pipe.read())
    os.waitpid(child, 0)
    return found


def placed(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield records with a value in different places, as a key only if it can be one."""
    for place, put in PLACES.items():
        try:
            record = put(value)
        except TypeError:
            continue
        yield place, record


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_an_object_without_its_fields_is_refused(name: str) -> None:
    records = [
        record
        for unset in (kind.__new__(kind) for kind in UNSET)
        for record in (unset, [unset], {"x": {"y": [unset]}})
    ]
    codes = ended(name, records)

    assert len(records) == len(codes), f"died at {len(codes)}"
    assert set(codes) <= ({0, 2} if name.partition("/")[0] in LENIENT else {2})


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_what_never_ends_is_refused(name: str) -> None:
    if name.partition("/")[0] in (*PICKLES, "fory"):
        pytest.skip("the library writes objects as their classes and states")
    cases = [(words, *case) for words, make in ENDLESS.items() for case in placed(make())]
    codes = ended(name, (record for _, _, record in cases))

    for (words, place, _), code in zip_longest(cases, codes):
        # ujson writes such a key as its `str`.
        assert code == 2 or (name == "ujson" and place == "key" and code == 0), f"{words}, {place}"


@pytest.mark.parametrize("name", ["cbor2", "cbor2/unguarded"])
def test_other_sequences_and_mappings_are_written_as_lists_and_maps(name: str) -> None:
    held, cbor = memoryview(b"a"), codec(name)
    assert [0, 1] == cbor.decode(cbor.encode(range(2)))
    assert [b"a"] == cbor.decode(cbor.encode(deque([held])))
    assert {"x": b"a"} == cbor.decode(cbor.encode(MappingProxyType({"x": held})))
    assert {(0, 1): 1} == cbor.decode(cbor.encode({range(2): 1}))
