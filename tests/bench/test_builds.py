"""Builds of workers: what is built when, what a failed build says, and that no part of one is used."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.bench.foreign import builds
from bakeoff.bench.foreign.builds import LANGUAGES, WorkerBuild
from bakeoff.errors import RunError, UsageError
from inprocess import bakeoff

REFERENCE = builds._sources("pypy") / "worker.py"


def step(code: str) -> tuple[tuple[str, ...], ...]:
    return ((sys.executable, "-c", code),)


@pytest.fixture
def language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorkerBuild:
    """Make Python the only language, with a build that only copies a file."""
    made = WorkerBuild(
        title="Snake",
        version=(sys.executable, "--version"),
        oldest_version="3.11",
        home="https://www.python.org",
        steps=step("import shutil; shutil.copy('worker.py', 'built.py')"),
        kept=("built.py",),
        start=(sys.executable, "built.py"),
    )
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "worker.py").write_text(REFERENCE.read_text())
    monkeypatch.setenv("BAKEOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(builds, "_sources", lambda language: tmp_path / "sources")
    monkeypatch.setattr(builds, "LANGUAGES", {"snake": made})
    return made


def change(monkeypatch: pytest.MonkeyPatch, language: WorkerBuild, **fields: Any) -> None:
    monkeypatch.setitem(builds.LANGUAGES, "snake", replace(language, **fields))


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "cache" / "readers").glob("*-*"))


@pytest.mark.usefixtures("language")
def test_nothing_is_built_unasked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Snake is not built; run `bakeoff readers snake`"):
        builds.start("snake")

    assert not (tmp_path / "cache").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("language")
def test_build_has_only_what_is_needed() -> None:
    built = builds.build("snake")

    assert sorted(path.name for path in built.folder.iterdir()) == ["built.py", "greeting.json"]
    with builds.start("snake") as worker:
        assert worker.language == "Python"


@pytest.mark.slow
@pytest.mark.usefixtures("language")
def test_what_is_built_is_not_built_again(tmp_path: Path) -> None:
    shown: list[str] = []
    for _ in range(2):
        builds.build("snake", show=lambda text, done, total: shown.append(text))

    assert len(shown) == len(left(tmp_path)) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("language")
def test_build_of_other_sources_is_out_of_date(tmp_path: Path) -> None:
    builds.build("snake")
    (tmp_path / "sources" / "lock").write_text("1.0.1")

    with pytest.raises(UsageError, match="is out of date; run `bakeoff readers snake`"):
        builds.start("snake")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("print('downloading'); exit('error: no flour')", "failed: error: no flour; see .*snake.log"),
        ("print('downloading'); exit('no flour')", "failed: no flour; see"),
        ("exit(3)", "failed: no output; see"),
        ("open('built.py', 'w').write('1 / 0')", "built, but does not work: .*ZeroDivisionError"),
    ],
)
def test_failed_build_leaves_nothing_to_start(
    language: WorkerBuild, code: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, language, steps=step(code))

    with pytest.raises(RunError, match=reason):
        builds.build("snake")
    assert left(tmp_path) == []


@pytest.mark.slow
@pytest.mark.usefixtures("language")
def test_next_build_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    (tmp_path / "cache" / "readers" / "building-1" / "made").mkdir(parents=True)

    builds.build("snake")

    assert [name.split("-")[0] for name in left(tmp_path)] == ["snake"]


@pytest.mark.slow
def test_offline_build_says_so_to_its_tools(language: WorkerBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import os, sys; exit(f'error: {sys.argv[1]} {os.environ[chr(80)]}')"
    change(monkeypatch, language, steps=step(code), offline=("-o",), offline_environment={"P": "off"})

    with pytest.raises(RunError, match="error: -o off; run `bakeoff readers snake` without --offline"):
        builds.build("snake", offline=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"version": ("no-such-snake",)}, "`no-such-snake` was not found; readers in Snake need Snake 3.11"),
        ({"tools": ("no-such-tool",)}, "`no-such-tool` was not found"),
        (
            {"oldest_version": "99.1"},
            r"this is Snake 3\..*; readers in Snake need Snake 99.1 or later: https://",
        ),
        ({"version": (sys.executable, "-c", "")}, "printed no version"),
    ],
)
def test_toolchain_that_cannot_build(
    language: WorkerBuild, fields: dict[str, object], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch, language, **fields)

    with pytest.raises(UsageError, match=reason):
        builds.build("snake")


@pytest.mark.slow
@pytest.mark.usefixtures("language")
def test_command_lists_and_builds(tmp_path: Path) -> None:
    before = bakeoff(tmp_path, "readers")
    made = bakeoff(tmp_path, "readers", "snake")
    after = bakeoff(tmp_path, "readers")
    unknown = bakeoff(tmp_path, "readers", "snaek")

    assert "not built" in before.stdout
    assert (made.returncode, "msgpack" in made.stderr) == (0, True)
    assert "(json)" in after.stdout
    assert (unknown.returncode, "did you mean snake?" in unknown.stderr) == (2, True)


@pytest.mark.slow
def test_command_builds_the_others_if_a_toolchain_is_missing(
    language: WorkerBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(builds.LANGUAGES, "lizard", replace(language, version=("no-such-lizard",)))
    done = bakeoff(tmp_path, "readers", "lizard", "snake")

    assert (done.returncode, "snake: built in" in done.stderr) == (1, True)
    assert "lizard: `no-such-lizard` was not found" in done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_sources_are_in_the_package(language: str) -> None:
    assert any(builds._sources(language).iterdir())


def test_node_has_a_lock_for_all_systems() -> None:
    lock = json.loads((builds._sources("node") / "package-lock.json").read_text())

    assert all("integrity" in package for name, package in lock["packages"].items() if name)
