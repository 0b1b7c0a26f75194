"""The arguments of `bakeoff.run`, with the ranges of the command's options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from ..quantities import Amount, Calls, Count, Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """Arguments as given, for `results.plain.typed` to check."""

    quick: bool = False
    budget: Amount | None = None
    precision: Annotated[float, Range(1e-6, 0.99)] | None = None
    records: Calls | None = None
    sample: Calls | None = None
    seed: Count | None = None
    ops: tuple[str, ...] = ()
    memory: bool | None = None
    schema: str | None = None
    infer: bool = False
    raw: bool = False
    compress: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    gc: Literal["on", "off", "both"] | None = None
    isolate: bool = False
    all: bool = False
    trust_files: bool = False
    progress: bool = True


EXPECTED: Final[Mapping[str, str]] = {
    "budget": "seconds, such as 30",
    "precision": "a share above 0 and below 1, such as 0.02",
    "records": "an integer of at least 1",
    "sample": "an integer of at least 1",
    "seed": "an integer of at least 0",
    "ops": 'a list of names, such as ["dump", "load"]',
    "schema": "a text, such as 'orders.avsc'",
    "compress": 'a list of names, such as ["zstd:3"]',
    "readers": 'a list of languages, such as ["go", "node"]',
    "gc": '"on", "off" or "both"',
}
"""What an argument may be, for the error of another value; all others are True or False."""
