"""The shape of records, from the profile in a result: figures, and classes to find records like one's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from ...bench.results import Fact


class Facet(NamedTuple):
    """A property by which corpora are filtered.

    Attributes:
        key: Its key in the page's address.
        label: Its name.
        classes: The word for each class, by its key in the address.
    """

    key: str
    label: str
    classes: Mapping[str, str]


FACETS: Final = (
    Facet(
        "size",
        "Bytes per record",
        {
            "tiny": "under 256 B",
            "small": "256 B to 4 KiB",
            "medium": "4 to 64 KiB",
            "large": "64 KiB and more",
        },
    ),
    Facet("values", "Values", {"text": "mostly text", "numbers": "mostly numbers", "mixed": "mixed"}),
    Facet("nesting", "Nesting", {"flat": "flat", "nested": "nested"}),
    Facet(
        "texts", "Texts", {"ascii": "ASCII only", "some": "some non-ASCII", "non-ascii": "mostly non-ASCII"}
    ),
    Facet(
        "kind",
        "Records are",
        {
            "dicts": "dicts",
            "objects": "objects of classes",
            "arrays": "arrays",
            "lists": "lists",
            "numbers": "numbers",
            "texts": "single texts",
        },
    ),
)
"""The properties, in the order of their filters."""

_SIZES: Final = {"tiny": 256, "small": 4096, "medium": 65536}
"""The bytes below which a record belongs to a class, the lowest first."""

_MOST: Final = 0.5
"""Mostly is more than this share."""

_CONTAINERS: Final = ("dict", "list", "tuple", "set", "frozenset")
_ARRAYS: Final = ("ndarray", "array", "memoryview", "DataFrame", "Series", "Table", "RecordBatch")
_NUMBERS: Final = re.compile(r"type_(u?int\d*|float\d*|complex\d*|Decimal|Fraction|bigint)")


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of the records of a corpus.

    Attributes:
        size: Mean bytes of a record as compact JSON; None if not known.
        text: Share of texts among the values that are not containers.
        numbers: Share of numbers among them; an array counts as one.
        depth: Nesting of the deepest record: 0 is a single value, 1 is a flat record.
        non_ascii: Share of texts with other characters than ASCII; None without texts.
        kind: What a record is, see the classes of the last facet.
    """

    size: float | None
    text: float
    numbers: float
    depth: int
    non_ascii: float | None
    kind: str

    @classmethod
    def of(cls, profile: Mapping[str, Fact]) -> Shape | None:
        """Return the shape of a profile; None if it is empty.

        Args:
            profile: As returned by `bakeoff.datasets.profile`.
        """
        facts = {key: float(value) for key, value in profile.items() if isinstance(value, int | float)}
        types = {key: share for key, share in facts.items() if key.startswith("type_")}
        if not types:
            return None
        held = sum(types.get(f"type_{name}", 0.0) for name in _CONTAINERS) + facts.get("objects", 0.0)
        arrays = sum(types.get(f"type_{name}", 0.0) for name in _ARRAYS)
        scalars = max(1 - held, 1e-9)
        text = min(1.0, types.get("type_str", 0.0) / scalars)
        found = sum(share for key, share in types.items() if _NUMBERS.fullmatch(key))
        numbers = min(1.0, (found + arrays) / scalars)
        depth = int(facts.get("depth_max", 0))
        return cls(
            size=facts.get("bytes_mean"),
            text=text,
            numbers=numbers,
            depth=depth,
            non_ascii=round(1 - facts["ascii_share"], 4) if "ascii_share" in facts else None,
            kind=_kind(facts, arrays, numbers, depth),
        )

    @property
    def classes(self) -> dict[str, str]:
        """The class of each facet, by the facet's key; a property that is not known has none."""
        found = {"values": "text" if self.text > _MOST else "numbers" if self.numbers > _MOST else "mixed"}
        found |= {"nesting": "nested" if self.depth > 1 else "flat", "kind": self.kind}
        if self.size is not None:
            size = self.size
            found["size"] = next((name for name, end in _SIZES.items() if size < end), "large")
        if self.non_ascii is not None:
            share = self.non_ascii
            found["texts"] = "non-ascii" if share > _MOST else "some" if share else "ascii"
        return found


def _kind(facts: Mapping[str, float], arrays: float, numbers: float, depth: int) -> str:
    if arrays:
        return "arrays"
    if facts.get("objects", 0.0):
        return "objects"
    if facts.get("record_other", 0.0) <= _MOST:
        return "dicts"
    if depth:
        return "lists"
    return "numbers" if numbers > _MOST else "texts"
