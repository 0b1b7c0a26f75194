"""The types that codecs preserve: the page shows those of the records, and folds the rest."""

from __future__ import annotations

import math
import re
from collections import namedtuple
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import madeup
from bakeoff.codecs.conventions.tokens import NAMES
from bakeoff.datasets.profile import profile
from bakeoff.reports.model.options import TableOptions
from bakeoff.reports.page import page
from bakeoff.reports.page.words import occurs


class Color(Enum):
    RED = 1


Point = namedtuple("Point", "x")
VALUES: dict[str, Any] = {
    "any_keys": {(1, 2): 0},
    "bigint": 2**70,
    "bool": True,
    "bytearray": bytearray(b"a"),
    "bytes": b"a",
    "complex": 1j,
    "dataclass": TableOptions(),
    "date": date(2024, 1, 1),
    "datetime": datetime(2024, 1, 1),
    "datetime_aware": datetime(2024, 1, 1, tzinfo=UTC),
    "datetime_fold": datetime(2024, 1, 1, fold=1),
    "datetime_offset": datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=1))),
    "datetime_zone": datetime(2024, 1, 1, tzinfo=ZoneInfo("Europe/Berlin")),
    "decimal": Decimal(1),
    "enum": Color.RED,
    "frozenset": frozenset([1]),
    "int_keys": {1: 0},
    "list": [],
    "namedtuple": Point(1),
    "none": None,
    "nonfinite": math.inf,
    "set": {1},
    "str": "a",
    "time": time(1),
    "timedelta": timedelta(1),
    "tuple": (1,),
    "uuid": UUID(int=1),
}
PLAIN = {"dict", "float", "int", "key_order"}
"""Types that the other record has, too."""


def test_the_types_of_records_are_recognized_in_their_profile() -> None:
    plain = profile([{"a": 1.5, "b": 1}], 1)

    assert set(NAMES) == set(VALUES) | PLAIN
    for token, value in VALUES.items():
        assert occurs(token, profile([{"a": value}], 1)), token
        assert not occurs(token, plain), token
    assert all(occurs(token, plain) for token in PLAIN)
    assert all(occurs(token, {}) for token in VALUES)


def test_types_that_no_record_has_are_folded() -> None:
    small = madeup.result(codecs=9, corpora=2, processes=5)
    corpora = tuple(replace(each, profile={"type_str": 0.5, "type_bytes": 0.5}) for each in small.corpora)
    html = page.render([replace(small, corpora=corpora)])
    here, elsewhere = re.findall(r'<table class="matrix">.*?</thead>', html, re.S)
    folded = html[html.index("types that do not occur in these records") :]

    assert ["bytes"] == re.findall(r"<span>(.*?)</span>", here)
    assert "<span>datetime, UTC</span>" in elsewhere
    assert here not in folded
    assert elsewhere in folded
