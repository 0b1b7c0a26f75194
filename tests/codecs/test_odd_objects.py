"""Objects that would end the process, or never end: each is tried in a process of its own."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Iterator, Mapping
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


class Endless(Mapping[int, int]):
    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, key: int) -> int:
        return key

    def __iter__(self) -> Iterator[int]:
        return itertools.count()


UNSET = (Slots, Frozen, Child, Half, Attrs)
PICKLES = ("pickle", "cloudpickle", "dill")
LENIENT = (*PICKLES, "msgspec-json", "msgspec-msgpack")
"""Their libraries write an object without its fields."""


def ended(name: str, value: Any) -> int:
    """Return how encoding ends: 0 with a payload, 2 with an `EncodeError`; below 0 if the process dies."""
    if not (child := os.fork()):
        code = 1
        try:
            codec(name).encode(value)
            code = 0
        except EncodeError:
            code = 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("name", names())
def test_an_object_without_its_fields_is_refused(name: str) -> None:
    for kind in UNSET:
        unset = kind.__new__(kind)
        for value in (unset, [unset], {"x": {"y": [unset]}}):
            expected = (0, 2) if name.partition("/")[0] in LENIENT else (2,)
            assert ended(name, value) in expected, kind


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("length", [3, 10**12])
def test_an_endless_mapping_is_refused(name: str, length: int) -> None:
    if name.partition("/")[0] in (*PICKLES, "cbor2", "quickle"):
        pytest.skip("the library writes mappings itself, or pickles them")
    assert ended(name, Endless(length)) == 2
    assert ended(name, [Endless(length)]) == 2
