"""Faults of the installed release of a library: their probes, and where they are said."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner

import bakeoff
from bakeoff import codecs
from bakeoff.codecs.conventions.notes import VERSION, Cost, about
from bakeoff.codecs.installed import allows
from bakeoff.codecs.version_faults import ORJSON_TIMES, ORJSON_TUPLES, VERSION_FAULTS, VersionFault, noted
from bakeoff.commands.codecs import command

REPORTS = Path(__file__).parents[2] / "docs/reference/faults.md"

every_fault = pytest.mark.parametrize("fault", VERSION_FAULTS, ids=lambda fault: fault.name)


@every_fault
def test_a_probe_finds_a_fault_in_the_versions_that_have_it(fault: VersionFault) -> None:
    """If a newer release still has it, the versions and the report need that release."""
    here = version(fault.library)

    assert allows(fault.versions, here) == fault.found(import_module(fault.library)), here


def test_a_row_says_the_faults_of_its_library() -> None:
    for name in codecs.names():
        library = codecs.describe(name).library
        found = [f for f in VERSION_FAULTS if f.library == library and f.found(import_module(library))]
        notes = bakeoff.codec(name, trusted=True).notes

        assert noted(found) == tuple(note for note in notes if about(note) == VERSION), name


def test_faults_of_a_release_are_one_note() -> None:
    """A table has room for few."""
    (note,) = noted([ORJSON_TIMES, ORJSON_TUPLES])

    assert f"this version {ORJSON_TIMES.what}; {ORJSON_TUPLES.what}" == note
    assert isinstance(note, Cost)
    assert ("dump", ORJSON_TIMES.dump) == (note.operation, note.most)
    assert () == noted([])


@every_fault
def test_a_fault_has_a_report(fault: VersionFault) -> None:
    assert f"\n## {fault.name}\n\n{fault.library}: " in REPORTS.read_text(encoding="utf-8")


def test_the_list_of_codecs_says_the_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    from bakeoff.codecs import registry

    monkeypatch.setattr(registry, "_registered", {})
    for name in ("one", "other"):
        made = bakeoff.Codec(name=name, format="json", encode=repr, decode=eval, notes=noted([ORJSON_TIMES]))
        codecs.register(made)
    said = CliRunner().invoke(command, ["one", "other", "json"]).output

    assert 1 == said.count(f"one, other: this version {ORJSON_TIMES.what}"[:60])
    assert "\njson: " not in said
