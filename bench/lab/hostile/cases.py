"""What an attack is, and to which codecs it applies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal

from ....codecs import split_name

if TYPE_CHECKING:
    from ....codecs import Codec

__all__ = ["DEEP", "RECORD", "Case", "Direction", "Must", "ordinary", "room", "wire"]

Direction = Literal["decode", "encode"]
Must = Literal["either", "accept", "refuse", "limit"]

DEEP = 100_000
"""Levels of nesting, more than any library goes."""


RECORD: dict[str, Any] = {
    "id": 7,
    "name": "Größe 😀",
    "ratio": 0.25,
    "tags": ["a", "b", ["c"]],
    "by": {"name": "x" * 40, "age": 300, "flags": [True, False]},
    "many": [{"n": number, "square": number**2} for number in range(8)],
}
"""What every format writes."""


@dataclass(frozen=True, slots=True)
class Case:
    """One attack.

    Attributes:
        direction: What is attacked.
        name: Unique in its direction among the cases that apply to one codec.
        what: The same in a half sentence.
        make: Yields the payloads or objects, each of which is tried; runs on after each has been.
        must: What is promised beyond a record, or payload, or one of our errors: "refuse" and "limit"
            (as `LimitError`, when decoding) for what must not pass, "accept" for what must.
        wires: To which codecs it applies, see `wire`; None for all.
        reads_back: Whether the codec must be able to read what it makes of the object.
    """

    direction: Direction
    name: str
    what: str
    make: Callable[[Codec], Iterable[Any]]
    must: Must = "either"
    wires: frozenset[str] | None = None
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


def wire(codec: Codec) -> frozenset[str]:
    """Return what is known of a codec's payloads: format, compressor, and whether no bytes are a record."""
    base = split_name(codec.name)[0]
    found = {base if base == "plist/binary" else codec.format}
    if not codec.spec.format.empty:
        found.add("never empty" if codec.compression is None else "compressed, never empty")
    if codec.compression is not None:
        found |= {"compressed", codec.compression.name.partition(":")[0].partition(",")[0]}
    return frozenset(found)


def room(codec: Codec) -> int:
    """Return the most bytes that a payload may have."""
    return codec.limits.size
