"""The examples of RFC 7049, appendix A, also valid for RFC 8949, as published in cbor/test-vectors."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .case import UNTOLD, ConformanceCase, Suite

FILE = "appendix_a.json"
NOT_WELL_FORMED = frozenset({"f818"})
"""Simple values below 32 in two bytes: an example of RFC 7049 that RFC 8949, section 3.3, forbids."""
NOTED = {
    "Infinity": math.inf,
    "-Infinity": -math.inf,
    "NaN": math.nan,
    '0("2013-03-21T20:04:00Z")': dt.datetime(2013, 3, 21, 20, 4, tzinfo=dt.UTC),
    "1(1363896240)": dt.datetime(2013, 3, 21, 20, 4, tzinfo=dt.UTC),
    "1(1363896240.5)": dt.datetime(2013, 3, 21, 20, 4, 0, 500_000, tzinfo=dt.UTC),
    "h''": b"",
    "h'01020304'": b"\1\2\3\4",
    "(_ h'0102', h'030405')": b"\1\2\3\4\5",
    "{1: 2, 3: 4}": {1: 2, 3: 4},
}
"""Values in diagnostic notation that have a type in Python; the others have types of the libraries."""


def _cases(folder: Path) -> Iterator[ConformanceCase]:
    for example in json.loads((folder / FILE).read_bytes()):
        payload = bytes.fromhex(example["hex"])
        if example["hex"] in NOT_WELL_FORMED:
            yield ConformanceCase(example["hex"], payload, "reject")
        else:
            written = payload if example["roundtrip"] else None
            yield ConformanceCase(example["hex"], payload, "accept", _value(example), written)


def _value(example: Mapping[str, Any]) -> Any:
    return example["decoded"] if "decoded" in example else NOTED.get(example["diagnostic"], UNTOLD)


SUITE = Suite("CBOR test vectors", "cbor", "https://github.com/cbor/test-vectors", (FILE,), _cases)
