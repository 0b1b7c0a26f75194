"""JSONTestSuite: files that a parser must accept (``y_``), must reject (``n_``) or may treat either way.

It contains no values: for valid files they come from Python's own `json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .case import UNTOLD, ConformanceCase, Suite


def _cases(folder: Path) -> Iterator[ConformanceCase]:
    for path in sorted(folder.glob("[yni]_*.json")):
        payload = path.read_bytes()
        name = f"{folder.name}/{path.name}"
        if path.name.startswith("y"):
            yield ConformanceCase(name, payload, "accept", _value(payload))
        else:
            yield ConformanceCase(name, payload, "reject" if path.name.startswith("n") else "either")
    # Interpretation of numbers, duplicate keys and surrogates, on which the suite is neutral.
    for path in sorted((folder.parent / "test_transform").glob("*.json")):
        yield ConformanceCase(f"test_transform/{path.name}", path.read_bytes(), "either")


def _value(payload: bytes) -> Any:
    try:
        return json.loads(payload)
    except ValueError:
        return UNTOLD


SUITE = Suite(
    "JSONTestSuite",
    "json",
    "https://github.com/nst/JSONTestSuite",
    ("test_parsing/y_*.json", "y_*.json"),
    _cases,
)
