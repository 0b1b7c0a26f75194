"""Hostile objects, for `Codec.encode`: endlessly nested, lying, raising, or changing during encoding.

Infinite objects are left out, as are small ones whose encoding takes many gigabytes: no encoder could know.
"""

from __future__ import annotations

from . import adversarial, changing, nesting, values

__all__ = ["OBJECTS"]

OBJECTS = values.CASES + nesting.CASES + adversarial.CASES + changing.CASES
"""All encoding cases."""
