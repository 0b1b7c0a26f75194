"""Records inside a document, files in other encodings than UTF-8, and files with cells for missing values."""

from __future__ import annotations

import io
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff import datasets
from bakeoff.datasets import UnreadableCorpus
from bakeoff.datasets.readers import json_window
from bakeoff.datasets.readers.at import RecordPath, RecordPathStep, Search, way_in
from bakeoff.datasets.readers.json import read_json_at
from bakeoff.datasets.readers.problems import Problems
from bakeoff.datasets.writing import write
from bakeoff.errors import UsageError
from inprocess import exit_code
from record_files import peak, put, read

DOCUMENT = {
    "meta": {"count": 2, "a/b": [5]},
    "items": [{"id": 1, "tags": ["x", "y"]}, {"id": 2, "tags": []}],
    "by name": {"one": {"v": 1}, "two": {"v": 2}},
    "0": {"1": "digits"},
}


@pytest.fixture(params=["pretty.json", "short.json", "a.jsonl", "a.yaml", "a.msgpack", "a.cbor", "a.bson"])
def document(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path: Path = tmp_path / request.param
    if path.suffix == ".json":
        return put(tmp_path, path.name, json.dumps(DOCUMENT, indent=2 if "pretty" in path.name else None))
    with path.open("wb") as file:
        from bakeoff.datasets.readers.formats import format_of

        write([DOCUMENT], file, format_of(path), Problems(skip=False))
    return path


@pytest.mark.parametrize(
    ("at", "records"),
    [
        ("$", [DOCUMENT]),
        ("$.items", DOCUMENT["items"]),
        ("/items", DOCUMENT["items"]),
        ("$['items']", DOCUMENT["items"]),
        ('$["items"][*]', DOCUMENT["items"]),
        ("$.items[1]", [{"id": 2, "tags": []}]),
        ("/items/1", [{"id": 2, "tags": []}]),
        ("/items/0/tags", ["x", "y"]),
        ("$.items[*].tags", [["x", "y"], []]),
        ("$.items[*].tags[*]", ["x", "y"]),
        ("$['by name'].*", [{"v": 1}, {"v": 2}]),
        ("$['by name'][*].v", [1, 2]),
        ("$.meta", [{"count": 2, "a/b": [5]}]),
        ("/meta/a~1b", [5]),
        ("$.meta.count", [2]),
        ("/0/1", ["digits"]),
        ("$['0']['1']", ["digits"]),
    ],
)
def test_places(document: Path, at: str, records: list[Any]) -> None:
    assert records == read(document, at=at)


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (
            "$.item",
            "nothing at $.item: $ has the keys 'meta', 'items', 'by name', '0'; did you mean $.items?",
        ),
        (
            "$.meta.cuont",
            "nothing at $.meta.cuont: $.meta has the keys 'count', 'a/b'; did you mean $.meta.count?",
        ),
        (
            "$.items.id",
            "nothing at $.items.id: $.items is a list of 2; use [0] for its first item, [*] for all",
        ),
        ("$.items[7]", "$.items is a list of 2"),
        ("$[0]", "$ has the keys"),
        ("$.meta.count.x", "$.meta.count is of type int"),
    ],
)
def test_what_is_not_there(document: Path, at: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(document, at=at)

    assert said in str(caught.value)


@pytest.mark.parametrize("at", ["items", "", "$.", "$..id", "$items", "$[-1]", "$[?@.id]", "$['a", "$[0:2]"])
def test_what_is_no_place(tmp_path: Path, at: str) -> None:
    with pytest.raises(UsageError, match="--at"):
        read(put(tmp_path, "a.json", "{}"), at=at)


def test_a_place_that_is_empty_is_no_mistake(tmp_path: Path) -> None:
    with pytest.raises(UnreadableCorpus, match="contains no records"):
        read(put(tmp_path, "a.json", '{"items": []}'), at="$.items")


def test_each_document_is_searched(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    lines = put(tmp_path / "a", "a.jsonl", '{"x": [1, 2]}\n{"y": 0}\n{"x": [3]}\n')
    pretty = put(tmp_path / "a", "b.json", '{\n"x": [4]\n}\n{\n"x": 5\n}')
    listed = put(tmp_path / "a", "c.json", '[{"x": [6]}, {"x": 7}]')

    assert [1, 2, 3] == read(lines, at="$.x")
    assert [4, 5] == read(pretty, at="$.x")
    assert [[6], 7] == read(listed, at="$[*].x")
    assert [1, 2, 3, 4, 5] == read(tmp_path / "a", at="$.x")
    assert [1, 2] == read(lines, at="$.x", records=2)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc0"), inner, max_size=4),
    max_leaves=30,
)
STEPS = st.sampled_from(
    [RecordPathStep(key) for key in "abc0"]
    + [RecordPathStep(index=0), RecordPathStep(index=1), RecordPathStep("0", 0), RecordPathStep()]
)


@given(JSON, st.lists(STEPS, max_size=4), st.integers(1, 40), st.sampled_from([None, 2]))
def test_streams_find_what_is_found_in_memory(
    document: Any, steps: list[RecordPathStep], chunk: int, indent: int | None
) -> None:
    place = RecordPath(tuple(steps))
    whole, streamed = Search(place), Search(place)
    text = json.dumps(document, indent=indent).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_window, "CHUNK", chunk)
        file = io.BufferedReader(io.BytesIO(text), 8)  # type: ignore[arg-type] # reading is all it needs
        found = list(read_json_at(file, Problems(skip=False), streamed))

    assert list(whole.records(document)) == found
    assert (whole.found, str(whole.nothing("x"))) == (streamed.found, str(streamed.nothing("x")))
    assert str(RecordPath.parse(str(place))) == str(place)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, 2',
        '{"a": [1 2]}',
        '{"a": 1 "b": [2]}',
        '{"b": {"x": }, "a": [1]}',
        '{"a" [1]}',
        '{"b": nope, "a": 1}',
        "{1: 2}",
        '{"a": [1],',
        '{"b": [',
    ],
)
def test_broken_documents_are_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnreadableCorpus, match="the rest cannot be read"):
        read(put(tmp_path, "a.json", text), at="$.a")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A document that is longer than a record may be, and so is the first list in it."""
    path = tmp_path_factory.mktemp("large") / "large.json"
    item = json.dumps({"text": "x" * 10_000, "more": list(range(1_000))})
    with path.open("w") as file:
        file.write('{"meta": {"made": "today"}, "others": [' + item)
        for _ in range(5_000):
            file.write(", " + item)
        file.write('], "items": [' + ", ".join([item] * 100) + "]}")
    assert path.stat().st_size > json_window.RECORD_LIMIT
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("at", "records"), [("$.items", 100), ("/others", 5_001)])
def test_documents_of_any_size_are_read_in_little_memory(large: Path, at: str, records: int) -> None:
    statement = "count = sum(1 for _ in corpus(sys.argv[1], at=sys.argv[2]).records())"
    count, most = peak(statement, str(large), at)

    assert records == count
    assert most < json_window.RECORD_LIMIT / 1024


@pytest.mark.slow
def test_a_document_that_is_too_long_says_how_to_read_it(large: Path) -> None:
    """Leaving bad records out would leave nothing."""
    with pytest.raises(UnreadableCorpus) as caught:
        read(large)

    assert str(caught.value) == (
        f"{large}: a record of more than 64 MiB, most of it in one list; "
        "--at '$.others' reads the items of that"
    )


def test_the_longest_list_is_the_one_to_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_window, "RECORD_LIMIT", 3_000)
    monkeypatch.setattr(json_window, "CHUNK", 400)
    parts = {"short": [1] * 60, "long": [1] * 270, "between": [1] * 150, "text": "x" * 1_000}
    for order in permutations(parts):
        document = {name: parts[name] for name in order} | {"rest": "x" * 4_000}
        path = put(tmp_path, "a.json", json.dumps(document))

        with pytest.raises(UnreadableCorpus, match=r"--at '\$\.long' reads"):
            read(path)


@pytest.mark.parametrize(
    ("record", "place"),
    [
        ({"statuses": [{"id": n} for n in range(10)], "meta": {"count": 10}}, "$.statuses"),
        ({"meta": [0] * 12, "page": {"items": [{"text": "x" * 50}] * 10}}, "$.page.items"),
        (
            {"features": [{"geometry": {"coordinates": [[1.5, 2.5]] * 20}}]},
            "$.features[0].geometry.coordinates",
        ),
        ({"events": {str(n): {"id": n, "name": "x"} for n in range(10)}}, "$.events[*]"),
        ({"odd name": list(range(10))}, "$['odd name']"),
        ({"id": 1, "tags": ["a", "b"], "size": {"x": 1, "y": 2}}, None),
        ({str(n): n for n in range(50)}, None),
        ([[1, 2], [3]], None),
        ("text", None),
    ],
)
def test_a_way_into_the_only_record(tmp_path: Path, record: Any, place: str | None) -> None:
    found = way_in(record)
    path = put(tmp_path, "one.jsonl", json.dumps(record))
    corpus = datasets.corpus(path)
    list(corpus.records())

    assert place == (None if found is None else str(found))
    if place is None:
        assert "--at" not in corpus.remark
    else:
        assert f"--at '{place}' to read" in corpus.remark
        assert len(read(path, at=place)) >= 10


def test_more_than_one_record_needs_no_way_in(tmp_path: Path) -> None:
    path = put(tmp_path, "two.jsonl", '{"x": [1,2,3,4,5,6,7,8,9,10]}\n' * 2)
    for how in ({}, {"records": 1}, {"at": "$.x"}):
        corpus = datasets.corpus(path, **how)  # type: ignore[arg-type]
        list(corpus.records())

        assert corpus.remark == ""


def test_the_place_is_part_of_a_corpus(tmp_path: Path) -> None:
    """Its name in results and its description; two spellings of one place are one corpus."""
    path = put(tmp_path, "twitter.json", json.dumps(DOCUMENT))
    found = [datasets.corpus(path, at=at) for at in ("$.items", "/items", "$['items']")]

    assert {("twitter.items", "json file, the records at $.items")} == {
        (corpus.name, corpus.description) for corpus in found
    }


@pytest.mark.parametrize("command", ["corpora", "schema infer", "once nothing json", "convert"])
def test_every_command_that_reads_takes_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    path = put(tmp_path, "one.json", json.dumps({"items": [{"id": n} for n in range(20)]}))
    arguments = [*command.split(), str(path)]
    if command == "convert":
        arguments += ["-", "-f", "jsonl"]
    said = []
    for more in ([], ["--at", "$.items"]):
        assert 0 == exit_code(*arguments, *more)
        said.append(capfd.readouterr())

    assert ("--at '$.items'" in said[0].err) == (command != "once nothing json")
    assert "" == said[1].err
    if command == "convert":
        assert 20 == said[1].out.count("\n")


class TestEncoding:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("a.csv", "a\n{}\n"),
            ("a.jsonl", '{{"a": "{}"}}\n'),
            ("a.json", '{{"a": "{}"}}'),
            ("a.yaml", "a: {}\n"),
        ],
    )
    @pytest.mark.parametrize(
        ("encoding", "word"), [("latin-1", "Muñoz"), ("cp1252", "“Muñoz”"), ("utf-16-le", "Zoë")]
    )
    def test_text_formats(self, tmp_path: Path, name: str, text: str, encoding: str, word: str) -> None:
        path = put(tmp_path, name, text.format(word).encode(encoding))

        assert [{"a": word}] == read(path, encoding=encoding)
        if encoding != "utf-16-le":
            with pytest.raises(UnreadableCorpus, match=f"not UTF-8: .*; if it is {encoding}, use --encoding"):
                read(path)

    @pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
    def test_spreadsheets_of_all_systems(self, tmp_path: Path, end: str) -> None:
        """Lines of CSV may end in a carriage return alone; in a cell it is text."""
        rows = ["name;note", *['Zoë;"a\rb"'] * 50_000, ""]
        path = put(tmp_path, "a.csv", end.join(rows).encode("latin-1"))

        assert [{"name": "Zoë", "note": "a\rb"}] * 50_000 == read(path, encoding="latin-1")

    def test_what_is_not_in_the_encoding(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.csv", b"a\n" + b"x\n" * 200_000 + b"\xff\n")
        with pytest.raises(UnreadableCorpus, match=r"a\.csv: not ascii: ordinal not in range"):
            read(path, encoding="ascii")

    def test_letters_across_pieces(self, tmp_path: Path) -> None:
        text = "ä€😀" * 100_000
        path = put(tmp_path, "a.jsonl", json.dumps(text, ensure_ascii=False).encode("utf-16-be"))

        assert [text] == read(path, encoding="utf-16-be")

    @pytest.mark.parametrize(
        ("source", "how", "said"),
        [
            ("a.csv", {"encoding": "latin"}, ""),
            ("a.csv", {"encoding": "latn1"}, "no text encoding named 'latn1'; did you mean latin1"),
            ("a.csv", {"encoding": "hex"}, "no text encoding named 'hex'"),
            ("a.msgpack", {"encoding": "latin-1"}, "msgpack is not a text format"),
            ("a.jsonl", {"null_values": ["NA"]}, "applies to CSV and TSV only"),
            ("movies", {"at": "$.title"}, "movies is not a file; remove --at"),
            ("movies", {"encoding": "utf-8"}, "remove --encoding"),
            ("json:loads", {"null_values": ["NA"]}, "remove --null-value"),
        ],
    )
    def test_no_use_is_said(self, tmp_path: Path, source: str, how: dict[str, Any], said: str) -> None:
        path = put(tmp_path, source, "a\n1\n") if "." in source else Path(source)
        if not said:
            assert [{"a": 1}] == read(path, **how)
            return
        with pytest.raises(UsageError, match=said):
            read(path, **how)


class TestNull:
    TEXT = "n,x,t,b,e\n1,0.5,a,true,\nNA,NA,NA,NA,\n,,,,\n3,1.5,b,false,\n"

    @pytest.mark.parametrize(
        ("null", "rows"),
        [
            (
                [],
                [
                    ["1", "0.5", "a", "true", None],
                    ["NA"] * 4 + [None],
                    [""] * 4 + [None],
                    ["3", "1.5", "b", "false", None],
                ],
            ),
            (
                ["NA"],
                [
                    [1, 0.5, "a", True, None],
                    [None] * 5,
                    [None, None, "", None, None],
                    [3, 1.5, "b", False, None],
                ],
            ),
            (["NA", ""], [[1, 0.5, "a", True, None], [None] * 5, [None] * 5, [3, 1.5, "b", False, None]]),
        ],
    )
    def test_cells_that_stand_for_nothing(self, tmp_path: Path, null: list[str], rows: list[Any]) -> None:
        found = read(put(tmp_path, "a.csv", self.TEXT), null_values=null)

        assert rows == [list(record.values()) for record in found]

    def test_types(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        path = put(tmp_path, "a.tsv", self.TEXT.replace(",", "\t"))

        assert 0 == exit_code("schema", "infer", str(path), "--null-value", "NA", "--null-value", "")
        assert "    n: int | None\n    x: float | None\n    t: str | None\n" in capfd.readouterr().out
