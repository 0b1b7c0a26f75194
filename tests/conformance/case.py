"""Cases of conformance suites, each with one payload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

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
"""The possible outcomes of a case.

``accepted`` and ``rejected`` are for cases that the format leaves to the implementation. A ``fault`` is an
error other than `DecodeError` and `EncodeError`, or the death of the process."""

UNTOLD: Final = object()
"""The value of a case for which the suite says only whether it is valid."""


@dataclass(frozen=True, slots=True)
class ConformanceCase:
    """One payload and the expected outcome.

    Attributes:
        name: The file, and the position in it if it holds several cases.
        payload: The bytes to decode.
        expect: ``"either"`` if the format leaves it to the implementation.
        value: The expected value in Python; `UNTOLD` if the suite does not say, or the payload is invalid.
        written: The expected encoding of the value; None if more than one is valid.
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
    """A suite: how to recognize a copy, and its cases.

    Attributes:
        format: Wire format, as `Codec.format` has it.
        url: Where to get a copy.
        places: Globs, from the root of a copy inwards; in each copy, one of them finds a file.
        cases: Reads the cases from the folder of this file.
        streams: A payload holds any number of records, and a value is the list of them.
        seen: Converts a codec's result to the types of `ConformanceCase.value`, if libraries have special
            classes.
    """

    name: str
    format: str
    url: str
    places: tuple[str, ...]
    cases: Callable[[Path], Iterator[ConformanceCase]]
    streams: bool = False
    seen: Callable[[Any], Any] = _as_it_is
