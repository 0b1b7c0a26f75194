"""What docs/reference/schemas.md shows is what the commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bakeoff.cli import main

pytestmark = pytest.mark.checkout

DOCS = (Path(__file__).parents[2] / "docs/reference/schemas.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", DOCS, re.DOTALL)
COMMANDS = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(BLOCKS), re.MULTILINE)


def test_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every line that is shown is printed, in this order; files are those that are shown or were made."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    for command, shown in COMMANDS:
        name, *arguments = command.split()
        file = Path(arguments[-1])
        if name == "cat" and not file.exists():
            file.write_text(shown, encoding="utf-8")
        elif name == "cat":
            assert shown == file.read_text(encoding="utf-8")
        else:
            with pytest.raises(SystemExit):
                main(arguments)
            printed = iter(capsys.readouterr().out.splitlines())
            assert [line for line in shown.splitlines() if line not in printed] == []
    assert len(COMMANDS) == 6
