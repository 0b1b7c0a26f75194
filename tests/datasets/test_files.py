"""Reading the user's own files: every format, whole, broken, cut short, compressed, hostile."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import pickle
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from ipaddress import ip_address, ip_network
from itertools import chain, cycle, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bson
import cbor2
import fastavro
import msgpack
import pytest
import yaml
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from bakeoff import datasets
from bakeoff.bench.equality.equal import equal
from bakeoff.codecs import codec
from bakeoff.datasets import BadRecord, UnknownCorpus, UnknownFormat, UnreadableCorpus, UntrustedCorpus
from bakeoff.datasets.corpora import is_read_once
from bakeoff.datasets.errors import NoRecords
from bakeoff.datasets.passes import ReadOptions
from bakeoff.datasets.readers import files, json_window
from bakeoff.datasets.readers import json as json_reader
from bakeoff.datasets.readers import yaml as yaml_reader
from bakeoff.datasets.readers.files import pipe
from bakeoff.datasets.readers.formats import file_formats, sniff
from bakeoff.datasets.readers.json import read_json
from bakeoff.datasets.readers.json_window import CHUNK
from bakeoff.datasets.readers.problems import Problems
from bakeoff.datasets.readers.streams import Pieces
from bakeoff.datasets.writing import write
from bakeoff.errors import RunError, UsageError
from bakeoff.schemas import Schema
from record_files import peak, put, read

GOOD = bson.encode({"a": 1})
RECORDS = [{"id": n, "name": f"näme {n}", "ok": n % 2 == 0, "none": None} for n in range(50)]


def write_all(folder: Path, name: str, records: Any = RECORDS) -> Path:
    path = folder / name
    with path.open("wb") as file:
        write(records, file, file_formats()[path.suffix.removeprefix(".")])
    return path


def survey(path: Path) -> tuple[int, int]:
    """Return records and peak memory (KiB) of a process that samples a file."""
    return peak("c = corpus(sys.argv[1]); c.sample(100); count = c.count()", str(path))


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
TEXTS = {
    "a.jsonl": '{"a": "ä"}\n',
    "a.csv": "a\nä\n",
    "a.yaml": "a: ä",
    "a.json": '{"a": "ä"}',
}
READ_ONLY = ("avro", "parquet", "arrow", "npy", "npz")

every_format = pytest.mark.parametrize("kind", [kind for kind in file_formats() if kind not in READ_ONLY])


class TestEveryFormat:
    @pytest.mark.parametrize("kind", sorted({*file_formats()} - {*READ_ONLY, "csv", "tsv"}))
    @pytest.mark.parametrize("record", [[], [[]], [1, 2], [[1], {"a": 2}], (1, 2)])
    def test_a_list_alone_is_one_record_again(self, tmp_path: Path, kind: str, record: Any) -> None:
        """Readers take the items of a file's only list for its records."""
        alone = read(write_all(tmp_path, f"one.{kind}", [record]), trust_files=True)

        assert alone == read(write_all(tmp_path, f"two.{kind}", [record, record]), trust_files=True)[:1]
        assert 1 == len(alone)

    @every_format
    @pytest.mark.parametrize("ending", COMPRESSORS)
    def test_round_trip(self, tmp_path: Path, kind: str, ending: str) -> None:
        plain = write_all(tmp_path, f"plain.{kind}").read_bytes()
        path = put(tmp_path, f"data.{kind}{ending}", COMPRESSORS[ending](plain))
        corpus = datasets.corpus(path, trust_files=True)

        assert RECORDS == list(corpus.records())
        assert hashlib.sha256(path.read_bytes()).hexdigest() == corpus.sha256
        assert 50 == corpus.count()
        assert "data" == corpus.name
        assert str(path) == corpus.source
        assert kind in corpus.description

    @every_format
    def test_first_records(self, tmp_path: Path, kind: str) -> None:
        path = write_all(tmp_path, f"data.{kind}")
        corpus = datasets.corpus(path, 7, trust_files=True)

        assert RECORDS[:7] == list(corpus.records())
        assert hashlib.sha256(path.read_bytes()).hexdigest() == corpus.sha256
        assert 7 == corpus.count()

    @every_format
    def test_cut_short(self, tmp_path: Path, kind: str) -> None:
        whole = write_all(tmp_path, f"data.{kind}").read_bytes()
        path = put(tmp_path, f"cut.{kind}", whole[: len(whole) * 2 // 3])
        if kind == "yaml":
            path.write_bytes(path.read_bytes() + b': "')
        with pytest.raises(BadRecord) as caught:
            read(path, trust_files=True)
        corpus = datasets.corpus(path, trust_files=True, skip_invalid=True)
        kept = list(corpus.records())

        assert str(path) in str(caught.value)
        assert 20 < len(kept) < 50
        assert RECORDS[: len(kept)] == kept
        assert 1 == corpus.skipped == len(corpus.bad)

    @every_format
    def test_empty(self, tmp_path: Path, kind: str) -> None:
        with pytest.raises(UnreadableCorpus, match="no record"):
            read(put(tmp_path, f"empty.{kind}", b""), trust_files=True)

    @every_format
    def test_noise(self, tmp_path: Path, kind: str) -> None:
        for seed in range(20):
            noise = b"".join(hashlib.sha256(bytes([seed, n])).digest() for n in range(20))
            path = put(tmp_path, f"noise.{kind}", noise)
            try:
                read(path, trust_files=kind != "pickle", skip_invalid=seed % 2 == 0)
            except (UnreadableCorpus, UntrustedCorpus):
                continue

    @every_format
    def test_progress(self, tmp_path: Path, kind: str) -> None:
        path = write_all(tmp_path, f"data.{kind}")
        calls: list[tuple[int, int | None]] = []
        datasets.corpus(path, trust_files=True).sample(5, lambda done, total: calls.append((done, total)))
        size = path.stat().st_size

        assert (size, size) == calls[-1]
        assert sorted(calls) == calls


class TestJsonLines:
    def test_place_of_the_bad_record(self, tmp_path: Path) -> None:
        path = put(tmp_path, "bad.jsonl", '\ufeff{"a": 1}\n\n{"a": nope}\n{"a": 3}')
        with pytest.raises(BadRecord) as caught:
            read(path)

        assert (
            f"{path}, line 3, record 2: not JSON: no value at column 7; use --skip-invalid to skip bad "
            "records" == str(caught.value)
        )
        assert [{"a": 1}, {"a": 3}] == read(path, skip_invalid=True)

    @pytest.mark.parametrize(
        ("line", "cause"),
        [
            (b'{"a": 1} {"b": 2}', "data after the value"),
            (b'{"a": "\xff"}', "not UTF-8"),
            (b'{"a": "b', "not JSON: Unterminated string starting at column 7"),
            (b"[" * 200_000, "nested too deeply"),
            (b"9" * 5_000, "integer"),
            (b"nope", "no value"),
        ],
    )
    def test_causes(self, tmp_path: Path, line: bytes, cause: str) -> None:
        corpus = datasets.corpus(put(tmp_path, "bad.jsonl", b"1\n" + line + b"\n2\n"), skip_invalid=True)

        assert [1, 2] == list(corpus.records())
        assert 1 == corpus.skipped
        assert cause in corpus.bad[0][1]
        assert "line 2, record 2" in corpus.bad[0][0]

    def test_many_bad_records_are_counted(self, tmp_path: Path) -> None:
        corpus = datasets.corpus(put(tmp_path, "bad.jsonl", "1\n" + "nope\n" * 5_000), skip_invalid=True)

        assert 1 == corpus.count()
        assert 5_000 == corpus.skipped
        assert 100 == len(corpus.bad)

    def test_text_sequences(self, tmp_path: Path) -> None:
        """Record separators of RFC 7464 are passed over."""
        assert [1, {"a": 2}] == read(put(tmp_path, "seq.jsonl", '\x1e1\n\x1e{"a": 2}\r\n'))

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
    def test_byte_order_marks(self, tmp_path: Path, encoding: str) -> None:
        for name, text in TEXTS.items():
            assert [{"a": "ä"}] == read(put(tmp_path, name, f"\ufeff{text}".encode(encoding)))

    @pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
    def test_zeros_show_an_encoding_without_a_byte_order_mark(self, tmp_path: Path, encoding: str) -> None:
        for name, text in TEXTS.items():
            # The last one has a zero in each place where the other byte order has the high byte of ASCII.
            for letter in ("ä", "漢", "😀", "一" * 500):
                data = text.replace("ä", letter).encode(encoding)
                assert [{"a": letter}] == read(put(tmp_path, name, data)), (name, letter)
                assert [{"a": letter}] == read(put(tmp_path, f"{name}.gz", gzip.compress(data)))

    @pytest.mark.parametrize("text", ["a,b\nx\0,1\n", "a,b\n1,2\n" * 50 + "\0,2\n"])
    def test_a_stray_zero_is_no_encoding(self, tmp_path: Path, text: str) -> None:
        assert "b" in read(put(tmp_path, "a.csv", text))[0]

    def test_a_short_text_with_zeros_is_no_encoding(self, tmp_path: Path) -> None:
        assert [{"hello": "\0world\0"}] == read(put(tmp_path, "a.csv", "hello\n\0world\0\n"))

    @pytest.mark.parametrize("text", ["имя,город\nАнна,Москва\n", "όνομα,a\nΆννα,b\n", "שם,א\nחנה,ב\n"])
    def test_alphabets_with_few_zeros_show_an_encoding(self, tmp_path: Path, text: str) -> None:
        """Each is valid UTF-8, but of control characters."""
        assert read(put(tmp_path, "a.csv", text)) == read(put(tmp_path, "b.csv", text.encode("utf-16-be")))

    @pytest.mark.parametrize("start", [b"\xe8,\n", b"\xe8;1|\0\n", b"\xff\xff,\0"])
    def test_bytes_of_no_encoding_are_not_read_as_utf_16(self, tmp_path: Path, start: bytes) -> None:
        """Random bytes with some zeros have characters of many alphabets in UTF-16, and some of none."""
        path = put(tmp_path, "a.csv", start + b'1|370|"p1"\n10|214|465|"\0,\0\x01\x00\n' * 9)
        with pytest.raises(UnreadableCorpus, match="not UTF-8"):
            read(path)


class TestJson:
    @pytest.mark.parametrize(
        ("text", "records"),
        [
            ("[]", None),
            ('[1, "2", {"a": [3]}]', [1, "2", {"a": [3]}]),
            ('{"a": [1, 2]}', [{"a": [1, 2]}]),
            ('{"a": 1}{"a": 2} [3]', [{"a": 1}, {"a": 2}, [3]]),
            ('{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
            ("[1]\n[2]\n", [[1], [2]]),
            ("[\n1\n]", [1]),
            ("\ufeff[1.5]", [1.5]),
            ("42", [42]),
            ("[1] ", [1]),
        ],
    )
    def test_forms(self, tmp_path: Path, text: str, records: list[Any] | None) -> None:
        path = put(tmp_path, "data.json", text)
        if records is None:
            with pytest.raises(UnreadableCorpus, match="no record"):
                read(path)
        else:
            assert records == read(path)

    @pytest.mark.parametrize(
        ("text", "cause"),
        [
            ("[1, 2", "ends inside the array"),
            ("[1, 2,", "ends inside the array"),
            ("[1 2]", "expected ',' or ']'"),
            ("[1, nope]", "no value"),
            ('[1, {"a" 2}]', "delimiter"),
            ("[1, " + "[" * 200_000, "nested too deeply"),
            ("[1][2]", "a value after the list; --at '$' reads"),
            ('[\n1\n]\n{"a": 1}', "a value after the list"),
        ],
    )
    def test_broken(self, tmp_path: Path, text: str, cause: str) -> None:
        path = put(tmp_path, "data.json", text)
        with pytest.raises(BadRecord, match=r"byte \d") as caught:
            read(path)

        assert cause in caught.value.cause
        assert 1 == read(path, skip_invalid=True)[0]

    def test_items_of_several_lists_are_at_the_root(self, tmp_path: Path) -> None:
        assert [1, 2, 3] == read(put(tmp_path, "data.json", "[1, 2][3]"), at="$")

    def test_lines_in_disguise(self, tmp_path: Path) -> None:
        assert [{"a": 1}, {"a": 3}] == read(
            put(tmp_path, "data.json", '{"a": 1}\n{"a"\n{"a": 3}\n'), skip_invalid=True
        )

    @pytest.mark.slow
    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=20,
        ).map(lambda value: [value, [value], value]),
        st.integers(1, 9),
        st.booleans(),
    )
    def test_any_cut_of_the_buffer(self, value: list[Any], step: int, ascii_only: bool) -> None:
        payload = json.dumps(value, ensure_ascii=ascii_only).encode(errors="surrogatepass")
        try:
            payload.decode()
        except UnicodeDecodeError:
            payload = json.dumps(value).encode()

        class Trickle(io.BytesIO):
            def read(self, size: int | None = -1) -> bytes:
                return super().read(step)

            def peek(self, size: int = 0) -> bytes:
                return self.getvalue()[:CHUNK]

        problems = Problems(skip=False)
        assert value == list(read_json(Trickle(payload), problems))  # type: ignore[arg-type]

    def test_long_items(self, tmp_path: Path) -> None:
        items = ["x" * (3 * CHUNK), {"y": "z" * CHUNK}, 1]

        assert items == read(put(tmp_path, "long.json", json.dumps(items)))


class TestBounds:
    """Nothing that a file claims or contains makes memory grow without a bound."""

    @pytest.mark.slow
    def test_many_columns(self, tmp_path: Path) -> None:
        """The doubled one is found at once: counting each among 180,000 took more than a minute."""
        names = [f"c{number}" for number in range(180_000)]
        path = put(tmp_path, "wide.csv", ",".join([*names, names[-1]]) + "\n")
        source = "import sys; from bakeoff import datasets; list(datasets.corpus(sys.argv[1]).records())"

        done = subprocess.run(
            [sys.executable, "-c", source, path],
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)),
        )

        assert "column 'c179999' twice" in done.stderr

    def test_long_line(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(json_reader, "RECORD_LIMIT", 100)
        corpus = datasets.corpus(put(tmp_path, "data.jsonl", f'1\n"{"x" * 950}"\n2\n'), skip_invalid=True)

        assert [1, 2] == list(corpus.records())
        assert "line 2, record 2" in corpus.bad[0][0]
        assert "is this JSON Lines?" in corpus.bad[0][1]

    def test_long_value(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(json_window, "RECORD_LIMIT", CHUNK)
        with pytest.raises(BadRecord, match="a record of more than"):
            read(put(tmp_path, "data.json", f'[1, "{"x" * 5 * CHUNK}"]'))

    def test_long_document(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(yaml_reader, "RECORD_LIMIT", 100)
        corpus = datasets.corpus(put(tmp_path, "data.yaml", "a: 1\n---\n" + "- x\n" * 50), skip_invalid=True)

        assert [{"a": 1}] == list(corpus.records())
        assert "longer than" in corpus.bad[0][1]

    @pytest.mark.slow
    def test_zstd_bomb(self, tmp_path: Path) -> None:
        bomb = zstandard.ZstdCompressor().compress(b"1\n" + (b" " * 1_000_000 + b"\n") * 100)
        path = put(tmp_path, "data.jsonl.zst", bomb)
        records, most = survey(path)

        assert len(bomb) < 20_000
        assert 1 == records
        assert most < 130_000


class TestCsv:
    def test_column_types(self, tmp_path: Path) -> None:
        path = put(
            tmp_path,
            "data.csv",
            "id,price,zip,flag,note,when\n1,1.50,01234,true,,2020-01-01\n2,3,99999,FALSE,x,\n,,,,,\n",
        )

        assert [
            {"id": 1, "price": 1.5, "zip": "01234", "flag": True, "note": "", "when": "2020-01-01"},
            {"id": 2, "price": 3.0, "zip": "99999", "flag": False, "note": "x", "when": ""},
            {"id": None, "price": None, "zip": "", "flag": None, "note": "", "when": ""},
        ] == read(path)

    def test_late_text_in_a_column_of_numbers(self, tmp_path: Path) -> None:
        rows = read(put(tmp_path, "data.csv", "a,b\n" + "1,0\n" * 1_500 + "n/a,0\n"))

        assert ([1] * 1_500) + ["n/a"] == [row["a"] for row in rows]

    @pytest.mark.parametrize("quote", ["", '"'])
    def test_wide_cells(self, tmp_path: Path, quote: str) -> None:
        """A cell may be as large as a record, not only 128 KiB."""
        wide = "x" * (3 << 20)

        assert [{"a": wide, "b": 1}] == read(put(tmp_path, "data.csv", f"a,b\n{quote}{wide}{quote},1\n"))

    @pytest.mark.parametrize(
        ("head", "names"),
        [
            ('"a;b;c",x', ["a;b;c", "x"]),
            ('\ufeff"a;b;c",x', ["a;b;c", "x"]),
            ('x,"a;""b"";c;\nd"', ["x", 'a;"b";c;\nd']),
            ('5" disk;size', ['5" disk', "size"]),
        ],
    )
    def test_delimiters_within_quotes_are_text(self, tmp_path: Path, head: str, names: list[str]) -> None:
        delimiter = ";" if head.startswith("5") else ","
        found = read(put(tmp_path, "data.csv", f"{head}\n1{delimiter}2\n"))
        assert found == [dict(zip(names, [1, 2], strict=True))]

    @pytest.mark.parametrize(
        "text", ["a,b\r1,2\n3,4\r\n5,6", "a,b\n1,2\r\r\n3,4\r5,6\n", "a,b\r\n1,2\r3,4\r5,6\r\n"]
    )
    def test_line_ends_may_differ(self, tmp_path: Path, text: str) -> None:
        assert [{"a": 1, "b": 2}, {"a": 3, "b": 4}, {"a": 5, "b": 6}] == read(put(tmp_path, "a.csv", text))

    def test_line_ends_within_quotes_are_kept(self, tmp_path: Path) -> None:
        assert [{"a": "1\r2\n3\r\n4"}] == read(put(tmp_path, "a.csv", 'a\r\n"1\r2\n3\r\n4"\r\n'))

    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_delimiters(self, tmp_path: Path, delimiter: str) -> None:
        text = delimiter.join(["a", "b", "c"]) + "\n" + delimiter.join(["1", "x", '"y, z"']) + "\n"

        assert [{"a": 1, "b": "x", "c": "y, z"}] == read(put(tmp_path, "data.csv", text))

    def test_bad_rows(self, tmp_path: Path) -> None:
        content = b'a,b\n1,2\n1\n1,2,3\n"x"y,2\n\xff,2\n"two\nlines",4\n5,6\n'
        corpus = datasets.corpus(put(tmp_path, "data.csv", content), skip_invalid=True)

        assert [("1", 2), ("two\nlines", 4), ("5", 6)] == [tuple(row.values()) for row in corpus.records()]
        assert ["line 3", "line 4", "line 5", "line 6"] == [where.split(", ")[1] for where, _ in corpus.bad]

    @pytest.mark.parametrize("text", ["a\rb", "a\r", "a\r\nb", "a\nb", ' "a", '])
    def test_text_with_line_ends_survives(self, tmp_path: Path, text: str) -> None:
        records = [{"a": text, "b": "x"}, {"a": "y", "b": text}]

        assert records == read(write_all(tmp_path, "data.csv", records))

    def test_nested_records_are_no_rows(self, tmp_path: Path) -> None:
        with pytest.raises(Exception, match=r"record 1 cannot be written as csv: field 'a' is a dict"):
            write_all(tmp_path, "data.csv", [{"a": {"b": 1}}])

    @pytest.mark.parametrize("record", [{}, None, 5, "text", [1], [{"a": 1}]], ids=repr)
    def test_values_without_fields_are_no_rows(self, tmp_path: Path, record: Any) -> None:
        for records in ([record], [{"a": 1}, record]):
            where = rf"record {len(records)} cannot be written as csv: expected a dict with fields, got "
            with pytest.raises(Exception, match=where + type(record).__name__):
                write_all(tmp_path, "data.csv", records)

    @pytest.mark.parametrize(
        ("first", "second", "told"),
        [
            ("a", "ab", "field 'b' is not in both"),
            ("ab", "a", "field 'b' is not in both"),
            ("ab", "bc", "field 'a' is not in both"),
            ("m", "hgfbecd", "field 'b' is not in both"),
            ("ab", "ba", "other order"),
        ],
    )
    def test_other_fields_are_no_rows(self, tmp_path: Path, first: str, second: str, told: str) -> None:
        records = [dict.fromkeys(first, 1), dict.fromkeys(second, 2)]
        with pytest.raises(Exception, match=rf"record 2 cannot be written as csv: .*\({told}\)"):
            write_all(tmp_path, "data.csv", records)


class TestBinary:
    @pytest.mark.parametrize(
        ("name", "encode"),
        [("msgpack", msgpack.packb), ("cbor", cbor2.dumps), ("pickle", pickle.dumps), ("yaml", yaml.dump)],
    )
    def test_one_list_stands_for_its_items(
        self, tmp_path: Path, name: str, encode: Callable[[Any], bytes]
    ) -> None:
        path = put(tmp_path, f"data.{name}", encode([{"a": 1}, {"a": 2}]))

        assert [{"a": 1}, {"a": 2}] == read(path, trust_files=True)

    def test_several_lists_are_records(self, tmp_path: Path) -> None:
        path = put(tmp_path, "data.msgpack", msgpack.packb([1]) + msgpack.packb([2]))

        assert [[1], [2]] == read(path)

    def test_bson_of_a_database(self, tmp_path: Path) -> None:
        key = bson.ObjectId()
        moment = datetime(2020, 1, 2, tzinfo=UTC)
        document = {"_id": key, "n": bson.Int64(2**40), "d": bson.Decimal128("1.10"), "t": moment}
        (record,) = read(put(tmp_path, "dump.bson", bson.encode(document)))

        assert {"_id": str(key), "n": 2**40, "d": Decimal("1.10"), "t": moment} == record
        assert [str, int, Decimal, datetime] == [type(value) for value in record.values()]

    @pytest.mark.parametrize(
        ("value", "plain"),
        [
            (bson.Binary(b"x", 5), b"x"),
            (bson.Code("f()"), "f()"),
            (bson.Timestamp(1, 2), datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)),
            (bson.DBRef("c", bson.ObjectId(b"a" * 12), "db"), {"$ref": "c", "$id": "61" * 12, "$db": "db"}),
            (bson.Decimal128("1.0"), Decimal("1.0")),
        ],
    )
    def test_types_of_bson_become_plain(self, tmp_path: Path, value: Any, plain: Any) -> None:
        (record,) = read(put(tmp_path, "a.bson", bson.encode({"a": [{"b": value}]})))

        assert equal({"a": [{"b": plain}]}, record)
        assert equal(record, pickle.loads(pickle.dumps(record)))

    @pytest.mark.parametrize(
        "value", [bson.Regex("a"), bson.MinKey(), bson.MaxKey(), re.compile("a"), bson.Code("f()", {"a": 1})]
    )
    def test_other_types_of_bson_are_refused_with_their_place(self, tmp_path: Path, value: Any) -> None:
        data = GOOD + bson.encode({"a": [{"b": value}]}) + GOOD
        path = put(tmp_path, "a.bson", data)
        kinds = "(Code|MaxKey|MinKey|Regex)"
        with pytest.raises(BadRecord, match=rf"record 2: holds {kinds}\b.* at \$\.a\[0\]\.b, which other"):
            read(path)
        assert [{"a": 1}, {"a": 1}] == read(path, skip_invalid=True)

    def test_self_described_cbor_is_plain(self, tmp_path: Path) -> None:
        """Tag 55799 of RFC 8949, section 3.4.6; cbor2 reads what it tags as immutable values."""
        for times in (1, 2):
            mark = b"\xd9\xd9\xf7" * times
            path = put(
                tmp_path, "a.cbor", mark + cbor2.dumps({"a": [{}, {"b": 1}]}) + mark + cbor2.dumps([1])
            )

            assert equal([{"a": [{}, {"b": 1}]}, [1]], read(path))
        path = put(tmp_path, "b.cbor", b"\xd9\xd9\xf7" + cbor2.dumps(RECORDS))
        assert equal(RECORDS, read(path))

    @pytest.mark.parametrize(
        ("value", "plain"),
        [(ip_address("::1"), "::1"), (ip_network("10.0.0.0/8"), "10.0.0.0/8"), ({(1, 2): 3}, {(1, 2): 3})],
    )
    def test_types_of_cbor_become_plain(self, tmp_path: Path, value: Any, plain: Any) -> None:
        assert equal([{"a": plain}], read(put(tmp_path, "a.cbor", cbor2.dumps({"a": value}))))

    @pytest.mark.parametrize(
        "value",
        [
            cbor2.CBORTag(999, 1),
            cbor2.CBORSimpleValue(99),
            cbor2.undefined,
            Fraction(1, 3),
            re.compile("a"),
            {cbor2.CBORTag(999, 1): 1},
            {cbor2.frozendict({1: 2}): 3},
            cbor2.CBORTag(258, [{"a": 1}]),
        ],
        ids=repr,
    )
    def test_other_types_of_cbor_are_refused_with_their_place(self, tmp_path: Path, value: Any) -> None:
        path = put(tmp_path, "a.cbor", cbor2.dumps({"a": 1}) + cbor2.dumps({"a": [{"b": value}]}))
        with pytest.raises(BadRecord, match=r"record 2: holds .* at \$\.a\[0\]\.b"):
            read(path)

    def test_extensions_of_msgpack_are_refused_with_their_place(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.msgpack", msgpack.packb({"a": msgpack.ExtType(5, b"x")}))
        with pytest.raises(BadRecord, match=r"ExtType.* at \$\.a"):
            read(path)

    def test_lying_length(self, tmp_path: Path) -> None:
        heads = {
            "bson": b"\xff\xff\xff\x7f",
            "msgpack": b"\xc6\xff\xff\xff\xff",
            "cbor": b"\x5b\0\0\0\x7f\xff\xff\xff\xff",
        }
        for name, head in heads.items():
            with pytest.raises(BadRecord):
                read(put(tmp_path, f"data.{name}", head + b"x"))

    def test_cbor_record_too_large(self, tmp_path: Path) -> None:
        path = put(tmp_path, "data.cbor", b"\x01\x5b" + (2**27).to_bytes(8, "big"))
        os.truncate(path, 2**27)
        with pytest.raises(BadRecord, match=r"record 2: .* at byte 1: it takes more than 67,108,864 bytes"):
            read(path)

    def test_cbor_sequence(self, tmp_path: Path) -> None:
        records = [{"n": n, "text": "x" * (n % 700)} for n in range(2_000)]

        assert records == read(put(tmp_path, "data.cbor", b"".join(map(cbor2.dumps, records))))

    def test_pickle_needs_trust(self, tmp_path: Path) -> None:
        path = put(tmp_path, "data.pickle", b"cos\nsystem\n(S'exit 1'\ntR.")
        for source in (path, tmp_path):
            with pytest.raises(UntrustedCorpus, match="--trust-files"):
                datasets.corpus(source)


class TestYaml:
    def test_documents(self, tmp_path: Path) -> None:
        text = "# head\n%YAML 1.1\n---\na: 1\n--- # note\n--- {a: 2}\n...\n# end\n---\na: 3\n---\n"

        assert [{"a": 1}, {"a": 2}, {"a": 3}] == read(put(tmp_path, "data.yaml", text))

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "text",
        [
            "[" * 100_000,
            "&a [*a]",
            "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10) if n else 1}]\n" for n in range(12)),
            "!!python/object/apply:os.system ['exit 1']",
        ],
    )
    def test_hostile(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(BadRecord):
            read(put(tmp_path, "data.yaml", text))


class TestSkipping:
    @pytest.mark.parametrize(
        ("name", "content", "kept", "place"),
        [
            ("a.msgpack", b"\x01\xa2\xff\xff\x02", [1, 2], "byte 1, record 2"),
            ("a.bson", GOOD + b"\x0c\0\0\0\x99aaaaaa\0" + GOOD, [{"a": 1}, {"a": 1}], "record 2"),
            # Tag 28: share; tag 29: refer to shared value 0.
            ("a.cbor", b"\x01\xd8\x1c\x81\xd8\x1d\x00\x02", [1, 2], "record 2"),
            (
                "a.yaml",
                b"a: 1\n---\na: [\n---\na: 3\n",
                [{"a": 1}, {"a": 3}],
                "document 2, which starts at line 2",
            ),
        ],
    )
    def test_a_bad_record_costs_itself(
        self, tmp_path: Path, name: str, content: bytes, kept: list[Any], place: str
    ) -> None:
        corpus = datasets.corpus(put(tmp_path, name, content), skip_invalid=True)

        assert kept == list(corpus.records())
        assert 1 == corpus.skipped
        assert place in corpus.bad[0][0]

    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("a.jsonl", "nope\nnope\n", r"contains no records that can be read; 2 skipped.*line 1"),
            # Two columns of one name would hide one of them, and the first row would pass for a bad header.
            ("a.csv", "a,a\n1,2\n", "column 'a' twice"),
            (
                "a.csv",
                "prénom,âge\nAnna,3\n".encode("latin-1"),
                "line 1: the header cannot be read: not UTF-8",
            ),
            ("a.jsonl.gz", '{"a": 1}\n', "cannot be read beyond byte"),
        ],
    )
    def test_what_has_no_good_record_is_refused(
        self, tmp_path: Path, name: str, content: bytes | str, said: str
    ) -> None:
        with pytest.raises(UnreadableCorpus, match=said):
            read(put(tmp_path, name, content), skip_invalid=True)

    @pytest.mark.parametrize(
        ("name", "content", "helps"),
        [
            ("a.jsonl", "nope\n", False),
            ("a.jsonl", "nope\n{}\n", True),
            ("a.jsonl", "{}\nnope\n", True),
            ("a.jsonl", "nope\n" * 5_000, False),
            ("a.json", '{"a": }', False),
            ("a.json", "[1, nope]", True),
            ("a.cbor", b"\xff", False),
            ("a.cbor", b"\x01\xff", True),
            ("a.msgpack", b"\xc1", False),
            ("a.bson", b"\xff\xff\xff\xff", False),
            ("a.yaml", "a: [\n", False),
            ("a.yaml", "a: [\n---\na: 1\n", True),
            ("a.csv", "a,b\n1\n", False),
            ("a.csv", "a,b\n1\n1,2\n", True),
        ],
    )
    def test_is_offered_where_it_helps(
        self, tmp_path: Path, name: str, content: bytes | str, helps: bool
    ) -> None:
        with pytest.raises(BadRecord) as caught:
            read(put(tmp_path, name, content))

        assert helps is ("--skip-invalid" in str(caught.value))


class TestCompression:
    @pytest.mark.parametrize("ending", [ending for ending in COMPRESSORS if ending])
    def test_cut_short(self, tmp_path: Path, ending: str) -> None:
        packed = COMPRESSORS[ending](os.urandom(5_000).hex().encode() + b"\n")
        path = put(tmp_path, f"data.jsonl{ending}", packed[:-100])
        with pytest.raises(UnreadableCorpus):
            read(path, skip_invalid=True)

    def test_several_zstd_frames(self, tmp_path: Path) -> None:
        pack = zstandard.ZstdCompressor().compress

        assert [1, 2] == read(put(tmp_path, "data.jsonl.zst", pack(b"1\n") + pack(b"2\n")))

    def test_recognised_by_content(self, tmp_path: Path) -> None:
        assert [1] == read(put(tmp_path, "data", gzip.compress(b"1\n")), format="jsonl")

    def test_missing_library(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = put(tmp_path, "data.jsonl.zst", zstandard.ZstdCompressor().compress(b"1\n"))
        monkeypatch.setitem(sys.modules, "zstandard", None)
        with pytest.raises(UsageError, match=r"pip install 'bakeoff\[zstd\]'"):
            read(path)


class TestFolders:
    def test_files_in_order(self, tmp_path: Path) -> None:
        put(tmp_path, "b.jsonl", "2\n")
        put(tmp_path, "a.json", "[1]")
        (tmp_path / "c").mkdir()
        put(tmp_path / "c", "d.csv", "n\n3\n")
        put(tmp_path, "README", "no records")
        put(tmp_path, ".hidden.jsonl", "nope")
        for hidden in (".git", "c/.ipynb_checkpoints"):
            (tmp_path / hidden / "deeper").mkdir(parents=True)
            put(tmp_path / hidden, "e.jsonl", "4\n")
            put(tmp_path / hidden / "deeper", "f.jsonl", "5\n")
        corpus = datasets.corpus(tmp_path)

        assert [1, 2, {"n": 3}] == list(corpus.records())
        assert tmp_path.name == corpus.name
        assert 3 == corpus.count()

    def test_hash_changes_with_names_and_contents(self, tmp_path: Path) -> None:
        """The hash of a folder is that of the listing sha256sum would print."""
        put(tmp_path, "a.jsonl", "1\n")
        put(tmp_path, "b.jsonl", "2\n")
        listing = "".join(
            f"{hashlib.sha256(content).hexdigest()}  {name}\n"
            for name, content in (("a.jsonl", b"1\n"), ("b.jsonl", b"2\n"))
        )

        assert hashlib.sha256(listing.encode()).hexdigest() == datasets.corpus(tmp_path).sha256

    def test_limit_over_files(self, tmp_path: Path) -> None:
        put(tmp_path, "a.jsonl", "1\n2\n")
        put(tmp_path, "b.jsonl", "3\nnope\n")

        assert [1, 2, 3] == read(tmp_path, records=3)

    def test_bad_record_names_its_file(self, tmp_path: Path) -> None:
        put(tmp_path, "a.jsonl", "1\n")
        put(tmp_path, "b.jsonl", "nope\n")
        with pytest.raises(BadRecord, match=r"b\.jsonl, line 1"):
            read(tmp_path)

    def test_results_of_earlier_runs_are_no_records(self, tmp_path: Path) -> None:
        put(tmp_path, "a.json", '{"a": 1}')
        assert datasets.corpus(tmp_path).remark == ""
        for number, name in enumerate(("bakeoff.20261123T012802Z.json", "other.json"), 1):
            put(tmp_path, name, '{"benchmarks": [{"metadata": {"bakeoff_result": 1}}]}')
            corpus = datasets.corpus(tmp_path)

            assert [{"a": 1}] == list(corpus.records())
            assert corpus.remark == f"{tmp_path}: {number} result file{'s' * (number > 1)} of bakeoff skipped"

    def test_nothing_in_it(self, tmp_path: Path) -> None:
        with pytest.raises(UnreadableCorpus, match="no file of records"):
            datasets.corpus(tmp_path)


class TestOtherSources:
    @pytest.mark.slow
    def test_pipe(self, tmp_path: Path) -> None:
        script = (
            "from bakeoff.datasets import corpus\n"
            "c = corpus('-')\n"
            "print(len(list(c.records())), len(list(c.records())), c.name, c.sha256)"
        )
        content = b'{"a": 1}\n{"a": 2}\n'
        for data in (content, gzip.compress(content, mtime=0)):
            done = subprocess.run([sys.executable, "-c", script], input=data, capture_output=True, check=True)

            assert f"2 2 stdin {hashlib.sha256(data).hexdigest()}" == done.stdout.decode().strip()

    @pytest.mark.parametrize(
        ("head", "expected"),
        [
            (b'{"a": 1}', "json"),
            (b"\xef\xbb\xbf [1]", "json"),
            (b"---\na: 1\n", "yaml"),
            (b"%YAML 1.1\n", "yaml"),
            (b"PAR1\x15", "parquet"),
            (b"ARROW1\0\0", "arrow"),
            (b"\x93NUMPY\1\0", "npy"),
            (b"Obj\1\4", "avro"),
            (b"\xff\xff\xff\xff\x10\0", "arrow"),
            (b"\x1e{}\n", "jsonl"),
            ('{"a": 1}'.encode("utf-16-be"), "json"),
            (b"[1, 2]", "json"),
            (b"[\n  null]", "json"),
            (b"[]", "json"),
            (b"\xd9\xd9\xf7\x01", "cbor"),
            (msgpack.packb({"a": 1}), "msgpack"),
            (msgpack.packb([{"name": 1}]), "msgpack"),
            (cbor2.dumps({"a": 1}), "cbor"),
            (cbor2.dumps([{"name": 1}]), "cbor"),
            (GOOD, "bson"),
            (pickle.dumps({"a": 1}), "pickle"),
        ],
    )
    def test_sniff(self, head: bytes, expected: str) -> None:
        assert expected == sniff(head, "standard input").name

    @pytest.mark.parametrize(
        "head",
        [
            b"a,b\n1,2\n",
            b"[section]\na = 1\n",
            b"[2024-01-01 12:00:00] started\n",
            b"{section}",
            b"1\n",
            b"\x81\x82",
        ],
    )
    def test_sniff_fails(self, head: bytes) -> None:
        with pytest.raises(UnknownFormat, match="--from"):
            sniff(head, "standard input")

    def test_without_content_there_is_no_format_to_choose(self, tmp_path: Path) -> None:
        with pytest.raises(NoRecords, match="standard input: contains no records"):
            sniff(b"", "standard input")
        with pytest.raises(NoRecords, match="nothing: contains no records"):
            read(put(tmp_path, "nothing", b""))

    @pytest.mark.parametrize("kind", ["jsonl", "json", "msgpack", "bson", "cbor", "pickle"])
    @pytest.mark.parametrize("name", ["records", "records.log", "records.dat.gz", "records.2024"])
    def test_content_shows_the_format_of_other_files(self, tmp_path: Path, kind: str, name: str) -> None:
        path = write_all(tmp_path, f"data.{kind}")
        data = gzip.compress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()

        assert RECORDS == read(put(tmp_path, name, data), trust_files=True)

    @pytest.mark.parametrize("name", ["a.har", "a.ipynb", "a.geojsonl", "a.ldjson", "a.geojsonseq"])
    def test_endings_of_json_in_folders(self, tmp_path: Path, name: str) -> None:
        put(tmp_path, name, '{"a": 1}\n')
        put(tmp_path, "a.log", '{"b": 1}\n')

        assert [{"a": 1}] == read(tmp_path)

    @pytest.mark.slow
    def test_no_room_for_a_pipe(self, tmp_path: Path) -> None:
        def limited() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        done = subprocess.run(
            [sys.executable, "-m", "bakeoff", "corpora", "-"],
            input=b"1\n" * 200_000,
            capture_output=True,
            check=False,
            preexec_fn=limited,
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )

        assert 1 == done.returncode
        assert f"cannot be copied to {tmp_path} for reading: File too large" in done.stderr.decode()
        assert [] == list(tmp_path.iterdir())

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("form", "line"), [("jsonl", '{"a": 1}'), ("csv", "1,2"), ("msgpack", "abc"), ("yaml", "--- {a: 1}")]
    )
    def test_the_first_records_of_an_endless_pipe(self, form: str, line: str) -> None:
        script = (
            "from bakeoff.datasets import corpus\n"
            f"c = corpus('-', 1200, format={form!r})\n"
            "print(len(list(c.records())), c.sha256)"
        )
        endless = subprocess.Popen(["yes", "--", line], stdout=subprocess.PIPE)
        try:
            command = [sys.executable, "-c", script]
            done = subprocess.run(command, stdin=endless.stdout, capture_output=True, check=True, timeout=600)
        finally:
            endless.kill()
            endless.communicate()
        kept = (f"{line}\n" * (1 << 20)).encode()[: 1 << 20]

        assert f"1200 {hashlib.sha256(kept).hexdigest()}" == done.stdout.decode().strip()

    @pytest.mark.slow
    @pytest.mark.parametrize("cells", [700, 60_000])
    def test_the_first_records_are_those_of_the_whole(self, cells: int) -> None:
        text = "a,b\n" + "".join(f"{number}.5,{'x' * cells}\n" for number in range(1_500))
        reading = ReadOptions(format="csv", limit=30)
        corpus = pipe(io.BytesIO(text.encode()), "made", "made", reading)

        assert [n + 0.5 for n in range(30)] == [row["a"] for row in corpus.records()]

    def test_only_pipes_are_read_once(self, tmp_path: Path) -> None:
        put(tmp_path, "a.jsonl", "1\n")
        os.mkfifo(tmp_path / "pipe")
        read_once = {name: is_read_once(str(tmp_path / name)) for name in ("a.jsonl", "pipe", "", "missing")}

        assert {"a.jsonl": False, "pipe": True, "": False, "missing": False} == read_once
        assert is_read_once("-")
        assert not is_read_once("movies")

    def test_a_bad_record_names_the_source(self) -> None:
        corpus = pipe(io.BytesIO(b"1\nnope\n"), "piped", "standard input", ReadOptions("jsonl"))
        with pytest.raises(BadRecord, match=r"^standard input, line 2"):
            list(corpus.records())

    def test_a_pipe_without_end_leaves_room_for_others(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(files, "MOST_PIPED", 3 << 20)
        endless = cycle([b"{}\n" * 100_000])
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

        with pytest.raises(UnreadableCorpus, match=r"more than the 3,145,728 bytes of a pipe.*--records N"):
            pipe(io.BufferedReader(Pieces(endless)), "made", "made", ReadOptions("jsonl"))
        assert [] == list(tmp_path.iterdir())

    def test_a_pipe_takes_half_of_the_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Other programs can still write to the same disk."""
        monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=8 << 20))
        for millions, fits in ((1, True), (2, False)):
            file = io.BytesIO(b"{}\n" * (millions << 20))
            with nullcontext() if fits else pytest.raises(UnreadableCorpus, match="half of the room there"):
                pipe(file, "made", "made", ReadOptions("jsonl"))

    def test_endless_garbage_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Bad records are passed over on request, but not until the disk is full."""
        monkeypatch.setattr(files, "RECORD_LIMIT", 1 << 20)
        garbage = chain([b"{}\n{}\n"], repeat(b"{" * 999_999 + b"\n", 40))

        with pytest.raises(UnreadableCorpus, match="no further record in"):
            pipe(
                io.BufferedReader(Pieces(garbage)),
                "made",
                "made",
                ReadOptions("jsonl", limit=3, skip_invalid=True),
            )
        assert next(garbage, None)

    def test_what_is_wrong_at_the_start_ends_an_endless_pipe(self) -> None:
        """More of it would change nothing."""
        endless = cycle([b"{}\n{\n" + b"{}\n" * 300_000])
        corpus = pipe(io.BufferedReader(Pieces(endless)), "made", "made", ReadOptions("jsonl", limit=3))

        with pytest.raises(BadRecord, match="line 2"):
            list(corpus.records())

    def test_no_pickle_in_a_pipe_is_looked_into(self) -> None:
        with pytest.raises(UntrustedCorpus):
            pipe(io.BytesIO(pickle.dumps([1])), "made", "made", ReadOptions("pickle", limit=1))

    @pytest.mark.slow
    def test_fifo(self, tmp_path: Path) -> None:
        """A named pipe (what `<(command)` gives) is read once and kept."""
        path = tmp_path / "pipe"
        os.mkfifo(path)
        writer = subprocess.Popen([sys.executable, "-c", f"open({str(path)!r}, 'w').write('[1, 2]')"])
        corpus = datasets.corpus(path)
        writer.wait()

        assert [1, 2] == list(corpus.records()) == list(corpus.records())

    def test_unknown_ending(self, tmp_path: Path) -> None:
        path = put(tmp_path, "data.log", "1\n")
        with pytest.raises(UnknownFormat, match="--from"):
            datasets.corpus(path)
        for content in ("1\n", '{"a": 1}\n'):
            with pytest.raises(UnknownFormat, match="no format 'nope'"):
                datasets.corpus(put(tmp_path, "other.log", content), format="nope")

        assert [1] == read(path, format="jsonl")

    def test_avro_brings_its_schema(self, tmp_path: Path) -> None:
        data = (Path(__file__).parent.parent / "data" / "avro" / "orders.avro").read_bytes()
        (tmp_path / "one").mkdir()
        path = put(tmp_path / "one", "orders.avro", data)
        schema = datasets.corpus(path).schema
        assert isinstance(schema, Schema)
        avro = codec("avro", schema=schema)
        records = list(datasets.corpus(path).records())
        assert [avro.decode(avro.encode(record)) for record in records] == records

        put(tmp_path / "one", "more.avro.gz", gzip.compress(data))
        assert datasets.corpus(tmp_path / "one").schema.layout == schema.layout
        file = io.BytesIO()
        codec("avro", schema=Schema({"id": int})).dump([{"id": 1}], file)
        put(tmp_path / "one", "other.avro", file.getvalue())
        assert datasets.corpus(tmp_path / "one").schema is None
        assert datasets.corpus(path, at="$.lines").schema is None
        assert datasets.corpus(put(tmp_path, "a.jsonl", b'{"a": 1}\n')).schema is None
        with pytest.raises(UnreadableCorpus, match=r"cut\.avro"):
            assert datasets.corpus(put(tmp_path, "cut.avro", data[:60])).schema

    @pytest.mark.parametrize("kind", ["timestamp-nanos", "local-timestamp-nanos"])
    def test_avro_in_nanoseconds_is_cut_with_a_remark(self, kind: str, tmp_path: Path) -> None:
        times = {"type": "array", "items": {"type": "long", "logicalType": kind}}
        schema = {"type": "record", "name": "R", "fields": [{"name": "at", "type": times}]}
        file = io.BytesIO()
        fastavro.writer(file, schema, [{"at": [1_234_567_891]}])
        corpus = datasets.corpus(put(tmp_path, "fine.avro", file.getvalue()))

        assert [234_567] == [at.microsecond for record in corpus.records() for at in record["at"]]
        assert "nanoseconds are cut to microseconds" in corpus.remark

    def test_avro_of_an_inner_class_of_java(self, tmp_path: Path) -> None:
        order = {"type": "record", "name": "Order", "namespace": "org.acme.Shop$"}
        order |= {"fields": [{"name": "id", "type": "long"}, {"name": "of", "type": ["null", "Order"]}]}
        records = [{"id": 1, "of": {"id": 2, "of": None}}]
        file = io.BytesIO()
        fastavro.writer(file, order, records)
        corpus = datasets.corpus(put(tmp_path, "orders.avro", file.getvalue()))

        assert records == list(corpus.records())
        avro = codec("avro/bare", schema=corpus.schema)
        assert records[0] == avro.decode(avro.encode(records[0]))
        assert b"message Order {" in corpus.schema.definition("protobuf")

    def test_avro(self, tmp_path: Path) -> None:
        """By the schema of the file, whatever wrote it; it is not written, as that wants a schema."""
        orders = Path(__file__).parent.parent / "data" / "avro" / "orders.avro"
        records = read(orders)

        assert (20, "PAID", Decimal("-123.45")) == (len(records), records[1]["state"], records[1]["total"])
        packed = put(tmp_path, "orders.avro.gz", gzip.compress(orders.read_bytes()))
        assert records == read(packed)
        with pytest.raises(BadRecord, match="ends within"):
            read(put(tmp_path, "cut.avro", orders.read_bytes()[:-20]))
        with pytest.raises(UnreadableCorpus, match="not an Avro container"):
            read(put(tmp_path, "other.avro", b"PAR1" * 9))
        with pytest.raises(RunError, match="it needs a schema"):
            write(records, io.BytesIO(), file_formats()["avro"])

    def test_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(UnknownCorpus, match=r"no file named 'nope\.jsonl'"):
            datasets.corpus("nope.jsonl")
        orders = put(tmp_path, "orders.jsonl", b"1")
        with pytest.raises(UnknownCorpus, match=re.escape(f"did you mean {orders}?")):
            datasets.corpus(str(tmp_path / "orders.json"))

    def test_a_program_is_not_a_file_of_records(self, tmp_path: Path) -> None:
        program = put(tmp_path, "objects.py", b"rows = [1]")
        with pytest.raises(UnknownFormat, match=re.escape(f"function of records: {program}:rows")):
            datasets.corpus(str(program))

    def test_function(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        put(
            tmp_path,
            "my_records.py",
            'def few():\n    """A few."""\n    for n in range(5):\n        yield {"n": n}\n'
            "def broken():\n    yield 1\n    raise KeyError('oops')\n"
            "def none():\n    return []\n"
            "def odd():\n    return [{'a': object}, {'a': object}]\n"
            "def endless():\n    n = 0\n    while True:\n        yield n\n"
            "value = 1\n",
        )
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", list(sys.path))
        corpus = datasets.corpus("my_records:few")

        assert [{"n": n} for n in range(5)] == list(corpus.records()) == list(corpus.records())
        assert "few" == corpus.name
        assert "A few." == corpus.description
        assert hashlib.sha256(b"".join(b'{"n":%d}\n' % n for n in range(5))).hexdigest() == corpus.sha256
        assert 3 == datasets.corpus("my_records:endless", 3).count()
        assert 64 == len(datasets.corpus("my_records:odd").sha256)
        assert "bytes_mean" not in datasets.corpus("my_records:odd").profile()
        with pytest.raises(UnreadableCorpus, match="record 2: KeyError: 'oops'"):
            list(datasets.corpus("my_records:broken").records())
        with pytest.raises(UnreadableCorpus, match="no record"):
            list(datasets.corpus("my_records:none").records())
        for name, cause in (
            ("value", "of type int; expected a list of records"),
            ("nope", "my_records has no nope; did you mean none"),
        ):
            with pytest.raises(UsageError, match=cause):
                datasets.corpus(f"my_records:{name}")
        with pytest.raises(UsageError, match="ModuleNotFoundError"):
            datasets.corpus("no_such_module:f")

    @pytest.mark.parametrize("where", ["gen.py", "./gen.py", "{tmp_path}/gen.py", "gen"])
    @pytest.mark.parametrize("name", ["rows", "LIST", "TUPLE", "made", "Rows", "ROWS"])
    def test_files_and_lists(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, name: str
    ) -> None:
        put(
            tmp_path,
            "gen.py",
            "import neighbor\n"
            "rows = neighbor.rows\n"
            "LIST = list(rows())\nTUPLE = tuple(LIST)\nmade = (row for row in LIST)\n"
            "class Rows:\n    def __iter__(self):\n        return rows()\n"
            "ROWS = Rows()\n",
        )
        put(tmp_path, "neighbor.py", "def rows():\n    return ({'n': n} for n in range(5))\n")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", list(sys.path))
        for module in ("gen", "neighbor"):
            monkeypatch.delitem(sys.modules, module, raising=False)
        corpus = datasets.corpus(f"{where.format(tmp_path=tmp_path)}:{name}")

        assert [{"n": n} for n in range(5)] == list(corpus.records()) == list(corpus.records())
        assert corpus.count() == 5
        for module in ("gen", "neighbor"):
            monkeypatch.delitem(sys.modules, module, raising=False)

    def test_endless_iterators(self, tmp_path: Path) -> None:
        file = put(
            tmp_path, "endless_rows.py", "import itertools\nROWS = ({'n': n} for n in itertools.count())\n"
        )
        corpus = datasets.corpus(f"{file}:ROWS", 3)

        assert corpus.count() == 3
        assert [{"n": 0}, {"n": 1}, {"n": 2}] == list(corpus.records())

    @pytest.mark.parametrize(
        ("source", "said"),
        [
            ("none.py:rows", "none.py: no such file"),
            ("bad.py:rows", "bad.py cannot be imported: ZeroDivisionError"),
            ("ends.py:rows", "ends.py cannot be imported: it exits with 3"),
            ("fine.py:rwos", "fine.py has no rwos; did you mean rows?"),
            ("fine.py:text", "of type str; expected a list"),
            ("fine.py:one", "of type dict; expected a list"),
        ],
    )
    def test_files_that_give_no_records(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
    ) -> None:
        put(tmp_path, "bad.py", "1 / 0")
        put(tmp_path, "ends.py", "import sys; sys.exit(3)")
        put(tmp_path, "fine.py", "rows = [{}]\ntext = 'x'\none = {'a': 1}\n")
        monkeypatch.chdir(tmp_path)
        with pytest.raises(UsageError, match=re.escape(said)):
            datasets.corpus(source)

    def test_built_in_names_go_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        put(tmp_path, "movies", "[1]")
        monkeypatch.chdir(tmp_path)

        assert 10_000 == datasets.corpus("movies").count()
        assert [1] == list(datasets.corpus("./movies", format="json").records())

    def test_canonical_bytes(self, tmp_path: Path) -> None:
        for name in datasets.names():
            corpus = datasets.corpus(name, 30)
            path = tmp_path / f"{name}.jsonl"
            with path.open("wb") as file:
                codec("json").dump(corpus.records(), file)

            assert corpus.sha256 == datasets.corpus(path).sha256


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    for ending in ("jsonl", "json"):
        found = {}
        for count in (6_000, 100_000):
            path = tmp_path / f"{count}.{ending}"
            with path.open("wb") as file:
                write(datasets.corpus("movies", count).records(), file, file_formats()[ending])
            records, found[count] = survey(path)
            path.unlink()

            assert count == records
            # The files have 1 and 15 MB.
            assert found[count] < 100_000
        assert found[100_000] < found[6_000] + 5_000


@pytest.mark.parametrize("name", ["x" * 5000, "a/" * 3000, "a\0b", "\ud800/x", "a\0b/c"])
def test_a_name_that_no_file_can_have(name: str) -> None:
    with pytest.raises((UnknownCorpus, UnreadableCorpus)):
        datasets.corpus(name)


TWICE = '{"a": {"b": 1, "c": 2, "b": 3}}'


@pytest.mark.parametrize(
    ("name", "text", "at", "where"),
    [
        ("a.jsonl", f'{{"a": 1}}\n\n{TWICE}\n{TWICE}\n', None, "line 3"),
        ("a.json", f'[{{"a": 1}},\n{TWICE},\n{TWICE}]', None, "record 2"),
        ("a.json", f"{TWICE} {TWICE}", None, "record 1"),
        ("a.json", f'{{"items": [1, {TWICE}]}}', "$.items", "record 1"),
        ("a.jsonl", f'{{"items": [{TWICE}]}}\n' * 2, "$.items", "line 1"),
    ],
)
def test_a_key_that_is_twice_in_an_object_gets_a_remark(
    tmp_path: Path, name: str, text: str, at: str | None, where: str
) -> None:
    corpus = datasets.corpus(put(tmp_path, name, text), at=at)

    assert {"a": {"b": 3, "c": 2}} in list(corpus.records())
    said = f"{where}: the key 'b' is twice in an object; only the last value is read"
    assert f"{tmp_path / name}: {said}" == corpus.remark


def test_keys_that_are_twice_get_one_remark_in_a_folder(tmp_path: Path) -> None:
    for number in range(3):
        put(tmp_path, f"{number}.json", TWICE)
    corpus = datasets.corpus(tmp_path)

    assert 3 == len(list(corpus.records()))
    assert [str(tmp_path / "0.json")] == [line.partition(":")[0] for line in corpus.remark.splitlines()]


@given(
    st.recursive(
        st.none() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_keys_that_are_once_in_an_object_get_no_remark(value: Any) -> None:
    problems = Problems(skip=False)
    found = list(read_json(io.BufferedReader(io.BytesIO(json.dumps(value).encode())), problems))  # type: ignore[arg-type]

    assert equal(value if isinstance(value, list) else [value], found)
    assert [] == problems.remarks


def test_repeated_keys_are_looked_for_at_the_beginning_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_window, "_LOOKED_AT", 2)
    corpus = datasets.corpus(put(tmp_path, "a.jsonl", f"1\n2\n{TWICE}\n"))

    assert [1, 2, {"a": {"b": 3, "c": 2}}] == list(corpus.records())
    assert "" == corpus.remark


def test_a_list_in_a_file_of_lines_gets_a_remark(tmp_path: Path) -> None:
    corpus = datasets.corpus(path := put(tmp_path, "a.jsonl", '[{"a": 1}, {"a": 2}]\n'))

    assert [[{"a": 1}, {"a": 2}]] == list(corpus.records())
    assert f"{path}: the whole file is one list; --from json reads its items" == corpus.remark
    assert [{"a": 1}, {"a": 2}] == list(datasets.corpus(path, format="json").records())


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.jsonl", "a.yaml"])
@pytest.mark.parametrize(
    ("kind", "mark"), [("parquet", b"PAR1"), ("arrow", b"ARROW1"), ("avro", b"Obj\1"), ("npy", b"\x93NUMPY")]
)
def test_a_binary_file_is_not_read_as_text(tmp_path: Path, name: str, kind: str, mark: bytes) -> None:
    path = put(tmp_path, name, mark + bytes(99))

    with pytest.raises(UnknownFormat, match=rf"{name}: contains {kind}, and not \w+; add --from {kind}$"):
        read(path)
