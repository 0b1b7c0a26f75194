"""The register of the field: each library has rows or a reason, and each row a library in the register."""

from __future__ import annotations

import pytest

import scripts
from bakeoff import codecs
from pages import ROOT

pytestmark = pytest.mark.checkout


field = scripts.load(ROOT / "docs" / "field.py")


def test_the_library_of_every_row_is_in_the_register() -> None:
    listed = {name for each in field.register() for name in each.rows}
    standard = set(field.rows_of()[field.normal(field.STANDARD)])

    assert set(codecs.names(needs_schema=True, only_values=True)) == listed | standard


def test_a_library_has_either_rows_or_a_reason() -> None:
    """Rows are those of the registry; whatever adds the first one deletes the reason."""
    assert [] == [each.name for each in field.register() if bool(each.rows) == bool(each.reason)]


def test_a_library_is_listed_once() -> None:
    names = [field.normal(each.name) for each in field.register()]

    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ("2.0", "orjson 2.0: the register has 1.0, the tests use 1.5"),
        ("1.5", "orjson 1.5: the register has 1.0"),
        (None, "orjson: pip finds no release"),
    ],
)
def test_a_newer_release_is_named(found: str | None, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field, "version", lambda name: "1.5")
    library = field.Library("orjson", "JSON", "1.0", rows=("orjson",))

    assert said == field.behind(library, found)


def test_an_up_to_date_library_is_not_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {each.name: each.release for each in field.register()}
    monkeypatch.setattr(field, "newest", found.get)
    monkeypatch.setattr(field, "version", found.get)
    with pytest.raises(SystemExit) as ended:
        field.main([])

    assert (0, "no library is behind its newest release\n") == (ended.value.code, capsys.readouterr().out)


def test_an_unknown_library_cannot_be_checked() -> None:
    with pytest.raises(SystemExit, match=r"no entry for nothing-such in .*field\.toml"):
        field.check(["nothing_such"])
