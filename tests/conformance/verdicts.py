"""The verdict on a codec for one case."""

from __future__ import annotations

import io
import reprlib
from typing import Any, NamedTuple

from bakeoff import Codec, DecodeError, EncodeError
from bakeoff.bench.equality.equal import first_difference
from bakeoff.codecs.paths import brief

from .case import UNTOLD, ConformanceCase, ConformanceVerdict, Suite

_REJECTED: dict[str, ConformanceVerdict] = {
    "accept": "wrong reject",
    "reject": "right reject",
    "either": "rejected",
}
_MOST = 32
"""Bytes of a payload to show."""


class ConformanceJudgement(NamedTuple):
    """The verdict on one case.

    Attributes:
        verdict: See `case.ConformanceVerdict`.
        reason: The error, the difference, or the decoded value; empty if everything is right.
        exact: Whether the encoding matches the suite's; None if that was not tested.
    """

    verdict: ConformanceVerdict
    reason: str
    exact: bool | None = None


def conformance_of(codec: Codec, suite: Suite, case: ConformanceCase) -> ConformanceJudgement:
    """Return the verdict on a codec for one case."""
    try:
        if suite.streams:
            value: Any = list(codec.load(io.BytesIO(case.payload)))
        else:
            value = codec.decode(case.payload)
    except DecodeError as error:
        return ConformanceJudgement(_REJECTED[case.expect], error.reason)
    except Exception as error:  # noqa: BLE001 - the error is the finding
        return ConformanceJudgement("fault", f"decode raises {_named(error)}")
    if case.expect != "accept":
        return ConformanceJudgement(
            "wrong accept" if case.expect == "reject" else "accepted", f"as {_shown(value)}"
        )
    if case.value is not UNTOLD:
        difference = first_difference(_as_carried(case.value, codec), suite.seen(value))
        if difference is not None:
            return ConformanceJudgement("wrong value", str(difference))
    return (
        ConformanceJudgement("right accept", "")
        if case.written is None
        else _written(codec, case.written, value)
    )


def _written(codec: Codec, expected: bytes, value: Any) -> ConformanceJudgement:
    """Encode a value that was decoded correctly."""
    try:
        payload = codec.encode(value)
    except EncodeError as error:
        return ConformanceJudgement("right accept", f"not written: {error.reason}", exact=False)
    except Exception as error:  # noqa: BLE001 - the error is the finding
        return ConformanceJudgement("fault", f"encode raises {_named(error)}")
    if payload == expected:
        return ConformanceJudgement("right accept", "", exact=True)
    return ConformanceJudgement("right accept", f"written as {_hex(payload)}", exact=False)


def _as_carried(value: Any, codec: Codec) -> Any:
    """Return a value with tuples instead of lists if the codec declares that it returns tuples."""
    if "list" in codec.preserves or "tuple" not in codec.preserves:
        return value
    if isinstance(value, dict):
        return {key: _as_carried(item, codec) for key, item in value.items()}
    return tuple(_as_carried(item, codec) for item in value) if isinstance(value, list) else value


def _shown(value: Any) -> str:
    try:
        return reprlib.repr(value)
    except Exception:  # noqa: BLE001 - integers with too many digits have no text
        return brief(value)


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _hex(payload: bytes) -> str:
    return payload.hex() if len(payload) <= _MOST else f"{payload[:_MOST].hex()}... ({len(payload)} bytes)"
