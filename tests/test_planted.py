"""No file of the working folder runs unless it is typed, whatever module its name takes."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import released
from bakeoff.bench import valgrind
from inprocess import bakeoff
from launched import launch

ROOT = Path(__file__).resolve().parent.parent
LINES = '{"id": 1, "name": "a"}\n{"id": 2, "name": "b"}\n'

ELSEWHERE = {
    ("bench/run/interpreters.py", "-c"): "older interpreters have no -P; the script removes the empty entry",
    ("bench/run/machines/addresses.py", "-c"): "an option of another program",
    ("bench/run/options.py", "-c"): "an option of ours",
    ("reports/tables/further.py", "-c"): "an option of ours",
    ("bench/run/machines/addresses.py", "-m"): "runs in the home directory of another machine, or is printed",
    ("bench/foreign/builds.py", "-m"): "PyPy has no -P; runs in a folder of ours",
}
"""Places that start Python without ``-P``, and why."""


def starts(tree: ast.AST) -> Iterator[tuple[int, str, bool]]:
    """Yield the arguments for an interpreter: line, option, and whether ``-P`` precedes it."""
    for node in ast.walk(tree):
        parts = node.elts if isinstance(node, (ast.List, ast.Tuple)) else ()
        texts = [part.value if isinstance(part, ast.Constant) else None for part in parts]
        for option in ("-m", "-c"):
            if option in texts:
                yield node.lineno, option, "-P" in texts[: texts.index(option)]


@pytest.mark.slow
@pytest.mark.checkout
def test_no_interpreter_searches_the_working_folder() -> None:
    found, without = 0, []
    for room in ("codecs", "schemas", "datasets", "bench", "reports", "src/bakeoff"):
        for path in (ROOT / room).rglob("*.py"):
            name = str(path.relative_to(ROOT))
            for line, option, safe in starts(ast.parse(path.read_text())):
                found += 1
                if not safe and (name, option) not in ELSEWHERE:
                    without.append(f"{name}:{line}: {option}")

    assert found > 10
    assert [] == without


def planted(folder: Path) -> Path:
    """Put modules in a folder that take the names of others, and return the file that they would write."""
    mark = folder.parent / "ran"
    code = f"open({str(mark)!r}, 'a').write(__name__ + ' ')\nraise SystemExit(3)\n"
    names = {name for name in sys.stdlib_module_names if name not in sys.builtin_module_names}
    for name in (*names, "click", "rich", "pyperf", "psutil", "packaging", "orjson", "bakeoff", "tinycodec"):
        (folder / f"{name}.py").write_text(code)
    for name in ("pip", "msgpack", "grpc_tools"):
        (folder / name).mkdir()
        for file in ("__init__", "__main__", "protoc"):
            (folder / name / f"{file}.py").write_text(code)
    for name in ("sitecustomize", "usercustomize"):
        (folder / f"{name}.py").write_text(code)
    return mark


@pytest.fixture(scope="module")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, str]]:
    """Return a folder with planted modules and records, the mark, and an index with two releases."""
    top = tmp_path_factory.mktemp("cloned")
    for version in ("1.0", "2.0"):
        released.wheel(top / "wheels", version, released.source(lossy=version == "2.0"))
    folder = top / "folder"
    folder.mkdir()
    mark = planted(folder)
    (folder / "d.jsonl").write_text(LINES)
    (folder / "r.proto").write_text('syntax = "proto3"; message R { int64 id = 1; string name = 2; }')
    (folder / "mine.py").write_text(
        "import json, bakeoff\n"
        "C = bakeoff.Codec('mine', 'json', lambda o: json.dumps(o).encode(), json.loads)\n"
    )
    (folder / "old.txt").write_text("tinycodec==1.0\n")
    (folder / "new.txt").write_text("tinycodec==2.0\n")
    return folder, mark, released.environment(top)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "run d.jsonl -c json,msgpack,orjson,pickle --quick --budget 0 --all -o a.json",
        "run d.jsonl -c tiny==1.0,json --quick --budget 0 --all --ops load,import -o b.json",
        "run d.jsonl -c mine=mine:C -c orjson --quick --budget 0 --all --ops load -o c.json",
        "run d.jsonl -c protobuf --schema r.proto#R --quick --budget 0 --all --ops load -o d.json",
        "releases tiny d.jsonl --budget 0 -o e.json",
        "upgrade old.txt --to new.txt d.jsonl --budget 0 -o f.json",
        "attack json --only encode/*",
        "codecs",
        "schema infer d.jsonl",
        "stores d.jsonl -c json --stores dbm --budget 1s",
    ],
)
def test_no_module_of_the_working_folder_runs(cloned: tuple[Path, Path, dict[str, str]], line: str) -> None:
    folder, mark, environment = cloned
    mark.unlink(missing_ok=True)
    done = launch(folder, *line.split(), **environment)

    assert not mark.exists(), mark.read_text()
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(bool(valgrind.missing()), reason="needs Valgrind")
def test_valgrind_takes_no_options_from_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / ".valgrindrc").write_text(f"--log-file={tmp_path}/ran\n")
    done = subprocess.run(
        [*valgrind.command(tmp_path), sys.executable, "--version"], cwd=tmp_path, check=False
    )

    assert 0 == done.returncode
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_a_resumed_run_imports_no_codec_that_was_not_typed(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    (tmp_path / "d.jsonl").write_text(LINES)
    (tmp_path / "mine.py").write_text(
        "import json, pathlib, bakeoff\n"
        "pathlib.Path('ran').touch()\n"
        "C = bakeoff.Codec('mine', 'json', lambda o: json.dumps(o).encode(), json.loads)\n"
    )
    own = ("-c", "mine=mine.py:C", "-c", "json")
    first = bakeoff(
        tmp_path, "run", "d.jsonl", *own, "--ops", "size", "--quick", "--all", "--budget", "0", "-o", "x.json"
    )
    mark.unlink()
    refused = bakeoff(tmp_path, "run", "--resume", "x.json")
    ran = mark.exists()
    typed = bakeoff(tmp_path, "run", "--resume", "x.json", *own)

    assert [0, 2, 0] == [done.returncode for done in (first, refused, typed)], typed.stderr
    assert "refusing to import mine named in the result file" in refused.stderr
    assert not ran
