"""The options of a run: what each field declares, and what follows for files, resumes and comparisons."""

from __future__ import annotations

import json
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.past import identity
from bakeoff.bench.results import ResultData, read
from bakeoff.bench.run.options import Options
from bakeoff.cli import _all_commands
from bakeoff.codecs import default_set
from bakeoff.reports.model.environment import OF_RECORDS
from inprocess import bakeoff

PLAIN = Options(("movies", "a\nb"), ("json",))
FIELDS = {each.name: each for each in fields(Options)}
RECORDS = [{"id": n, "placed": f"2026-03-0{n % 9 + 1}T08:02:18Z", "name": "x" * n} for n in range(40)]
BRIEF = ("--all", "--budget", "0", "--ops", "dump,size")


def other(each: Field[Any]) -> Any:
    """Return a value that differs from that in `PLAIN`."""
    now = getattr(PLAIN, each.name)
    if each.name == "gc":
        return "off"
    if isinstance(now, tuple) or each.name in ("null_values", "include"):
        return ("", "x\ny") if each.name == "null_values" else ("x\ny", "z")
    return "x" if now is None or isinstance(now, str) else not now if isinstance(now, bool) else 2 * now


OTHERWISE = {
    "client": "the options of Kafka",
    "format": "--from",
    "joining": "--codec, and the values of the records",
    "operations": "--ops, and the options that add operations",
    "sample_bytes": "the self-test, whose records are larger",
    "slice": "constant, and in the file as figures of another one would not be compared",
    "twins": "--schema and --infer",
}
"""Options that no parameter of a command has the name of, and what sets them."""


def test_a_user_can_set_every_option() -> None:
    commands = [command for name, command in _all_commands() if name in ("run", "stores", "pipeline")]
    typed = {param.name for command in commands for param in command.params}
    quick = {name for name in FIELDS if getattr(PLAIN, name) != getattr(PLAIN.quick(), name)}

    assert OTHERWISE.keys() == FIELDS.keys() - typed - quick


@pytest.mark.parametrize("name", FIELDS)
class TestDeclarations:
    def test_each_field_declares_itself(self, name: str) -> None:
        declared = FIELDS[name].metadata

        assert {"meaning", "resumable", "reading", "secret"} == declared.keys()
        # A resumed run would have figures of two meanings.
        assert not (declared["meaning"] and declared["resumable"])

    def test_a_result_file_holds_it(self, name: str) -> None:
        changed = replace(PLAIN, **{name: other(FIELDS[name])})
        flat = json.loads(json.dumps(changed.flat()))
        secret = FIELDS[name].metadata["secret"]

        assert (PLAIN if secret else changed) == Options.from_flat({**flat, "reached movies": True})

    def test_it_is_a_condition_of_figures_if_it_changes_their_meaning(self, name: str) -> None:
        changed = replace(PLAIN, **{name: other(FIELDS[name])})

        assert {} == PLAIN.conditions()
        assert FIELDS[name].metadata["meaning"] == (name in changed.conditions())
        assert all("\n" not in str(value) for value in changed.conditions().values())

    def test_it_says_what_the_records_are_or_how_they_are_measured(self, name: str) -> None:
        declared = FIELDS[name].metadata

        assert ((declared["meaning"] and declared["reading"]) or name == "schema") == (name in OF_RECORDS)

    def test_a_resumed_run_may_change_it_or_not(self, name: str) -> None:
        changed = replace(PLAIN, **{name: other(FIELDS[name])})
        refused = [text.partition(":")[0] for text in changed.conflicts(PLAIN)]

        assert ([] if FIELDS[name].metadata["resumable"] else [name]) == refused


@pytest.mark.parametrize("value", [None, ("",), ("", "NA"), ("a\nb",)])
def test_an_optional_list_is_none_or_has_texts(value: tuple[str, ...] | None) -> None:
    assert value == Options.from_flat(replace(PLAIN, null_values=value).flat()).null_values


@pytest.mark.parametrize("seconds", [1e6, float("inf"), float("nan"), 0.0, -1.0])
def test_a_file_cannot_ask_for_slices_that_never_end(seconds: float) -> None:
    with pytest.raises(TypeError, match="slice"):
        Options.from_flat(replace(PLAIN, slice=seconds).flat())


class TestRuns:
    """Runs that measure the same work, whichever way it was requested."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        lines = map(json.dumps, RECORDS)
        (tmp_path / "orders.jsonl").write_text("\n".join(lines))
        (tmp_path / "out").mkdir()
        return tmp_path

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("one", "two"),
        [
            (
                # The fast codecs of the default set.
                ["-c", ",".join(f"!{name}" for name in default_set() if name not in ("json", "msgpack"))],
                ["-c", "json,msgpack"],
            ),
            (["--infer", "-c", "json,msgpack"], ["--infer", "-c", "json,json+schema,msgpack"]),
            (["-c", "json,msgpack", "--quick"], ["-c", "json,msgpack"]),
            (["-c", "json", "--ops", "dump"], ["-c", "json", "--memory"]),
            (["-c", "json", "--cell-timeout", "9"], ["-c", "json,msgpack|zlib", "--trust-files"]),
            (["-c", "json", "--ratios", "--precision", "5%"], ["-c", "json", "--from", "jsonl"]),
        ],
        ids=["default set", "schemas", "quick", "operations", "limits", "effort"],
    )
    def test_are_compared(self, folder: Path, one: list[str], two: list[str]) -> None:
        runs = []
        for name, typed in (("one", one), ("two", two)):
            own = BRIEF[:3] if {"--ops", "--memory"} & {*typed} else BRIEF
            done = bakeoff(folder, "run", "orders.jsonl", *own, *typed, "-o", f"out/{name}.json")
            assert 0 == done.returncode, done.stderr
            runs.append(read(folder / "out" / f"{name}.json"))
        done = bakeoff(folder, "compare", "out/one.json", "out/two.json", "-f", "json")

        assert (0, "") == (done.returncode, done.stderr)
        assert not [note for note in json.loads(done.stdout)["notes"] if "option" in note]
        assert len(json.loads(done.stdout)["cells"]) >= 1
        assert self.identities(runs[0]) & self.identities(runs[1])
        history = json.loads(bakeoff(folder, "history", "out", "-f", "json").stdout)
        assert [[]] == [series["since"] for series in history["series"]]

    def identities(self, run: ResultData) -> set[str]:
        return {identity(run, cell) for cell in run.cells if cell.cell.operation == "dump" and cell.samples}
