"""Foreign text (names, reasons, what a dying process wrote) made safe to show anywhere."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["visible"]

_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return one line without anything that steers a terminal or turns its text around.

    Control characters, direction marks and lone surrogates are written as in Python: ``\x1b``.
    """
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], " ".join(text.split()))
