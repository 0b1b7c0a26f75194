"""A codec with a trained dictionary from a result file into the lock, and from there into a service."""

from __future__ import annotations

import base64
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bakeoff
import madeup
from bakeoff import codecs
from bakeoff.bench.results import CheckFacts, ResultData, write
from bakeoff.codecs.production.lock import Lock
from bakeoff.codecs.streams.compression import dictionary_id

pytest.importorskip("zstandard")

NAME = "json|zstd,dict"
RECORD = {"id": 7, "name": "a name like any other", "ratio": 0.25}


def trained(start: int) -> bytes:
    plain = bakeoff.codec("json")
    payloads = [
        plain.encode({**RECORD, "id": n, "name": f"name {n * n}"}) for n in range(start, start + 1500)
    ]
    made = codecs.train("zstd,dict", payloads).dictionary
    assert made is not None
    return made


FIRST, SECOND = trained(0), trained(10_000)


@pytest.fixture
def measured(result_of: Callable[..., ResultData]) -> Callable[[bytes | None], None]:
    def measured(dictionary: bytes | None) -> None:
        names = {"json": 1.0, NAME: 0.5}
        figures = {name: {"dump": cost, "load": cost, "size": 100} for name, cost in names.items()}
        told = {"format": "json", "library": "Python", "version": platform.python_version()}
        run = result_of(figures, facts={NAME: told})
        held = base64.b64encode(dictionary or b"").decode()
        check = CheckFacts(1000, 1000, dictionary=held)
        write(madeup.changed(run, NAME, "dump", check=check), Path("bakeoff.json"))

    return measured


@pytest.fixture
def pick(bakeoff: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    monkeypatch.delenv("BAKEOFF_LOCK", raising=False)
    Path(".git").mkdir()

    def pick(*args: str) -> tuple[int, str]:
        code, *said = bakeoff("pick", *args)
        return code, "".join(said)

    return pick


@pytest.mark.slow
def test_the_lock_keeps_the_dictionary(pick: Any, measured: Any) -> None:
    measured(FIRST)
    code, said = pick("--write")
    number = dictionary_id(FIRST)

    assert 0 == code
    assert f"wrote {Path('bakeoff.lock').absolute()}: {NAME} and bakeoff-{number}.dict\n" in said
    assert FIRST == Path(f"bakeoff-{number}.dict").read_bytes()
    assert (0, True) == ((checked := pick("--check"))[0], f"dictionary {number})" in checked[1])
    payload = bakeoff.fastest().encode(RECORD)
    reader = "import sys, bakeoff; print(bakeoff.fastest().decode(sys.stdin.buffer.read()))"
    done = subprocess.run([sys.executable, "-c", reader], input=payload, capture_output=True, check=True)
    assert str(RECORD) == done.stdout.decode().strip()
    with pytest.raises(codecs.DecodeError, match=f"with the dictionary {number}, but this codec has none"):
        bakeoff.codec("json|zstd").decode(payload)


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, r"its dictionary \d+ is missing: bakeoff-\d+.dict must be"), (SECOND, "sha256 differs")],
)
def test_a_lock_without_its_dictionary_does_not_hold(
    pick: Any, measured: Any, content: bytes | None, message: str
) -> None:
    measured(FIRST)
    pick("--write")
    file = Path(f"bakeoff-{dictionary_id(FIRST)}.dict")
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)

    assert 1 == pick("--check")[0]
    with pytest.raises(bakeoff.RunError, match=f"does not match this environment: .*{message}"):
        bakeoff.fastest()


def test_an_older_dictionary_stays_for_reading(pick: Any, measured: Any) -> None:
    """Another one is another format for users of the old lock, so it needs --force."""
    measured(FIRST)
    pick("--write")
    old = bakeoff.fastest()
    measured(SECOND)
    first, second = dictionary_id(FIRST), dictionary_id(SECOND)
    code, said = pick("--write")

    assert 2 == code
    assert (
        f"with the dictionary {first}) to {NAME} (json, compressed by zstd with the dictionary {second})"
        in said
    )
    assert 0 == pick("--write", "--force")[0]
    assert [second, first] == [each.id for each in Lock.read("bakeoff.lock").dictionaries]
    new = bakeoff.fastest()
    assert RECORD == new.decode(old.encode(RECORD)) == new.decode(new.encode(RECORD))
    with pytest.raises(
        codecs.DecodeError, match=f"with the dictionary {second}, but this codec has {first};"
    ):
        old.decode(new.encode(RECORD))
    assert (0, [second, first]) == (
        pick("--write")[0],
        [each.id for each in Lock.read("bakeoff.lock").dictionaries],
    )


def test_a_dictionary_that_nobody_holds(pick: Any, measured: Any) -> None:
    measured(None)
    code, said = pick("--explain")

    assert (0, True) == (code, said.startswith("json\n"))
    assert "needs the dictionary it was trained with, which the result file does not hold" in said


def test_a_result_file_will_do(pick: Any, measured: Any) -> None:
    measured(FIRST)

    assert dictionary_id(FIRST) == bakeoff.fastest(results="bakeoff.json").compression.dictionary_id


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("5", "dictionaries must be tables"),
        ("{ id = 1, file = '../a.dict', sha256 = '' }", "must be in the lock's folder"),
        ("{ id = 'a', file = 'a.dict', sha256 = '' }", "id must be a whole number"),
    ],
)
def test_what_is_no_dictionary_in_a_lock(tmp_path: Path, entry: str, message: str) -> None:
    path = tmp_path / "bakeoff.lock"
    path.write_text(f"version = 1\n[codec]\nname = '{NAME}'\nrequires = {{}}\ndictionaries = [{entry}]")

    with pytest.raises(bakeoff.RunError, match=message):
        Lock.read(path)
