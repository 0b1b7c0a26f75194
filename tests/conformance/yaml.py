"""yaml-test-suite (YAML 1.2), in the form of its releases: a folder per case.

``in.yaml`` is a stream of documents, ``error`` marks it as invalid, and ``in.json`` has its values if JSON
can represent them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .case import UNTOLD, ConformanceCase, Suite

_IDS = "[0-9A-Z]" * 4


def _cases(folder: Path) -> Iterator[ConformanceCase]:
    # This folder is a case itself. `name` and `tags` lead to the same cases again.
    for path in sorted([*folder.parent.glob(f"{_IDS}/in.yaml"), *folder.parent.glob(f"{_IDS}/*/in.yaml")]):
        name = path.parent.relative_to(folder.parent).as_posix()
        if (path.parent / "error").exists():
            yield ConformanceCase(name, path.read_bytes(), "reject")
            continue
        values = path.parent / "in.json"
        yield ConformanceCase(
            name,
            path.read_bytes(),
            "accept",
            list(_records(values.read_text())) if values.exists() else UNTOLD,
        )


def _records(text: str) -> Iterator[Any]:
    """Yield successive JSON values without a separator."""
    decoder = json.JSONDecoder()
    rest = text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        yield value
        rest = rest[end:].lstrip()


SUITE = Suite(
    "yaml-test-suite",
    "yaml",
    "https://github.com/yaml/yaml-test-suite (git clone -b data-2022-01-17)",
    (f"{_IDS}/in.yaml",),
    _cases,
    streams=True,
)
