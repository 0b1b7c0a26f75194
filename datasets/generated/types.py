"""`types`: every Python type that records may contain and that some format lacks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict
from uuid import UUID

from .families import CorpusFamily

if TYPE_CHECKING:
    from ._generate import Random


class Status(Enum):
    """An enumeration with text values."""

    DRAFT = "draft"
    ACTIVE = "active"
    CLOSED = "closed"


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: int


@dataclass
class Place:
    """A dataclass that contains another declared type."""

    name: str
    opened: date


class Part(TypedDict):
    """A nested record."""

    key: UUID
    made: datetime
    weight: Decimal


class Typed(TypedDict):
    """One field for each convention, and nested ones."""

    created: datetime
    updated: datetime
    local: datetime
    day: date
    opens: time
    duration: timedelta
    price: Decimal
    key: UUID
    digest: bytes
    codes: set[int]
    marks: frozenset[int]
    pair: tuple[str, int]
    point: Point
    status: Status
    place: Place
    by_year: dict[int, float]
    parts: list[Part]
    previous: UUID | None


EPOCH = datetime(2000, 1, 1)
DECADES = 30 * 365 * 24 * 3600 * 1_000_000
STATUSES = tuple(Status)


def _moment(random: Random) -> datetime:
    return EPOCH + timedelta(microseconds=random.below(DECADES))


def _amount(random: Random) -> Decimal:
    # Two decimal places with trailing zeros, which a float would lose.
    return Decimal(random.below(10_000_000)).scaleb(-2)


def _key(random: Random) -> UUID:
    return UUID(bytes=random.data(16), version=4)


def _part(random: Random) -> Part:
    return {"key": _key(random), "made": _moment(random), "weight": _amount(random)}


def record(random: Random, index: int) -> dict[str, Any]:
    """Return one record.

    Sets contain numbers, because the order of texts in a set, and so the bytes of a pickle, would depend on
    the hash seed of the process.
    """
    quarters = random.between(-40, 48)
    return {
        "created": _moment(random),
        "updated": _moment(random).replace(tzinfo=UTC),
        # 7 quarters of an hour more than a whole hour, so that the offset is never UTC by chance.
        "local": _moment(random).replace(tzinfo=timezone(timedelta(minutes=15 * quarters + 7))),
        "day": _moment(random).date(),
        "opens": _moment(random).time(),
        "duration": timedelta(microseconds=random.between(-(10**11), 10**14)),
        "price": _amount(random),
        "key": _key(random),
        "digest": random.data(20),
        "codes": {random.below(100_000) for _ in range(random.between(1, 5))},
        "marks": frozenset(random.below(100_000) for _ in range(random.between(1, 5))),
        "pair": (random.word(), random.between(300, 1_000_000)),
        "point": Point(random.between(-100_000, 100_000), random.between(-100_000, 100_000)),
        "status": random.pick(STATUSES),
        "place": Place(random.title(2), _moment(random).date()),
        "by_year": {2000 + random.below(100): random.ratio(0, 1_000_000, 100) for _ in range(3)},
        "parts": [_part(random) for _ in range(random.between(1, 3))],
        "previous": _key(random) if random.chance(50) else None,
    }


FAMILY = CorpusFamily(
    name="types",
    description="Dates, times, decimals, UUIDs, bytes, sets, tuples, enums, dataclasses and integer keys.",
    schema=Typed,
    make=record,
)
