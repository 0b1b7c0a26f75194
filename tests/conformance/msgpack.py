"""msgpack-test-suite: values, each with all its valid MessagePack encodings."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .case import UNTOLD, ConformanceCase, Suite

FILE = "msgpack-test-suite.json"
FLOATS = (0xCA, 0xCB)
"""First bytes of floats; the suite knows numbers only."""
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class Extension(NamedTuple):
    """An extension value; each library has a different class for it."""

    code: int
    data: bytes


def _cases(folder: Path) -> Iterator[ConformanceCase]:
    groups = json.loads((folder / FILE).read_bytes())
    for group, examples in groups.items():
        for number, example in enumerate(examples):
            for written in example["msgpack"]:
                payload = _bytes(written)
                value = _value(example, payload)
                # A value outside the range of datetime has no common type in Python.
                open_ = "timestamp" in example and value is UNTOLD
                name = f"{group}#{number}: {written}"
                yield ConformanceCase(name, payload, "either" if open_ else "accept", value)


def _bytes(written: str) -> bytes:
    return bytes.fromhex(written.replace("-", " "))


def _value(example: Mapping[str, Any], payload: bytes) -> Any:
    if "bignum" in example or "number" in example:
        number = example.get("bignum", example.get("number"))
        return float(number) if payload[0] in FLOATS else int(number)
    if "binary" in example:
        return _bytes(example["binary"])
    if "timestamp" in example:
        return _moment(*example["timestamp"])
    if "ext" in example:
        code, data = example["ext"]
        return Extension(code, _bytes(data))
    return next(value for kind, value in example.items() if kind != "msgpack")


def _moment(seconds: int, nanoseconds: int) -> Any:
    microseconds, rest = divmod(nanoseconds, 1000)
    if rest:
        return UNTOLD
    try:
        return EPOCH + dt.timedelta(seconds=seconds, microseconds=microseconds)
    except OverflowError:
        return UNTOLD


def _seen(value: Any) -> Any:
    code, data = getattr(value, "code", None), getattr(value, "data", None)
    return Extension(code, bytes(data)) if isinstance(code, int) and data is not None else value


SUITE = Suite(
    "msgpack-test-suite",
    "msgpack",
    "https://github.com/kawanet/msgpack-test-suite",
    (f"dist/{FILE}", FILE),
    _cases,
    seen=_seen,
)
