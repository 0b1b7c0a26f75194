"""Operations in several separate processes: what they measure, and how they stop."""

from __future__ import annotations

import json
import threading
import time
from hashlib import pbkdf2_hmac
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.ledger import AloneEntry, CellEntry
from bakeoff.bench.operations import operation
from bakeoff.bench.operations.base import CodecParts, Context, Toolkit, UnfitError
from bakeoff.bench.results import Cell, CellFinding, Fact, FigureDetails, ResultData, read
from bakeoff.bench.run.alone import lacking
from bakeoff.bench.run.journal import Journal
from bakeoff.bench.run.options import Options
from bakeoff.bench.run.schedule import Schedule
from bakeoff.bench.run.state import State, entries
from bakeoff.bench.worker._slice import nothing, time_each, time_followed
from bakeoff.bench.worker.records import make_sample
from bakeoff.codecs import Codec, codec
from bakeoff.errors import UsageError
from bakeoff.reports import render
from inprocess import bakeoff
from installed import install
from launched import launch

RECORDS = [{"id": number, "text": "x" * number} for number in range(40)]


def given(made: Any, **more: Any) -> Context:
    sample = make_sample(RECORDS)
    return Context(CodecParts(made, made), sample, [made.encode(record) for record in RECORDS], **more)


def tools() -> Toolkit:
    return Toolkit(lambda: None, time_each, sorted(time_each(nothing, [None] * 100)))


def test_each_call_is_clocked_on_its_own() -> None:
    seen: list[int] = []
    found = time_each(seen.append, [3, 1, 2])

    assert ([3, 1, 2], 3) == (seen, len(found))
    assert all(spent >= 0 for spent in found)
    with pytest.raises(TypeError):
        time_each(len, [3])


def test_what_follows_a_call_is_clocked_with_it() -> None:
    seen: list[str] = []

    class Result:
        def __del__(self) -> None:
            seen.append("dropped")

    def call(item: str) -> Result:
        seen.append(item)
        return Result()

    found = time_followed(call, ["a", "b"], lambda: seen.append("then"))

    assert seen == ["a", "then", "dropped", "b", "then", "dropped"]
    assert all(0 <= alone <= whole for alone, whole in found)
    assert len(time_followed(len, ["a"])) == 1
    with pytest.raises(ZeroDivisionError):
        time_followed(len, ["a"], lambda: 1 / 0)


def test_a_tail_is_longer_than_its_middle() -> None:
    plain, calls = codec("json"), iter(range(1_000_000))

    def decode(data: bytes) -> Any:
        end = time.perf_counter() + 1e-3 * (next(calls) % 10 == 0)
        while time.perf_counter() < end:
            pass
        return plain.decode(data)

    found = operation("tail-load").carry_out(given(Codec("slow", "json", plain.encode, decode)), tools())

    assert found.value >= 1e-3
    assert 0 < found.extras["p50"] <= found.extras["p90"] <= found.value
    assert 0 < found.extras["clock"] < 1e-3
    assert found.extras["calls"] >= 200


@pytest.mark.slow
def test_the_import_is_that_of_a_fresh_interpreter() -> None:
    made = codec("json")
    found = operation("import").carry_out(given(made), tools())

    assert found.value > 0
    assert found.extras["modules"] >= 2  # json, json.decoder, ...
    with pytest.raises(UnfitError, match="from its name"):
        operation("import").carry_out(given(Codec("json/raw", "json", made.encode, made.decode)), tools())


def test_the_first_call_is_the_first() -> None:
    plain, seen = codec("json"), []

    def decode(data: bytes) -> Any:
        seen.append(data)
        return plain.decode(data)

    before = given(Codec("one", "json", plain.encode, decode))
    assert operation("first-call-load").carry_out(before, tools()).value > 0
    weights = make_sample(RECORDS).weights
    nearest = min(range(40), key=lambda index: abs(weights[index] - 1))
    assert [plain.encode(RECORDS[nearest])] == seen


def test_threads_call_at_the_same_time() -> None:
    plain, seen = codec("json"), set()

    def decode(data: bytes) -> Any:
        seen.add(threading.get_ident())
        return plain.decode(data)

    made = given(Codec("many", "json", plain.encode, decode), parameter="3")
    found = operation("threads-load:3").carry_out(made, tools())

    assert found.value > 0
    assert 3 == len(seen - {threading.get_ident()})

    def refuse(data: bytes) -> Any:
        if threading.current_thread() is not threading.main_thread():
            raise ValueError("not on a thread")
        return plain.decode(data)

    broken = given(Codec("broken", "json", plain.encode, refuse), parameter="1")
    with pytest.raises(ValueError, match="not on a thread"):
        operation("threads-load:1").carry_out(broken, tools())


def test_only_what_lacks_processes_is_named() -> None:
    had = {("pipe", "cpu", "json"): 3, ("pipe", "cpu", "bson"): None, ("zmq", "cpu", "json"): 2}
    had |= {("zmq", "delivered", "json"): 2, ("zmq", "cpu", "bson"): 1, ("redis", "cpu", "json"): 0}
    cells = {Cell("m", name, made, place=place, parameter="4"): n for (place, name, made), n in had.items()}

    assert {(1, 2): ["pipeline@zmq:4"], (0, 0): ["pipeline@redis:4"]} == lacking([*cells], 3, cells.get)
    assert {} == lacking([*cells][:2], 3, cells.get)


@pytest.mark.parametrize("parameter", ["", "0", "two", "1e3", "257"])
def test_threads_are_a_number(parameter: str) -> None:
    with pytest.raises(UsageError, match="not a number of threads"):
        operation(f"threads-dump:{parameter}" if parameter else "threads-dump")


@pytest.mark.slow
def test_who_holds_the_interpreter_is_told_from_who_gives_it_up() -> None:
    plain = codec("json")
    holding = 6_000_000

    def hold(data: bytes) -> Any:
        sum(range(holding))  # one call into C
        return 1

    def share(data: bytes) -> Any:
        pbkdf2_hmac("sha256", data, b"salt", 60_000)  # lets go of the interpreter
        return 1

    held = operation("stall-load").carry_out(given(Codec("holds", "json", plain.encode, hold)), tools())

    assert held.value > 0.5 * held.extras["call"]
    assert held.resolution == held.extras["least"]
    assert 0 < held.extras["least"] < held.value
    # A process that yields on a busy machine is sometimes delayed by others.
    shared = (
        operation("stall-load").carry_out(given(Codec("shares", "json", plain.encode, share)), tools())
        for _ in range(20)
    )
    assert any(found.value < 0.5 * found.extras["call"] for found in shared)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    done = bakeoff(folder, "run", "movies", "-c", "json,msgpack", "--ops", "tail-load,import", *FAST)
    assert done.returncode == 0, done.stderr
    return folder / "bakeoff.json"


FAST = ("--quick", "--sample", "50", "--all")


def test_there_is_a_sample_for_each_process(measured: Path) -> None:
    """Numbered by round, so that figures have an interval and can be paired; extras are their means."""
    result = read(measured)
    cells = {(c.cell.operation_name, c.cell.codec): c for c in result.cells}

    assert {(o, c) for o in ("tail-load", "import") for c in ("json", "msgpack")} == set(cells)
    assert all([0, 1, 2] == [s.pair for s in cell.samples] for cell in cells.values())
    assert 0 < cells["tail-load", "json"].extras["p50"] < cells["tail-load", "json"].samples[0].value * 100


@pytest.mark.slow
def test_extras_of_a_figure_have_columns(measured: Path) -> None:
    result = read(measured)
    text = render([result], "json", columns="tail-load,tail-load:x,tail-load-p50,tail-load-clock")
    (section,) = json.loads(text)["sections"]
    heads = [head["header"] for head in section["columns"]]

    assert ["codec", "load p99", "load p99 ×", "load p50", "clock overhead"] == heads
    entries_ = {row["codec"]: row["entries"] for row in section["rows"]}
    assert all(entry["tail-load-p50"]["value"] > 0 for entry in entries_.values())
    assert all(entry["tail-load"]["low"] < entry["tail-load"]["high"] for entry in entries_.values())
    assert bakeoff(measured.parent, "compare", "bakeoff.json", "bakeoff.json").returncode == 0


def told(result: ResultData) -> dict[str, Any]:
    return {
        c.cell.name: (c.outcome, c.facts, c.extras, [(s.pair, s.value) for s in c.samples])
        for c in result.cells
    }


def test_a_run_goes_on_from_its_result(measured: Path) -> None:
    result = read(measured)
    state = State()
    for entry in entries(result):
        state.apply(entry)
    cell = next(c for c in result.cells if c.cell.operation_name == "tail-load")

    assert 3 == state.rounds(cell.cell)
    again = state.result(duration=1.0, complete=True)
    assert told(result) == told(again)
    p50 = cell.extras["p50"]
    assert isinstance(p50, float)
    extras: dict[str, Fact] = {"p50": 5 * p50}
    state.apply(AloneEntry(cell.cell.name, 3, 1.0, FigureDetails(extras)))
    found = state.result(duration=1.0, complete=True).cell(*cell.cell.name.split("/", 2))
    assert found is not None
    assert 2 * p50 == pytest.approx(found.extras["p50"])
    assert 4 == len(found.samples)


def test_what_one_process_said_is_kept(tmp_path: Path) -> None:
    """A run that is stopped after a single one has gained something."""
    journal = Journal(tmp_path / "results.json", resume=False)
    journal.write(CellEntry(CellFinding(Cell("movies", "import", "json"), "ok")))
    assert not journal.gained
    journal.write(AloneEntry("movies/import/json", 0, 1.0))
    assert journal.gained
    journal.remove()


@pytest.mark.slow
def test_a_cell_fails_alone(tmp_path: Path) -> None:
    deadly = """
        import json, os
        from pathlib import Path
        from bakeoff.bench.operations.base import Measured, Operation

        def abort(given, tools):
            seen = Path(os.environ["SEEN"])
            seen.write_text(seen.read_text() + "x" if seen.exists() else "x")
            if given.parts.codec.name == "msgpack" and len(seen.read_text()) > 2:
                os.abort()
            return Measured(1.0)

        die = Operation(name="die", phase="alone", summary="dies", carry_out=abort, heading="die")
    """
    install(tmp_path, "deadly", deadly, ["die"], group="bakeoff.operations")
    environment = {"PYTHONPATH": str(tmp_path), "SEEN": str(tmp_path / "seen")}
    done = launch(tmp_path, "run", "movies", "-c", "json,msgpack", "--ops", "die", *FAST, **environment)

    assert done.returncode == 0, done.stderr
    cells = {c.cell.codec: c for c in read(tmp_path / "bakeoff.json").cells}
    assert ("ok", 3) == (cells["json"].outcome, len(cells["json"].samples))
    assert "crashed" == cells["msgpack"].outcome
    assert "died of SIGABRT" in cells["msgpack"].reason


def test_time_is_shared_with_timing_and_memory() -> None:
    both = Options(("movies",), ("json",), operations=("dump", "import", "peak-dump"), budget=100.0)
    schedule = Schedule(both)
    only = Schedule(Options(("movies",), ("json",), operations=("import",), budget=100.0))

    assert 0 < schedule.timing_part < 0.5
    assert not only.alone_over(90.0)
    assert only.alone_over(110.0)
    assert schedule.alone_over(90.0)
