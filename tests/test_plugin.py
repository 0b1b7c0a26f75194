"""A third-party package, `tests/plugin`, from its entry points to a measured table."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import TypedDict

import pytest

import bakeoff
import inprocess
from bakeoff import codecs
from bakeoff.bench.backends import stores
from bakeoff.bench.operations import operation
from bakeoff.bench.results import CellResult, read
from bakeoff.codecs import registry
from bakeoff.errors import UsageError
from bakeoff.published import published
from installed import install
from launched import launch

PLUGIN = Path(__file__).parent / "plugin"


class Reading(TypedDict):
    at: int
    value: float
    valid: bool


QUICK = ("--quick", "--all", "--budget", "0", "--sample", "20")
"""As few processes as there are figures of."""
RECORDS = [{"at": number, "value": number / 8, "valid": number % 7 > 0} for number in range(-40, 400)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    site = tmp_path_factory.mktemp("site")
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    head = ("Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}", "")
    (info / "METADATA").write_text("\n".join(head))
    points = []
    for group, entries in project["entry-points"].items():
        points += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(points))
    return os.pathsep.join((str(site), str(PLUGIN)))


@pytest.fixture
def installed(path: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for folder in path.split(os.pathsep):
        monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "fixed_rows", raising=False)  # an earlier test may have imported it
    registry.rescan()
    yield
    monkeypatch.undo()
    registry.rescan()


def run(path: str, *arguments: str) -> str:
    here = Path.cwd()
    done = launch(here, *arguments, PYTHONPATH=path) if path else inprocess.bakeoff(here, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.usefixtures("installed")
def test_a_codec_that_needs_a_schema_is_known_as_one() -> None:
    """Before it is imported, so that it is not offered without a schema."""
    assert "rows" in codecs.names(needs_schema=True)
    assert "rows" not in codecs.available()
    assert "fixed_rows" not in sys.modules


@pytest.mark.usefixtures("installed")
def test_both_directions_are_bound() -> None:
    codec = bakeoff.codec("rows", schema=bakeoff.Schema(Reading))
    assert codec.bound is not None
    assert codec.bound.take is not None
    assert codec.bound.give is not None
    payload = codec.encode(codec.bound.take(RECORDS[0]))

    assert (8 + 8 + 1, "<qd? at value valid") == (len(payload), codec.bound.definition)
    assert RECORDS[0] == codec.bound.give(codec.decode(payload))
    with pytest.raises(bakeoff.EncodeError, match=r"codec\.bound\.take"):
        codec.encode(RECORDS[0])
    with pytest.raises(bakeoff.DecodeError, match="17 bytes"):
        codec.decode(payload[1:])
    with pytest.raises(bakeoff.EncodeError, match="with_schema"):
        bakeoff.codec("rows").encode((1, 0.5, True))


@pytest.mark.usefixtures("installed")
def test_a_file_begins_with_what_its_rows_are() -> None:
    codec = bakeoff.codec("rows", schema=bakeoff.Schema(Reading))
    assert codec.bound is not None
    assert codec.bound.take is not None
    file = io.BytesIO()
    assert len(RECORDS) == codec.dump(map(codec.bound.take, RECORDS), file)

    assert file.getvalue().startswith(b"rows <qd? at value valid\n")
    file.seek(0)
    assert RECORDS == list(map(codec.bound.give, codec.load(file)))
    file.seek(0)
    with pytest.raises(bakeoff.DecodeError, match=r"begins with b'rows <q"):
        list(codec.with_schema(bakeoff.Schema({"at": int})).load(file))
    with pytest.raises(bakeoff.DecodeError, match=r"begins with b'', not"):
        list(codec.load(io.BytesIO()))
    cut = io.BytesIO(file.getvalue()[:-1])
    with pytest.raises(bakeoff.DecodeError, match="17 bytes"):
        list(codec.load(cut))


@pytest.mark.usefixtures("installed")
def test_an_integration_takes_a_codec() -> None:
    bakeoff.integrations._published.cache_clear()
    formatter = bakeoff.integrations.logging(bakeoff.codec("json"))
    bakeoff.integrations._published.cache_clear()
    event = logging.makeLogRecord({"levelname": "INFO", "msg": "%s orders", "args": (7,)})

    assert '{"level":"INFO","message":"7 orders"}' == formatter.format(event)


@pytest.mark.slow
def test_it_stands_in_every_table(path: str, readings: Path, tmp_path: Path) -> None:
    results = tmp_path / "results.json"

    assert "library       fixed-rows\n" in run(path, "codecs", "rows")
    run(path, "run", str(readings), "--infer", "-c", "rows,json", *QUICK, "-o", str(results))
    table = csv.DictReader(run(path, "report", str(results), "-f", "csv").splitlines())
    found = {row["codec"]: row for row in table}["rows"]
    assert ("ok", "exact") == (found["outcome"], found["fidelity"])
    assert pytest.approx(17) == float(found["bytes"])
    assert float(found["load"]) > 0
    assert {"<qd? at value valid"} == {
        cell.check.definition for cell in read(results).cells if cell.cell.codec == "rows"
    }


def test_a_codec_in_the_wrong_group_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it needs a schema has to be known before it is imported."""
    install(tmp_path, "wrong", "from fixed_rows import rows", ["rows"], registry.ENTRY_POINTS)
    for folder in (str(tmp_path), str(PLUGIN)):
        monkeypatch.syspath_prepend(folder)
    registry.rescan()
    try:
        with pytest.raises(bakeoff.CodecError, match=registry.SCHEMA_ENTRY_POINTS):
            bakeoff.codec("rows")
    finally:
        monkeypatch.undo()
        registry.rescan()


@pytest.fixture(scope="module")
def readings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("readings") / "readings.jsonl"
    file.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS))
    return file


@pytest.mark.slow
def test_operations_are_measured_and_shown(path: str, readings: Path, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    names = "dump,load,spool,spool-nogc,redundancy"
    run(path, "run", str(readings), "--ops", names, "-c", "msgpack,json", *QUICK, "-o", str(results))
    table = csv.DictReader(run("", "report", str(results), "-f", "csv").splitlines())
    found = {row["codec"]: row for row in table}

    assert 0 < float(found["json"]["dump"]) < float(found["json"]["spool"])
    assert 0 < float(found["json"]["spool-nogc"])
    assert float(found["json"]["redundancy"]) > float(found["msgpack"]["redundancy"]) > 1
    text = run("", "report", str(results), "--columns", "codec,redundancy,redundancy:x")
    assert "↑ higher is better" in text
    assert "1.00×" in next(line for line in text.splitlines() if line.startswith("json "))
    page = tmp_path / "page.html"
    run("", "report", str(results), "-o", str(page))
    assert "redundancy" in page.read_text()
    assert 'id="memory-title"' not in page.read_text()


@pytest.mark.slow
def test_an_operation_has_a_place_and_a_parameter(path: str, readings: Path, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    names = "visit@left,visit-codec@left,visit@left:9,visit@right:9,load"
    chosen = ("--ops", names, "-c", "msgpack,yaml/pure", *QUICK)
    run(path, "run", str(readings), *chosen, "-o", str(results))

    def visits() -> dict[tuple[str, str, str], dict[str, str]]:
        table = csv.DictReader(run("", "report", str(results), "-f", "csv").splitlines())
        rows = [row for row in table if row["corpus"].endswith(": visit")]
        return {(row["codec"], row["place"], row["parameter"]): row for row in rows}

    def rate(codec: str, place: str, times: str = "", key: str = "visit") -> float:
        return float(visits()[codec, place, times][key])

    there = {("left", ""), ("left", "9"), ("right", "9")}
    assert {(codec, *at) for codec in ("msgpack", "yaml/pure") for at in there} == visits().keys()
    # Bounds so wide that how busy the machine is makes no difference.
    quick = rate("msgpack", "left")
    assert 30 > quick / rate("msgpack", "left", "9") > 0.3
    assert 3 * rate("msgpack", "left", key="visit-codec") > quick > 10 * rate("yaml/pure", "left")
    assert 0 < rate("msgpack", "left", key="visit-share") < 3
    head = run("", "report", str(results))
    assert "readings: visit\n" in head
    assert "counter  times  codec" in head
    text = run(
        "", "report", str(results), "--columns", "codec,visit@left:9,visit@left:9:x", "--sort", "visit@left:9"
    )
    order = [line.split()[0] for line in text.splitlines() if line.startswith(("msgpack ", "yaml/pure "))]
    assert ["msgpack", "yaml/pure"] == order[:2]
    assert "k/s" in text
    compared = run("", "compare", str(results), str(results))
    assert "100.0%" not in compared
    again = run(path, "run", "--resume", str(results), "--all", "--budget", "0")
    assert again
    assert 0.1 < rate("msgpack", "left") / quick < 10


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("visit", "no counter ''; there are left, right"),
        ("visit@left:often", "takes a whole number of times, got 'often'"),
        ("visit@left:1/2", "no TIMES may contain `/`"),
        ("spool@left", "operation 'spool' has no place, got 'left'"),
        ("load:3", "operation 'load' has no parameter, got '3'"),
        ("visits@left", "did you mean visit"),
    ],
)
@pytest.mark.usefixtures("installed")
def test_what_an_operation_cannot_be_asked_for_with_is_said(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        operation(name)


@pytest.mark.slow
def test_all_operations_are_listed(path: str) -> None:
    listed = [
        line.split()[0] for line in run(path, "run", "--dry-run", "movies").splitlines() if line.strip()
    ]

    assert {"visit@COUNTER:TIMES", "update@STORE:STATE", "update:ITEMS"} <= {*listed}
    assert len([name for name in listed if "@" in name]) == len({name for name in listed if "@" in name})


def test_a_store_with_the_name_of_a_built_in_one_is_ignored_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "clash", "", ["log", "other"], stores.ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.warns(UserWarning, match="store 'log' of clash:log is ignored: bakeoff has one of this name"):
        found = published(stores.ENTRY_POINTS, "store", stores.MODULES)
    assert ["other"] == [*found]


@pytest.mark.slow
def test_what_an_operation_gets_wrong_stands_in_its_cell(readings: Path, tmp_path: Path) -> None:
    source = (
        "from bakeoff.bench.operations.base import Operation, TimedCall, rotating\n"
        "def carried_out(given):\n"
        "    decode = given.parts.bare.decode\n"
        "    return TimedCall(lambda payload: decode(payload)['at'] % 300, rotating(given.payloads),\n"
        "        expected=lambda index: given.sample.records([index])[0]['at'])\n"
        "first = Operation(name='first', phase='time', summary='s', carry_out=carried_out, heading='first')\n"
    )
    install(tmp_path, "liar", source, ["first", "last"], "bakeoff.operations")
    results = tmp_path / "results.json"
    chosen = ("--ops", "dump,load,first", "-c", "json", *QUICK)
    run(str(tmp_path), "run", str(readings), *chosen, "-o", str(results))

    cells = {cell.cell.operation_name: cell for cell in read(results).cells if cell.cell.codec == "json"}
    assert ("ok", "wrong", ()) == (cells["dump"].outcome, cells["first"].outcome, cells["first"].samples)
    assert re.search(r"first: `-?\d+` came back as `\d+`", cells["first"].reason)
    for name, said in (("last", "cannot be loaded: AttributeError"), ("furst", "did you mean first")):
        done = launch(tmp_path, "run", "movies", "--ops", name, PYTHONPATH=str(tmp_path))
        assert (2, True) == (done.returncode, said in done.stderr), done.stderr
    listed = launch(tmp_path, "run", "movies", "--dry-run", PYTHONPATH=str(tmp_path))
    assert (0, True) == (listed.returncode, "cannot be loaded: AttributeError" in listed.stderr)
    assert "    first " in listed.stdout


@pytest.mark.slow
def test_a_store_is_measured_and_what_it_gets_wrong_stands_in_its_cells(path: str, tmp_path: Path) -> None:
    results = tmp_path / "stores.json"
    stores = ("--store", "held,forgetful", "--store", "full")
    arguments = ("stores", "movies", *stores, "-c", "json", "--preload", "SM", "--all", "--budget", "0")
    said = run(path, *arguments, "-o", str(results))

    def cells(store: str) -> dict[str, CellResult]:
        asked = {cell.cell.operation_name.partition("@"): cell for cell in read(results).cells}
        return {name: cell for (name, _, place), cell in asked.items() if place == f"{store}:SM"}

    held = cells("held")
    assert {"ok"} == {cell.outcome for cell in held.values()}
    figures = {name: mean(sample.value for sample in held[name].samples) for name in held}
    assert 0 < figures["get-codec"] < 3 * figures["get"]
    assert 0 < figures["put-baseline"] < 3 * figures["put"]
    assert 0 < figures["open-codec"] < 3 * figures["open"] < 9 * figures["get"]
    assert 140 < figures["stored"] < 180
    forgetful = cells("forgetful")
    assert "a scan returned another record for key 50" in forgetful["stored"].reason
    assert ("error", "wrong", "ok") == tuple(forgetful[n].outcome for n in ("stored", "scan", "open"))
    assert {"error"} == {forgetful[name].outcome for name in ("put", "put-codec", "put-baseline")}
    assert "the record of key" in forgetful["put"].reason
    full = cells("full")
    assert {"error"} == {cell.outcome for cell in full.values()}
    assert all("OSError: [Errno 28] No space left on device" in cell.reason for cell in full.values())
    assert "held: kept=in memory" in said
    assert "json in full: error: " in said
