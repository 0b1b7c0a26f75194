"""``bakeoff report`` as a user types it."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyperf
import pytest

from bakeoff.bench.results import ResultFileError, read, write
from bakeoff.errors import UsageError
from bakeoff.reports.model.files import load


@pytest.fixture
def file(planted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(planted, tmp_path / "bakeoff.json")
    return tmp_path / "bakeoff.json"


def test_default_file(bakeoff, file):
    code, out, _ = bakeoff("report")

    assert 0 == code
    assert out.startswith("messages: 1,000 of 100,000 records; 4 codecs\n  use     msgpack: ")


@pytest.mark.parametrize(
    ("ending", "start"),
    [
        ("txt", "messages: "),
        ("md", "## messages"),
        ("csv", "corpus,codec"),
        ("json", '{\n  "sections"'),
        ("tex", "% needs"),
        ("rst", "messages\n---"),
    ],
)
def test_format_follows_the_ending(bakeoff, file, ending, start):
    code, out, _ = bakeoff("report", file, "-o", f"table.{ending}")

    assert (0, "") == (code, out)
    assert Path(f"table.{ending}").read_text().startswith(start)


def test_an_unknown_ending(bakeoff, file):
    code, _, err = bakeoff("report", file, "-o", "table.xyz")
    said, _, _ = bakeoff("report", file, "-o", "table.xyz", "-f", "md")

    assert (2, 0) == (code, said)
    assert "this command writes no .xyz; name a file with .txt, .md" in err
    assert Path("table.xyz").read_text().startswith("## ")


@pytest.mark.slow
def test_pyperf_files(bakeoff, file, tmp_path):
    code, _, err = bakeoff("report", file, "-f", "pyperf", "-o", tmp_path / "out")
    command = [sys.executable, "-m", "pyperf", "compare_to", "out/json.json", "out/msgpack.json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert 0 == code
    assert "wrote json.json" in err
    assert "messages/dump" in done.stdout
    assert "faster" in done.stdout


def test_pyperf_files_of_any_name(bakeoff, result_of, tmp_path):
    one = {"dump": 1e-6, "load": 1e-6}
    names = ["msgpack/tuple|zstd:3", "msgpack-tuple-zstd-3", "../../up", "MSGPACK-tuple-zstd-3"]
    write(result_of(dict.fromkeys(names, one), baseline=False), tmp_path / "a.json")
    code, _, _ = bakeoff("report", tmp_path / "a.json", "-f", "pyperf", "-o", tmp_path / "out")

    assert 0 == code
    found = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert [
        "MSGPACK-tuple-zstd-3-3.json",
        "msgpack-tuple-zstd-3-2.json",
        "msgpack-tuple-zstd-3.json",
        "up.json",
    ] == found


def suite(path, figures, **metadata):
    """Write a pyperf file that we did not make: unit and value of each process by name."""
    benchmarks = [
        pyperf.Benchmark(
            [
                pyperf.Run([value], metadata={"name": name, "unit": unit, **metadata}, collect_metadata=False)
                for value in values
            ]
        )
        for name, (unit, *values) in figures.items()
    ]
    pyperf.BenchmarkSuite(benchmarks).dump(str(path))


def test_pyperf_files_of_plain_ones(bakeoff):
    ours = {"bakeoff_corpus": "movies", "bakeoff_operation": "load", "bakeoff_codec": "json"}
    suite("json.json", {"movies/load": ("second", 1e-3, 2e-3)}, **ours)
    suite("other.json", {"sort a list": ("second", 1e-3, 2e-3)})

    for stem, written, name in (("json", "json", "movies/load"), ("other", "sort-a-list", "other/value")):
        done = bakeoff("report", f"{stem}.json", "-f", "pyperf", "-o", "out")

        assert 0 == done[0], done
        (benchmark,) = pyperf.BenchmarkSuite.load(f"out/{written}.json").get_benchmarks()
        assert (name, (1e-3, 2e-3)) == (benchmark.get_name(), benchmark.get_values())


def test_plain_pyperf_file(bakeoff):
    suite("plain.json", {"sort a list": ("second", 1e-3, 1.1e-3)}, loops=8)
    code, out, _ = bakeoff("report", "plain.json")

    assert 0 == code
    assert "sort a list" in out
    assert "ms" in out
    assert "records were not checked" in out
    assert "exact" not in out


def test_a_pyperf_file_of_several_units(bakeoff):
    units = {"speed": ("second", 0.002), "memory": ("byte", 8 << 20), "calls": ("integer", 7)}
    suite("plain.json", {name: (unit, *[value] * 3) for name, (unit, value) in units.items()})
    code, out, _ = bakeoff("report", "plain.json", "--columns", "value,value:x")

    assert 0 == code
    assert re.search(r"^speed +2\.000 ms$", out, re.M)
    assert re.search(r"^memory +8 MiB$", out, re.M)
    assert re.search(r"^calls +7\.000$", out, re.M)

    code, _, err = bakeoff("report", "plain.json", "-f", "pyperf", "-o", "out")

    assert 0 == code, err
    assert ["speed.json"] == [path.name for path in Path("out").iterdir()]


def test_one_codec_files_of_our_own(bakeoff, file, tmp_path):
    bakeoff("report", file, "-f", "pyperf", "-o", tmp_path / "out")
    code, out, _ = bakeoff("report", *sorted((tmp_path / "out").iterdir()))

    assert 0 == code
    assert all(f"\n{name} " in out for name in ("json", "msgpack", "bson", "yaml"))
    assert "not checked" in out
    assert "  use     undecided: no round trip was checked" in out


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (None, 2, "no such file"),
        ("", 2, "empty, and not a result file"),
        ("{", 2, "not a result file"),
        ('{"a": 1}', 2, "not a result file"),
        ("[]", 2, "not a result file"),
        ("\x00\xff", 2, "not a result file"),
        ('{"version": "1.0", "benchmarks": []}', 2, "cannot|not a result|without a single value"),
    ],
)
def test_not_a_result_file(bakeoff, tmp_path, content, code, message):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    found, out, err = bakeoff("report", path)

    assert (code, "") == (found, out)
    assert 1 == err.count("\n")
    assert str(path) in err
    assert any(part in err for part in message.split("|"))


def test_cut_off_anywhere(bakeoff, file, tmp_path):
    whole = file.read_bytes()
    for part in range(1, 50):
        (tmp_path / "cut.json").write_bytes(whole[: len(whole) * part // 50])
        code, _, err = bakeoff("report", tmp_path / "cut.json")
        assert (2, 1) == (code, err.count("\n"))


def test_a_gzipped_result_file_is_read(bakeoff, file, tmp_path):
    """pyperf writes them, too."""
    (tmp_path / "small.json.gz").write_bytes(gzip.compress(file.read_bytes()))

    assert bakeoff("report", file)[:2] == bakeoff("report", tmp_path / "small.json.gz")[:2]


def test_a_damaged_byte_of_a_zipped_result_is_told(planted, tmp_path):
    path = tmp_path / "r.json.gz"
    write(planted, tmp_path / "r.json")
    whole = gzip.compress((tmp_path / "r.json").read_bytes())
    for place in range(0, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        with contextlib.suppress(ResultFileError):
            assert planted == read(path)  # only a time or a name in the head


def test_what_is_no_file_is_not_called_records(bakeoff, tmp_path):
    os.mkfifo(tmp_path / "x.json")

    code, _, printed = bakeoff("report", tmp_path / "x.json")
    assert (2, f"bakeoff: {tmp_path}/x.json: cannot be read: it is not a regular file\n") == (code, printed)


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [
        (None, "duration", "long"),
        (None, "command", ["bakeoff"]),
        (None, "environment", {"hostname": []}),
        (None, "warnings", [1]),
        ("cells", "outcome", "splendid"),
        ("cells", "facts", 3),
        ("codecs", "version", None),
        ("codecs", "accelerated", 1),
        ("corpora", "records", "many"),
        ("corpora", "profile", {"bytes": {}}),
    ],
)
@pytest.mark.parametrize("command", ["report", "pick"])
def test_fields_of_other_types(bakeoff, file, tmp_path, command, part, field, value):
    plain = json.loads(file.read_text())
    holder = next(b["metadata"] for b in plain["benchmarks"] if "bakeoff_document" in b.get("metadata", ()))
    document = json.loads(holder["bakeoff_document"])
    (document if part is None else document[part][0])[field] = value
    holder["bakeoff_document"] = json.dumps(document)
    (tmp_path / "bad.json").write_text(json.dumps(plain))
    code, _, err = bakeoff(command, tmp_path / "bad.json")

    assert (2, 1) == (code, err.count("\n"))
    assert f"damaged: {field} is " in err


RESULT = '"bakeoff_result": ?1'
OLD = "written by a development version of bakeoff; result files of bakeoff 0.1.0 and later"


@pytest.mark.parametrize(
    ("command", "pattern", "other", "message"),
    [
        ("report", RESULT, '"bakeoff_result":"1"', "damaged"),
        ("report", "outcome", "outcame", "damaged"),
        ("report", RESULT, '"bakeoff_result":99', "format 99"),
        ("report", RESULT, '"bakeoff_format":2', OLD),
        ("pick", RESULT, '"bakeoff_format":2', OLD),
        ("run --resume", RESULT, '"bakeoff_format":2', OLD),
        ("compare bakeoff.json", RESULT, '"bakeoff_format":2', OLD),
    ],
)
def test_files_that_cannot_be_read(bakeoff, file, command, pattern, other, message):
    text, changed = re.subn(pattern, other, file.read_text())
    assert changed
    Path("bad.json").write_text(text)
    code, _, err = bakeoff(*command.split(), "bad.json")

    assert (2, 1) == (code, err.count("\n"))
    assert message in err


@pytest.mark.parametrize(
    ("form", "start"), [("html", b"<!doctype html>"), ("svg", b"<svg"), ("png", b"\x89PNG\r\n\x1a\n")]
)
def test_page_and_charts(bakeoff, file, form, start):
    pytest.importorskip({"html": "jinja2", "svg": "bakeoff", "png": "resvg_py"}[form])
    code, _, _ = bakeoff("report", file, "-o", f"out.{form}", "--reads", "24")

    assert 0 == code
    assert Path(f"out.{form}").read_bytes().lower().startswith(start.lower())


def test_open(bakeoff, file, monkeypatch, tmp_path):
    """The page stays for the browser; the next one replaces it."""
    pytest.importorskip("jinja2")
    monkeypatch.setenv("BAKEOFF_CACHE", str(tmp_path / "cache"))
    opened = []
    monkeypatch.setattr("click.launch", opened.append)
    for _ in range(2):
        code, out, _ = bakeoff("report", file, "--open")
        assert (0, "") == (code, out)

    (page,) = (path for path in (tmp_path / "cache").rglob("*") if path.is_file())
    assert [page.as_uri()] * 2 == opened


def test_all_cells_failed(bakeoff, result_of):
    failed = {"a": ("crashed", "signal 11"), "b": ("timed out", "stood still for 60 s")}
    write(result_of({}, outcomes=failed, baseline=False), Path("bakeoff.json"))

    for form in ("text", "md", "csv", "json", "latex", "rst", "html"):
        code, out, _ = bakeoff("report", "-f", form)
        assert 0 == code
        assert "signal 11" in out
    assert "none: every codec failed" in (text := bakeoff("report")[1])
    assert "rank" not in text
    code, _, err = bakeoff("pick")
    assert (1, "bakeoff: no codec fits\n  a crashed (signal 11)\n  b timed out (stood still for 60 s)\n") == (
        code,
        err,
    )
    assert 2 == bakeoff("report", "-f", "pyperf", "-o", "out")[0]
    assert 0 == bakeoff("compare", "bakeoff.json", "bakeoff.json", "--fail-above", "5%")[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder(bakeoff, file, tmp_path):
    (tmp_path / "fixed").mkdir(mode=0o500)
    code, _, err = bakeoff("report", file, "-o", "fixed/table.md")

    assert 2 == code
    assert "cannot write here" in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--columns", "dmp"], "did you mean dump"),
        (["--columns", "rank:x"], "rank has no ratio"),
        (["--sort", "colour"], "no column to sort by 'colour'"),
        (["--sort", "speed"], "did you mean cost"),
        (["--relative-to", "xml"], "--relative-to xml: took no part"),
        (["--bandwidth", "fast"], "bandwidth 'fast'"),
        (["--reads", "-1"], "reads -1"),
        (["-f", "pyperf"], "name a folder with -o DIR"),
        (["-f", "md", "--open"], "--open is for html, and not for -f md"),
        (["-f", "gif"], "--format gif: there are text, md,"),
        (["-f", "md", "--chart", "bars"], "--chart is for svg and png, and not for -f md"),
        (
            ["-f", "svg", "--scale-to", "5"],
            "--scale-to is for text, md, csv, json, latex and rst, and not for -f svg",
        ),
        (
            ["-f", "pyperf", "-o", "out", "--sort", "load"],
            "--sort is for text, md, csv, json, latex, rst and html, and not for -f pyperf",
        ),
        (["-f", "pyperf", "-o", "bakeoff.json/out"], "bakeoff.json/out: no such folder: bakeoff.json"),
        (["-o", "no/such/table.md"], "no/such/table.md: no such folder: no/such"),
    ],
)
def test_mistyped_options(bakeoff, file, args, message):
    code, out, err = bakeoff("report", file, *args)

    assert (2, "") == (code, out)
    assert message in err
    assert [file] == list(file.parent.iterdir())


@pytest.mark.slow
def test_ascii_terminal(file):
    command = [sys.executable, "-m", "bakeoff", "report"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, env=env, check=True)

    assert b"us/record" in done.stdout


def test_survives_the_file(planted, result_of, tmp_path):
    from bakeoff.reports import OUTPUT_FORMATS, render

    run = result_of(
        outcomes={"bad|x": ("crashed", "signal 11\nwith a line")}, losses={"bson": ("microseconds",)}
    )
    run = replace(run, warnings=("busy",))
    write(run, tmp_path / "a.json")
    back = read(tmp_path / "a.json")

    for form in OUTPUT_FORMATS:
        assert render([run], form) == render([back], form)


def test_a_run_that_was_cut_off_can_be_resumed(tmp_path: Path) -> None:
    (tmp_path / "r.json.journal").write_text("")

    with pytest.raises(UsageError, match="--resume"):
        load(tmp_path / "r.json")
