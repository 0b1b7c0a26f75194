"""Results as plain values for a page, small enough to embed and to download."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import math
from collections.abc import Mapping
from typing import Any, Final

from ...bench.results import CellResult, ResultData, plain_cell

_DIGITS: Final = 5
"""Significant digits that are kept; noise begins at the third."""

_COLUMNS: Final = ("pair", "value", "raw", "paired", "rounds", "dirty")

_FOR_LOCKS: Final = ("definition", "dictionary")
"""What a result file keeps of a check for the lock: long texts, which the page does not show."""


def plain(result: ResultData) -> dict[str, Any]:
    """Return a result as plain values: samples column by column, numbers to five digits."""
    return {
        "cells": [_cell(cell, result.operation(cell.cell.operation_name).unit) for cell in result.cells],
        "codecs": [dataclasses.asdict(codec) for codec in result.codecs],
        "corpora": [dataclasses.asdict(corpus) for corpus in result.corpora],
        "environment": dict(result.environment),
        "options": dict(result.options),
        "command": result.command,
        "started": result.started,
        "duration": result.duration,
        "complete": result.complete,
        "warnings": list(result.warnings),
    }


def _cell(cell: CellResult, unit: str) -> dict[str, Any]:
    place = cell.cell
    found: dict[str, Any] = {
        "corpus": place.corpus,
        "operation": place.operation_name,
        "codec": place.codec,
        "unit": unit,
    }
    found |= {key: value for key, value in plain_cell(cell).items() if key != "cell"}
    if "check" in found:
        found["check"] = {key: value for key, value in found["check"].items() if key not in _FOR_LOCKS}
    if cell.samples:
        found["samples"] = {"count": len(cell.samples)} | {
            name: _column([getattr(sample, name) for sample in cell.samples]) for name in _COLUMNS
        }
    return found


def _column(values: list[float]) -> list[float] | float:
    """Store a value that all samples share only once; the page expands it."""
    short = [v if isinstance(v, int) else float(f"{v:.{_DIGITS}g}") for v in values]
    return short[0] if len(set(short)) == 1 else short


def embeddable(value: Any) -> str:
    """Write JSON that is inert inside a ``<script>``: no ``<``, no ``&``, no line separators.

    Numbers that JSON lacks (NaN and the infinities) become null.
    """
    text = _json(value)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def packed(value: Any) -> str:
    """Write JSON as base64 of gzip, for data that would make a page several times as large."""
    return base64.b64encode(gzip.compress(_json(value).encode(), 9, mtime=0)).decode()


def _json(value: Any) -> str:
    return json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
