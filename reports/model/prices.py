"""Costs in money: the price of a year of busy cores, and of the gigabytes that are sent in it.

``price = cores × core-year + gigabytes × gigabyte`` with ``cores = rate × (dump + reads × (load + fix))`` and
``gigabytes = rate × year × crossings × bytes / 10⁹``. Prices are plain numbers, in any currency.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Final

from ...bench.stats import Ratio, Verdict
from ...bench.verdict import RankRange
from ...errors import UsageError
from . import numbers
from .breakeven import CostParts, WeightAxis, span
from .candidates import MeanInterval
from .cost import PLAUSIBLE, CostModel

YEAR: Final = 365 * 24 * 3600
"""Seconds of a year."""

GIGABYTE: Final = 1e9
"""Bytes of a gigabyte, as networks are priced."""

_RATE: Final = re.compile(
    r"\s*(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<prefix>[kmg]?)\s*(?:/\s*(?P<unit>[a-z]+))?\s*", re.IGNORECASE
)
_PREFIXES: Final = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_UNITS: Final = {"s": 1, "min": 60, "h": 3600, "day": 86_400, "week": 7 * 86_400, "year": YEAR}


def parse_rate(text: str) -> float:
    """Read a rate: "3000/s", "10M/day", "3k" (per second); the result is records per second.

    Raises:
        UsageError: Not a rate.
    """
    found = _RATE.fullmatch(text)
    unit = found and _UNITS.get((found["unit"] or "s").lower())
    if not found or not unit:
        there = ", ".join(_UNITS)
        raise UsageError(f"rate {text!r}: expected records per {there}, such as 3000/s or 10M/day")
    return float(found["number"]) * _PREFIXES[found["prefix"].lower()] / unit


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices that turn a cost into money.

    Attributes:
        core_year: Price of one core for a year.
        gigabyte: Price of sending 10⁹ bytes over the network once.
    """

    core_year: float
    gigabyte: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.core_year < math.inf:
            raise UsageError(f"core-year {self.core_year}: expected a price above 0")
        if not 0 <= self.gigabyte < math.inf:
            raise UsageError(f"gigabyte {self.gigabyte}: expected a price of 0 or more")

    @classmethod
    def of(cls, core_year: float | None, gigabyte: float | None) -> Prices | None:
        """Return the prices that the user gave; None if there are none.

        Raises:
            UsageError: Not a price, or only one for gigabytes.
        """
        if core_year is None:
            if gigabyte is not None:
                raise UsageError(f"gigabyte {gigabyte}: needs the price of a core-year, too")
            return None
        return cls(core_year, gigabyte or 0.0)

    def weights(self, cost: CostModel) -> CostModel:
        """Return the cost model that ranks codecs by money.

        A byte costs as much as some time of a core, which is the time it takes on a line of a certain speed.
        So a price is a cost with this speed as the bandwidth, and has the same verdicts.
        """
        return replace(cost, bandwidth=self.exchanged(self.gigabyte) if self.gigabyte else math.inf)

    def axis(self, cost: CostModel) -> WeightAxis:
        """Return the price of a gigabyte as a weight of a cost by these prices."""
        low, high = sorted(map(self.exchanged, PLAUSIBLE["bandwidth"]))
        return WeightAxis(
            "price",
            self.gigabyte,
            low,
            high,
            cost=lambda gigabyte: replace(self, gigabyte=gigabyte).weights(cost),
            line=lambda parts: (parts.work(cost), parts.size * cost.transfers / self.exchanged(1.0)),
            text=lambda low, high: f"{span(f'{low:,g}', f'{high:,g}')} a gigabyte",
        )

    def exchanged(self, one: float) -> float:
        """Return the speed of a line on which a byte costs the price of a gigabyte, or the reverse."""
        # Speed and price are inversely proportional, so this is its own inverse.
        return GIGABYTE * self.core_year / (YEAR * one)


@dataclass(frozen=True, slots=True)
class YearlyCost:
    """What a codec takes in a year, and its price.

    Attributes:
        writer: Cores that writing keeps busy.
        readers: Cores that all reads keep busy.
        gigabytes: 10⁹ bytes that are sent in a year, with all crossings.
        cores_price: Price of the cores for a year.
        network_price: Price of the gigabytes.
        low: Lower end of the 95 % interval of the price; None if unknown.
        high: Upper end.
        rank: Its possible ranks by price: codecs that tie or are not distinguishable share one.
    """

    writer: float
    readers: float
    gigabytes: float
    cores_price: float
    network_price: float
    low: float | None
    high: float | None
    rank: RankRange

    @classmethod
    def of(
        cls,
        rate: float,
        prices: Prices,
        cost: CostModel,
        parts: CostParts,
        figure: MeanInterval,
        rank: RankRange,
    ) -> YearlyCost:
        """Compute it for one codec.

        Args:
            rate: Records per second that are written.
            prices: The prices.
            cost: Reads and crossings.
            parts: Seconds and bytes of one record.
            figure: The cost of one record by `Prices.weights`, with its interval.
            rank: Its possible ranks.
        """
        writer, readers = rate * parts.dump, rate * cost.reads * parts.read
        gigabytes = rate * YEAR * cost.transfers * parts.size / GIGABYTE
        paid = (writer + readers) * prices.core_year, gigabytes * prices.gigabyte
        scale = sum(paid) / figure.value
        low, high = (None if end is None else end * scale for end in (figure.low, figure.high))
        return cls(writer, readers, gigabytes, *paid, low, high, rank)

    @property
    def price(self) -> float:
        """Price of a year."""
        return self.cores_price + self.network_price

    @property
    def text(self) -> str:
        """The price with the digits that its interval supports."""
        return numbers.quantity(self.price, self.half)

    @property
    def half(self) -> float | None:
        """Half the interval's width."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class PriceDifference:
    """The difference in price of two codecs, in a year.

    Attributes:
        cheaper: The codec with the lower price.
        other: The codec with the higher one.
        verdict: "faster" if the first is significantly cheaper; "same" if they tie; else "unresolved".
        value: Difference of the prices.
        low: Lower end of its interval, from those of the lower price and of the ratio of both.
        high: Upper end.
    """

    cheaper: str
    other: str
    verdict: Verdict
    value: float
    low: float
    high: float

    @classmethod
    def of(
        cls, a: tuple[str, YearlyCost], b: tuple[str, YearlyCost], verdict: Verdict, ratio: Ratio
    ) -> PriceDifference:
        """Compare two codecs.

        Args:
            a: A codec and its price.
            b: Another one.
            verdict: The verdict on `a` relative to `b`.
            ratio: The ratio of `a` to `b`, with the interval of the verdict.
        """
        if verdict == "slower" or (verdict != "faster" and a[1].price > b[1].price):
            opposite: Verdict = "faster" if verdict == "slower" else verdict
            return cls.of(b, a, opposite, ratio.inverse())
        (cheaper, own), (other, theirs) = a, b
        times = theirs.price / own.price
        # The ratio is that of the cheaper one to the other, so its ends change places.
        low, high = (times * ratio.value / end - 1 if end else math.inf for end in (ratio.high, ratio.low))
        ends = (own.low or own.price) * low, (own.high or own.price) * high
        return cls(cheaper, other, verdict, theirs.price - own.price, *ends)

    @property
    def sentence(self) -> str:
        """The saving with its interval, or that there is none."""
        if self.verdict == "same":
            return f"{self.cheaper} and {self.other} cost the same, {numbers.TIED}"
        if self.verdict == "unresolved":
            return f"{self.cheaper} and {self.other} are not distinguishable in price"
        half = (self.high - self.low) / 2
        places = numbers.decimals(self.value, half)
        ends = f"[{numbers.grouped(self.low, places)}, {numbers.grouped(self.high, places)}]"
        saved = numbers.grouped(self.value, places)
        return f"{self.cheaper} saves {saved} a year against {self.other} {ends}"
