"""What an attack is, and the record that all codecs are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ....codecs import Codec

__all__ = ["RECORD", "AttackDirection", "HostileCase", "Must", "ordinary"]

AttackDirection = Literal["decode", "encode"]
Must = Literal["either", "accept", "refuse", "limit"]

RECORD: dict[str, Any] = {
    "id": 7,
    "name": "Größe 😀",
    "ratio": 0.25,
    "tags": ["a", "b", ["c"]],
    "by": {"name": "x" * 40, "age": 300, "flags": [True, False]},
    "many": [{"n": number, "square": number**2} for number in range(8)],
}
"""An ordinary record: every format writes it."""


@dataclass(frozen=True, slots=True)
class HostileCase:
    """One attack.

    Attributes:
        direction: What is attacked.
        name: Unique in its direction among the cases that apply to one codec.
        what: The same in a half sentence.
        make: Yields the payloads or objects, each of which is tried; runs on after each has been.
        must: What is promised beyond a record, or payload, or one of our errors: "refuse" and "limit"
            (as `LimitError`, when decoding) for what must not pass, "accept" for what must.
        wires: To which codecs it applies, see `collection.wires`; None for all.
        payloads: What `make` is built of, where that is a table; the fuzzer takes its seeds from here.
        reads_back: Whether the codec must be able to read what it makes of the object.
    """

    direction: AttackDirection
    name: str
    what: str
    make: Callable[[Codec], Iterable[Any]]
    must: Must = "either"
    wires: frozenset[str] | None = None
    payloads: tuple[bytes | Callable[[Codec], Iterable[bytes]], ...] = ()
    reads_back: bool = True

    @property
    def title(self) -> str:
        """Direction and name, as ``--only`` takes them."""
        return f"{self.direction}/{self.name}"

    def fits(self, patterns: Sequence[str]) -> bool:
        """Whether a pattern means this case; without any, all are meant."""
        return not patterns or any(
            fnmatchcase(self.title, pattern) or fnmatchcase(self.name, pattern) for pattern in patterns
        )


def ordinary(codec: Codec) -> Any:
    """Return an ordinary record as a codec takes it: a dict, or the library's own object."""
    bound = codec.bound
    return RECORD if bound is None or bound.take is None or bound.dicts else bound.take(RECORD)
