"""Why a codec may not be chosen: a kind with its facts, and the words for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from ...bench.verdict import Drawback
from .cost import bandwidth_text, rate_text

Kind = Literal[
    Drawback,
    "absent",
    "untimed",
    "without figure",
    "several dictionaries",
    "no dictionary",
    "format",
    "Python only",
    "types",
    "bandwidth",
    "objects",
    "keys",
    "no reader",
    "refused",
    "changed",
    "not read",
    "too deep",
    "reader",
    "reader untimed",
]
"""What keeps a codec from being chosen. `Drawback` is on any use, the others depend on the requirements."""

FAILED: Final[Mapping[str, str]] = {
    "missing": "is not installed",
    "crashed": "crashed",
    "timed out": "timed out",
    "out of memory": "ran out of memory",
    "error": "failed",
    "wrong": "does not return the same records",
    "unsupported": "cannot encode these records",
    "unfinished": "was not checked in time",
}
"""The effect of an outcome, as the end of a sentence; loss does not count as failure."""

OPTIONS: Final[Mapping[Kind, str]] = {
    "untimed": "run --resume FILE --all",
    "trusted": "--trusted",
    "unguarded": "--trusted",
    "reader untimed": "run --resume FILE",
}
"""The option that would admit such codecs."""

_OF_CODEC: Final = ("trusted", "unguarded", "raw", "objects")
"""Kinds that hold on all corpora."""

_AFTER_COLON: Final = frozenset(
    {"raw", "untimed", "several dictionaries", "refused", "changed", "not read", "reader"}
)
"""Kinds whose words may end with a value after a colon."""


class _Drawback(NamedTuple):
    """The words for a drawback.

    Attributes:
        one: Of one codec, as the end of a sentence.
        several: Of several codecs.
        brief: In few words.
    """

    one: str
    several: str
    brief: str


_DRAWBACKS: Final[Mapping[Kind, _Drawback]] = {
    "trusted": _Drawback("is for trusted data only", "are for trusted data only", "for trusted data only"),
    "unguarded": _Drawback(
        "lacks a guard against untrusted payloads", "lack a guard against untrusted payloads", "unguarded"
    ),
    "raw": _Drawback("is not a codec", "are not codecs", "not codecs"),
    "unchecked": _Drawback("was not checked", "were not checked", "not checked"),
    "lossy": _Drawback("is lossy here", "are lossy here", "lossy here"),
}

_WORDS: Final[Mapping[Kind, str]] = {
    "trusted": "runs code found in its input, and the data is not trusted",
    "unguarded": "lacks a guard against untrusted payloads, and the data is not trusted",
    "raw": "is the library's own calls: no codec to import",
    "unchecked": "was not checked, so the types that it preserves are not known",
    "absent": "took no part",
    "untimed": "was not timed: not enough time",
    "several dictionaries": "has another dictionary for each corpus; decide by one: --corpus NAME",
    "no dictionary": "needs the dictionary it was trained with, which the result file does not hold",
    "Python only": "is read by Python only",
    "keys": "writes keys that are not text, which readers in other languages may refuse",
}
"""Words that depend on the kind only."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """The reason why a codec may not be chosen.

    Attributes:
        kind: What it is.
        corpus: The corpus on which it holds; empty if it holds on all.
        outcome: For a failure, the codec's outcome.
        operation: For a failure, the operation that failed.
        names: The types, operations, formats, objects, or the library or language of a reader.
        detail: What the run says: the reason of a failure, the first loss, what a reader made of a record.
        kept: Of types that are not wholly preserved, those that are.
        exact: Whether these records were preserved all the same.
        only: Whether the option of its kind would admit the codec; another obstacle may remain.
        rate: Records per second that do not fit the network.
        needed: Bytes per second that they take.
        bandwidth: Bytes per second that the network takes.
    """

    kind: Kind
    corpus: str = ""
    outcome: str = ""
    operation: str = ""
    names: tuple[str, ...] = ()
    detail: str = ""
    kept: tuple[str, ...] = ()
    exact: bool = False
    only: bool = True
    rate: float = 0.0
    needed: float = 0.0
    bandwidth: float = 0.0

    @property
    def of_codec(self) -> bool:
        """Whether it holds whatever the records are."""
        return self.kind in _OF_CODEC

    @property
    def after_colon(self) -> bool:
        """Whether the words may end with a value, so that names behind them would look like a part of it."""
        return self.kind in _AFTER_COLON

    @property
    def words(self) -> str:
        """The reason for a use, as the end of a sentence."""
        words = _WORDS.get(self.kind) or self._of_facts
        return f"{words} on {self.corpus}" if self.corpus else words

    @property
    def _of_facts(self) -> str:
        names = ", ".join(self.names)
        told = f": {self.detail}" if self.detail else ""
        match self.kind:
            case "failed":
                return FAILED[self.outcome] + (f" ({self.detail})" if self.detail else "")
            case "lossy":
                return "loses data" + (f" ({self.detail})" if self.detail else "")
            case "without figure":
                return f"has no figure for {names or 'its cost'}"
            case "format":
                return f"does not write {' or '.join(self.names)}"
            case "types":
                kept = f", but {' and '.join(self.kept)}" if self.kept else ""
                lost = ", and loses nothing of these records" if self.kept and self.exact else ""
                return f"does not preserve {names}{kept}{lost}"
            case "bandwidth":
                need, there = bandwidth_text(self.needed), bandwidth_text(self.bandwidth)
                return f"needs {need} for {rate_text(self.rate)} records/s, the bandwidth is {there}"
            case "objects":
                return f"takes and gives {names}"
            case "no reader":
                return f"was read by no library of {names}"
            case "refused" | "changed":
                return f"is {self.kind} by {names}{told}"
            case "not read":
                return f"was not read by {names}{told}"
            case "too deep":
                return f"has records with too many levels to compare them in {names}"
        return self.detail

    def of_row(self, *, several: bool = False) -> str:
        """Write the reason not to recommend a codec with a cost, as the end of a sentence.

        Args:
            several: Whether several codecs are the subject.
        """
        if (words := _DRAWBACKS.get(self.kind)) is not None:
            return words.several if several else words.one
        return f"{FAILED[self.outcome]} in {self.operation}" if self.kind == "failed" else self.words

    @property
    def brief(self) -> str:
        """The reason in few words."""
        words = _DRAWBACKS.get(self.kind)
        return self.kind if words is None else words.brief
