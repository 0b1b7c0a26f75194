"""What a user gets wrong: one sentence that says what, where and what to do, and exit code 2.

Every parameter of every command that names a file is of one of four kinds, and each kind has the same
mistakes in all commands.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import click
import pytest

import bakeoff as package
from bakeoff import UsageError
from bakeoff.cli import COMMANDS, bakeoff
from command_lines import OTHER_FILES, OUTPUTS, RECORDS, RESULT, RESULTS, SCHEMAS, WRITTEN
from inprocess import bakeoff as run_bakeoff

NAMES: Final = {"corpora", "source", "sources", "like", "data", "schema", "old", "new", "target", "name"}
"""Parameters that take a text that may be a path."""


def _parameters() -> Iterator[str]:
    """Yield each parameter that names a file, a corpus or a schema, as its command and its own name."""
    context = click.Context(bakeoff)
    for name in COMMANDS:
        command = bakeoff.get_command(context, name)
        assert command is not None
        parts = {f"{name} {part.name}": part for part in getattr(command, "commands", {}).values()}
        for whole, each in (parts or {name: command}).items():
            for param in each.params:
                if isinstance(param.type, click.Path) or param.name in NAMES:
                    yield f"{whole} {param.name}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with files of each kind."""
    made = tmp_path_factory.mktemp("mistakes")
    (made / "archive").mkdir()
    whole = RESULT.read_bytes()
    contents: dict[str, str | bytes] = {
        "result.json": whole,
        "orders.jsonl": '{"a": 1}\n{"a": 2}\n',
        "list.json": '[{"a": 1}, {"a": 2}]',
        "rows.msgpack": b"\x81\xa1a\x01" * 9,
        "rows.py": "rows = [{'a': 1}]\n",
        "empty.json": "",
        "empty.jsonl": "",
        "head.csv": "a,b,c\n",
        "cut.json": whole[:3000],
        "cut.json.gz": gzip.compress(whole)[:3000],
        "packed.json": gzip.compress(whole),
        "page.html": "<!doctype html>\n<html><body>17</body></html>",
        "bakeoff.lock": 'version = 1\n[codec]\nname = "json"\n',
        "run.json.journal": '{"a": 1}\n',
        "table.csv": b"PAR1" + bytes(30) + b"PAR1",
        "sheet.xlsx": b"PK\3\4",
        "photo.jpg": b"\xff\xd8\xff\xe0",
        "schema.avsc": '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "long"}]}',
        "old.txt": "orjson==3.10.0\n",
        "new.txt": "orjson==3.11.0\n",
    }
    for name, content in contents.items():
        (made / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return made


def _changes(folder: Path) -> dict[Path, int]:
    """Return when each file was changed, but for what Python keeps of the modules that it has imported."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if "__pycache__" not in path.parts}


def _refusal(folder: Path, line: str, name: str) -> str:
    """Call a command, and return its error: one line, with exit code 2 and without a change of the folder."""
    before = _changes(folder)
    done = run_bakeoff(folder, *(part.format(name) for part in line.split()))

    said = done.stderr.removeprefix("bakeoff: ").rstrip("\n")
    assert (2, "") == (done.returncode, done.stdout), done.stderr
    assert done.stderr.startswith("bakeoff: ")
    assert "\n" not in said
    assert "Traceback" not in said
    assert before == _changes(folder)
    return said


def test_every_parameter_for_a_file_is_of_a_kind() -> None:
    known = {*RESULTS, *RECORDS, *SCHEMAS, *OUTPUTS, *OTHER_FILES}

    assert set(_parameters()) - {"schema infer name", "releases name", "readers name"} == known


@pytest.mark.parametrize("line", RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "orders.jsonl",
            "a file of records, and not a result file; `bakeoff run orders.jsonl` measures them",
        ),
        ("list.json", "a file of records, and not a result file; `bakeoff run list.json` measures them"),
        (
            "rows.msgpack",
            "a file of records, and not a result file; `bakeoff run rows.msgpack` measures them",
        ),
        ("head.csv", "a file of records, and not a result file; `bakeoff run head.csv` measures them"),
        ("rows.py", "a program, and not a result file; `bakeoff run rows.py:NAME` measures its records"),
        ("resul.json", "did you mean result.json?"),
        ("result.jsn", "did you mean result.json?"),
        ("RESULT.json", "did you mean result.json?"),
        ("unlike.json", "unlike.json: no such file"),
        ("empty.json", "empty, and not a result file; `bakeoff run -o empty.json` makes one"),
        ("cut.json", "cut.json: a damaged or cut off result file: "),
        ("cut.json.gz", "cut.json.gz: a damaged or cut off result file: "),
        (
            "packed.json",
            "compressed, which its name does not say; `mv packed.json packed.json.gz` names it so",
        ),
        ("page.html", "a page, and not a result file; name the JSON file from which it was made"),
        (
            "bakeoff.lock",
            "a lock, and not a result file; `bakeoff pick --check --lock bakeoff.lock` checks it",
        ),
        ("run.json.journal", "the journal of a run, and not its result; `bakeoff run --resume run.json` con"),
        ("photo.jpg", "photo.jpg: not a result file of `bakeoff run` or pyperf"),
        ("schema.avsc", "schema.avsc: not a result file of `bakeoff run` or pyperf"),
        ("https://example.org/r.json", "download it: `curl -LO https://example.org/r.json`"),
        ("*.jsn", "; no file matches this pattern"),
    ],
)
def test_what_is_no_result_is_refused_alike(folder: Path, line: str, name: str, said: str) -> None:
    found = _refusal(folder, line, name)

    assert said in found
    assert name in found


@pytest.mark.parametrize(
    "line", [line for name, line in RESULTS.items() if name not in ("history folders", "run baseline")]
)
def test_a_folder_is_no_result(folder: Path, line: str) -> None:
    assert "archive: a folder, and not a result file; name a result file in it" == _refusal(
        folder, line, "archive"
    )


@pytest.mark.parametrize(("parameter", "line"), RECORDS.items(), ids=RECORDS)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("result.json", "result.json: is a result file of bakeoff; `bakeoff report result.json` shows it"),
        ("orders.json", "named 'orders.json'; did you mean orders.jsonl?"),
        ("order", "named 'order'; did you mean orders.jsonl?"),
        ("archiv/orders.jsonl", "named 'archiv/orders.jsonl'; `bakeoff corpora` lists the built-in ones"),
        ("rows.py", "a program; name its list or function of records: rows.py:rows"),
        ("photo.jpg", "photo.jpg: unknown ending; choose a format with --from"),
        ("page.html", "page.html: unknown ending; choose a format with --from"),
        ("sheet.xlsx", "sheet.xlsx: bakeoff reads no .xlsx; save the sheet as CSV"),
        ("*.jsonx", "named '*.jsonx'; no file matches this pattern"),
        ("~/orders.jsonl", "named '~/orders.jsonl'; the shell replaces ~ only where it is not quoted"),
        ("msgpack", "named 'msgpack'; it is a codec, which -c msgpack selects"),
        ("file:///orders.jsonl", "named 'file:///orders.jsonl'; name the file itself: /orders.jsonl"),
        ("archive", "archive: no file of records in this folder"),
        ("https://example.org/r.jsonl", "download it: `curl -LO https://example.org/r.jsonl`"),
        ("s3://bucket/r.jsonl", "copy it to a file first"),
    ],
)
def test_what_is_no_source_of_records_is_refused_alike(
    folder: Path, parameter: str, line: str, name: str, said: str
) -> None:
    if parameter == "survey sources" and (name == "order" or "://" in name):
        pytest.skip("a survey reads URLs with fsspec, and no built-in corpora")

    assert said in _refusal(folder, line, name)


@pytest.mark.parametrize(
    ("parameter", "line"),
    [
        each
        for each in RECORDS.items()
        if each[0].split()[0] not in ("compare", "verify", "releases", "upgrade")
    ],
)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("empty.jsonl", "empty.jsonl: contains no records; name another source"),
        ("empty.json", "empty.json: contains no records; name another source"),
        ("head.csv", "head.csv: contains no records; if its first line is a record, add --no-header"),
        ("table.csv", "table.csv: contains parquet, and not csv; add --from parquet"),
    ],
)
def test_a_file_without_records_is_refused_alike(
    folder: Path, parameter: str, line: str, name: str, said: str
) -> None:
    """Those left out read records only after they have looked up releases, or say what they measure."""
    if parameter == "survey sources" and "no records" in said:
        said = f"{name}: contains no records; name another source"

    assert said == _refusal(folder, line, name)


@pytest.mark.parametrize("line", [line for line in SCHEMAS.values() if line])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("schem.avsc", "schem.avsc: no such schema; did you mean schema.avsc?"),
        ("row.py", "row.py: no such schema; did you mean rows.py?"),
        ("gone.proto", "gone.proto: no such schema; check its name and folder"),
        ("orders.jsonl", "orders.jsonl: not a schema; `bakeoff schema infer orders.jsonl` makes one"),
        ("result.json", "result.json: is a result file of bakeoff, and not a schema; name the schema"),
        ("https://example.org/s.avsc", "download it: `curl -LO https://example.org/s.avsc`"),
    ],
)
def test_what_is_no_schema_is_refused_alike(folder: Path, line: str, name: str, said: str) -> None:
    assert said in _refusal(folder, line, name)


@pytest.mark.parametrize(("parameter", "line"), OUTPUTS.items(), ids=OUTPUTS)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gone/out{}", "no such folder: gone; make it first"),
        ("archiv/out{}", "no such folder: archiv; did you mean archive?"),
        ("archive", "is a folder"),
    ],
)
def test_where_nothing_can_be_written_is_said_before_the_work(
    folder: Path, parameter: str, line: str, name: str, said: str
) -> None:
    assert said in _refusal(folder, line, name.format(_ending(parameter)))


def _ending(parameter: str) -> str:
    return next((ending for start, ending in WRITTEN.items() if parameter.startswith(start)), ".json")


@pytest.mark.parametrize(("parameter", "line"), OUTPUTS.items(), ids=OUTPUTS)
@pytest.mark.parametrize("name", ["out.jsn", "out{}.zip", "out{}.gz"])
def test_an_unknown_ending_is_refused(folder: Path, parameter: str, line: str, name: str) -> None:
    """Records are compressed as their names say; nothing else is."""
    if name.endswith(".gz") and _ending(parameter) == ".jsonl":
        pytest.skip("compressed")
    written = name.format(_ending(parameter))
    said = _refusal(folder, line, written)

    assert re.search(r": (this command writes no \.\w+; name a file with|unknown ending; )", said)
    assert written in said
    assert _ending(parameter) in said or "--format" in said


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that refuses files")
@pytest.mark.parametrize(("parameter", "line"), OUTPUTS.items(), ids=OUTPUTS)
def test_the_system_says_why_nothing_can_be_written(folder: Path, parameter: str, line: str) -> None:
    """A folder may be there and refuse files, as that of the kernel does even for its owner."""
    if line.split()[0] in ("history", "watch", "releases", "upgrade"):
        pytest.skip("they write nothing here")
    done = run_bakeoff(folder, *line.format(f"/proc/out{_ending(parameter)}").split())

    assert 2 == done.returncode
    assert re.search(r"^bakeoff: /proc/out\S+: cannot (write here|be used): ", done.stderr, re.M)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("line", ["run", "stores", "pipeline"])
def test_a_result_does_not_replace_records(folder: Path, line: str) -> None:
    assert "list.json: exists and is not a result file of bakeoff; choose another with -o" == _refusal(
        folder, f"{line} orders.jsonl -c json -o {{}}", "list.json"
    )


@pytest.mark.parametrize("option", ["-o", "--save-profile"])
def test_synthetic_records_do_not_replace_the_originals(folder: Path, option: str) -> None:
    said = _refusal(folder, f"generate --like {{}} {option} {{}}", "list.json")

    assert "list.json: is an input of this command; choose another file with -o" == said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("help", "no command 'help'; did you mean --help?"),
        ("list", "no command 'list'; did you mean codecs?"),
        ("bench", "no command 'bench'; did you mean run?"),
        ("diff", "no command 'diff'; did you mean compare?"),
        ("check", "no command 'check'; did you mean pick --check?"),
        ("schema shw", "no command 'shw'; did you mean show?"),
        ("run --quik", "no such option --quik; did you mean --quick?"),
        ("run movies -c orjsn", "orjsn: no such codec; did you mean orjson"),
        ("run movies --ops cpu@pipe:0", "operation 'cpu': expected 1 to 256 consumers"),
        ("run movies --ops get@lmdb:XL", "operation 'get': expected a state of SM, MD, LG"),
        ("pipeline movies --consumers 4,0", "--consumers 0: expected numbers from 1 to 256, such as 1,4,24"),
        ("run movies -c {}", "--codec is blank; give it a value, or leave it out"),
        ("run movies -c mine=rws.py:codec", "mine=rws.py:codec: rws.py: no such file; did you mean rows.py?"),
        ("run rows.py:row", "rows.py has no row; did you mean rows?"),
        ("run rws.py:rows", "rws.py: no such file; did you mean rows.py?"),
        ("run movies --ops dmp", "no operation 'dmp'; did you mean dump?"),
        ("run movies --gc of", "--gc of: did you mean off?"),
        ("run movies -n many", "--records 'many': expected a number of records, at least 1, or one of SM"),
        ("run movies --budget fast", "--budget 'fast' is not a valid time; use 30s or 5min, for example"),
        ("run orders.jsonl --from jsnl", "no format 'jsnl'; did you mean jsonl"),
        ("run orders.jsonl --compress zsdt", "zsdt: no such compressor; did you mean zstd?"),
        ("run orders.jsonl --readers goo", "no reader 'goo'; did you mean go?"),
        ("run orders.jsonl --encoding latn1", "no text encoding named 'latn1'; did you mean latin1"),
        ("run orders.jsonl -c avro", "avro: needs a schema; add --infer or --schema FILE"),
        ("report result.json --sort speed", "no column to sort by 'speed'; did you mean cost?"),
        ("report result.json --columns speed", "no column 'speed'; did you mean cost?"),
        (
            "report result.json --columns zzzz",
            "the usual ones are codec, dump, load, fix, instructions, value, bytes, peak, growth, "
            "fidelity, rank; a table of -f csv has all",
        ),
        ("report result.json --relative-to orjsn", "took no part on messages; did you mean orjson"),
        ("report result.json -f htm", "--format htm: did you mean html?"),
        ("report result.json --layout store", "--layout store: did you mean stores?"),
        ("pick result.json --needs datetim", "no type 'datetim' to need; did you mean datetime"),
        ("pick result.json --formats jsn", "no wire format 'jsn'; did you mean json?"),
        ("pick result.json --choose orjsn", "no codec 'orjsn' in these results; did you mean orjson"),
        ("pick result.json --corpus mesages", "no corpus 'mesages' in these results; did you mean messages?"),
        ("pick --check --lock bakeof.lock", "bakeof.lock: no such lock; did you mean "),
        ("pick --check --lock result.json", "a result file, and not a lock; `bakeoff pick "),
        ("history result.json -c orjsn", "no codec 'orjsn' in these results; did you mean orjson"),
        ("history result.json --ops dmp", "no operation 'dmp' in these results; did you mean dump?"),
        ("generate mesages", "no built-in corpus named 'mesages'; did you mean messages?"),
        ("generate --profile resul.json", "resul.json: no such profile; did you mean result.json?"),
        ("releases orjsn movies", "orjsn: neither a codec nor the library of one; did you mean orjson"),
        ("upgrade od.txt movies --to new.txt", "od.txt: no such requirements file; did you mean old.txt?"),
        ("upgrade result.json movies --to new.txt", "is not a requirement; expected NAME==VERSION"),
        ("attack json --only nothing-such", "no case 'nothing-such'; `bakeoff attack --list` lists them"),
        ("selftest --only lekas", "--only lekas: did you mean leaks"),
        ("once dmp json movies", "OPERATION dmp: did you mean dump?"),
        ("stores movies --store sqlit", "no store 'sqlit'; did you mean sqlite"),
        ("run movies -quick", "no such option -quick; did you mean --quick?"),
        ("run movies -c=json", "-c=json: a short option has no =; did you mean -c json?"),
        ("report result.json -o=out.md", "-o=out.md: a short option has no =; did you mean -o out.md?"),
        ("watch --pid me", "--pid 'me': expected a whole number of at least 1"),
        (
            "watch rows.py",
            "rows.py: a Python file, and not a program; `bakeoff watch -- python rows.py` runs it",
        ),
        ("pick result.json --reads many", "--reads 'many': expected a number"),
        ("pick result.json --reads nan", "--reads 'nan': expected a number"),
        ("codecs -f jsn", "--format jsn: did you mean json?"),
    ],
)
def test_a_wrong_word_gets_the_right_one(folder: Path, line: str, said: str) -> None:
    assert said in _refusal(folder, line, "")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: package.run([{}], budget="fast"), "budget is 'fast'; expected seconds, such as 30"),
        (lambda: package.run([{}], precision=2), "precision is 2; expected a share above 0"),
        (lambda: package.run([{}], ops="dump"), 'expected a list of names, such as ["dump"'),
        (lambda: package.run([{}], quick="yes"), "quick is 'yes'; expected True or False"),
        (lambda: package.run([{}], codecs=[]), "codecs is empty; name one, or leave the argument"),
        (lambda: package.run([{}], codecs=""), "codecs is empty; name one, or leave the argument"),
        (lambda: package.run([{}], codecs={}), "codecs is empty; name one, or leave the argument"),
        (lambda: package.run([{}], codecs=7), "codecs is 7; expected names, such as ['orjson'"),
        (lambda: package.run([]), "there are no records; give at least one"),
        (lambda: package.run(iter([])), "there are no records; give at least one"),
        (lambda: package.run({}), "expected a list of records, got dict"),
        (lambda: package.run("mesages"), "did you mean messages?"),
        (lambda: package.corpus("mesages"), "did you mean messages?"),
        (lambda: package.codec("orjsn"), "orjsn: no such codec; did you mean orjson"),
        (lambda: package.codec("json|zstd|crc32"), "did you mean json|zstd or json|crc32?"),
        (lambda: package.codecs.facts("orjsn"), "orjsn: no such codec; did you mean orjson"),
        (lambda: package.load(RESULT.with_suffix(".jsn")), "did you mean "),
        (lambda: package.load(RESULT.parent), "a folder, and not a result file"),
        (lambda: package.load(RESULT).best(reads="many"), "reads 'many': expected a number"),
        (lambda: package.load(RESULT).compare("x"), "expected a Result, as bakeoff.load returns"),
        (lambda: package.load(RESULT).save("x.html"), "x.html: a result file is JSON"),
        (lambda: package.load(RESULT).table(sort="speed"), "did you mean cost?"),
        (lambda: package.load(RESULT).table(colums="dump"), "no option colums; did you mean columns?"),
        (
            lambda: package.load(RESULT).table(bogus=2),
            "no option bogus; there are columns, sort, relative_to",
        ),
        (lambda: package.load(RESULT).table(scale_to=0), "0: expected 1 record or more"),
    ],
)
def test_a_wrong_argument_gets_the_right_one(call: Callable[[], object], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_facts_take_a_name_or_a_codec() -> None:
    assert package.codecs.facts(package.codec("json")) == package.codecs.facts("json")
