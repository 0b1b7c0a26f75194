"""What records are like, in words, from the profile that is kept with a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ...bench.results import Fact

__all__ = ["profile_lines"]

_LINES: Final[Mapping[str, Mapping[str, str]]] = {
    "bytes as JSON": {
        "bytes_mean": "{:,} on average",
        "bytes_min": "{:,} at least",
        "bytes_max": "{:,} at most",
        "zlib_ratio": "zlib makes them {} times smaller",
    },
    "values": {"values_mean": "{:,} a record", "depth_max": "nested {} deep"},
    "types": {},
    "texts": {
        "text_median": "{:,} characters (median)",
        "text_max": "{:,} at most",
        "ascii_share": "{:.1%} of them ASCII",
    },
    "keys": {
        "keys_distinct": "{:,} distinct",
        "keys_mean": "{:,} a record",
        "key_share": "{:.1%} of the JSON",
        "key_other": "{:.1%} of them not text",
    },
    "lists": {"list_median": "{:,} items (median)"},
    "rare": {
        "record_other": "{:.1%} of the records are not dicts",
        "int_beyond_64": "{:.2%} of the values are integers beyond 64 bits",
        "float_nonfinite": "{:.2%} of the values are NaN or infinities",
    },
}
"""What is said of which facts, line by line."""


def profile_lines(profile: Mapping[str, Fact]) -> Iterator[tuple[str, str]]:
    """Yield what is described, and how it is, as far as the profile knows it.

    Args:
        profile: As `bakeoff.datasets.profile` makes it.
    """
    facts = {key: value for key, value in profile.items() if isinstance(value, int | float)}
    types = [f"{key.removeprefix('type_')} {facts[key]:.1%}" for key in facts if key.startswith("type_")]
    for label, templates in _LINES.items():
        parts = [text.format(facts[key]) for key, text in templates.items() if key in facts]
        if label == "types":
            parts = types
        if parts:
            yield label, ", ".join(parts)
