"""A journal that anyone may have written: its entries are as this version writes them, or not taken."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.ledger import CellEntry, HeadEntry, decode, encode
from bakeoff.bench.results import FORMAT_VERSION, Cell, CellFinding, from_suite, read, to_suite
from bakeoff.bench.run.journal import stored
from bakeoff.bench.run.state import State
from bakeoff.errors import UsageError
from hostile_files import KINDS, RESULT, VALUES, changed, places

_TRIES = 60
"""Changes of each kind of entry; the fuzzer tries more."""
GOOD: list[dict[str, Any]] = KINDS["journal"].make()
ENTRIES = [decode(json.dumps(entry)) for entry in GOOD]


@pytest.mark.parametrize("entry", GOOD, ids=lambda entry: entry["kind"])
def test_entries_of_this_version_are_taken(entry: dict[str, Any]) -> None:
    assert entry == json.loads(encode(decode(json.dumps(entry))))


def one_of_each_kind() -> dict[str, int]:
    return {entry["kind"]: number for number, entry in reversed(list(enumerate(GOOD)))}


@pytest.mark.slow
@pytest.mark.parametrize("kind", one_of_each_kind())
def test_any_value_in_any_field_gives_a_result_that_can_be_written(tmp_path: Path, kind: str) -> None:
    """Or the entry is not taken; then the journal ends before it."""
    number = one_of_each_kind()[kind]
    entry = GOOD[number]
    tries = [(at, value) for at in places(entry) for value in VALUES]
    for at, value in random.Random(1).sample(tries, min(_TRIES, len(tries))):
        try:
            taken = decode(json.dumps(changed(entry, at, value)))
        except (TypeError, ValueError, LookupError, UsageError):
            continue
        state = State()
        try:
            for each in (*ENTRIES[:number], taken, *ENTRIES[number + 1 :]):
                state.apply(each)
        except (LookupError, TypeError):
            continue  # it names no cell of this run, and ends the journal

        found = to_suite(state.result(duration=1.0, complete=True))
        assert from_suite(tmp_path, found).cells, (at, value)


@pytest.mark.parametrize(
    "line", [b"[" * 200_000, b'{"a":' * 100_000, b"1" * 10_000, b"null", b'"head"', b'{"kind": []}', b"\xff"]
)
def test_a_line_that_is_no_entry_ends_the_journal(tmp_path: Path, line: bytes) -> None:
    head = json.dumps(GOOD[0]).encode() + b"\n"
    (tmp_path / "r.json.journal").write_bytes(head + line + b"\n" + head)

    assert ([ENTRIES[0]], len(head)) == stored(tmp_path / "r.json")


@pytest.mark.parametrize("name", ["of-a-package", "threads-dump"])
def test_an_operation_that_is_not_here_is_said_with_its_journal(tmp_path: Path, name: str) -> None:
    cell = CellEntry(CellFinding(Cell("movies", name, "json"), "ok"))
    path = tmp_path / "r.json.journal"
    path.write_bytes(b"".join(encode(entry) + b"\n" for entry in (HeadEntry(FORMAT_VERSION), cell)))

    with pytest.raises(UsageError, match=f"^{re.escape(str(path))}: "):
        stored(tmp_path / "r.json")


def test_a_result_whose_facts_cannot_be_written_is_damaged(tmp_path: Path) -> None:
    result = KINDS["result"].make()
    bad = changed(result, ("document", "environment", "boot_time"), 5)
    (tmp_path / "r.json").write_bytes(KINDS["result"].encode(bad))

    with pytest.raises(Exception, match="damaged: invalid metadata 'boot_time'"):
        read(tmp_path / "r.json")
    assert read(RESULT).environment["boot_time"]
