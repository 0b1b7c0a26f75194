"""The rule of the default set: which codecs wait to be named."""

from __future__ import annotations

from typing import Any

import pytest

from bakeoff import codecs
from bakeoff.codecs.defaults import FieldFigures, field, waiting
from bakeoff.codecs.registry import Declaration

FAST = {"messages": (100.0, 100.0), "movies": (10.0, 10.0)}
SLOW = {"messages": (200.0, 200.0), "movies": (20.0, 20.0)}


def declared(name: str, kind: str = "json", library: str = "lib", **facts: Any) -> Declaration:
    return Declaration(name, kind, lambda: pytest.fail("built"), library, **facts)


@pytest.mark.parametrize(
    ("expected", "slow", "figures"),
    [
        ({"slow"}, declared("slow"), SLOW),
        (set(), declared("slow", library=""), SLOW),  # a part of Python
        (set(), declared("slow", library="popular"), SLOW),
        ({"slow"}, declared("slow", library="known"), SLOW),
        (set(), declared("slow", kind="msgpack"), SLOW),
        (set(), declared("slow"), {}),
        (set(), declared("slow"), SLOW | {"movies": (9.0, 30.0)}),  # better in one operation on one corpus
        (set(), declared("slow"), SLOW | {"movies": (10.5, 20.0)}),  # within the error of a run
        (
            set(),
            declared("slow"),
            SLOW | {"text": (20.0, 20.0)},
        ),  # nothing is known of the other on this corpus
    ],
)
def test_a_codec_waits_that_another_beats_on_every_shape(expected, slow, figures):
    known = FieldFigures({"fast": FAST, "slow": figures}, {"popular": 1_000, "known": 1_001})

    assert expected == waiting([declared("fast"), slow], known)


def test_a_codec_without_guards_beats_no_guarded_one():
    known = FieldFigures({"fast": FAST, "slow": SLOW}, {})

    assert set() == waiting([declared("fast", unguarded=True), declared("slow")], known)
    assert {"slow"} == waiting([declared("fast"), declared("slow", unguarded=True)], known)


def test_the_default_set_is_readable():
    chosen = codecs.default_set()

    assert len(chosen) <= 20
    assert {known.format for name in chosen if (known := codecs.describe(name))} >= {
        "json",
        "msgpack",
        "yaml",
    }


def test_figures_are_of_codecs_that_there_are():
    assert field().figures.keys() <= set(codecs.names())
    assert field().ranks.keys() <= {codecs.describe(name).library for name in codecs.names()}
