"""Codecs, records and schemas out of the user's own files, in runs whose workers import them, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff import UsageError
from bakeoff.bench.results import read
from bakeoff.commands._confirm import _refuse_own
from inprocess import bakeoff
from launched import launch

CODECS = """
import json
import bakeoff

pair = json.dumps, json.loads
whole = bakeoff.Codec("other", "json", json.dumps, json.loads, text=True, library="mine", version="1.5")
lossy = json.dumps, lambda data: {}
"""

ROWS = """
import dataclasses
from typing import TypedDict

from bakeoff.codecs import register_type
from beside import Money

register_type(Money, str)


@dataclasses.dataclass
class Row:
    id: int
    name: str


class Sale(TypedDict):
    id: int
    price: str


ROWS = [Row(n, "a") for n in range(9)]


def sales():
    return ({"id": n, "price": Money(n)} for n in range(9))
"""

BESIDE = """
class Money:
    def __init__(self, cents):
        self.cents = cents

    def __eq__(self, other):
        return isinstance(other, Money) and self.cents == other.cents

    def __str__(self):
        return f"{self.cents} cents"
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    for name, text in {"codecs.py": CODECS, "rows.py": ROWS, "beside.py": BESIDE}.items():
        (tmp_path / "src" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "src" / name).write_text(text)
    (tmp_path / "data.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
    return tmp_path


QUICK = ["--quick", "--all", "--budget", "0"]
UNTIMED = [*QUICK, "--ops", "size"]


def outcomes(folder: Path) -> dict[str, str]:
    return {each.cell.codec: each.outcome for each in read(folder / "bakeoff.json").cells}


@pytest.mark.slow
def test_a_codec_of_a_file_is_measured_beside_the_others(mine: Path) -> None:
    own = ["-c", "mine=src/codecs.py:pair,json", "-c", "whole=src/codecs.py:whole,mine|zlib"]
    done = bakeoff(mine, "run", "data.jsonl", *QUICK, *own)
    assert done.returncode == 0, done.stderr
    result = read(mine / "bakeoff.json")
    timed = {each.cell.codec for each in result.cells if each.cell.operation_name == "load" and each.samples}

    assert timed >= {"mine", "json", "whole", "mine|zlib"}
    facts = {each.name: each for each in result.codecs}
    pair, whole = "src/codecs.py:pair", "src/codecs.py:whole"
    sources = {"mine": pair, "mine|zlib": pair, "whole": whole, "json": ""}
    assert {name: each.source for name, each in facts.items()} == sources
    assert (facts["whole"].format, facts["whole"].library, facts["whole"].version) == ("json", "mine", "1.5")
    assert f"{mine}/src" not in (mine / "bakeoff.json").read_text()
    for command in (
        ["report", "bakeoff.json"],
        ["compare", *["bakeoff.json"] * 2],
        ["pick", "--choose", "mine"],
    ):
        done = bakeoff(mine, *command)
        assert (done.returncode, done.stderr) == (0, "")
        assert "mine" in done.stdout
    assert "safe to read from anyone" not in done.stdout
    with pytest.raises(UsageError, match="refusing to import your own mine"):
        _refuse_own((result, result), {"mine", "json"})
    _refuse_own((result, result), {"json"})
    anonymous = bakeoff(mine, "report", "bakeoff.json", "--anonymous", "-f", "json").stdout
    assert "codecs.py" not in anonymous


@pytest.mark.slow
def test_no_lock_names_a_codec_of_ones_own(mine: Path) -> None:
    """Services could not find it: the message says how they can."""
    assert bakeoff(mine, "run", "data.jsonl", *QUICK, "-c", "mine=src/codecs.py:pair").returncode == 0
    done = bakeoff(mine, "pick", "--write")

    assert done.returncode == 2
    assert "mine is a codec of your own, from src/codecs.py:pair" in done.stderr
    assert "entry-point group bakeoff.codecs" in done.stderr
    assert not (mine / "bakeoff.lock").exists()


@pytest.mark.slow
def test_it_is_checked_like_any_other(mine: Path) -> None:
    done = bakeoff(mine, "run", "data.jsonl", *UNTIMED, "-c", "lossy=src/codecs.py:lossy,json")

    assert outcomes(mine) == {"lossy": "wrong", "json": "ok"}, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["attack", "mine=src/codecs.py:pair", "--only", "decode/empty"],
        ["fidelity", "-c", "mine=src/codecs.py:pair"],
        ["codecs", "mine=src/codecs.py:pair"],
        ["stores", "data.jsonl", "-c", "mine=src/codecs.py:pair", "--store", "log", "--budget", "1s"],
        ["pipeline", "data.jsonl", "-c", "mine=src/codecs.py:pair", "--transport", "pipe", "--consumers", "1",
         "--budget", "5s"],
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_wherever_codecs_are_selected(mine: Path, command: list[str]) -> None:
    done = bakeoff(mine, *command)

    assert done.returncode == 0, done.stderr
    assert "mine" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["told", "pair", "told|zlib"])
def test_a_format_that_writes_nothing_for_an_empty_record_keeps_its_promises(mine: Path, codec: str) -> None:
    """A TOML codec: `{}` is the empty text, which no attack may count as a broken promise."""
    (mine / "toml_codec.py").write_text(
        "import tomllib\nimport bakeoff\n\n"
        "def dumps(record):\n"
        "    for key, value in record.items():\n"
        "        if not (isinstance(key, str) and key.isidentifier() and type(value) is int):\n"
        "            raise TypeError('whole numbers only')\n"
        "    return ''.join(f'{key} = {value}\\n' for key, value in record.items())\n\n"
        "pair = dumps, tomllib.loads\n"
        "told = bakeoff.Codec('told', 'toml', dumps, tomllib.loads, text=True, empty=True)\n"
    )
    name = codec.partition("|")[0]
    only = ["--only", "*/half-made", "--only", "*/empty", "--only", "*/nothing"]
    done = bakeoff(mine, "attack", f"{name}=toml_codec.py:{name}", codec, *only)

    assert done.returncode == 0, done.stdout
    assert "broken" not in done.stdout


@pytest.mark.slow
def test_what_the_module_of_the_records_registers_holds_in_workers(mine: Path) -> None:
    done = launch(mine, "run", "src/rows.py:sales", *UNTIMED, "-c", "json,msgpack")
    assert outcomes(mine) == {"json": "lossy", "msgpack": "lossy"}, done.stderr
    losses = {loss for each in read(mine / "bakeoff.json").cells for loss in each.loss}
    assert losses == {"`Money` came back as `str` at `$.price`"}


@pytest.mark.slow
@pytest.mark.parametrize("folder", [".", "src", "elsewhere"])
def test_records_of_classes_in_a_file(mine: Path, folder: str) -> None:
    (mine / folder).mkdir(exist_ok=True)
    where = mine / "src" / "rows.py"
    path = where.relative_to(mine / folder) if folder != "elsewhere" else Path("../src/rows.py")
    done = bakeoff(
        mine / folder, "run", f"{path}:ROWS", *UNTIMED, "-c", "pickle,json", "--schema", f"{path}:Row"
    )

    assert done.returncode == 0, done.stderr
    assert outcomes(mine / folder)["pickle"] == "ok"
    assert outcomes(mine / folder)["json"] == "lossy"


@pytest.mark.slow
def test_resuming_asks_for_the_codec_again(mine: Path) -> None:
    assert bakeoff(mine, "run", "data.jsonl", *UNTIMED, "-c", "mine=src/codecs.py:pair").returncode == 0
    done = bakeoff(mine, "run", "--resume", "bakeoff.json")

    assert done.returncode == 2
    assert "refusing to import mine named in the result file" in done.stderr
    done = bakeoff(mine, "run", "--resume", "bakeoff.json", "-c", "mine=src/codecs.py:pair")
    assert done.returncode == 0, done.stderr
