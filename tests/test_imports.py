"""Imports by module or file: one module for each, under the same name in every process."""

from __future__ import annotations

import pickle
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from bakeoff import UsageError, imports
from bakeoff.imports import search_path

RECORD = "class Row:\n    def __init__(self, n):\n        self.n = n\nrow = Row(1)\n"


@pytest.fixture(autouse=True)
def _unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / f"{tmp_path.name}_rows.py"
    made.write_text(RECORD)
    return made


def test_a_file_is_the_module_that_an_import_beside_it_gives(file: Path) -> None:
    found = imports.module(str(file))
    sys.path.append(str(file.parent))

    assert found.__name__ == file.stem
    assert imports.module(str(file)) is imports.module(file.stem) is found
    assert imports.named(f"{file}:row.n") == 1
    assert imports.imported() == {file.stem: str(file)}


@pytest.mark.parametrize("name", ["json.py", "html.py", "no-name.py", "no.name.py"])
def test_no_other_module_is_taken_for_a_file_nor_replaced(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(RECORD)
    found = imports.module(str(tmp_path / name))

    assert found.__file__ == str(tmp_path / name)
    assert found.__name__ != Path(name).stem
    assert imports.module("html").__file__ != str(tmp_path / name)


def test_two_files_of_one_name_are_two_modules(tmp_path: Path) -> None:
    for version in ("one", "two"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "versions_of_rows.py").write_text(f"name = {version!r}")

    found = [imports.named(f"{tmp_path}/{each}/versions_of_rows.py:name") for each in ("one", "two")]
    assert found == ["one", "two"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["other_rows.py", "json.py"])
def test_another_process_reads_what_refers_to_them(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(RECORD)
    data = pickle.dumps(imports.named(f"{tmp_path / name}:row"))
    script = (
        "import pickle\nfrom bakeoff.imports import import_again\n"
        f"import_again({imports.imported()!r})\nprint(pickle.loads({data!r}).n)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("1\n", "")


def test_a_module_that_fails_is_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "mended_rows.py"
    file.write_text("1 / 0")
    with pytest.raises(UsageError, match="cannot be imported: ZeroDivisionError"):
        imports.module(str(file))
    with pytest.raises(UsageError, match="cannot be imported: ZeroDivisionError"):
        imports.import_again({"mended_rows": str(file)})
    file.write_text(RECORD)

    assert imports.named(f"{file}:row").n == 1


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("mod:rows", True),
        ("pkg.mod:rows.first", True),
        ("a/b-c.py:rows", True),
        ("/x/y.py:rows", True),
        ("a/b:rows", False),
        ("mod", False),
        ("a.py", False),
        ("C:\\x", False),
        ("likes:1000", False),
        ("mod:", False),
        (":rows", False),
    ],
)
def test_the_form_tells_modules_from_files(text: str, is_one: bool) -> None:
    assert imports.is_named(text) == is_one


def test_other_processes_get_folders_of_the_user_and_not_those_of_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    found = search_path()

    assert found[0] == str(tmp_path)
    assert not {sysconfig.get_path(name) for name in ("stdlib", "purelib")} & {*found}
    assert not any(Path(entry, "json").is_dir() or Path(entry, "pytest").is_dir() for entry in found)
