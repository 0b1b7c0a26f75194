"""Conformance suites: found, read and judged, with a few cases in the layout of each, and real processes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bakeoff import codecs
from bakeoff.bench.lab.conformance import run
from bakeoff.bench.lab.conformance.case import Suite
from bakeoff.bench.lab.conformance.suites import SUITES, find
from bakeoff.codecs.registry import rescan
from bakeoff.commands.attack import command
from bakeoff.errors import UsageError
from installed import install

PLANTED = """
import json, os
from bakeoff.codecs import Codec

def made(name, decode):
    return lambda: Codec(name, "json", lambda value: json.dumps(value).encode(), decode)

def dies(data):
    if data.startswith(b"{"):
        os._exit(0)
    return json.loads(data)

def raises(data):
    if data.startswith(b"{"):
        raise SystemExit("enough")
    return json.loads(data)

def forks(data):
    os.fork()
    return json.loads(data)

def always(data):
    os.abort()

gullible = made("gullible", lambda data: [])
dying = made("dying", dies)
raising = made("raising", raises)
forking = made("forking", forks)
dead = made("dead", always)

def broken():
    raise RuntimeError("no luck")
"""


@pytest.fixture
def planted(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    site = tmp_path_factory.mktemp("site")
    install(site, "planted", PLANTED, ("gullible", "dying", "raising", "forking", "dead", "broken"))
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.syspath_prepend(site)
    rescan()
    yield
    monkeypatch.undo()
    rescan()


def put(path: Path, content: bytes | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def json_suite(top: Path) -> None:
    """Two of the valid, three of the invalid, one of either kind, one transformation."""
    put(top / "test_parsing/y_empty.json", "[]")
    put(top / "test_parsing/y_object.json", '{"a": [1, 1.0, -0.0, "\\u00e9"]}')
    put(top / "test_parsing/n_comma.json", "[1,]")
    put(top / "test_parsing/n_nan.json", "[NaN]")
    put(top / "test_parsing/n_open.json", '{"a":')
    put(top / "test_parsing/i_huge.json", "[1e999]")
    put(top / "test_transform/number.json", "[1.000000000000000005]")


def msgpack_suite(top: Path) -> None:
    """Numbers in several ways of writing, containers, extensions, and moments beyond `datetime`."""
    groups = {
        "10.some.yaml": [
            {"nil": None, "msgpack": ["c0"]},
            {"number": 1, "msgpack": ["01", "cc-01", "cb-3f-f0-00-00-00-00-00-00"]},
            {"bignum": "18446744073709551615", "msgpack": ["cf-ff-ff-ff-ff-ff-ff-ff-ff"]},
            {"binary": "00-ff", "msgpack": ["c4-02-00-ff"]},
        ],
        "40.array.yaml": [
            {"array": [[]], "msgpack": ["91-90"]},
            {"map": {"a": [1]}, "msgpack": ["81-a1-61-91-01"]},
        ],
        "50.timestamp.yaml": [
            {"timestamp": [1, 0], "msgpack": ["d6-ff-00-00-00-01"]},
            {"timestamp": [0, 1], "msgpack": ["d7-ff-00-00-00-04-00-00-00-00"]},
            {"timestamp": [253402300800, 0], "msgpack": ["c7-0c-ff-00-00-00-00-00-00-00-3a-ff-f4-41-80"]},
        ],
        "60.ext.yaml": [{"ext": [1, "10"], "msgpack": ["d4-01-10"]}],
    }
    put(top / "dist/msgpack-test-suite.json", json.dumps(groups))


def yaml_suite(top: Path) -> None:
    """Streams with values, without, and with an error; a case of two parts; an index of links."""
    put(top / "2AAA/in.yaml", "---\na: 1\n---\n")
    put(top / "2AAA/in.json", '{"a": 1}\nnull\n')
    put(top / "2BBB/in.yaml", "? a\n")
    put(top / "2CCC/in.yaml", "[a\n")
    put(top / "2CCC/error", "")
    put(top / "2DDD/00/in.yaml", "time: 20:03:20\n")
    put(top / "2DDD/00/in.json", '{"time": "20:03:20"}')
    put(top / "2DDD/01/in.yaml", "%YAML 1.2\n")
    put(top / "2DDD/01/error", "")
    (top / "name").mkdir()
    (top / "name/a").symlink_to("../2AAA")


def document(description: str, payload: str, text: str, **more: Any) -> dict[str, Any]:
    return {"description": description, "canonical_bson": payload, "canonical_extjson": text, **more}


def bson_suite(top: Path) -> None:
    """Documents written in one way and in two, deprecated ones, and broken ones."""
    uuid = "1D000000057800100000000473FFD26444B34C6990E8E7D1DFC035D400"
    reference = "1C000000022472656600020000006100022469640002000000620000"
    valid = [
        document("int", "0C0000001069000100000000", '{"i": {"$numberInt": "1"}}'),
        document("long", "10000000126900010000000000000000", '{"i": {"$numberLong": "1"}}'),
        document("uuid", uuid, '{"x": {"$uuid": "73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}}'),
        document(
            "array",
            "140000000461000C0000001030000A0000000000",
            '{"a": [{"$numberInt": "10"}]}',
            degenerate_bson="130000000461000B00000010000A0000000000",
        ),
        document(
            "symbol",
            "0E0000000E610002000000620000",
            '{"a": {"$symbol": "b"}}',
            converted_bson="0E00000002610002000000620000",
            converted_extjson='{"a": "b"}',
            lossy=True,
        ),
        document("no reference", reference, '{"$ref": "a", "$id": "b"}'),
    ]
    tests = top / "source/bson-corpus/tests"
    put(tests / "some.json", json.dumps({"valid": valid}))
    broken = [{"description": "short", "bson": "0C00000010690001000000"}]
    put(tests / "top.json", json.dumps({"decodeErrors": broken, "parseErrors": [{"string": "{"}]}))


def cbor_suite(top: Path) -> None:
    """Values with one way of writing and with several, in JSON and in diagnostic notation."""
    examples = [
        {"hex": "00", "roundtrip": True, "decoded": 0},
        {"hex": "f93c00", "roundtrip": True, "decoded": 1.0},
        {"hex": "fa7fc00000", "roundtrip": False, "diagnostic": "NaN"},
        {"hex": "a201020304", "roundtrip": True, "diagnostic": "{1: 2, 3: 4}"},
        {"hex": "f7", "roundtrip": True, "diagnostic": "undefined"},
        {"hex": "f818", "roundtrip": True, "diagnostic": "simple(24)"},
    ]
    put(top / "appendix_a.json", json.dumps(examples))


WRITERS: dict[str, Callable[[Path], None]] = {
    "JSONTestSuite": json_suite,
    "msgpack-test-suite": msgpack_suite,
    "yaml-test-suite": yaml_suite,
    "BSON corpus": bson_suite,
    "CBOR test vectors": cbor_suite,
}


def check(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command, ["--conformance", str(folder), *arguments])


def judged(folder: Path, codec: str) -> dict[str, Any]:
    result = check(folder, codec, "-f", "json")
    (report,) = json.loads(result.stdout)["reports"]
    return report | {"exit_code": result.exit_code}


EXPECTED = [
    ("JSONTestSuite", "json", {"right_accept": 2, "right_reject": 2, "wrong_accept": 1, "accepted": 2}),
    ("JSONTestSuite", "orjson", {"right_accept": 2, "right_reject": 3, "accepted": 1, "rejected": 1}),
    ("msgpack-test-suite", "msgpack", {"right_accept": 10, "accepted": 1, "rejected": 1}),
    ("msgpack-test-suite", "msgpack/tuple", {"right_accept": 10, "accepted": 1, "rejected": 1}),
    ("msgpack-test-suite", "msgspec-msgpack", {"right_accept": 10, "accepted": 1, "rejected": 1}),
    ("yaml-test-suite", "yaml", {"right_accept": 2, "right_reject": 2, "wrong_value": 1}),
    ("BSON corpus", "bson", {"right_accept": 8, "right_reject": 1, "exact": 6, "inexact": 2}),
    ("CBOR test vectors", "cbor2", {"right_accept": 5, "right_reject": 1, "exact": 3, "inexact": 1}),
]
FIGURES = (
    "right_accept", "right_reject", "wrong_accept", "wrong_reject", "wrong_value",
    "accepted", "rejected", "fault", "exact", "inexact",
)  # fmt: skip


@pytest.mark.parametrize(("suite", "codec", "expected"), EXPECTED)
def test_cases_are_judged(tmp_path: Path, suite: str, codec: str, expected: dict[str, int]) -> None:
    WRITERS[suite](tmp_path)
    report = judged(tmp_path, codec)

    assert (suite, 0) == (report["suite"], report["exit_code"])
    assert expected == {figure: report[figure] for figure in FIGURES if report[figure]}
    assert report["cases"] == sum(report[figure] for figure in FIGURES[:8])


def test_wrong_cases_have_names_and_reasons(tmp_path: Path) -> None:
    for suite, write in WRITERS.items():
        write(tmp_path / suite)
    result = check(tmp_path, "json,yaml,bson,cbor2")

    assert 0 == result.exit_code
    for line in (
        "json: wrong accept: test_parsing/n_nan.json: as [nan]",
        "yaml: wrong value: 2DDD/00: `str` came back as `int` at `$[0].time`",
        "bson: inexact: some.json: long: written as 0c0000001069000100000000",
        "cbor2: inexact: f93c00: written as fb3ff0000000000000",
    ):
        assert line in result.stdout.splitlines()


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_a_copy_is_recognised(tmp_path: Path, suite: Suite) -> None:
    WRITERS[suite.name](tmp_path / "deep/copy")

    assert [suite] == [copy.suite for copy in find(tmp_path / "deep/copy")]
    assert [suite] == [copy.suite for copy in find(tmp_path / "deep")]
    with pytest.raises(UsageError, match=re.escape(suite.url)):
        find(tmp_path)


def test_a_codec_of_each_format_meets_its_suite(tmp_path: Path) -> None:
    json_suite(tmp_path / "a")
    cbor_suite(tmp_path / "b")
    told = json.loads(check(tmp_path, "-f", "json").stdout)
    pairs = {(report["codec"], report["suite"]) for report in told["reports"]}

    assert {("json", "JSONTestSuite"), ("orjson", "JSONTestSuite"), ("cbor2", "CBOR test vectors")} <= pairs
    assert {"pickle", "yaml", "msgpack"} <= {entry["codec"] for entry in told["left_out"]}
    assert set(codecs.available()) == {codec for codec, _ in pairs} | {
        entry["codec"] for entry in told["left_out"]
    }


@pytest.mark.parametrize(
    ("write", "arguments", "words"),
    [
        (lambda top: None, ["json"], "https://github.com/nst/JSONTestSuite"),
        (json_suite, ["pickle"], "no suite for pickle here"),
        (json_suite, ["json|zlib"], "bare payloads"),
        (json_suite, ["json+schema"], "bare payloads"),
        (json_suite, ["msgspec-json/struct"], "one schema"),
        (json_suite, ["json", "--only", "decode/*", "--cases"], "--cases, --only: cannot be combined"),
        (lambda top: put(top / "appendix_a.json", "{"), ["cbor2"], "looks like CBOR test vectors"),
        (lambda top: put(top / "appendix_a.json", "[[]]"), ["cbor2"], "looks like CBOR test vectors"),
    ],
)
def test_what_cannot_be_run(
    tmp_path: Path, write: Callable[[Path], None], arguments: list[str], words: str
) -> None:
    write(tmp_path)
    result = check(tmp_path, *arguments)

    assert isinstance(result.exception, UsageError)
    assert words in str(result.exception)


@pytest.mark.usefixtures("planted")
class TestPlanted:
    def test_accepting_everything(self, tmp_path: Path) -> None:
        """Is not a fault, and only correct for the case whose value it returns by chance."""
        json_suite(tmp_path)
        report = judged(tmp_path, "gullible")

        assert 0 == report["exit_code"]
        assert [1, 3, 1] == [report[figure] for figure in ("right_accept", "wrong_accept", "wrong_value")]

    @pytest.mark.parametrize(
        ("codec", "reason"), [("dying", "ended the process with exit code 0"), ("raising", "enough")]
    )
    def test_a_fault_costs_its_case(self, tmp_path: Path, codec: str, reason: str) -> None:
        json_suite(tmp_path)
        report = judged(tmp_path, codec)
        faults = [finding for finding in report["findings"] if finding["verdict"] == "fault"]

        assert 1 == report["exit_code"]
        assert ["n_open.json", "y_object.json"] == [Path(finding["case"]).name for finding in faults]
        assert all(reason in finding["reason"] for finding in faults)
        assert [1, 1, 1] == [report[figure] for figure in ("right_accept", "right_reject", "wrong_accept")]

    def test_a_codec_that_always_dies(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(run, "DEATHS", 2)
        json_suite(tmp_path)
        reasons = [finding["reason"] for finding in judged(tmp_path, "dead")["findings"]]

        assert ["crashed: died of SIGABRT"] * 2 == reasons[:2]
        assert ["not tried: the codec crashed 2 processes"] * 5 == reasons[2:]

    def test_a_codec_that_forks(self, tmp_path: Path) -> None:
        json_suite(tmp_path)
        report = judged(tmp_path, "forking")

        assert [0, 2] == [report["exit_code"], report["right_accept"]]

    def test_a_codec_that_cannot_be_made(self, tmp_path: Path) -> None:
        json_suite(tmp_path)
        result = check(tmp_path, "broken,json")

        assert 1 == result.exit_code
        assert "left out: broken: entry point planted:broken failed: RuntimeError: no luck" in result.stdout
        assert "json: wrong accept" in result.stdout
        with pytest.raises(UsageError, match="no luck"):
            raise check(tmp_path, "broken").exception or AssertionError


def test_nothing_of_a_payload_reaches_the_terminal_raw(tmp_path: Path) -> None:
    put(tmp_path / "test_parsing/y_odd\x1b[31m.json", "[")
    result = check(tmp_path, "json")

    assert r"y_odd\x1b[31m.json" in result.stdout
    assert "\x1b" not in result.stdout
