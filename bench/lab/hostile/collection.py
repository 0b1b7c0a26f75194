"""All attacks, and those that apply to a codec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .cases import Case, wire
from .objects import OBJECTS
from .payloads import PAYLOADS, UNTRUSTED

if TYPE_CHECKING:
    from ....codecs import Codec

__all__ = ["CASES", "cases_of"]

CASES: tuple[Case, ...] = PAYLOADS + OBJECTS
"""All cases, those of decoding first."""


def cases_of(codec: Codec, patterns: Sequence[str] = ()) -> list[Case]:
    """Return the cases that apply to a codec, as far as patterns mean them.

    Decoding with a codec that runs what payloads bring along promises nothing: there only the refusal counts.
    """
    known = wire(codec)
    return [
        case
        for case in CASES
        if (case.wires is None or case.wires & known)
        and (case.direction == "encode" or (case is UNTRUSTED) == codec.trusted_only)
        and case.fits(patterns)
    ]
