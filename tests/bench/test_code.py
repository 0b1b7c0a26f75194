"""The code that a codec's figures depend on, besides the version of its library."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from bakeoff.bench.code import of_package, of_pickle
from bakeoff.bench.past import identity
from bakeoff.bench.results import BASELINE, read
from inprocess import bakeoff

IMPORTED = """
import sys
from bakeoff.bench.worker import check
from bakeoff.bench.code import imported
sys.path += sys.argv[1:]
import own, by_chance
own.dumps({})
import json
print(json.dumps(imported("library", "9.9")))
"""

OWN = """
import decimal, helpers.deep
def dumps(record):
    import beside, other_library
    return beside.text(record)
def loads(payload):
    import json
    return json.loads(payload)
pair = dumps, loads
"""

BESIDE = "import json, library\ndef text(record):\n    return json.dumps(record)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A codec with modules in its folder, and an installation folder with two libraries."""
    files = {
        "mine/own.py": OWN,
        "mine/beside.py": BESIDE,
        "mine/unused.py": "",
        "mine/helpers/__init__.py": "",
        "mine/helpers/deep.py": "",
        "site/library/__init__.py": "",
        "site/library-1.5.dist-info/RECORD": "library/__init__.py,sha256=a,0\n",
        "site/other_library.py": "__version__ = '2.0'\n",
        "site/by_chance.py": "__version__ = '3.0'\n",
        "site/Another.Name-2.0.dist-info/RECORD": "other_library.py,sha256=b,9\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def code(folder: Path) -> dict[str, str]:
    typed = [sys.executable, "-P", "-c", IMPORTED, str(folder / "mine"), str(folder / "site")]
    found: dict[str, str] = json.loads(subprocess.run(typed, check=True, capture_output=True).stdout)
    return found


def append(name: str, text: str = "\n# edited\n") -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text((folder / name).read_text() + text)


def from_folder(folder: Path) -> None:
    (folder / "site/library-1.5.dist-info/direct_url.json").write_text(
        '{"url": "file:///src", "dir_info": {}}'
    )


def rebuilt(folder: Path) -> None:
    append("site/library-1.5.dist-info/RECORD", "library/new.py,sha256=c,0\n")(folder)


def upgraded(folder: Path) -> None:
    (folder / "site/library-1.5.dist-info").rename(folder / "site/library-1.6.dist-info")


@pytest.mark.slow
def test_what_counts(folder: Path) -> None:
    """No module of the standard library or of bakeoff, none that the codec does not import, and no path."""
    found = code(folder)

    assert {"beside", "helpers", "helpers.deep", "library", "other_library", "own"} == found.keys()
    assert ("1.5", "2.0") == (found["library"], found["other_library"])
    assert str(folder) not in str(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "changed"),
    [
        (append("mine/own.py"), {"own"}),
        (append("mine/beside.py"), {"beside"}),
        (append("mine/helpers/deep.py"), {"helpers.deep"}),
        (append("mine/unused.py"), set()),
        (append("site/library/__init__.py"), set()),
        (append("site/other_library.py", "__version__ = '2.1'\n"), {"other_library"}),
        (upgraded, {"library"}),
        (rebuilt, set()),
    ],
)
def test_an_edit_changes_what_was_edited(
    folder: Path, edit: Callable[[Path], object], changed: set[str]
) -> None:
    before = code(folder)
    edit(folder)
    after = code(folder)

    assert changed == {name for name in {*before, *after} if before.get(name) != after.get(name)}


@pytest.mark.slow
def test_a_module_under_a_name_without_a_package_is_no_error(folder: Path) -> None:
    """As pyfory's ``mmh3.mmh3`` has."""
    before = code(folder)
    append("site/library/__init__.py", "import sys\nsys.modules['nowhere.part'] = sys.modules[__name__]\n")(
        folder
    )

    assert before == code(folder)


@pytest.mark.slow
def test_a_package_installed_from_a_folder_changes_without_a_version(folder: Path) -> None:
    from_folder(folder)
    before = code(folder)["library"]
    rebuilt(folder)

    assert before.startswith("1.5 (")
    assert before != code(folder)["library"]


@pytest.mark.slow
def test_the_version_of_the_codecs_library_is_known_already(folder: Path) -> None:
    upgrade = folder / "site/library-9.9.dist-info"
    (folder / "site/library-1.5.dist-info").rename(upgrade)
    released = code(folder)
    (upgrade / "direct_url.json").write_text("{}")

    assert "library" not in released
    assert "library" in code(folder)


@pytest.mark.slow
def test_a_pickle_is_known_by_what_is_in_it() -> None:
    """Sets of texts have another order in each process."""
    script = "import pickle, sys; sys.stdout.buffer.write(pickle.dumps({*map(str, range(50))}))"
    pickles = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    ]
    plain, indented = (pickle.dumps(partial(json.dumps, indent=indent)) for indent in (None, 2))

    assert pickles[0] != pickles[1]
    assert of_pickle(pickles[0]) == of_pickle(pickles[1])
    assert of_pickle(plain) != of_pickle(indented)


def test_a_package_is_known_by_its_code(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    for name in ("a.py", "inner/b.py", "notes.md"):
        (package / name).write_text(name)
    found = [of_package(package)]
    for name in ("notes.md", "inner/b.py"):
        (package / name).write_text("edited")
        found.append(of_package(package))

    assert found[0] == found[1] != found[2]


QUICK = ["--quick", "--all", "--budget", "0"]


class TestRuns:
    @pytest.fixture
    def mine(self, folder: Path) -> Path:
        (folder / "mine/own.py").write_text(OWN.replace("beside, other_library", "beside"))
        (folder / "mine/beside.py").write_text(BESIDE.replace("json, library", "json"))
        (folder / "mine/data.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
        (folder / "mine/order.py").write_text(
            "from typing import TypedDict\nclass Order(TypedDict):\n    id: int\n"
        )
        return folder / "mine"

    def identities(self, mine: Path, *typed: str) -> dict[str, str]:
        done = bakeoff(mine, "run", "data.jsonl", *QUICK, "--ops", "dump", *typed, "-o", "out.json")
        assert done.returncode == 0, done.stderr
        run = read(mine / "out.json")
        return {cell.cell.codec: identity(run, cell) for cell in run.cells if cell.cell.codec != BASELINE}

    @pytest.mark.slow
    def test_each_edit_makes_another_codec(self, mine: Path) -> None:
        codecs = "-c", "mine=own.py:pair,json", "-c", "mine|zlib"
        first, again = (self.identities(mine, *codecs) for _ in range(2))
        seen = [first]
        for file in ("own.py", "beside.py", "helpers/deep.py"):
            append(file)(mine)
            seen.append(self.identities(mine, *codecs))

        assert first == again
        assert 1 == len({found["json"] for found in seen})
        assert 4 == len({found["mine"] for found in seen}) == len({found["mine|zlib"] for found in seen})

    @pytest.mark.slow
    def test_an_edit_of_the_schema_is_another_one(self, mine: Path) -> None:
        typed = "-c", "msgspec-msgpack+schema", "--schema", "order.py:Order"
        first, again = (self.identities(mine, *typed) for _ in range(2))
        append("order.py", "    name: str\n")(mine)

        assert first == again
        assert not {*first.values()} & {*self.identities(mine, *typed).values()}

    @pytest.mark.slow
    def test_no_run_is_resumed_with_other_code(self, mine: Path) -> None:
        typed = [*QUICK, "--ops", "size,dump", "-c", "mine=own.py:pair,json", "-o", "out.json"]
        assert bakeoff(mine, "run", "data.jsonl", *typed).returncode == 0
        resume = ["run", "--resume", "out.json", "-c", "mine=own.py:pair,json"]
        same = bakeoff(mine, *resume)
        append("beside.py")(mine)
        other = bakeoff(mine, *resume)

        assert same.returncode == 0, same.stderr
        assert other.returncode == 1
        assert "mine: other code of beside" in other.stderr
