"""Surveys: exact, the same however the records are cut and merged, with everything that was lost named."""

from __future__ import annotations

import json
import random
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inprocess
from bakeoff import corpus
from bakeoff.bench.jobs import Ended, decode, encode
from bakeoff.bench.messages.survey import Surveyed, SurveyJob, SurveyPiece
from bakeoff.bench.run.machines.addresses import Machine
from bakeoff.bench.run.machines.link import CommandLink
from bakeoff.bench.run.machines.remote import RemoteExecutor
from bakeoff.bench.run.processes import LocalExecutor
from bakeoff.bench.run.survey import SurveyFindings, survey
from bakeoff.bench.survey import SurveyTally
from bakeoff.bench.worker.survey import Surveyor
from bakeoff.datasets.passes import ReadOptions
from bakeoff.datasets.profile import profile
from bakeoff.datasets.sampling import MergedSample
from bakeoff.datasets.shards import Piece, pieces
from bakeoff.schemas.schema import of_inferred

JOB = SurveyJob(
    pieces=(SurveyPiece("shard", 0, 1, 0),),
    seed=1,
    codecs=("json", "msgpack"),
    schema="",
    sample=5,
    sample_format="msgpack",
    cut=1 << 64,
)

texts = st.one_of(
    st.text(max_size=6), st.dates().map(str), st.uuids().map(str), st.decimals(0, 9, places=2).map(str)
)
leaves = st.one_of(st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), texts, st.datetimes())
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=6,
)
records_ = st.lists(st.dictionaries(st.sampled_from("abcdef"), values, max_size=5), min_size=1, max_size=12)


def facts(tally: SurveyTally) -> str:
    """Return all findings, as they are written to a file."""
    found = (
        tally.profile.sizes() | tally.profile.facts(),
        {name: each.facts() for name, each in tally.codecs.items()},
        of_inferred(tally.observed.inferred()).to_python(),
        [str(one) for one in tally.sample.kept()],
        tally.errors(),
    )
    return json.dumps(found)


def surveyed(records: list[tuple[int, Any]]) -> SurveyTally:
    """Return what a worker finds in numbered records, as it comes back."""
    surveyor = Surveyor(JOB, {})
    for number, record in records:
        surveyor.add(record, number)
    answer = decode(encode(Surveyed(surveyor.tally.plain())))
    return SurveyTally.of(answer.tally, JOB.codecs, JOB.sample)


@pytest.mark.slow
@given(records_, st.randoms(use_true_random=False))
def test_any_split_merged_in_any_order_is_the_same(records: list[Any], rng: random.Random) -> None:
    numbered = list(enumerate(records))
    whole = facts(surveyed(numbered))
    cuts = sorted(rng.choices(range(len(records) + 1), k=3))
    parts = [numbered[a:b] for a, b in zip([0, *cuts], [*cuts, len(records)], strict=True)]
    tallies = [surveyed(part) for part in parts if part]
    rng.shuffle(tallies)

    first, *others = tallies
    for other in others:
        first.merge(other)

    assert whole == facts(first)


def test_the_profile_is_that_of_the_corpus() -> None:
    records = list(corpus("messages", 60).records())
    expected = profile(records, len(records))
    del expected["records"], expected["sample"], expected["zlib_ratio"]

    tally = surveyed(list(enumerate(records))).profile

    assert expected == tally.sizes() | tally.facts()


@pytest.mark.slow
def test_many_keys_and_lengths_take_little_space() -> None:
    surveyor = Surveyor(JOB, {})
    for number in range(3_000):
        surveyor.add({f"{number}-{part}": "x" * (number * part % 9_999) for part in range(4)}, number)

    plain = encode(Surveyed(surveyor.tally.plain()))

    assert len(plain) < 600_000
    assert 0.9 < surveyor.tally.profile.facts()["keys_distinct"] / 12_000 < 1.1
    assert surveyor.tally.profile.facts()["text_max"] == 8_997


def test_every_record_is_equally_likely() -> None:
    """Of 2,000 samples of 5 of 20 records in 3 shards, each has a quarter, within 4 standard errors."""
    from bakeoff.datasets.sampling import MergedSample, record_keys

    drawn = [0] * 20
    for seed in range(2_000):
        merged = MergedSample(5, 1 << 20)
        for start, end in ((0, 2), (2, 15), (15, 20)):
            key, part = record_keys(seed, f"shard {start}"), MergedSample(5, 1 << 20)
            for number in range(start, end):
                if key(number) < part.cut:
                    part.add(key(number), b"%d" % number, ())
            merged.merge(part)
        for _, payload, _ in merged.kept():
            drawn[int(payload)] += 1

    assert all(abs(count - 500) < 4 * (2_000 * 0.25 * 0.75) ** 0.5 for count in drawn)


def test_a_sample_is_in_the_order_of_its_keys_however_it_was_gathered() -> None:
    from bakeoff.datasets.sampling import MergedSample

    keys = [5, 1, 8, 3, 9, 2, 7]
    samples = []
    for order in (keys, sorted(keys), sorted(keys, reverse=True)):
        merged = MergedSample(5, 1 << 20)
        for key in order:
            part = MergedSample(5, 1 << 20)
            part.add(key, b"%d" % key, (key,))
            merged.merge(part)
        samples.append(merged.kept())

    assert [[(key, b"%d" % key, (key,)) for key in (1, 2, 3, 5, 7)]] * 3 == samples


AGENT = (sys.executable, "-P", "-m", "bakeoff.bench.run.machines.agent")


class Unreliable:
    """An executor whose workers die, or answer nonsense, as often as is said for a piece."""

    def __init__(self, failures: dict[int, int], nonsense: Any = None) -> None:
        self.failures = failures
        self.nonsense = nonsense
        self.blobs: dict[str, bytes] = {}
        self.cores = [0]

    def submit(self, job: SurveyJob, inputs: Any = None, **more: Any) -> Future[Ended]:
        future: Future[Ended] = Future()
        left = 0
        for piece in job.pieces:
            self.failures[piece.start] = self.failures.get(piece.start, 0) - 1
            left = max(left, self.failures[piece.start] + 1)
        if left:
            answer = None if self.nonsense is None else Surveyed(self.nonsense)
            future.set_result(Ended(answer, "crashed", "died of SIGSEGV"))
        else:
            surveyor = Surveyor(job, {})
            for piece in job.pieces:
                surveyor.begin(piece)
                surveyor.add({"start": piece.start}, 0)
            future.set_result(Ended(Surveyed(surveyor.tally.plain())))
        return future


PIECES = [Piece("shard", start, start + 10) for start in (0, 10, 20)]


@pytest.mark.parametrize(
    "nonsense", [None, {}, {"codecs": []}, {"codecs": {"json": {"payloads": float("nan")}}}]
)
@pytest.mark.parametrize("share", [0, 4])
def test_a_piece_is_tried_twice(share: int, nonsense: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bakeoff.bench.run.survey._SHARE", share or 0.01)
    found = survey([Unreliable({0: 1, 10: 2}, nonsense)], PIECES, JOB)

    assert [PIECES[1]] == list(found.lost)
    assert found.tally.records == 2
    assert found.done == {PIECES[0], PIECES[2]}


def test_a_lost_machine_costs_nothing() -> None:
    many = [Piece("shard", start, start + 10) for start in range(0, 900, 10)]
    lost = Unreliable(dict.fromkeys(range(0, 900, 10), 99))

    found = survey([lost, Unreliable({})], many, JOB)

    assert not found.lost
    assert found.tally.records == 90


@pytest.mark.slow
def test_other_machines_find_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(folder))  # another lock than that of other tests' machines
    monkeypatch.setattr("tempfile.tempdir", None)
    found = pieces(str(folder / "*.*l"), ReadOptions())
    machine = Machine("far", connect=lambda: CommandLink(AGENT, "far"))
    with LocalExecutor() as here:
        alone = survey([here], found, JOB)
        with RemoteExecutor(machine, here.blobs, lambda reason: None) as there:
            together = survey([there], found, JOB)

    assert facts(alone.tally) == facts(together.tally)
    assert [Path(piece.shard).name for piece in together.lost] == ["b.jsonl"]


def test_interrupted() -> None:
    seen = []

    def watch(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 20:
            raise KeyboardInterrupt

    found = survey([Unreliable({})], PIECES, JOB, watch=watch)

    assert found.interrupted
    assert found.tally.records == 2
    assert [(10, 30), (20, 30)] == seen


def test_interrupted_before_any_shard_was_read_is_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> SurveyFindings:
        return SurveyFindings(SurveyTally((), MergedSample(0, 0)), [], interrupted=True)

    monkeypatch.setattr("bakeoff.bench.run.survey.survey", interrupted)
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n')

    assert 130 == inprocess.bakeoff(tmp_path, "survey", "a.jsonl").returncode


OWN = """
import json, os
from bakeoff.codecs import Codec

def refuses(record):
    if "big" in record:
        raise ValueError("too big")
    return json.dumps(record, default=str).encode()

def dies(record):
    if "big" in record:
        os.abort()
    return json.dumps(record, default=str).encode()

refusing, dying = (Codec(f.__name__, "json", f, json.loads, interoperable=True) for f in (refuses, dies))
"""
RARE = "when: 2024-01-02 03:04:05\n---\nbig: 340282366920938463463374607431768211456\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three shards, one of them broken, with values that codecs lose; and codecs that fail."""
    lines = [json.dumps(record) for record in corpus("messages", 30).records()]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    (tmp_path / "b.jsonl").write_text("\n".join([*lines[:3], "{", *lines[3:]]))
    (tmp_path / "c.yaml").write_text(RARE)
    (tmp_path / "own.py").write_text(OWN)
    return tmp_path


@pytest.mark.slow
def test_survey_command(folder: Path) -> None:
    codecs = ("-c", "json,msgpack", "-c", "refusing=own.py:refusing")
    sample, schema = ("--sample-to", "s.jsonl.gz", "-n", "9"), ("--schema-to", "made.py")

    done = inprocess.bakeoff(folder, "survey", "*.*l", *codecs, "-o", "out", *sample, *schema)
    found = json.loads((folder / "out").read_text())

    assert done.returncode == 1, done.stderr
    assert "lost: b.jsonl, line 4, record 4: not JSON" in done.stderr
    assert "of 3 shards, 1 lost" in done.stderr
    assert found["records"] == 32
    assert found["codecs"]["json"]["lossy"] == 1
    assert found["codecs"]["json"]["loses_first"][0]["where"] == "c.yaml, record 1"
    assert found["codecs"]["refusing"]["refused"] == 1
    assert found["codecs"]["refusing"]["refused_first"][0]["where"] == "c.yaml, record 2"
    assert found["sample"]["records"] == 9
    assert (folder / "s.jsonl.gz").stat().st_mode & 0o777 == 0o600
    assert "class Record" in (folder / "made.py").read_text()
    assert len(list(corpus(folder / "s.jsonl.gz").records())) == 9


@pytest.mark.slow
def test_a_dead_worker_costs_its_piece(folder: Path) -> None:
    done = inprocess.bakeoff(folder, "survey", "a.jsonl", "c.yaml", "-c", "dying=own.py:dying")

    assert done.returncode == 1
    assert "lost: c.yaml: crashed: died of SIGABRT" in done.stderr
    assert "30 records in 2 shards" in done.stdout


@pytest.mark.slow
def test_bad_records_are_skipped(folder: Path) -> None:
    done = inprocess.bakeoff(folder, "survey", "b.jsonl", "--skip-invalid", "-o", "out")
    found = json.loads((folder / "out").read_text())

    assert done.returncode == 0
    assert (30, 1) == (found["records"], found["skipped"])
    assert found["bad"][0]["where"] == "b.jsonl, line 4, record 4"


@pytest.mark.slow
def test_a_codec_with_a_schema(folder: Path) -> None:
    inprocess.bakeoff(folder, "survey", "a.jsonl", "--schema-to", "made.py")

    done = inprocess.bakeoff(folder, "survey", "a.jsonl", "-c", "avro,msgpack+schema", "--schema", "made.py")

    assert done.returncode == 0, done.stderr
    assert "avro" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "code", "said"),
    [("{", 1, "a.jsonl, line 1, record 1: not JSON"), ("", 2, "a.jsonl: contains no records; name another")],
)
def test_nothing_can_be_read(text: str, code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(text)

    done = inprocess.bakeoff(tmp_path, "survey", "a.jsonl", "-c", "json")

    assert done.returncode == code
    assert said in done.stderr
