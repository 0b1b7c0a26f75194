"""Write numbers for people: one unit per column, and only digits that the interval supports."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from ...bench.method import Verdicts

TIED: Final = f"within {Verdicts.TIE:.0%}"
"""How little the costs of codecs differ that tie."""

Scale = tuple[float, str]
"""The factor for a value, and the name of the resulting unit."""

_SCALES: Final[dict[str, tuple[Scale, ...]]] = {
    "second": ((1e9, "ns"), (1e6, "µs"), (1e3, "ms"), (1.0, "s")),
    "byte": ((1.0, "B"), (2.0**-10, "KiB"), (2.0**-20, "MiB"), (2.0**-30, "GiB")),
    "integer": ((1.0, ""),),
    "rate": ((1.0, "/s"), (1e-3, "k/s"), (1e-6, "M/s")),
}


_NEARLY: Final = 0.96
_DIGITS: Final = 10
_LEAST: Final = 0.01
"""The smallest limit that is written in its column's unit."""


def scale(values: Iterable[float], unit: str) -> Scale:
    """Choose one unit for a whole column, so that its middle value is an ordinary number.

    Args:
        values: The column's values in `unit`; zero and negative ones do not count.
        unit: "second", "byte", "integer" or "rate", which is integers a second.
    """
    steps = _SCALES.get(unit, _SCALES["integer"])
    logs = sorted(math.log(value) for value in values if value > 0 and math.isfinite(value))
    if not logs:
        return steps[0]
    middle = math.exp(logs[len(logs) // 2])
    fitting = [step for step in steps if middle * step[0] >= 1]
    return min(fitting or steps[:1], key=lambda step: step[0])


def decimals(value: float, half: float | None) -> int:
    """Return the number of significant decimals of `value`.

    The last digit shown is the first one that the interval affects. There are never more than four
    significant digits, never fewer than two, and three without an interval.
    """
    if not value or not math.isfinite(value):
        return 0
    magnitude = math.floor(math.log10(abs(value)))
    if half is None or not math.isfinite(half):
        significant = 3
    elif half <= 0:
        significant = 4
    else:
        significant = min(4, max(2, magnitude - math.floor(math.log10(half)) + 1))
    return max(0, significant - 1 - magnitude)


def grouped(value: float, places: int = 0) -> str:
    """Write a number with thousands separated."""
    return f"{value:,.{places}f}"


def quantity(value: float, half: float | None = None) -> str:
    """Write a value with the digits that its half interval supports."""
    return grouped(value, decimals(value, half))


def whole(value: float) -> str:
    """Write a mean number of bytes: whole from 100 on, else with one decimal."""
    return grouped(value, 0 if value >= 100 or value == int(value) else 1)


def payload(value: float) -> str:
    """Write the mean bytes of a record with their unit."""
    text = whole(value)
    return f"{text} byte{'s' * (text != '1')}"


def amount(value: float, unit: str, half: float | None = None) -> str:
    """Write a value with a suitable unit: "1.24 µs"."""
    factor, name = scale([value], unit)
    return f"{quantity(value * factor, None if half is None else half * factor)} {name}".strip()


def below(limit: float, unit: str, column: Scale | None = None) -> str:
    """Write that a value is below the measurable limit: "<64 KiB".

    Args:
        limit: The limit, in `unit`.
        unit: "second", "byte" or "integer".
        column: The unit of its column, which is omitted: "<0.0625". If it is too large for the limit, a
            smaller unit is written.
    """
    if column is not None and limit * column[0] >= _LEAST:
        return f"<{_limit(limit * column[0])}"
    factor, name = scale([limit], unit)
    return f"<{_limit(limit * factor)} {name}".strip()


def _limit(value: float) -> str:
    return f"{float(f'{value:.4g}'):,g}" if value < 1e6 else grouped(value)


_NOTHING = 0.995
"""From this half interval on, as a share, nothing is known about a value."""


def bytes_said(size: float) -> str:
    """Write a size in round numbers: "256 B", "1 MiB"."""
    # A size slightly below a unit is rounded up to it.
    steps = [step for step in _SCALES["byte"] if size * step[0] >= _NEARLY] or list(_SCALES["byte"][:1])
    factor, name = steps[-1]
    value = size * factor
    return f"{float(f'{value:.2g}'):g} {name}" if value < _DIGITS and factor < 1 else f"{value:,.0f} {name}"


def spread(value: float, half: float | None) -> str:
    """Write a half interval as a share of its value: "±1.2%"; nothing when there is none."""
    if not half or not value or not math.isfinite(half):
        return ""
    share = half / value
    return f"±{percent(share)}" if abs(share) < _NOTHING else "±>99%"


def percent(share: float) -> str:
    """Write a share as a percentage with at most two significant digits: 0.0123 is "1.2%"."""
    hundredths = abs(share) * 100
    if hundredths < 0.1:
        return "<0.1%"
    return f"{hundredths:.1f}%" if hundredths < 9.95 else f"{hundredths:,.0f}%"


_WHOLE: Final = 1.005
"""From here on, a share is written as more than 100 %."""
_NOISE: Final = 1.1
"""Up to here, a measured part may exceed the whole by noise alone."""


def exceeds(share: float) -> bool:
    """Return whether a part that was measured by itself came out as more than the whole."""
    return share >= _WHOLE


def share(found: float) -> str:
    """Write the share of a part that was measured by itself, which may exceed the whole: "≈100%"."""
    if not exceeds(found):
        return percent(found)
    return "≈100%" if found <= _NOISE else ">100%"


def approximate(value: float) -> str:
    """Write a number with at most two known digits: "890", "1,200", "0.034"."""
    places = max(0, 1 - math.floor(math.log10(abs(value)))) if value else 0
    return grouped(round(value, 1 - math.floor(math.log10(abs(value)))) if value else 0.0, places)


def ratio(value: float, half: float | None = None) -> str:
    """Write a ratio: "1.25×"; whole numbers from 100 on, two digits below a hundredth.

    Args:
        value: The ratio.
        half: Half its interval, which is written after it: "1.25× ±1.2%".
    """
    if value >= 99.95:
        text = f"{value:,.0f}"
    elif 0 < value < 0.00995:
        text = quantity(value, value / 10)
    else:
        text = f"{value:.2f}" if value < 9.995 else f"{value:.1f}"
    return f"{text}× {spread(value, half)}".rstrip()
