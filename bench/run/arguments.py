"""The arguments of `bakeoff.run`, with the ranges of the command's options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from ..quantities import Amount, Calls, Count, Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """Arguments as given, for `results.plain.typed` to check."""

    quick: bool
    budget: Amount | None
    precision: Annotated[float, Range(1e-6, 0.99)] | None
    records: Calls | None
    sample: Calls | None
    seed: Count | None
    operations: tuple[str, ...]
    memory: bool | None
    schema: str | None
    infer: bool
    raw: bool
    compress: tuple[str, ...]
    readers: tuple[str, ...]
    gc: Literal["on", "off", "both"] | None
    isolate: bool
    all: bool
    trusted: bool
    progress: bool
