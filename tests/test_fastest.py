"""`bakeoff.fastest`: the lock first, then a file, then a measurement only when asked."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

import bakeoff

LOCK = """
version = 1
[codec]
name = "{name}"
library = "Python"
requires = ""
schema = {schema}
[codec.options]
{options}
"""


def lock(folder, name="json", schema="false", options=""):
    path = folder / "bakeoff.lock"
    path.write_text(LOCK.format(name=name, schema=schema, options=options))
    return path


def test_the_lock_decides(tmp_path, monkeypatch):
    """What a person has written down is used, whatever else there is."""
    lock(tmp_path, "marshal", options="trusted = true")
    monkeypatch.chdir(tmp_path)

    codec = bakeoff.fastest(calibrate=True)

    assert "marshal" == codec.name
    assert [1] == codec.decode(codec.encode([1]))


def test_a_choice_with_a_schema_wants_it(tmp_path):
    """A codec that was measured with a schema is not handed out without."""
    path = lock(tmp_path, schema="true")

    with pytest.raises(bakeoff.UsageError, match="chosen with a schema"):
        bakeoff.fastest(lock=path)
    assert "json+schema" == bakeoff.fastest(lock=path, schema=bakeoff.Schema({"a": int})).name


def test_nothing_is_measured_unasked(tmp_path):
    """Without a lock and without being asked to measure, the next step is named."""
    with pytest.raises(bakeoff.UsageError, match="bakeoff pick --write"):
        bakeoff.fastest(lock=tmp_path / "none")


def test_calibration_gives_a_codec_that_works(tmp_path):
    """Asked to, it measures and returns a codec for data from strangers that can be read elsewhere."""
    codec = bakeoff.fastest(lock=tmp_path / "none", calibrate=True, formats=("bson", "json"), interop=True)

    assert codec.format in ("bson", "json")
    assert not codec.trusted_only


def test_a_schema_is_never_dropped(tmp_path):
    """What a result file decides is handed out with the schema, whether that was measured or not."""
    results = Path(__file__).parent / "data" / "results" / "format-1.json"
    schema = bakeoff.Schema({"when": datetime})
    codec = bakeoff.fastest(lock=tmp_path / "none", results=results, formats=("json",), schema=schema)

    assert codec.name.endswith("+schema")
    assert {"when": datetime(2011, 6, 1)} == codec.decode(b'{"when": "2011-06-01T00:00:00"}')


def test_calibration_counts_on_the_schema(tmp_path, monkeypatch):
    """A codec that needs one to bring datetimes back fits with it."""
    monkeypatch.chdir(tmp_path)
    Path("mine.jsonl").write_text('{"when": "2011-06-01T00:00:00"}\n' * 9)
    wish = {"calibrate": True, "corpus": "mine.jsonl", "formats": ("json",), "needs": ("datetime",)}
    codec = bakeoff.fastest(schema=bakeoff.Schema({"when": datetime}), **wish)

    assert ("json", True) == (codec.format, "+schema" in codec.name)


def test_a_lock_that_is_none_is_an_error(tmp_path):
    """A damaged lock never lets another codec in."""
    path = tmp_path / "bakeoff.lock"
    path.write_text("version = 99\n")

    with pytest.raises(bakeoff.RunError, match="format 99"):
        bakeoff.fastest(lock=path, calibrate=True)
