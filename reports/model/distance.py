"""The distance between the profiles of records: how far results on some records apply to others.

Each property of records that changes how codecs compare is a coordinate. Its unit is a step, a difference
that may change the ranking by itself. The distance is Euclidean: it is symmetric, 0 for equal profiles, and
obeys the triangle inequality.

The facts come from the profile in every result (`bakeoff.datasets.profile`). It counts values, and a long
text is one value but most of its record. `Position.parts` therefore estimates shares of the bytes of the
JSON: a key with its quotes and colon, a value with its comma. Booleans, nulls and brackets have known
lengths. Texts and numbers share the remaining bytes in proportion to their usual lengths.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

from ...bench.results import Fact
from .lists import listed
from .numbers import approximate, bytes_said

Kind = Literal["dicts", "objects", "schema"]
"""What codecs take: plain values; objects of a class; values that a schema converts and restores."""

NEAR: Final = 1.5
"""Steps up to which records are near enough for the same expectation."""

_ALIKE: Final = 0.5
"""Steps below which records are similar, and below which a second difference is not named."""

_NEEDED: Final = ("bytes_mean", "values_mean")
"""Facts without which there is no distance; profiles of very large records lack them."""
_JSON: Final = ("str", "int", "float", "bool", "NoneType", "dict", "list")
_KEPT: Final = (
    *_NEEDED,
    *(f"type_{name}" for name in _JSON),
    "objects",
    "record_other",
    "text_median",
    "ascii_share",
    "key_share",
    "list_median",
    "depth_max",
)
_INT, _FLOAT, _FOREIGN = 4.0, 9.0, 24.0
"""Usual lengths of an integer, a float, and a value of another type as text, in bytes."""
_BOOL, _NULL, _QUOTES, _BRACKETS, _COMMA = 4.5, 4.0, 2.0, 2.0, 1.0
_ROUNDED: Final = 0.001
"""Sum of the rounding errors of shares."""
_MOSTLY: Final = 0.5
_SMALL: Final = 1000.0
"""Bytes below which a size is written in bytes."""


class ByteShares(NamedTuple):
    """Shares of the bytes of records as JSON; they add up to 1.

    Attributes:
        text: Texts, and values whose types JSON lacks.
        rest: Booleans, nulls and brackets.
    """

    keys: float
    text: float
    integers: float
    floats: float
    rest: float


class Coordinate(NamedTuple):
    """A property of records.

    Attributes:
        step: The difference that counts 1.
        what: What it is.
        less: What records with a lower value are in comparison; ``{}`` is the factor, for logarithms.
        more: The same for a higher value.
    """

    step: float
    what: str
    less: str
    more: str


COORDINATES: Final[Mapping[str, Coordinate]] = {
    "size": Coordinate(
        1.0, "decimal logarithm of the bytes of a record as JSON", "{} times smaller", "{} times larger"
    ),
    "value": Coordinate(
        0.5,
        "decimal logarithm of the bytes per value, without keys",
        "with values {} times shorter",
        "with values {} times longer",
    ),
    "keys": Coordinate(0.5, "share of the keys in the bytes", "with fewer keys", "with more keys"),
    "text": Coordinate(0.5, "share of the texts in the bytes", "with less text", "with more text"),
    "integers": Coordinate(
        0.5, "share of the integers in the bytes", "with fewer integers", "with more integers"
    ),
    "floats": Coordinate(0.5, "share of the floats in the bytes", "with fewer floats", "with more floats"),
    "rest": Coordinate(
        0.5,
        "share of booleans, nulls and brackets in the bytes",
        "with fewer booleans, nulls and brackets",
        "with more booleans, nulls and brackets",
    ),
    "dicts": Coordinate(
        0.25,
        "share of the values that are dicts, which cost more than others",
        "with fewer dicts",
        "with more dicts",
    ),
    "wide": Coordinate(
        0.25,
        "share of the texts that have non-ASCII characters",
        "with less non-ASCII text",
        "with more non-ASCII text",
    ),
    "foreign": Coordinate(
        0.25,
        "square root of the share of the values whose types JSON lacks, such as dates",
        "with fewer values of types that JSON lacks",
        "with more values of types that JSON lacks",
    ),
    "depth": Coordinate(2.0, "binary logarithm of the depth plus 1", "less nested", "more nested"),
    "lists": Coordinate(
        2.0,
        "decimal logarithm of the median length of lists plus 1",
        "with shorter lists",
        "with longer lists",
    ),
    "others": Coordinate(
        1.0,
        "share of the records that are not dicts",
        "with more records that are dicts",
        "with fewer records that are dicts",
    ),
}
"""The coordinates by name."""


@dataclass(frozen=True)
class Position:
    """Where records are among others, by what codecs see of them.

    Attributes:
        facts: The facts of their profile that the distance needs.
        kind: Records of different kinds cannot be compared.
    """

    facts: Mapping[str, float]
    kind: Kind = "dicts"

    @classmethod
    def of(cls, profile: Mapping[str, Fact], kind: Kind = "dicts") -> Position | None:
        """Return the position of records with this profile; None if it lacks a fact that is needed.

        Args:
            profile: As returned by `bakeoff.datasets.profile`.
            kind: Their kind.
        """
        facts = {
            key: float(value)
            for key in _KEPT
            if isinstance(value := profile.get(key), int | float) and 0 <= value < math.inf
        }
        return cls(facts, kind) if all(facts.get(key) for key in _NEEDED) else None

    def _share(self, name: str) -> float:
        return self.facts.get(name, 0.0)

    @property
    def foreign(self) -> float:
        """The share of the values whose types JSON lacks; objects of classes do not count."""
        others = 1.0 - sum(self._share(f"type_{name}") for name in _JSON) - self._share("objects")
        return others if others > _ROUNDED else 0.0

    @property
    def wide(self) -> float:
        """The share of the texts that have non-ASCII characters."""
        return 1.0 - self.facts.get("ascii_share", 1.0)

    @cached_property
    def parts(self) -> ByteShares:
        """What their JSON consists of."""
        size, values = self.facts["bytes_mean"], self.facts["values_mean"]
        number = {name: values * self._share(f"type_{name}") for name in _JSON}
        keys = size * min(1.0, self._share("key_share"))
        rest = number["bool"] * (_BOOL + _COMMA) + number["NoneType"] * (_NULL + _COMMA)
        rest += (number["dict"] + number["list"]) * _BRACKETS
        text = number["str"] * (self._share("text_median") + _QUOTES + _COMMA)
        text += values * self.foreign * (_FOREIGN + _COMMA)
        integers, floats = number["int"] * (_INT + _COMMA), number["float"] * (_FLOAT + _COMMA)
        fitting = max(0.0, size - keys - rest) / (text + integers + floats or 1.0)
        found = ByteShares(keys, text * fitting, integers * fitting, floats * fitting, rest)
        whole = sum(found) or 1.0
        return ByteShares(*(part / whole for part in found))

    @cached_property
    def at(self) -> Mapping[str, float]:
        """The coordinates by name, in steps."""
        size, parts = self.facts["bytes_mean"], self.parts
        found = {
            "size": math.log10(size),
            "value": math.log10(max(1.0, size * (1.0 - parts.keys) / self.facts["values_mean"])),
            **parts._asdict(),
            "dicts": self._share("type_dict"),
            "wide": self.wide,
            "foreign": math.sqrt(self.foreign),
            "depth": math.log2(1.0 + self._share("depth_max")),
            "lists": math.log10(1.0 + self._share("list_median")),
            "others": self._share("record_other"),
        }
        return {name: found[name] / each.step for name, each in COORDINATES.items()}

    def distance(self, other: Position) -> float:
        """Return the distance to other records in steps; infinite if they are of another kind."""
        if self.kind != other.kind:
            return math.inf
        return math.dist(tuple(self.at.values()), tuple(other.at.values()))

    def difference(self, other: Position) -> str:
        """Describe the largest difference of other records of this kind: "30 times larger"."""
        return self._differences(other)[0][1]

    def likeness(self, other: Position) -> str:
        """Say how like other records of this kind are: "4.8 times larger and with less text than these"."""
        if self.distance(other) < _ALIKE:
            return "similar to these"
        first, second, *_ = self._differences(other)
        named = [text for steps, text in (first, second) if steps >= _ALIKE] or [first[1]]
        return f"{listed(named)} than these"

    def _differences(self, other: Position) -> list[tuple[float, str]]:
        """Return the differences of other records in steps and in words, the largest first."""
        found = []
        for name, known in COORDINATES.items():
            steps = other.at[name] - self.at[name]
            text = known.less if steps < 0 else known.more
            found.append((abs(steps), text.format(approximate(10 ** abs(steps * known.step)))))
        return sorted(found, key=lambda each: -each[0])

    @property
    def words(self) -> str:
        """What they are in a few words: "657-byte records of mostly text"."""
        size = self.facts["bytes_mean"]
        number = f"{size:.0f}-byte" if size < _SMALL else bytes_said(size)
        kind = {"dicts": "records", "objects": "objects", "schema": "records with a schema"}[self.kind]
        return f"{number} {kind} of {self._content}"

    @property
    def _content(self) -> str:
        text = "non-ASCII text" if self.wide > _MOSTLY else "text"
        names = ("keys", text, "integers", "floats", "booleans, nulls and brackets")
        named = dict(zip(names, self.parts, strict=True))
        first, second, *_ = sorted(named, key=named.__getitem__, reverse=True)
        return f"mostly {first}" if named[first] >= _MOSTLY else f"{first} and {second}"
