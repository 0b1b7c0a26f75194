"""docs/reference/reports.md tells of every column, and its commands are real."""

from __future__ import annotations

import re
from pathlib import Path

from bakeoff.codecs.production.lock import Lock
from inprocess import exit_code

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "reports.md").read_text()


def test_lock_example(tmp_path):
    (tmp_path / "bakeoff.lock").write_text(re.search(r"```toml\n(.*?)```", TEXT, re.S)[1])
    lock = Lock.read(tmp_path / "bakeoff.lock")

    assert ("msgpack|zstd:3", False) == (lock.codec, lock.schema)
    assert {"msgpack": ">=1.2.4,<2", "zstandard": ">=0.25.0,<0.26"} == lock.requires


def test_options_exist(capfd):
    helps = ""
    for name in ("run", "report", "compare", "pick"):
        assert 0 == exit_code(name, "--help-all")
        helps += capfd.readouterr().out

    assert [] == [option for option in re.findall(r"--[a-z][a-z-]*", TEXT) if option not in helps]
