"""All attacks, and the selection of attacks on a codec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....codecs import split_name
from .cases import HostileCase
from .objects import OBJECTS
from .payloads import PAYLOADS, UNTRUSTED

if TYPE_CHECKING:
    from ....codecs import Codec

CASES: tuple[HostileCase, ...] = PAYLOADS + OBJECTS
"""All cases, the decoding ones first."""
_WIRES = frozenset(wire for case in CASES for wire in case.wires or ())


def cases_of(codec: Codec, patterns: Sequence[str] = ()) -> list[HostileCase]:
    """Return the cases that apply to a codec and match a pattern.

    Decoding with a codec that runs code from payloads promises nothing: only its refusal is tested.
    """
    known = wires(codec)
    return [
        case
        for case in CASES
        if (case.wires is None or case.wires & known)
        and (case.direction == "encode" or (case is UNTRUSTED) == codec.trusted_only)
        and case.fits(patterns)
    ]


def wires(codec: Codec) -> frozenset[str]:
    """Return the tags that select cases for a codec's payloads.

    These are the format, or the codec's own name if cases are for it alone; the compressor; and whether no
    payload is empty.
    """
    base = split_name(codec.name)[0]
    found = {base if base in _WIRES else codec.format}
    if not codec.spec.format.empty:
        found.add("never empty" if codec.compression is None else "compressed, never empty")
    if codec.compression is not None:
        found |= {"compressed", codec.compression.name.partition(":")[0].partition(",")[0]}
    return frozenset(found)
