"""tasks.py, without installing anything."""

from __future__ import annotations

import ast
import contextlib
import shutil
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from zipfile import ZipFile

import pytest
import setuptools
from setuptools.errors import CompileError

import scripts

pytestmark = pytest.mark.checkout


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module, with an empty .venv and all commands written down in `typed`."""
    module = scripts.load(Path(__file__).parents[1] / ".ci/verbs.py")
    module.typed = []
    monkeypatch.setattr(module, "VENV", tmp_path)
    monkeypatch.setattr(module, "BIN", tmp_path / "bin")
    monkeypatch.setattr(module, "sh", lambda *command, **_: module.typed.append([str(c) for c in command]))
    module.real_pip = module.pip
    monkeypatch.setattr(module, "pip", lambda *wanted: None)
    return module


def test_half_a_venv_is_made_anew(tasks: ModuleType, tmp_path: Path) -> None:
    """One that a failed set-up left behind may lack pip; one that was finished is kept."""
    (tmp_path / "bin").mkdir()
    tasks.setup()
    first = list(tasks.typed)
    tasks.typed.clear()
    tasks.setup("dev")

    assert ["-m", "venv", "--clear", str(tmp_path)] == first[0][1:]
    assert not any("venv" in command for command in tasks.typed)


def test_the_run_takes_our_place(tasks: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a child it would be killed a quarter of a second after Ctrl-C."""
    found: list[list[str]] = []
    monkeypatch.setattr(tasks.os, "execv", lambda path, arguments: found.append(arguments))
    tasks.run(["--quick"])

    assert [[str(tasks.BIN / "bakeoff"), "run", "--quick"]] == found


def test_targets_are_those_of_a_module_with_its_arguments(
    tasks: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed: list[list[str]] = []

    def run(command: list[str], cwd: Path) -> SimpleNamespace:
        typed.append(command[1:])
        return SimpleNamespace(returncode=command[3] == "memory")

    monkeypatch.setattr(tasks.subprocess, "run", run)
    tasks.benchmarks(["schemas", "--rounds", "3"])
    assert [["-m", "benchmarks", "schemas", "--rounds", "3"]] == typed
    with pytest.raises(SystemExit, match=r"^not met: memory$"):
        tasks.benchmarks([])
    assert len(typed) > 5
    with pytest.raises(SystemExit, match=r"no benchmarks 'shemas'; there are answer, compare, corpora, "):
        tasks.benchmarks(["shemas"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "stops"),
    [("print('building')", None), ("print('x: Warning: y')", "the build warns:\nx: W"), ("exit(3)", "3")],
)
def test_a_build_that_warns_is_stopped(tasks: ModuleType, code: str, stops: str | None) -> None:
    if stops is None:
        tasks.quietly(sys.executable, "-c", code)
    else:
        with pytest.raises(SystemExit, match=stops):
            tasks.quietly(sys.executable, "-c", code)


def test_what_a_wheel_lacks_is_named(tasks: ModuleType, tmp_path: Path) -> None:
    none, most = tmp_path / "none.whl", tmp_path / "most.whl"
    with ZipFile(none, "w"):
        pass
    wanted = tasks.missing(none)
    left_out = [
        "bakeoff/codecs/safety/_walk.pyi",
        "bakeoff/reports/page/templates/page.css",
        "bakeoff/schemas/plan/build.py",
    ]
    left_out.append(next(name for name in wanted if name.startswith("bakeoff/schemas/plan/_plan.cpython")))
    with ZipFile(most, "w") as archive:
        for name in set(wanted) - set(left_out):
            archive.writestr(name, "")

    assert {"bakeoff/__init__.py", "bakeoff/py.typed", *left_out} < set(wanted)
    assert not [name for name in wanted if name.endswith((".pyx", ".pxi", ".pyc"))]
    assert sorted(left_out) == tasks.missing(most)


@pytest.mark.parametrize(
    ("user", "arguments", "installs"),
    [(0, ["--servers", "-x"], True), (1000, ["--servers", "-x"], False), (0, ["-x"], False)],
)
def test_what_tests_drive_is_installed_when_asked(
    tasks: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    user: int,
    arguments: list[str],
    installs: bool,
) -> None:
    monkeypatch.setattr(tasks.os, "geteuid", lambda: user)
    monkeypatch.setattr(tasks.shutil, "which", lambda name: "apt-get" if name == "apt-get" else None)
    monkeypatch.setattr(tasks.subprocess, "check_output", lambda *_, **__: "redis-server")
    monkeypatch.setattr(tasks, "setup", lambda *groups: None)
    tasks.test(arguments)

    assert installs == any("redis-server" in command for command in tasks.typed)
    assert installs == any("apt-get" in command for command in tasks.typed)
    assert ("--servers" in arguments) == ("redis-server" in capsys.readouterr().err)
    assert ["-m", "pytest", *tasks.ABREAST, "-x"] == tasks.typed[-1][1:]


def test_the_quick_tests_start_no_server(tasks: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "setup", lambda *groups: None)
    tasks.test([])

    assert ["-m", "pytest", *tasks.ABREAST, *tasks.QUICK] == tasks.typed[-1][1:]
    assert "not integration and not slow" in tasks.QUICK


@pytest.mark.parametrize(
    ("codes", "arguments"),
    [
        ([0, 0, 0], ["--all"]),
        ([0, 1, 0], ["--all"]),
        ([2, 0, 0], ["--cov"]),
        ([0, 0, 0], ["--all", "--cov"]),
        ([0, 0, 3], ["--all"]),
    ],
)
def test_all_parts_are_run_at_the_same_time(
    tasks: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codes: list[int], arguments: list[str]
) -> None:
    begun: list[list[str]] = []
    left = iter(codes)

    def begin(command: list[str], **how: object) -> SimpleNamespace:
        begun.append(command)
        return SimpleNamespace(wait=lambda: next(left))

    monkeypatch.setattr(tasks, "setup", lambda *groups: None)
    monkeypatch.setattr(tasks, "COVERAGE", tmp_path / "coverage")
    monkeypatch.setattr(tasks.subprocess, "Popen", begin)
    with contextlib.nullcontext() if not any(codes) else pytest.raises(SystemExit, match=str(max(codes))):
        tasks.test(arguments)

    markers = [command[command.index("-m", 3) + 1] for command in begun]
    assert ["not integration", "integration", "integration"] == markers
    measured = "--cov" in arguments
    assert [measured] * 3 == ["--cov" in command for command in begun]
    assert measured == ("report" in tasks.typed[-1] if tasks.typed else False)


@pytest.mark.slow
def test_long_steps_of_setting_up_are_said(
    tasks: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin/python"
    steps = (
        "Obtaining file:///a",
        "  Preparing editable metadata (pyproject.toml): started",
        "  Preparing editable metadata (pyproject.toml): finished with status 'done'",
        "Collecting b",
        "Collecting c",
        "  Building editable for a (pyproject.toml): started",
        "Installing collected packages: a",
    )
    python.write_text("#!/bin/sh\n" + "".join(f"echo '{step}'\n" for step in steps) + "exit 4\n")
    python.chmod(0o755)
    with pytest.raises(SystemExit, match="4"):
        tasks.real_pip(tasks.VENV, "a")

    shown = capsys.readouterr()
    assert "" == shown.out
    assert [
        "tasks: pip: finding and downloading packages",
        "tasks: pip: preparing editable metadata (pyproject.toml)",
        "tasks: pip: finding and downloading packages",
        "tasks: pip: building editable for a (pyproject.toml)",
        "tasks: pip: installing",
    ] == shown.err.splitlines()


def test_a_version_of_python_that_is_not_installed_is_skipped(
    tasks: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = {"3.11": "passed", "3.12": "failed"}
    monkeypatch.setattr(tasks, "interpreter", lambda version: version if version in ended else None)
    monkeypatch.setattr(tasks, "setup", lambda *_, **__: None)
    asked: list[list[str]] = []

    def run(command: list[str], **_: object) -> SimpleNamespace:
        asked.append(command[-2:])
        return SimpleNamespace(returncode=int("3.12" in command[0]))

    monkeypatch.setattr(tasks.subprocess, "run", run)
    with pytest.raises(SystemExit):
        tasks.versions(["tests/codecs", "-x"])

    said = capsys.readouterr().err
    assert [["tests/codecs", "-x"]] * 2 == asked
    assert "3.11: passed" in said
    assert "3.12: failed" in said
    assert "3.14: skipped, as python3.14 is not installed" in said


@pytest.mark.slow
def test_an_interpreter_is_one_that_runs_and_has_the_version(tasks: ModuleType) -> None:
    here = f"{sys.version_info.major}.{sys.version_info.minor}"

    assert sys.executable == tasks.interpreter(here)
    assert tasks.interpreter("3.1") is None


STARTER = Path(__file__).parents[1] / "tasks.py"
OLD = ["2.7", "3.6", "3.7", "3.8", "3.9", "3.10"]


@pytest.mark.parametrize("version", OLD)
def test_an_old_python_is_told_which_one_to_take(version: str) -> None:
    installed = sorted((Path.home() / ".pyenv/versions").glob(f"{version}.*/bin/python"))
    python = str(installed[-1]) if installed else shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "--version"], capture_output=True).returncode:
        pytest.skip(f"Python {version} is not installed")
    done = subprocess.run([python, str(STARTER), "run"], capture_output=True, text=True)

    said = f"tasks.py needs Python 3.11 or later; this is {version}; try python3.12 tasks.py\n"
    assert (1, "", said) == (done.returncode, done.stdout, done.stderr)


def test_the_starter_has_nothing_newer_than_python_2() -> None:
    tree = ast.parse(STARTER.read_text(), feature_version=(3, 4))
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Match, ast.Starred, ast.Nonlocal, ast.keyword)
    found = [node for node in ast.walk(tree) if isinstance(node, newer)]

    assert ["run_name"] == [node.arg for node in found if isinstance(node, ast.keyword)]
    assert 1 == len(found)
    assert not any(
        isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in ast.walk(tree)
    )


def test_a_long_step_is_named_again_with_its_seconds(
    tasks: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    again = threading.Event()

    def say(text: str) -> None:
        said.append(text)
        if text.startswith("building, "):
            again.set()

    monkeypatch.setattr(tasks, "say", say)
    monkeypatch.setattr(tasks, "TICK", 0.001)
    with tasks.steps("finding") as begin:
        begin("building")
        assert again.wait(60)

    assert "finding" == said[0]
    assert "building, 0 s" in said
    assert 5.0 >= scripts.load(Path(tasks.__file__)).TICK


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """setup.py in a folder with two extensions, each built by writing its source's name."""
    for name in ("codecs/core/_a.pyx", "codecs/core/_b.pyx", "codecs/core/_a.pxd"):
        path = tmp_path / "src/bakeoff" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    shutil.copy(Path(__file__).parents[1] / "setup.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BAKEOFF_BUILDS", str(tmp_path / "kept"))
    monkeypatch.setattr(setuptools, "setup", lambda **_: None)

    def build(self: object, extension: setuptools.Extension) -> None:
        source = Path(extension.sources[0]).read_text()
        if source == "wrong":
            raise CompileError("it is wrong")
        with Path("built").open("a") as log:
            log.write(f"{extension.name}\n")
        Path(extension.name).write_text(source)

    module = scripts.load(tmp_path / "setup.py")
    parent = module.BuildExtensions.__bases__[0]
    monkeypatch.setattr(parent, "build_extension", build)
    monkeypatch.setattr(parent, "get_ext_fullpath", lambda self, name: name)
    return module


def build(module: ModuleType) -> list[str]:
    """Build all; return the names of those that were compiled."""
    Path("built").write_text("")
    command = module.BuildExtensions(setuptools.Distribution())
    command.extensions = [module.extension(source) for source in module.SOURCES]
    command.compiler = SimpleNamespace(include_dirs=[sysconfig.get_path("include")])
    command.build_extensions()
    return sorted(Path("built").read_text().split())


A, B = "bakeoff.codecs.core._a", "bakeoff.codecs.core._b"


def test_only_what_has_changed_is_compiled(building: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [A, B] == build(building)
    Path(A).unlink()
    assert [] == build(building)
    assert "codecs/core/_a.pyx" == Path(A).read_text()

    Path("src/bakeoff/codecs/core/_b.pyx").write_text("new")
    assert [B] == build(building)
    assert "new" == Path(B).read_text()
    # Any module may include a declaration.
    Path("src/bakeoff/codecs/core/_a.pxd").write_text("new")
    assert [A, B] == build(building)
    monkeypatch.setenv("CFLAGS", "-O0")
    assert [A, B] == build(building)


def test_a_kept_module_is_whole_and_our_own_or_compiled_again(
    building: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(building)
    for kept in Path("kept").iterdir():
        kept.write_bytes(kept.read_bytes()[:-1])
    assert [A, B] == build(building)
    assert [] == build(building)
    assert "codecs/core/_a.pyx" == Path(A).read_text()

    monkeypatch.setattr(building.os, "geteuid", lambda: -1)
    assert [A, B] == build(building)


def test_without_a_place_to_keep_modules_they_are_compiled(building: ModuleType) -> None:
    Path("kept").write_text("no folder")

    assert [A, B] == build(building)
    assert "codecs/core/_a.pyx" == Path(A).read_text()


def test_a_user_without_a_home_keeps_no_modules(tasks: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, str]] = []

    class Pip(contextlib.nullcontext[SimpleNamespace]):
        def __init__(self, _: object, *, env: dict[str, str], **how: object) -> None:
            given.append(env)
            super().__init__(SimpleNamespace(stdout=[], returncode=0))

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("BAKEOFF_BUILDS", raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    homeless = scripts.load(Path(tasks.__file__))
    monkeypatch.setattr(homeless.subprocess, "Popen", Pip)
    homeless.pip(tasks.VENV)

    assert ["BAKEOFF_BUILDS" in environment for environment in given] == [False]


def test_a_release_is_compiled_from_its_sources(
    building: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "KEPT", None)

    assert [A, B] == build(building)
    assert [A, B] == build(building)
    assert not Path("kept").exists()


def test_what_was_not_built_is_named(building: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    Path("src/bakeoff/codecs/core/_a.pyx").write_text("wrong")
    with pytest.raises(CompileError, match=f"^{A} was not built; the reason is above$"):
        build(building)

    assert "it is wrong\n" == capfd.readouterr().err
