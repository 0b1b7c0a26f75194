"""Kinds of objects that several attacks use."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass
class Box:
    """A dataclass that holds any value."""

    content: Any


Pair = namedtuple("Pair", "left right")


class TextSubclass(str):
    """A hashable subclass of str."""


class GivenMapping(Mapping[Any, Any]):
    """A mapping with given answers."""

    def __init__(self, **answers: Callable[[], Any]) -> None:
        self.answers = answers

    def __iter__(self) -> Iterator[Any]:
        return self.answers.get("iter", lambda: iter(["a"]))()  # type: ignore[no-any-return]

    def __len__(self) -> int:
        return self.answers.get("len", lambda: 1)()  # type: ignore[no-any-return]

    def __getitem__(self, key: Any) -> Any:
        return self.answers.get("getitem", lambda: 1)()

    def keys(self) -> Any:
        return self.answers.get("keys", lambda: ["a"])()

    def items(self) -> Any:
        return self.answers.get("items", lambda: [("a", 1)])()

    def values(self) -> Any:
        return self.answers.get("values", lambda: [1])()
