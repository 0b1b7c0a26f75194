"""Notes on codecs, and which records they are about."""

from __future__ import annotations

import datetime as dt
import math
import pickle
from typing import Any, NamedTuple

import numpy
import pytest

import bakeoff
from bakeoff import codecs
from bakeoff.codecs.conventions.notes import FIGURES, GUARD, STRANGERS, VERSION, Cost, about
from bakeoff.datasets.profile import profile


class Point(NamedTuple):
    """An object of a class."""

    x: int
    y: int


PLAIN: dict[str, Any] = {"id": 2**63, "at": -(2**63), "text": "é", "score": 0.5, "list": [True, None]}
HELD: dict[str, Any] = {
    "int_beyond_64": {"id": 2**64},
    "float_nonfinite": {"score": [math.nan, -math.inf]},
    "record_other": [1, 2],
    "type_datetime": {"at": dt.datetime(2026, 1, 2, tzinfo=dt.UTC)},
    "type_date": {"on": dt.date(2026, 1, 2)},
    "type_time": {"at": dt.time(3, 4)},
    "type_tuple": {"pair": (1, 2)},
    "key_other": {"names": {1: "a"}},
    "type_frozenset": {"sets": {frozenset({1})}},
    "type_ndarray": {"vec": numpy.zeros(2)},
    "type_memoryview": {"data": memoryview(b"x")},
    "objects": {"at": Point(1, 2)},
    "containers_mean": {"rows": [[n] for n in range(120)]},
}
"""Key of a profile to a record that holds such values."""


@pytest.mark.parametrize("name", codecs.names())
def test_notes_are_about_what_profiles_know(name):
    """Whatever a note is about shows in the profile of records that hold it, and in no other's."""
    elsewhere = {"", STRANGERS, GUARD, FIGURES, VERSION}
    subjects = {about(note) for note in bakeoff.codec(name, trusted=True).notes} - elsewhere

    assert subjects <= HELD.keys()
    assert all(key in profile([HELD[key]], 1) for key in subjects)
    assert subjects.isdisjoint(profile([PLAIN], 1))


@pytest.mark.parametrize("name", codecs.names())
def test_a_cost_says_its_operation_and_its_bound(name):
    for note in bakeoff.codec(name, trusted=True).notes:
        if isinstance(note, Cost):
            assert note.operation in ("dump", "load")
            said = about(note) == VERSION
            assert said or note.endswith(
                f": {note.operation} takes up to {note.most:g}× the library's own call"
            )
            assert note.most > 1
            again = pickle.loads(pickle.dumps(note))
            assert (note, note.about, note.most) == (again, again.about, again.most)


def test_a_plain_string_is_about_nothing_in_particular():
    """Codecs of other packages need not know of `Note`."""
    made = bakeoff.Codec(name="x", format="json", encode=repr, decode=eval, notes=("plain",))

    assert [""] == codecs.facts(made)["about"]
