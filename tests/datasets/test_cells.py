"""Cells of CSV: which texts are numbers, in which notation, and remarks on numbers that are read as text."""

from __future__ import annotations

import io
import json
import math
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inprocess
from bakeoff import datasets
from bakeoff.datasets import UnreadableCorpus
from bakeoff.datasets.passes import ReadOptions
from bakeoff.datasets.readers.csv import read_csv
from bakeoff.datasets.readers.problems import Problems
from bakeoff.errors import UsageError
from record_files import put, read

NUMBERS = st.one_of(
    st.integers(), st.integers(-(2**64), 2**64), st.floats(allow_nan=False, allow_infinity=False)
)


def rows(text: str, **how: Any) -> tuple[list[Any], list[str]]:
    problems = Problems(skip=False)
    found = list(read_csv(io.BufferedReader(io.BytesIO(text.encode())), problems, ReadOptions(**how)))
    return found, [remark.removeprefix(": ") for remark in problems.remarks]


def remark(cells: list[str], **how: Any) -> str:
    quoted = "".join(f'"{cell}",x\n' for cell in cells)
    _, remarks = rows(f"a,b\n{quoted}", **how)
    assert len(remarks) <= 1
    return "".join(remarks)


@given(st.lists(NUMBERS, min_size=1))
def test_numbers_of_json_and_of_python_are_numbers(numbers: list[int | float]) -> None:
    for write in (json.dumps, repr):
        found, remarks = rows("a,b\n" + "".join(f"{write(number)},x\n" for number in numbers))

        whole = all(isinstance(number, int) for number in numbers)
        for number, row in zip(numbers, found, strict=True):
            assert number == row["a"]
            # An integer that is no float stays one.
            exact = isinstance(number, int) and abs(number) >= 2**53
            assert type(row["a"]) is (int if whole or exact else float)
            assert math.copysign(1, number) == math.copysign(1, row["a"])
        assert [] == remarks


@pytest.mark.slow
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_of_pandas_are_numbers(numbers: list[float]) -> None:
    pd = pytest.importorskip("pandas", reason="missing here: pandas; pip install pandas")
    for how in ({}, {"float_format": "%.17g"}, {"float_format": "%e"}):
        text = pd.DataFrame({"a": [*numbers, None], "b": "x"}).to_csv(index=False, **how)
        found, _ = rows(text)

        assert found[-1]["a"] is None
        expected = numbers if how != {"float_format": "%e"} else [float(f"{each:e}") for each in numbers]
        assert [struct.pack("d", each) for each in expected] == [
            struct.pack("d", row["a"]) for row in found[:-1]
        ]


@pytest.mark.parametrize(
    "cell",
    ["+1", "00", "007", "1_000", "0x10", "-", "1.", ".5", "nan", "inf", "1e999", "٣", "1e", "--1", " 1"],
)
def test_other_texts_stay_text(cell: str) -> None:
    assert [{"a": cell, "b": 0}] == rows(f"a,b\n{cell},0\n")[0]


def test_long_integers_are_exact() -> None:
    digits = "1" * 600
    assert [{"a": int(digits)}, {"a": -(2**64)}] == rows(f"a\n{digits}\n{-(2**64)}\n")[0]
    assert [{"a": "1" * 5_000}] == rows(f"a\n{'1' * 5_000}\n")[0]


def test_a_number_after_the_first_rows_is_one_of_its_own_type() -> None:
    found, remarks = rows("a,b\n" + "1,\n" * 1_000 + "1.5,2\n")

    assert [1, 1.5] == [found[0]["a"], found[-1]["a"]]
    assert "2" == found[-1]["b"]
    assert [
        "column 'b': its first 1,000 cells are empty, so 1 cell after them is text, such as '2'"
    ] == remarks


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1,5", "2", "30,25"], "a decimal comma, such as '1,5'; --decimal-comma reads them as numbers"),
        (["1,234", "5", "1,234,567.8"], "thousands separators, such as '1,234'"),
        (["1 234", "5"], "thousands separators"),
        (["1'234", "5"], "thousands separators"),
        (["1.234,5", "5"], "thousands separators"),
        (["1", " 2", "3 "], "blanks around them, such as ' 2'"),
        (["1.5", ".5"], "a notation that JSON lacks, such as '.5'"),
        (["1.5", f".{'5' * 29}"], f"such as '.{'5' * 29}'"),
        (["1.5", f".{'5' * 30}"], f"such as '.{'5' * 28}…'"),
        (
            ["1", "2", "NA", "3"],
            "1 of its first 4 cells is not a number, such as 'NA'; --null-value NA reads it",
        ),
        (["1", "n/a", "2", "-", "5"], "such as 'n/a'; --null-value n/a --null-value - reads them as None"),
        (["1", "2", "a b", "3"], "--null-value 'a b' reads it as None"),
        (["1", "2", "3", "4", "5", "a", "b", "c", "d"], "4 of its first 9 cells are not a number"),
        (["1,5", "2,5", "NA", "3,5"], "a decimal comma"),
        (["true", "false", "true", "?"], "1 of its first 4 cells is not a boolean"),
        (["0.12345678901234567890", "1.5"], "1 cell with more than 17 digits"),
    ],
)
def test_numbers_that_are_read_as_text_are_remarked_on(cells: list[str], said: str) -> None:
    assert said in remark(cells)


@pytest.mark.parametrize(
    "cells",
    [
        ["a", "b"],
        ["007", "123"],
        ["1", "a"],
        ["2020-01-02"],
        ["1", "2.5", ""],
        ["a,b"],
        ["true", ""],
        ["v1", "2"],
        ["", ""],
    ],
)
def test_other_columns_have_no_remark(cells: list[str]) -> None:
    assert "" == remark(cells)


def test_few_remarks_are_made() -> None:
    header = ",".join(f"c{n}" for n in range(9))
    _, remarks = rows(f"{header}\n" + ",".join(["NA"] * 9) + "\n" + (",".join("1" * 9) + "\n") * 3)

    assert 6 == len(remarks)
    assert "4 more columns are like these" == remarks[-1]


def test_a_decimal_comma_on_request() -> None:
    text = "a;b;c\n1,5;-2,5e-05;1.5\n2;0,1;3\n"

    assert [{"a": 1.5, "b": -2.5e-05, "c": "1.5"}, {"a": 2.0, "b": 0.1, "c": "3"}] == rows(
        text, decimal_comma=True
    )[0]
    assert "without --decimal-comma they are numbers" in rows(text, decimal_comma=True)[1][0]


@pytest.mark.parametrize(
    ("text", "no_header", "expected"),
    [
        ("1,5;2,5\n", True, {"column1": 1.5, "column2": 2.5}),
        ("1,5\t2,5|3,5|4\n", True, {"column1": "1,5\t2,5", "column2": 3.5, "column3": 4}),
        ("1,5\n", True, {"column1": 1.5}),
        ('"1,5",x,2\n', True, {"column1": 1.5, "column2": "x", "column3": 2}),
        ("a\n1,5\n", False, {"a": 1.5}),
        ("net, EUR;gross, EUR\n1,5;2,5\n", False, {"net, EUR": 1.5, "gross, EUR": 2.5}),
        ('a,b\n"1,5",2\n', False, {"a": 1.5, "b": 2}),
    ],
)
def test_a_decimal_comma_is_no_delimiter(text: str, no_header: bool, expected: dict[str, Any]) -> None:
    assert [expected] == rows(text, no_header=no_header, decimal_comma=True)[0]


def test_a_first_row_without_names_on_request(tmp_path: Path) -> None:
    path = put(tmp_path, "data.csv", "1,a\n2,b\n")

    assert [{"column1": 1, "column2": "a"}, {"column1": 2, "column2": "b"}] == read(path, no_header=True)
    corpus = datasets.corpus(path)
    assert [{"1": 2, "a": "b"}] == list(corpus.records())
    assert (
        f"{path}: line 1 is read as the names of the columns; if it is a record, use --no-header"
        == corpus.remark
    )
    with pytest.raises(UnreadableCorpus, match="column '5' twice; if it is a record, use --no-header"):
        read(put(tmp_path, "twice.csv", "5,5\n6,7\n"))
    with pytest.raises(UnreadableCorpus, match="the first row cannot be read"):
        read(put(tmp_path, "latin.csv", b"\xff,1\n"), no_header=True, skip_invalid=True)


@pytest.mark.parametrize("text", ["2020-01-02,x\n2021-01-02,y\n", "1.5,2.5\n2,3\n", "true,x\nfalse,y\n"])
def test_a_header_like_a_row_is_remarked_on(text: str) -> None:
    assert ["line 1 is read as the names of the columns; if it is a record, use --no-header"] == rows(text)[1]


@pytest.mark.parametrize("text", ["0,1,2\n5,6,7\n", "id,2020\n1,2\n", "a,b\nx,y\n", ",a\n0,1\n"])
def test_other_headers_are_not(text: str) -> None:
    assert [] == rows(text)[1]


def test_remarks_reach_the_user_once(tmp_path: Path) -> None:
    path = put(tmp_path, "data.csv", "a;b\n1,5;x\n2,5;y\n")
    done = inprocess.bakeoff(tmp_path, "convert", str(path), "out.jsonl")

    assert (0, 1) == (done.returncode, done.stderr.count("have a decimal comma"))
    done = inprocess.bakeoff(tmp_path, "convert", str(path), "out.jsonl", "--decimal-comma")
    assert "comma" not in done.stderr
    assert '{"a":1.5,"b":"x"}' == (tmp_path / "out.jsonl").read_text().split()[0]


@pytest.mark.parametrize("option", ["no_header", "decimal_comma"])
def test_options_of_cells_are_refused_for_other_files(option: str, tmp_path: Path) -> None:
    name = option.replace("_", "-")
    with pytest.raises(UsageError, match=f"--{name}: applies to CSV and TSV only"):
        datasets.corpus(put(tmp_path, "a.jsonl", "{}"), **{option: True})
    with pytest.raises(UsageError, match=f"remove --{name}"):
        datasets.corpus("movies", **{option: True})
