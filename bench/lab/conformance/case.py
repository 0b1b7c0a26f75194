"""What a suite says of one payload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

__all__ = ["UNTOLD", "ConformanceCase", "ConformanceVerdict", "Suite"]

ConformanceVerdict: TypeAlias = Literal[
    "right accept",
    "right reject",
    "wrong accept",
    "wrong reject",
    "wrong value",
    "accepted",
    "rejected",
    "fault",
]
"""What can become of a case.

``accepted`` and ``rejected`` are for cases that the format leaves to the implementation; a ``fault`` is an
error of another kind than `DecodeError` and `EncodeError`, or the end of the process.
"""

UNTOLD: Final = object()
"""The value of a case of which the suite says only whether it is to be read."""


@dataclass(frozen=True, slots=True)
class ConformanceCase:
    """One payload and what shall become of it.

    Attributes:
        name: The file, and the place in it where it holds several.
        payload: What is decoded.
        expect: ``"either"`` where the format leaves it to the implementation.
        value: What it is in Python; `UNTOLD` where the suite does not say or it is to be refused.
        written: What encoding its value must give; None where more than one is right.
    """

    name: str
    payload: bytes
    expect: Literal["accept", "reject", "either"]
    value: Any = UNTOLD
    written: bytes | None = None


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite: how a copy is recognised, and its cases.

    Attributes:
        format: Wire format, as `Codec.format` has it.
        url: Where a copy is to be had.
        places: Globs, from the top of a copy inwards, one of which finds a file in each copy.
        cases: Reads the cases from the folder of the file that was found.
        streams: A payload holds any number of records, and a value is the list of them.
        seen: Turns what a codec gave into what `ConformanceCase.value` has, where libraries have classes of
            their own.
    """

    name: str
    format: str
    url: str
    places: tuple[str, ...]
    cases: Callable[[Path], Iterator[ConformanceCase]]
    streams: bool = False
    seen: Callable[[Any], Any] = _as_it_is
