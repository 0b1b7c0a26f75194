"""Conformance suites: found, read and judged, with a few cases in the layout of each, and real processes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bakeoff.codecs.registry import rescan
from bakeoff.errors import UsageError
from conformance import processes
from conformance.__main__ import main
from conformance.case import Suite
from conformance.processes import report
from conformance.suites import SUITES, find
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

def always(data):
    os.abort()

gullible = made("gullible", lambda data: [])
dying = made("dying", dies)
dead = made("dead", always)
"""


@pytest.fixture
def planted(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    site = tmp_path_factory.mktemp("site")
    install(site, "planted", PLANTED, ("gullible", "dying", "dead"))
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
    return CliRunner().invoke(main, [str(folder), *arguments])


def counted(codec: str, folder: Path) -> dict[str, int]:
    (copy,) = find(folder)
    return dict(Counter(judgement.verdict for _, judgement in report(codec, copy).judgements))


@pytest.mark.parametrize(
    ("suite", "codec", "expected"),
    [
        ("JSONTestSuite", "json", {"right accept": 2, "right reject": 2, "wrong accept": 1, "accepted": 2}),
        ("JSONTestSuite", "orjson", {"right accept": 2, "right reject": 3, "accepted": 1, "rejected": 1}),
        ("msgpack-test-suite", "msgpack/tuple", {"right accept": 10, "accepted": 1, "rejected": 1}),
        ("yaml-test-suite", "yaml", {"right accept": 2, "right reject": 2, "wrong value": 1}),
        ("BSON corpus", "bson", {"right accept": 8, "right reject": 1}),
        ("CBOR test vectors", "cbor2", {"right accept": 5, "right reject": 1}),
    ],
)
def test_cases_are_judged(tmp_path: Path, suite: str, codec: str, expected: dict[str, int]) -> None:
    WRITERS[suite](tmp_path)

    assert expected == counted(codec, tmp_path)


@pytest.mark.slow
def test_wrong_cases_have_names_and_reasons(tmp_path: Path) -> None:
    for suite, write in WRITERS.items():
        write(tmp_path / suite)
    result = check(tmp_path, "json", "yaml", "bson", "cbor2", "pickle")

    assert 0 == result.exit_code
    for line in (
        "json: wrong accept: test_parsing/n_nan.json: as [nan]",
        "yaml: wrong value: 2DDD/00: `str` came back as `int` at `$[0].time`",
        "bson: inexact: some.json: long: written as 0c0000001069000100000000",
        "cbor2: inexact: f93c00: written as fb3ff0000000000000",
        "left out: pickle: no suite for pickle here",
    ):
        assert line in result.stdout.splitlines()
    assert 2 == result.stdout.count("\nbson: inexact: ")


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_a_copy_is_recognised(tmp_path: Path, suite: Suite) -> None:
    WRITERS[suite.name](tmp_path / "deep/copy")

    assert [suite] == [copy.suite for copy in find(tmp_path / "deep/copy")]
    assert [suite] == [copy.suite for copy in find(tmp_path / "deep")]
    with pytest.raises(UsageError, match=re.escape(suite.url)):
        find(tmp_path)


@pytest.mark.parametrize(
    ("write", "arguments", "words"),
    [
        (lambda top: None, ["json"], "https://github.com/nst/JSONTestSuite"),
        (json_suite, ["pickle"], "no suite for pickle here"),
        (json_suite, ["json|zlib"], "bare payloads"),
        (json_suite, ["json+schema"], "bare payloads"),
        (json_suite, ["msgspec-json/struct"], "one schema"),
    ],
)
def test_what_cannot_be_run(
    tmp_path: Path, write: Callable[[Path], None], arguments: list[str], words: str
) -> None:
    write(tmp_path)
    result = check(tmp_path, *arguments)

    assert 2 == result.exit_code
    assert words in result.output


@pytest.mark.parametrize("content", ["{", "[[]]"])
def test_a_copy_that_cannot_be_read(tmp_path: Path, content: str) -> None:
    put(tmp_path / "appendix_a.json", content)

    with pytest.raises(UsageError, match="looks like CBOR test vectors"):
        find(tmp_path)[0].cases()


@pytest.mark.usefixtures("planted")
class TestPlanted:
    def test_accepting_everything(self, tmp_path: Path) -> None:
        """Is not a fault, and only correct for the case whose value it returns by chance."""
        json_suite(tmp_path)

        assert {"right accept": 1, "wrong value": 1, "wrong accept": 3, "accepted": 2} == counted(
            "gullible", tmp_path
        )

    @pytest.mark.slow
    def test_a_fault_costs_its_case(self, tmp_path: Path) -> None:
        json_suite(tmp_path)
        result = check(tmp_path, "dying")

        assert 1 == result.exit_code
        assert ["n_open.json", "y_object.json"] == re.findall(
            r"dying: fault: test_parsing/(\S+):", result.stdout
        )

    @pytest.mark.slow
    def test_a_codec_that_always_dies(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(processes, "DEATHS", 2)
        json_suite(tmp_path)
        (copy,) = find(tmp_path)
        reasons = [judgement.reason for _, judgement in report("dead", copy).judgements]

        assert ["the process ended with exit code -6"] * 2 == reasons[:2]
        assert ["not tried: the codec crashed 2 processes"] * 5 == reasons[2:]
