"""kombu's serializers; the page about Celery, which tests run, has a worker that executes tasks."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from importlib.metadata import entry_points

import pytest
from kombu import serialization
from kombu.exceptions import DecodeError, EncodeError, SerializerNotInstalled

import bakeoff
from bakeoff.codecs import available, describe, names
from bakeoff.codecs.integrations import kombu as ours

NAMES = sorted(point.name for point in entry_points(group="kombu.serializers") if "bakeoff" in point.value)
RECORD = {"id": 7, "name": "Zoë", "tags": ["a", None]}
NOON = dt.datetime(2026, 1, 2, 12, tzinfo=dt.UTC)


def test_every_codec_for_untrusted_messages_is_a_serializer() -> None:
    """Codecs without variants that preserve None, which Celery's messages contain and property lists lack."""
    known = [describe(name) for name in names() if "/" not in name]
    guarded = [each.name for each in known if not (each.trusted_only or each.unguarded)]
    wanted = [name for name in guarded if name != "plist"]

    assert sorted(f"bakeoff-{name}" for name in wanted) == NAMES
    assert [] == [
        name for name in wanted if name in available() and "none" not in bakeoff.codec(name).preserves
    ]


@pytest.mark.parametrize("name", NAMES)
def test_kombu_has_them_under_types_of_their_own(name: str) -> None:
    codec = bakeoff.codec(name.removeprefix("bakeoff-"))

    content_type, encoding, payload = serialization.dumps([RECORD], name)

    assert (f"{codec.media_type}; codec={codec.name}", codec.content_encoding) == (content_type, encoding)
    for body in (payload, memoryview(payload), *([payload.decode()] if encoding == "utf-8" else [])):
        assert [RECORD] == serialization.loads(body, content_type, encoding, accept={content_type})


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("json", "datetime datetime datetime Decimal bytes"),
        *[
            (f"bakeoff-{name}", "str " * 5)
            for name in [
                "json",
                "simplejson",
                "orjson",
                "msgspec-json",
                "rapidjson",
                "ssrjson",
                "pydantic-core",
            ]
        ],
        ("bakeoff-ujson", "str str str float str"),
        ("bakeoff-msgpack", "datetime str str str bytes"),
        ("bakeoff-msgspec-msgpack", "datetime datetime str str bytes"),
        ("bakeoff-ormsgpack", "str str str str bytes"),
        ("bakeoff-bson", "datetime datetime datetime str bytes"),
        ("bakeoff-yaml", "datetime datetime datetime str bytes"),
        ("bakeoff-cbor2", "datetime datetime str Decimal bytes"),
    ],
)
def test_arguments_come_back_as_these_types(name: str, types: str) -> None:
    """The table of docs/use/celery.md."""
    there = NOON.astimezone(dt.timezone(dt.timedelta(hours=2)))
    content_type, encoding, payload = serialization.dumps(
        [NOON, there, NOON.replace(tzinfo=None), Decimal("1.10"), b"\xff"], name
    )

    found = serialization.loads(payload, content_type, encoding, accept={content_type})

    assert types.split() == [type(value).__name__ for value in found]


@pytest.mark.parametrize("name", NAMES)
def test_kombu_names_the_codec_of_what_is_no_payload(name: str) -> None:
    content_type, encoding, _ = serialization.dumps([RECORD], name)

    with pytest.raises(DecodeError, match=name.removeprefix("bakeoff-")) as caught:
        serialization.loads(b"{\xc1", content_type, encoding)
    assert isinstance(caught.value.__context__, bakeoff.DecodeError)
    with pytest.raises(EncodeError, match=name.removeprefix("bakeoff-")):
        serialization.dumps([object()], name)


def test_importing_kombu_makes_no_codec() -> None:
    """Nor imports a library of one, as kombu loads all serializers that there are."""
    script = """
import sys, kombu.serialization
assert "bakeoff-orjson" in kombu.serialization.registry.name_to_type
print({"bakeoff.codecs.integrations.kombu", "bakeoff.codecs.core._codec", "orjson", "msgspec"} &
{*sys.modules})
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert "{'bakeoff.codecs.integrations.kombu'}" == done.stdout.strip()


def test_a_missing_library_is_missed_at_the_first_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """By an error on which Celery does not acknowledge what it could not read."""
    monkeypatch.setattr("bakeoff.codecs.registry.find_spec", lambda _: None)
    ours._made.cache_clear()

    with pytest.raises(
        SerializerNotInstalled, match=r"orjson is not installed; pip install 'bakeoff\[orjson\]'"
    ):
        serialization.dumps([RECORD], "bakeoff-orjson")
