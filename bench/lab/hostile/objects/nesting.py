"""Endlessly nested objects, in every kind of container."""

from __future__ import annotations

from collections import OrderedDict, UserDict, UserList, deque
from collections.abc import Callable, Iterator
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..build import DEEP
from ..cases import HostileCase
from .kinds import Box, Pair

if TYPE_CHECKING:
    from .....codecs import Codec

_case = partial(HostileCase, "encode")


class ListSubclass(list[Any]):
    """A subclass without methods."""


class DictSubclass(dict[Any, Any]):
    """A subclass without methods."""


WRAPS: dict[str, Callable[[Any], Any]] = {
    "lists": lambda x: [x],
    "tuples": lambda x: (x,),
    "dicts": lambda x: {"a": x},
    "frozensets": lambda x: frozenset({x}),
    "deques": lambda x: deque([x]),
    "mapping-proxies": lambda x: MappingProxyType({"a": x}),
    "dataclasses": Box,
    "namedtuples": lambda x: Pair(x, 1),
    "mappings": lambda x: UserDict(a=x),
    "sequences": lambda x: UserList([x]),
    "ordered-dicts": lambda x: OrderedDict(a=x),
    "list-subclasses": lambda x: ListSubclass([x]),
    "dict-subclasses": lambda x: DictSubclass(a=x),
    "views": lambda x: {"a": x}.values(),
    "generators": lambda x: (item for item in [x]),
    "mixed": lambda x: ([{"a": (x,)}],),
}


def _nested(wrap: Callable[[Any], Any], levels: int) -> Any:
    nested: Any = 1
    for _ in range(levels):
        nested = wrap(nested)
    return nested


def _deep(wrap: Callable[[Any], Any]) -> Callable[[Codec], Iterator[Any]]:
    return lambda codec: (_nested(wrap, levels) for levels in (10_000, DEEP))


def _many_deep(codec: Codec) -> Iterator[Any]:
    for levels in (100, 130, 146, 170, 199, 210, 250):
        yield [_nested(WRAPS["lists"], levels)] * 1_000


def _deep_keys(codec: Codec) -> Iterator[Any]:
    # Python itself recurses to hash a tuple.
    for wrap in (lambda x: (x,), lambda x: frozenset({x}), lambda x: Pair(x, 1)):
        yield {_nested(wrap, 1_000): 1}
        yield [{_nested(wrap, 1_000)}]


class _AnyHash(set[Any]):
    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


def _cycles(codec: Codec) -> Iterator[Any]:
    ring: list[Any] = []
    ring.append(ring)
    yield ring
    of_tuple: list[Any] = []
    of_tuple.append((of_tuple,))
    yield of_tuple
    yield of_tuple[0]
    named: dict[str, Any] = {}
    named["a"] = named
    yield named
    yield MappingProxyType(named)
    queue: deque[Any] = deque()
    queue.append(queue)
    yield queue
    box = Box(None)
    box.content = box
    yield box
    mapping: UserDict[str, Any] = UserDict()
    mapping["a"] = mapping
    yield mapping
    sequence: UserList[Any] = UserList()
    sequence.append(sequence)
    yield sequence
    odd = _AnyHash()
    odd.add(odd)
    yield odd
    behind: dict[str, Any] = {}
    proxy = MappingProxyType(behind)
    behind["a"] = proxy
    yield proxy
    far: list[Any] = []
    far.append(Box({"a": (Pair(deque([far]), 1),)}))
    yield far
    pair: list[Any] = [[], []]
    pair[0].append(pair[1])
    pair[1].append(pair[0])
    yield pair


CASES: tuple[HostileCase, ...] = (
    *(
        _case(f"deep-{kind}", f"{kind.replace('-', ' ')} nested {DEEP:,} deep", _deep(wrap), must="refuse")
        for kind, wrap in WRAPS.items()
    ),
    _case("deep-keys", "tuples and sets in keys, nested 1,000 deep", _deep_keys),
    _case(
        "many-deep-lists",
        "lists nested 100 to 250 deep, 1,000 one after another",
        _many_deep,
        reads_back=False,
    ),
    _case("cycles", "containers of each kind that contain themselves", _cycles, reads_back=False),
)
