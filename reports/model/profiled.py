"""Describe records in words, from the profile in a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ...bench.results import Fact

_LINES: Final[Mapping[str, Mapping[str, str]]] = {
    "bytes as JSON": {
        "bytes_mean": "{:,} on average",
        "bytes_min": "{:,} at least",
        "bytes_max": "{:,} at most",
        "zlib_ratio": "zlib makes them {} times smaller",
    },
    "values": {
        "values_mean": "{:,} a record",
        "containers_mean": "{:,} lists and dicts a record",
        "depth_max": "nested {} deep",
    },
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
        "objects": "{:.2%} of the values are objects of classes",
    },
}
"""The facts and their descriptions, line by line."""

_ONE: Final = {"text_median": "1 character (median)", "list_median": "1 item (median)"}


def profile_lines(profile: Mapping[str, Fact]) -> Iterator[tuple[str, str]]:
    """Yield each described property with its description, if the profile has it.

    Args:
        profile: As returned by `bakeoff.datasets.profile`.
    """
    facts = {key: value for key, value in profile.items() if isinstance(value, int | float)}
    types = [f"{key.removeprefix('type_')} {facts[key]:.1%}" for key in facts if key.startswith("type_")]
    for label, templates in _LINES.items():
        parts = [_described(key, text, facts[key]) for key, text in templates.items() if key in facts]
        if label == "types":
            parts = types
        if parts:
            yield label, ", ".join(parts)


def _described(key: str, template: str, fact: float) -> str:
    if fact == 1 and key in _ONE:
        return _ONE[key]
    if key == "zlib_ratio" and 0 < fact < 1:
        return f"zlib makes them {round(1 / fact, 2)} times larger"
    return template.format(fact)
