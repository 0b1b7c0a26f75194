"""README's pictures and the table of 2011 are what the commands make of the committed result files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scripts
from inprocess import exit_code

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
README = (ROOT / "README.md").read_text()
RESULTS = (ROOT / "docs" / "results-2011.md").read_text()


def narrowed(text: str) -> str:
    """Leave out what only aligns columns."""
    return re.sub(r"-+", "-", re.sub(r" +", " ", text))


def report(*arguments: str) -> None:
    assert 0 == exit_code("report", str(IMAGES / "messages.json.gz"), *arguments)


@pytest.mark.parametrize(("name", "flags"), [("messages.svg", []), ("messages-dark.svg", ["--dark"])])
def test_the_chart_is_what_the_command_draws(tmp_path: Path, name: str, flags: list[str]) -> None:
    report("-o", str(tmp_path / name), *flags)

    assert (IMAGES / name).read_bytes() == (tmp_path / name).read_bytes()
    assert f"docs/images/{name}" in README
    assert "bakeoff report messages.json -o messages.svg" in RESULTS


def test_the_table_is_what_the_command_writes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    command = re.search(r"^bakeoff report messages\.json (-f md .*)$", RESULTS, re.M)
    assert command
    report(*command[1].split())
    printed = capfdbinary.readouterr().out.decode()
    table = printed[printed.index("| codec") : printed.rindex("\n\nbakeoff run messages")]

    assert narrowed(table) in narrowed(RESULTS)


def test_the_recording_is_what_the_command_prints() -> None:
    record = scripts.load(ROOT / "docs" / "record.py")

    assert record.recording() == (IMAGES / "quick.svg").read_text("utf-8")
    assert "docs/images/quick.svg" in README
    assert record.COMMAND in README
