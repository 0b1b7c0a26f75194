"""The job that returns the facts of a codec, and its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..jobs import Answer, Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe(Job):
    """Return the facts of a codec."""

    kind = "describe"
    module = "bakeoff.bench.worker.describe"
    codec: str


@dataclass(frozen=True, slots=True)
class Described(Answer):
    """The answer to `Describe`."""

    kind = "described"
    facts: Mapping[str, Any]
