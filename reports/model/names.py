"""Names of codecs in results of several runs."""

from __future__ import annotations

import re


def plain_name(label: str) -> str:
    """Return a codec's own name from its label in merged results."""
    return re.sub(r" (?:#\d+|@\S+)$", "", label)
