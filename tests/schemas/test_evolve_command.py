"""``bakeoff evolve``, as typed."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from bakeoff.codecs import registry
from hurried import HURRIED, hurry
from inprocess import exit_code

OLD = """
from __future__ import annotations
from typing import TypedDict


class Item(TypedDict):
    sku: str
    price: int


class Order(TypedDict):
    id: int
    customer: str
    items: list[Item]
"""
NEW = """
from __future__ import annotations
from typing import NotRequired, TypedDict


class Item(TypedDict):
    price: float
    sku: str


class Order(TypedDict):
    id: int
    buyer: str
    items: list[Item]
    coupon: NotRequired[str]
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two versions of a schema: in files of one name, as they are in two checkouts."""
    monkeypatch.chdir(tmp_path)
    for folder, text in (("old", OLD), ("new", NEW)):
        Path(folder).mkdir()
        Path(folder, "order.py").write_text(text)
    return tmp_path


run = partial(exit_code, "evolve")
QUICK = ("old/order.py", "new/order.py", "--budget", "0s", "-n", "40")


@pytest.mark.slow
def test_silent_loss_has_a_name(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*QUICK, "--rename", "customer=buyer", "-c", "json,msgspec-json/struct,cbor2") == 1

    out = capsys.readouterr().out
    rows = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    assert out.startswith("old/order.py → new/order.py: 4 changes\n")
    assert "loses 1" in rows["json"]
    assert "$.buyer, $.customer" in rows["json"]
    assert "×" in rows["json"]
    assert rows["msgspec-json/struct"].split()[1:3] == ["refuses", "refuses"]
    assert "old→new lost: $.buyer (json, cbor2): '" in out
    assert "renamed $.customer to buyer: both ways refused by msgspec-json/struct, silently lost by" in out
    assert "reordered $.items[] (sku, price -> price, sku): both ways read by all\n" in out
    assert "0 of 3 codecs read both ways without loss; 2 lose or misread something silently." in out


@pytest.mark.slow
def test_nothing_lost_is_no_failure(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("next.py").write_text(OLD.replace("customer: str", "customer: str\n    note: NotRequired[str]"))
    Path("next.py").write_text(
        Path("next.py").read_text().replace("import Typed", "import NotRequired, Typed")
    )

    assert run("old/order.py", "next.py", "--budget", "0s", "-n", "20", "-c", "json,*/struct") == 0
    assert "3 of 3 codecs read both ways without loss (json, " in capsys.readouterr().out
    assert run("old/order.py", "old/order.py", "-c", "json") == 0
    assert capsys.readouterr().out == "old/order.py → old/order.py: no difference\n\n"


@pytest.mark.slow
def test_records_of_ones_own(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"id": 1, "buyer": "Ada", "items": [{"price": 1.5, "sku": "x"}], "coupon": "y", "more": 1}
    Path("rows.jsonl").write_text(json.dumps(row) + "\n")

    assert run(*QUICK, "--rename", "customer=buyer", "--data", "rows.jsonl", "-c", "json", "-f", "json") == 1

    found = json.loads(capsys.readouterr().out)
    assert (found["records"], found["data"], found["data_of"]) == (1, "rows.jsonl", "new")
    assert [change["kind"] for change in found["changes"]] == ["renamed", "widened", "reordered", "added"]
    (codec,) = found["codecs"]
    assert codec["new_to_old"]["outcome"] == "loses"
    assert [fault["path"] for fault in codec["new_to_old"]["faults"]] == ["$.customer", "$.items[].price"]
    assert codec["new_to_old"]["faults"][0]["example"] == "'Ada' was written, nothing was read"
    assert codec["new_to_old"]["cost"]["ratio"] > 0
    assert len(codec["changes"]) == 4


@pytest.mark.slow
def test_a_file_for_the_table(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*QUICK, "-c", "json", "-f", "md", "-o", "table.md") == 1
    assert Path("table.md").read_text().startswith("## old/order.py → new/order.py: 5 changes\n")
    assert run(*QUICK, "-c", "json", "-o", "new/order.py") == 2
    assert Path("new/order.py").read_text() == NEW
    assert "new/order.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("old/order.py", "gone.py"), "gone.py: no such schema"),
        ((*QUICK, "--rename", "customer"), "say OLD=NEW"),
        ((*QUICK, "--rename", "id=buyer"), "no record has lost id and gained buyer"),
        ((*QUICK, "-c", "json|zstd"), "compressors do not use a schema"),
        ((*QUICK, "-c", "nothing"), "nothing"),
        (
            (*QUICK, "--data", "rows.jsonl", "-c", "json"),
            "rows.jsonl: of neither version: $.customer: required",
        ),
        (
            (*QUICK, "--data", "rows.jsonl", "--at", "$.id", "-c", "json"),
            "rows.jsonl: of neither version: $: 1 was not converted",
        ),
    ],
)
def test_what_cannot_be_carried_out(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    Path("rows.jsonl").write_text('{"id": 1}\n')

    assert run(*arguments) == 2
    assert message in capsys.readouterr().err


KILLER = """
import os, signal, time
import json

def dying(how):
    def loads(data):
        record = json.loads(data)
        if "buyer" in record:
            how()
        return record
    return json.dumps, loads

segfault = dying(lambda: os.kill(os.getpid(), signal.SIGSEGV))
leave = dying(lambda: os._exit(3))
hang = dying(lambda: time.sleep(600))
eat = dying(lambda: bytearray(1 << 40))
"""


@pytest.mark.slow
def test_a_codec_that_dies_costs_its_row(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch.setattr, replace(HURRIED, patience=4.0))
    monkeypatch.setattr(registry, "_registered", {})
    Path("killer.py").write_text(KILLER)
    own = [f"{name}=killer.py:{name}" for name in ("segfault", "leave", "hang", "eat")]

    assert run(*QUICK, "-c", ",".join(["json", *own, "cbor2"])) == 1
    captured = capsys.readouterr()
    assert captured.err == ""
    for said in (
        "segfault: not carried: the codec died of SIGSEGV",
        "leave: not carried: the codec ended the process with exit code 3",
        "hang: not carried: the codec made no progress within 4 s",
        "eat: not carried: the new version: MemoryError",
    ):
        assert said in captured.out
    rows = {line.split()[0]: line for line in captured.out.splitlines() if line.strip()}
    assert "unfit" in rows["json"]
    assert "unfit" in rows["cbor2"]


TIRED = """
import json, os
has_written = False

def dumps(record):
    global has_written
    has_written = has_written or "items" in record
    return json.dumps(record)

def loads(data):
    if not has_written and "items" in json.loads(data):
        os._exit(3)
    return json.loads(data)

tired = dumps, loads
"""
"""A codec that dies in the process that times it, which decodes the records and does not encode them."""


@pytest.mark.slow
def test_a_codec_that_dies_while_it_is_timed_has_no_cost(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    Path("tired.py").write_text(TIRED)

    assert run(*QUICK, "-c", "json,tired=tired.py:tired", "-f", "json") == 1

    plain, tired = json.loads(capsys.readouterr().out)["codecs"]
    assert plain["new_to_old"].pop("cost")["ratio"] > 0
    assert "ended the process with exit code 3, while being timed" == tired["new_to_old"].pop("untimed")
    assert "" == plain["new_to_old"].pop("untimed")
    assert tired["new_to_old"] == plain["new_to_old"]


@pytest.mark.slow
def test_classes_of_files_reach_the_process_that_tries(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("old", "new"):
        text = Path(folder, "order.py").read_text()
        enum = "from enum import Enum\nclass State(Enum):\n    NEW = 'new'\n    PAID = 'paid'\n"
        Path(folder, "order.py").write_text(
            text.replace("from typing", f"{enum}from typing").replace(
                "    id: int", "    id: int\n    state: State"
            )
        )

    assert run(*QUICK, "--rename", "customer=buyer", "-c", "pickle,json") == 1
    out = capsys.readouterr().out
    assert "$.state" not in out
    assert "not carried" not in out


@pytest.mark.slow
def test_versions_with_numbers_without_a_sign(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("grpc_tools")
    for name, further in (("a.proto", ""), ("b.proto", "optional string note = 3;")):
        Path(name).write_text(
            f'syntax = "proto3"; message U {{ uint64 id = 1; string name = 2; {further} fixed32 at = 4; }}'
        )
    assert run("a.proto", "b.proto", "-c", "protobuf,avro,json", "--budget", "0.1s") == 0
    assert "3 of 3 codecs read both ways" in capsys.readouterr().out
