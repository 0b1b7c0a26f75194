"""The declaration of an attack, and the record that all codecs are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ....codecs import Codec

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
"""An ordinary record, which every format supports."""


@dataclass(frozen=True, slots=True)
class HostileCase:
    """One attack.

    Attributes:
        direction: The attacked direction.
        name: Unique in its direction among the cases that apply to one codec.
        what: A description as a phrase.
        make: Yields the payloads or objects, each of which is tried before it resumes.
        must: A promise beyond a result or one of our errors: "refuse" and "limit" (with `LimitError`, when
            decoding) for input that must be refused, "accept" for input that must be accepted.
        wires: The codecs to which it applies, see `collection.wires`; None for all.
        payloads: The parts from which `make` is built, if it comes from a table; the fuzzer uses them as
            seeds.
        reads_back: Whether the codec must be able to decode its own payload of the object.
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
        """Direction and name, as for ``--only``."""
        return f"{self.direction}/{self.name}"

    def fits(self, patterns: Sequence[str]) -> bool:
        """Return whether a pattern matches this case; no patterns match all cases."""
        return not patterns or any(
            fnmatchcase(self.title, pattern) or fnmatchcase(self.name, pattern) for pattern in patterns
        )


def ordinary(codec: Codec) -> Any:
    """Return an ordinary record in the form that a codec takes: a dict, or the library's own object."""
    bound = codec.bound
    return RECORD if bound is None or bound.take is None or bound.dicts else bound.take(RECORD)
