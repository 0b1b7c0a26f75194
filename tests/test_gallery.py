"""The results on real data: data.toml is whole, the task fetches and measures, pages follow results."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kept
import scripts
from bakeoff.bench.results import ResultData, read, write
from bakeoff.datasets.corpora import is_function
from bakeoff.imports import named
from hurried import BAKEOFF
from pages import ROOT

pytestmark = pytest.mark.checkout


gallery = scripts.load(ROOT / "docs/gallery.py")
makers = scripts.load(ROOT / "docs/results/makers.py")
OURS = gallery.Gallery(ROOT)
SETS = {each.name: each for each in OURS.sets()}
MEASURED = [each for each in OURS.sets() if OURS.kept(each).exists()]

LICENSES = {"Apache-2.0", "BSD-3-Clause", "CC0-1.0", "ISC", "LicenseRef-US-Government", "MIT"}
RECORDS = [{"id": number, "name": f"name {number}"} for number in range(50)]
FAILS = (sys.executable, "-c", "raise SystemExit(1)")
INTERRUPTED = (sys.executable, "-c", "raise SystemExit(130)")


# The list of data sets


def test_there_are_enough_data_sets() -> None:
    assert len(SETS) >= 14


@pytest.mark.parametrize("name", SETS)
def test_a_data_set_says_where_it_is_from_and_how_it_may_be_used(name: str) -> None:
    each = SETS[name]

    assert re.fullmatch(r"pkg:(npm|pypi)/[\w%.-]+(/[\w.-]+)?@\d+\.\d+\.\d+", each.package)
    assert re.fullmatch(r"[0-9a-f]{64}", each.sha256)
    assert each.license in LICENSES
    assert all((each.title, each.about.endswith("."), each.members, each.licensed, each.file))


@pytest.mark.parametrize("name", SETS)
def test_what_reads_and_makes_the_records_of_a_data_set_exists(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = SETS[name]
    monkeypatch.chdir(ROOT)

    assert each.maker == "" or callable(getattr(makers, each.maker))
    assert each.maker or len(each.members) == 1
    assert is_function(OURS.source(each)) == bool(each.source)
    assert each.arguments.keys() <= {"--at", "--records", "--schema"}
    for source in filter(is_function, (OURS.source(each), each.arguments.get("--schema", ""))):
        assert callable(named(source))


def test_a_package_has_one_hash_and_files_have_one_data_set() -> None:
    assert len({each.package for each in SETS.values()}) == len({each.sha256 for each in SETS.values()})
    assert len(SETS) == len({each.file for each in SETS.values()})


# Makers


@pytest.mark.parametrize(
    ("maker", "document", "file", "lines"),
    [
        (
            "webhooks",
            [{"examples": [{"a": 1}]}, {"examples": [{"b": "ä"}]}],
            "webhooks.jsonl",
            '{"a":1}\n{"b":"ä"}\n',
        ),
        ("features", {"api": {"x": {"y": 1}}}, "features.jsonl", '{"x":{"y":1}}\n'),
        ("projects", {"1": {"p": 2}, "2": {"p": 3}}, "projects.jsonl", '{"p":2}\n{"p":3}\n'),
    ],
)
def test_a_document_becomes_lines(maker: str, document: Any, file: str, lines: str) -> None:
    assert {file: lines.encode()} == getattr(makers, maker)({"member": json.dumps(document).encode()})


def test_an_avro_file_is_made_with_the_same_bytes_every_time() -> None:
    pytest.importorskip("fastavro")
    text = b"date,pressure,temperature,wind\n2010-01-01T01:00:00,1016.6,4.0,3.8\n"

    assert makers.climate({"a.csv": text}) == makers.climate({"a.csv": text})


# The task, from an archive to pages


class Project:
    """A project with one data set of 50 records in a local archive."""

    def __init__(self, root: Path) -> None:
        self.root = root
        records = root / "records.json"
        (root / "docs/results").mkdir(parents=True)
        records.write_text(json.dumps(RECORDS))
        self.archive = root / "tiny-1.0.0.tgz"
        with tarfile.open(self.archive, "w:gz") as tar:
            tar.add(records, "package/records.json")
        self.declare()
        (root / "docs/results/makers.py").write_text("")
        (root / "docs/results/index.md").write_text(
            "# Results\n\n<!-- made by tasks.py gallery -->\n<!-- end -->\n"
        )

    def declare(self, sha256: str = "", **other: Any) -> None:
        """Write data.toml, with the hash of the archive if none is given."""
        fields = {
            "title": "Tiny",
            "about": "Fifty records.",
            "package": self.archive.as_uri(),
            "sha256": sha256 or hashlib.sha256(self.archive.read_bytes()).hexdigest(),
            "members": ["package/records.json"],
            "license": "MIT",
            "licensed": "package/LICENSE",
            "file": "tiny.json",
            "options": ["--codec", "json,msgpack"],
        } | other
        lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items()]
        (self.root / "docs/results/data.toml").write_text("\n".join(["[tiny]", *lines]))

    def task(self, *arguments: str, run: Sequence[str] = BAKEOFF) -> int:
        made = gallery.Gallery(self.root, run=run, effort=("--all", "--budget", "0", "--no-memory"))
        return int(gallery.main(arguments, made))

    def files(self) -> Mapping[str, bytes]:
        return {
            path.name: path.read_bytes() for path in (self.root / "docs/results").iterdir() if path.is_file()
        }

    @property
    def result(self) -> ResultData:
        return read(self.root / "docs/results/tiny.json.gz")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose data set was measured."""
    project = Project(tmp_path_factory.mktemp("gallery"))
    assert 0 == project.task()
    return project


@pytest.fixture
def project(measured: Project, tmp_path: Path) -> Project:
    """A copy of it for changes."""
    copy = Project(tmp_path)
    for name, content in measured.files().items():
        if name != "data.toml":
            (tmp_path / "docs/results" / name).write_bytes(content)
    return copy


def test_a_data_set_is_fetched_measured_and_described(measured: Project) -> None:
    page = measured.files()["tiny.md"].decode()

    assert RECORDS == json.loads((measured.root / "build/gallery/tiny.json").read_bytes())
    assert {"json", "msgpack"} <= {cell.cell.codec for cell in measured.result.cells}
    assert "bakeoff run build/gallery/tiny.json --codec json,msgpack --quick\n" in page
    assert "Fifty records." in page
    assert "License: MIT" in page
    assert f"sha256 {measured.result.corpora[0].sha256[:12]}" in page
    assert "[Tiny](tiny.md)" in measured.files()["index.md"].decode()
    assert measured.files().keys() >= {"tiny.svg", "tiny-dark.svg"}


def test_a_kept_result_does_not_say_whose_machine_it_was(measured: Project) -> None:
    assert "gallery" == measured.result.environment["hostname"]
    assert {"boot_time", "python_executable"}.isdisjoint(measured.result.environment)
    assert str(measured.root) not in repr(measured.result)


def test_what_has_not_changed_is_not_measured_again(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    before = project.files()

    assert 0 == project.task(run=FAILS)
    assert "has not changed" in capsys.readouterr().err
    assert before == project.files()


@pytest.mark.parametrize(
    ("arguments", "options", "why"),
    [
        (["--again"], None, "--again"),
        ([], ["--codec", "json"], "its options have changed"),
    ],
)
def test_what_has_changed_is_measured_again(
    arguments: list[str],
    options: list[str] | None,
    why: str,
    project: Project,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if options:
        project.declare(options=options)

    assert 1 == project.task(*arguments, run=FAILS)
    said = capsys.readouterr().err
    assert f"tiny (1 of 1): {why}" in said
    assert "tiny: `bakeoff run` ended with exit code 1" in said


def test_other_records_and_other_versions_are_reasons(project: Project) -> None:
    made = gallery.Gallery(project.root, effort=("--all", "--budget", "0", "--no-memory"))
    (tiny,) = made.sets()
    made.prepare(tiny)
    assert "" == made.outdated(tiny)

    (made.cache / "tiny.json").write_text("[1]")
    assert "its records have changed" == made.outdated(tiny)
    codecs = tuple(replace(each, version="0.1") for each in project.result.codecs)
    made.keep(replace(project.result, codecs=codecs), made.kept(tiny))
    assert "msgpack 0.1, now " in made.outdated(tiny)


def test_an_interrupted_run_keeps_what_was_there(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    before = project.files()

    assert 130 == project.task("--again", run=INTERRUPTED)
    assert "the same command continues" in capsys.readouterr().err
    assert before == project.files()


def test_another_archive_is_not_read(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.declare("0" * 64)

    assert 1 == project.task()
    assert "it is another archive, and was not read" in capsys.readouterr().err
    assert [] == [path for path in (project.root / "build/gallery").rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"members": ["package/none.json"]}, "has no package/none.json"),
        ({"package": "file:///none.tgz"}, "tiny: file:///none.tgz cannot be read"),
        ({"package": "pkg:gem/a@1.0"}, "pkg:gem/a@1.0 is not a package of npm or PyPI"),
    ],
)
def test_what_cannot_be_had_is_an_error_in_a_sentence(
    change: dict[str, Any], said: str, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.declare(**change)

    assert 1 == project.task()
    assert said in capsys.readouterr().err


def test_a_registry_that_cannot_be_reached_is_an_error_in_a_sentence(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    project.declare("0" * 64, package="pkg:pypi/opentelemetry-proto@1.45.2")

    assert 1 == project.task()
    assert "opentelemetry-proto 1.45.2 could not be fetched from PyPI" in capsys.readouterr().err


def test_a_missing_client_is_an_error_in_a_sentence(
    project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(project.root))
    project.declare("0" * 64, package="pkg:npm/%40scope/name@1.0.0")

    assert 1 == project.task()
    assert "tiny: cannot run npm, which fetches @scope/name: " in capsys.readouterr().err


def test_an_unknown_data_set_is_named(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == project.task("none")
    assert "gallery: no data set none; there are tiny\n" == capsys.readouterr().err


def test_fetching_prints_the_command_that_takes_ten_seconds(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == project.task("--fetch", run=FAILS)
    assert "bakeoff run build/gallery/tiny.json --codec json,msgpack --quick\n" == capsys.readouterr().out


def test_pages_made_again_have_the_same_bytes(project: Project) -> None:
    before = project.files()
    (project.root / "docs/results/tiny.md").unlink()

    assert 0 == project.task("--pages", run=FAILS)
    assert before == project.files()


# The pages in the repository


@pytest.mark.parametrize("each", MEASURED, ids=lambda each: each.name)
def test_the_page_on_a_data_set_is_what_its_result_says(each: Any) -> None:
    page = (OURS.results / f"{each.name}.md").read_text(encoding="utf-8")

    assert page == OURS.page(each, kept.result(OURS.kept(each))), "run python3 tasks.py gallery --pages"


@pytest.mark.parametrize("each", MEASURED[:1], ids=lambda each: each.name)
def test_the_charts_on_a_data_set_are_what_its_result_says(each: Any) -> None:
    for name, drawn in OURS.charts(each, kept.result(OURS.kept(each))).items():
        assert (OURS.results / name).read_bytes() == drawn, "run python3 tasks.py gallery --pages"


def test_the_list_of_results_is_what_they_say() -> None:
    page = (OURS.results / "index.md").read_text(encoding="utf-8")
    results = {each: kept.result(OURS.kept(each)) for each in MEASURED}

    assert page == gallery.listed(page, results), "run python3 tasks.py gallery --pages"


def test_what_a_quick_run_expects_is_what_the_results_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery.expected, "load", kept.result)
    gallery.expected.write([OURS.kept(each) for each in MEASURED], tmp_path / "made.json")

    assert OURS.expected.read_text() == (tmp_path / "made.json").read_text(), "run tasks.py gallery --pages"


@pytest.mark.parametrize("each", MEASURED, ids=lambda each: each.name)
def test_a_kept_result_can_be_published(each: Any) -> None:
    path = OURS.kept(each)

    assert [] == gallery.lacking([kept.result(path)], [path], path)


def test_files_of_results_are_small() -> None:
    sizes = [path.stat().st_size for path in OURS.results.iterdir() if path.suffix in (".svg", ".gz")]

    assert sum(sizes) <= 3_000_000


# Results of other machines


def _submitted(project: Project, **changes: Any) -> str:
    """Write a result of another machine; return its path."""
    environment = dict(project.result.environment) | {"hostname": "theirs", "cpu_model_name": "Ampere Altra"}
    path = project.root / "tiny.json"
    write(replace(project.result, environment=environment, **changes), path)
    return str(path)


def test_a_comparable_result_of_another_machine_is_accepted(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == project.task("--add", _submitted(project), run=FAILS)

    (name,) = [name for name in project.files() if name.startswith("tiny@ampere-altra-python-3")]
    assert f"accepted: docs/results/{name}\n" == capsys.readouterr().out
    page = project.files()["tiny.md"].decode()
    assert "## Other machines" in page
    assert "Ampere Altra" in page
    assert b"theirs" not in project.files()["tiny.md"]


def test_a_result_that_is_not_comparable_is_refused_with_all_reasons(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    result = project.result
    file = _submitted(
        project,
        complete=False,
        command="",
        conditions={"gc": "off"},
        corpora=(replace(result.corpora[0], sample=10),),
        cells=tuple(cell for cell in result.cells if cell.cell.codec != "msgpack"),
    )

    assert 1 == project.task("--add", file, run=FAILS)
    said = capsys.readouterr().err
    reasons = (
        "the run was interrupted",
        "command: how the figures were made",
        "sample of 50 → 10 records",
        "gc",
        "codecs that were left out: msgpack",
    )
    assert [] == [reason for reason in reasons if reason not in said]
    assert [] == [name for name in project.files() if "@" in name]


def test_a_result_of_other_records_is_refused(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    file = _submitted(project, corpora=(replace(project.result.corpora[0], sha256="f" * 64),))

    assert 1 == project.task("--add", file, run=FAILS)
    assert "records of no data set, or of several: tiny (ffffffffffff)" in capsys.readouterr().err


def test_what_is_not_a_result_is_refused(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    file = project.root / "records.json"

    assert 1 == project.task("--add", str(file), run=FAILS)
    assert "not a result file" in capsys.readouterr().err
