"""Hostile objects, for `Codec.encode`: nested without end, lying, raising, changing while they are written.

Endless ones are left out, as are small ones that are many gigabytes when written: no encoder could know.
"""

from __future__ import annotations

from . import adversarial, changing, nesting, values

__all__ = ["OBJECTS"]

OBJECTS = values.CASES + nesting.CASES + adversarial.CASES + changing.CASES
"""All cases of encoding."""
