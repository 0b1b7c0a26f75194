"""The types that a text could be parsed as, and what distinguishes it from lookalikes."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

from ..codecs.conventions.families import JSON_FAMILY
from .plan.build import PlanFacts, SchemaLimits, compile_plan
from .tree import types as t

_DECIMALS = 3
"""Distinct texts that are enough for decimals."""
MANY = 64
"""Distinct texts that are counted. Of 64 codes one begins with 0, except with a chance of 0.9**64, a
thousandth."""
_PADDED = 8
"""Distinct base64 texts that end in ``=``. Each gives eight bits of evidence against other text of these
letters."""

TYPES: dict[str, t.Type] = {
    "uuid": t.UUIDType(),
    "date": t.DateType(),
    "datetime": t.DateTimeType(),
    "time": t.TextType(dt.time),
    "timedelta": t.TimeDeltaType(),
    "decimal": t.DecimalType(),
}


def _reader(kind: t.Type) -> Callable[[str], Any]:
    """Return the conversion itself, which returns values that it cannot parse unchanged."""
    plan = compile_plan(kind, PlanFacts(), SchemaLimits(), full=True)
    assert plan is not None
    return plan.apply


ORDER = {form: number for number, form in enumerate(("int", *TYPES))}
"""The order of equally frequent forms."""
_READ = {form: _reader(kind) for form, kind in TYPES.items()}
_BASE64 = _reader(t.BytesType())
_READABLE = re.compile(
    r"[-+]?\.?\d|-?P[\dT]|T\d|(?:[-+]?(?:s?nan\d*|inf(?:inity)?)|[\da-f-]{32,36})\Z", re.ASCII | re.IGNORECASE
)
"""The start of every text that one of the conversions can parse."""
_MOMENT = re.compile(
    r"(?:\d{4}-\d\d-\d\d[T ])?(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,6}0*)?"
    r"(?:Z|\+\d\d:\d\d|-(?!00:00)\d\d:\d\d)?",
    re.ASCII,
)
"""A moment in RFC 3339. Before `isoformat`, ``Z``, a space and the number of digits are normalized."""
_PRICE = re.compile(r"-?(?:0|[1-9]\d{0,17})\.(\d{2,8})", re.ASCII)
_INT = re.compile(r"0|-?[1-9]\d{0,17}", re.ASCII)
_YEAR = re.compile(r"1[89]\d\d|2[01]\d\d", re.ASCII)


def forms_of(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the types that a text could be parsed as, and whether each would write the same text."""
    if _READABLE.match(text) is None:
        return
    if len(text) <= 19 and _INT.fullmatch(text):
        yield "int", True
    for form, read in _READ.items():
        value = read(text)
        if value is text:
            continue
        if not _is_kept(text, value):
            yield form, False
        elif form != "decimal":
            yield form, True
        elif match := _PRICE.fullmatch(text):
            yield f"decimal{len(match[1])}", True


def signs_of(form: str, text: str) -> Iterator[str]:
    """Yield properties of a text that lookalikes of this form may lack; see `is_told_apart`."""
    if form == "int":
        yield f"width {len(text)}"
        if not _YEAR.fullmatch(text):
            yield "no year"
    elif form == "date" and _YEAR.fullmatch(text[:4]):
        yield "year"
    elif form == "time" and text >= "12":
        yield "late"
    elif form == "timedelta" and "T" in text:
        yield "clock"
    elif form.startswith("decimal"):
        first = text[text.index(".") + 1]
        if first == "0" or first in "6789":
            yield "low" if first == "0" else "high"


def is_told_apart(form: str, distinct: Mapping[str, Set[int]], signs: Set[str], folders: Set[str]) -> bool:
    """Return whether there are enough texts of a form, and some with properties that lookalikes lack.

    ``1234-56-78`` may be a part number: 1 in 28 is a date, 1 in 700 has one of the years 1800 to 2199. An
    elapsed time seldom reaches ``12:00:00``. ``P1D`` may be a code, ``PT90S`` hardly. After the point, a
    version does not begin with 0 (``1.10`` follows ``1.9``), and a clock, a month or a day not with 6. Codes
    of digits are padded with zeros to one width; numbers have several widths, or one digit, or are years. A
    path that parses as base64 begins with a folder, which other paths share.
    """
    seen = len(distinct.get(form, ()))
    if form == "date":
        return "year" in signs
    if form == "time":
        return "late" in signs
    if form == "timedelta":
        return seen > 1 and "clock" in signs
    if form.startswith("decimal"):
        return seen >= _DECIMALS and {"low", "high"} <= signs
    if form == "int":
        widths = {sign for sign in signs if sign.startswith("width")}
        no_code = len(widths) > 1 or widths == {"width 1"} or "no year" not in signs
        return seen > 1 and (no_code or seen >= MANY)
    if form == "base64":
        in_folder = len(folders) == 1 and "" not in folders
        return len(distinct.get("padded", ())) >= _PADDED and not in_folder
    return True


def _is_kept(text: str, value: Any) -> bool:
    """Return whether a value that was parsed from a text is written as the same text."""
    if isinstance(value, dt.datetime | dt.time) and _MOMENT.fullmatch(text):
        return True
    return bool(JSON_FAMILY.leaf(value) == text)


def is_base64(text: str) -> bool:
    """Return whether a text looks like base64, beyond consisting of its letters."""
    return (
        len(text) >= 24
        and any(c.isupper() for c in text)
        and any(c.islower() for c in text)
        and any(c.isdigit() or c in "+/=" for c in text)
        and _BASE64(text) is not text
    )
