"""The layout: links, version, public names, and what an import may load."""

from __future__ import annotations

import ast
import codecs as standard_codecs
import importlib
import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import bakeoff
from bakeoff.bench import operations
from bakeoff.bench.backends import stores, transports
from bakeoff.codecs.registry import FORMAT_MODULES
from bakeoff.schemas.wire.languages import LANGUAGES
from frameworks import FRAMEWORKS

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("codecs", "schemas", "datasets", "bench", "reports")


@pytest.mark.checkout
@pytest.mark.parametrize("room", ROOMS)
def test_rooms_are_links_to_the_top_level(room):
    link = ROOT / "src" / "bakeoff" / room

    assert link.is_symlink()
    assert (ROOT / room).resolve() == link.resolve()


def test_the_standard_library_keeps_its_codecs():
    assert hasattr(standard_codecs, "BOM_UTF8")


def test_the_version_is_the_installed_one():
    assert importlib.metadata.version("bakeoff") == bakeoff.__version__


@pytest.mark.checkout
def test_the_changelog_knows_the_version():
    text = (ROOT / "CHANGELOG.md").read_text()

    assert f"## {bakeoff.__version__}" in text or "## Unreleased" in text


def test_all_names_what_is_there():
    assert sorted(bakeoff.__all__) == sorted(set(bakeoff.__all__))
    for name in bakeoff.__all__:
        assert getattr(bakeoff, name) is not None
    with pytest.raises(AttributeError):
        _ = bakeoff.nothing_of_the_kind


@pytest.mark.slow
def test_all_that_is_compiled_can_be_imported():
    package, suffix = Path(bakeoff.__file__).parent, sysconfig.get_config_var("EXT_SUFFIX")
    found = [
        path.relative_to(package.parent) for room in ROOMS for path in (package / room).rglob(f"*{suffix}")
    ]
    names = [str(path).removesuffix(suffix).replace(os.sep, ".") for path in found]
    script = f"from importlib import import_module\nfor name in {names!r}: import_module(name)"

    assert "bakeoff.codecs.core._codec" in names
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.checkout
@pytest.mark.parametrize(
    ("folder", "declaration", "registered"),
    [
        ("codecs/formats", r"\bFormat\(", FORMAT_MODULES),
        ("bench/operations", "^OPERATIONS\\b", operations.__dict__),
        ("bench/backends/stores", "^STORES =", stores.MODULES.values()),
        ("bench/backends/transports", "^TRANSPORTS =", transports.MODULES.values()),
        ("schemas/wire/languages", "^def write", [name.replace("-", "_") for name in LANGUAGES]),
        ("codecs/integrations", "", [*dir(bakeoff.integrations), "kombu"]),  # entry points register that
    ],
)
def test_a_module_that_declares_something_is_registered(folder, declaration, registered):
    found = {
        path.stem
        for path in (ROOT / folder).glob("[!_]*.py")
        if re.search(declaration, path.read_text(), re.MULTILINE)
    }

    assert found
    assert not found - {*registered}, f"{folder}/__init__.py, or its registry, does not name them"


@pytest.mark.checkout
def test_the_face_stays_small():
    assert len((ROOT / "src/bakeoff/__init__.py").read_text().splitlines()) < 60


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        (
            "import bakeoff",
            "click rich pyperf numpy scipy msgpack simplejson bson yaml jinja2 resvg_py psutil",
        ),
        (
            "import bakeoff; [getattr(bakeoff.integrations, name) for name in dir(bakeoff.integrations)]",
            " ".join(FRAMEWORKS),
        ),
        ("import bakeoff.reports", "resvg_py jinja2 rich pyperf numpy scipy msgpack bson yaml"),
        ("import bakeoff.reports.page.page", "resvg_py jinja2 markupsafe"),
        ("import bakeoff.cli", "rich pyperf numpy scipy msgpack simplejson bson yaml jinja2"),
    ],
)
def test_imports_stay_light(statement, unwanted):
    script = f"{statement}; import sys; print(*[m for m in {unwanted.split()} if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == ""


TOP = (
    "commands.", "cli.", "_fastest.", "_progress.", "_result.", "_run.", "integrations.", "testing.",
    "__main__.", ".",
)  # fmt: skip
"""The top layer: the commands and the public package, whose name here is empty."""
FOR_REPORTS = (
    "bench.cells",
    "bench.evolved",
    "bench.libraries",
    "bench.method",
    "bench.preserved",
    "bench.results",
    "bench.stats",
    "bench.verdict",
)
"""Modules of bench that reports may import, as they must work without a corpus or a codec's library."""

APART = (
    ("bench.worker.", "bench.run."),
    ("bench.run.", "bench.worker."),
    ("bench.operations.", "bench.run."),
    ("bench.operations.", "bench.worker."),
    ("codecs.", "codecs.integrations."),
)
"""Forbidden imports within a room: the parent names a worker's modules in jobs; codecs know no framework."""
FLOORS = {
    "codecs": (
        "_stack defaults errors installed limits naming paths",
        "binding conventions",
        "safety streams version_faults",
        "format",
        "spec",
        "custom",
        "registry",
        "selection",
        "core",
        "media",
        "factory",
        "production ready",
        "formats integrations",
    ),
    "bench": (
        "blobs capabilities code disk_space equality frames heartbeat libraries method orphans pipes "
        "preserved quantities survey valgrind",
        "cells contention facts figure",
        "backends foreign results",
        "jobs ledger messages operations stats",
        "deaths evolved fit past verdict versions worker",
        "run",
        "__main__ lab watch",
    ),
    "schemas": ("tree", "plan", "wire", "infer naming text_forms", "schema", "difference load"),
    "datasets": (
        "base counts errors hashing sizes",
        "generated profile sampling synthetic",
        "passes readers",
        "corpora scale shards writing",
        "schema",
    ),
    "reports": ("model", "tables", "decide", "page"),
}
"""Floors of the parts of a room, of which each imports only from its own floor and those before it."""
UPWARDS = frozenset(
    {
        # The compiled module knows what it was compiled with.
        ("bench.capabilities", "bench.worker._slice.CHAINED"),
    }
)
"""The imports from a higher floor that remain."""


@cache
def imports(path: Path, root: Path) -> list[str]:
    """Return the names below the package at `root` that a file imports, in functions and for types, too."""
    text, package = path.read_text(), ("bakeoff", *path.relative_to(root).parts[:-1])
    if path.suffix == ".py":
        nodes = list(ast.walk(ast.parse(text)))
        plain = [name.name for node in nodes if isinstance(node, ast.Import) for name in node.names]
        found = [
            (node.level, node.module or "", name.name)
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        ]
    else:
        plain = []
        rows = re.findall(r"^\s*from (\.*)([\w.]*) c?import \(?(\w*)", text, re.MULTILINE)
        found = [(len(dots), module, name) for dots, module, name in rows]
    for level, module, name in found:
        base = package[: len(package) - level + 1] if level else ()
        plain.append(".".join(filter(None, (*base, module, name))))
    return [name.removeprefix("bakeoff.") for name in plain if name.startswith("bakeoff.")]


def height(name: str) -> int:
    """Return the layer of a module, or of a name in it."""
    if f"{name}.".startswith(TOP):
        return len(ROOMS) + 1
    room = name.partition(".")[0]
    return ROOMS.index(room) + 1 if room in ROOMS else 0


def floor_of(name: str) -> tuple[str, int | None]:
    """Return the room of a module or of a name in it, and its floor there; None if the room has no floors."""
    room, part, *_ = f"{name}..".split(".")
    floors = {each: floor for floor, names in enumerate(FLOORS.get(room, ())) for each in names.split()}
    return room, floors.get(part)


def is_from_below(module: str, name: str) -> bool:
    """Whether a module may import a name."""
    for room, other in APART:
        inside = f"{module}.".startswith(room) and not f"{module}.".startswith(other)
        if inside and f"{name}.".startswith(other):
            return False
    room, floor = floor_of(module)
    other, above = floor_of(name)
    if room == other and floor is not None and above is not None and above > floor:
        return (module, name) in UPWARDS
    if module.startswith("reports.") and name.startswith("bench."):
        return name.startswith(FOR_REPORTS)
    return height(name) <= height(module)


def modules(root: Path, *suffixes: str) -> dict[str, Path]:
    """Return the files below a package that end so by their names in it."""
    found = {}
    for folder, _, files in os.walk(root, followlinks=True):
        for path in (Path(folder, file) for file in files if file.endswith(suffixes or ".py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


def upwards(root: Path) -> list[str]:
    """Return the imports that are not from below."""
    return [
        f"{module}: {name}"
        for suffix in (".py", ".pyx", ".pxd", ".pxi")
        for module, path in modules(root, suffix).items()
        for name in imports(path, root)
        if not is_from_below(module, name)
    ]


def circle(root: Path) -> list[str]:
    """Return modules of which each imports the one before it and the first the last; empty if none do."""
    there = modules(root, ".py", ".pyx")
    order = TopologicalSorter[str]()
    for module, path in there.items():
        names = {name if name in there else name.rpartition(".")[0] for name in imports(path, root)}
        order.add(module, *(names - {module}))
    try:
        order.prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def exported(path: Path) -> set[str]:
    """Return what a module's ``__all__`` names; nothing where there is none."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and "__all__" in (getattr(name, "id", "") for name in node.targets):
            return set(ast.literal_eval(node.value))
    return set()


def private(root: Path) -> list[str]:
    """Return names with an underscore that a module imports from another module."""
    there = modules(root)
    wrong = []
    for module, path in there.items():
        for home, _, name in (imported.rpartition(".") for imported in imports(path, root)):
            if home in there and re.match(r"_(?!_)", name) and not is_module(root, f"{home}.{name}"):
                wrong.append(f"{module}: {home}.{name}")
    return wrong


def is_module(root: Path, name: str) -> bool:
    """Whether a name is that of a folder, a module, or one that is compiled."""
    path = root.joinpath(*name.split("."))
    return any(path.with_suffix(suffix).exists() for suffix in ("", ".py", ".pyx"))


@pytest.mark.checkout
def test_modules_import_no_private_names():
    assert [] == private(ROOT / "src/bakeoff")


def test_an_import_of_a_private_name_is_seen(tmp_path):
    for name, text in (("a", "f = _g = 1"), ("_b", "g = 1"), ("c", "from . import _b\nfrom .a import _g, f")):
        (tmp_path / f"{name}.py").write_text(text)

    assert ["c: a._g"] == private(tmp_path)


def homonyms(root: Path) -> dict[str, list[str]]:
    """Return the public classes of one name that several public modules declare, with these modules."""
    homes: dict[str, list[str]] = {}
    for module, path in modules(root).items():
        if not re.search(r"\b_", module) and not module.startswith(WORDS_OF_OTHERS):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes.setdefault(node.name, []).append(module)
    return {name: sorted(homes[name]) for name in sorted(homes) if len(homes[name]) > 1}


WORDS_OF_OTHERS = ("codecs.integrations.", "datasets.generated.")
"""Rooms whose classes are named after those of a framework, or after the things that records describe."""


@pytest.mark.checkout
def test_a_class_name_has_one_meaning():
    assert {} == homonyms(ROOT / "src/bakeoff")


def test_a_class_name_with_two_meanings_is_seen(tmp_path):
    for name, text in (
        ("a", "class Row: ...\nclass _Own: ...\nclass A: ..."),
        ("b", "class Row: ...\nclass _Own: ..."),
        ("_c", "class A: ..."),
    ):
        (tmp_path / f"{name}.py").write_text(text)

    assert {"Row": ["a", "b"]} == homonyms(tmp_path)


@pytest.mark.slow
@pytest.mark.checkout
def test_what_all_names_is_there():
    """In every module of every room, but for integrations: their frameworks warn."""
    for name, path in modules(ROOT / "src/bakeoff").items():
        if (wanted := exported(path)) and not name.startswith("codecs.integrations."):
            module = importlib.import_module(f"bakeoff.{name}".rstrip("."))
            assert [] == [missing for missing in sorted(wanted) if not hasattr(module, missing)], name


@pytest.mark.checkout
def test_imports_go_one_way():
    assert [] == upwards(ROOT / "src/bakeoff")


@pytest.mark.checkout
@pytest.mark.parametrize("room", FLOORS)
def test_each_part_of_a_room_has_a_floor(room):
    parts = {path.stem for path in (ROOT / room).iterdir() if path.is_dir() or path.suffix in (".py", ".pyx")}

    assert parts - {"__init__", "__pycache__"} == {*" ".join(FLOORS[room]).split()}


@pytest.mark.slow
@pytest.mark.checkout
def test_no_modules_import_each_other():
    assert [] == circle(ROOT / "src/bakeoff")


@pytest.mark.parametrize("where", ["", "def f():\n    ", "if TYPE_CHECKING:\n    "])
def test_a_circle_is_seen(where, tmp_path):
    (tmp_path / "a.py").write_text("from .b import f")
    (tmp_path / "b.py").write_text(f"{where}from .a import g")

    assert {"a", "b"} == set(circle(tmp_path))


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("codecs/a.py", "from ..schemas.plan import lack"),
        ("codecs/a.py", "def f():\n    from .. import schemas"),
        ("codecs/a.pyx", "    from ..schemas.plan import lack"),
        ("codecs/a.pxd", "from ..schemas._plan cimport Step"),
        ("schemas/a.py", "import bakeoff.datasets"),
        ("datasets/deep/a.py", "from ...bench.results import read"),
        ("bench/a.py", "if TYPE_CHECKING:\n    from ..reports import Table"),
        ("bench/worker/a.py", "from ..run.options import Options"),
        ("bench/run/a.py", "def f():\n    from ..worker import check"),
        ("bench/operations/a.py", "if TYPE_CHECKING:\n    from ..worker.records import Sample"),
        ("reports/a.py", "from bakeoff.bench.session import run"),
        ("reports/a.py", "from ..commands.run import command"),
        ("reports/model/a.py", "def f():\n    from ..decide.pick import pick"),
        ("schemas/tree/a.py", "from ..wire import layout"),
        ("codecs/core/a.py", "if TYPE_CHECKING:\n    from ..integrations.django import Serializer"),
        ("codecs/spec.py", "def f():\n    from .integrations import kombu"),
        ("codecs/limits.py", "from .registry import names"),
        ("bench/results/a.py", "if TYPE_CHECKING:\n    from ..operations import Operation"),
        ("bench/fit.py", "from .lab.selftest.checks import run"),
        ("codecs/streams/a.py", "from ..formats.json import FORMAT"),
        ("codecs/safety/a.pyx", "from ..core._codec import Core"),
        ("codecs/integrations/a.py", "from ...integrations import django"),
        ("console.py", "from .codecs import names"),
        ("errors.py", "from .cli import main"),
    ],
)
def test_an_import_upwards_is_seen(place, line, tmp_path):
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text(line)

    assert 1 == len(upwards(tmp_path))


@pytest.mark.checkout
def test_only_the_console_writes_past_its_escape():
    """`Styled` text, the streams behind the standard ones, and rich's console are not escaped again."""
    past = re.compile(r"\b(?:Styled|unescaped|standard_output|Console)\(")
    places = [ROOT / "src" / "bakeoff", *(ROOT / room for room in ROOMS)]
    files = [path for place in places for path in place.rglob("*.py") if not path.is_symlink()]
    found = {path.name for path in files if past.search(path.read_text())}

    assert {"console.py", "escape.py", "_output.py", "_records.py", "text.py"} == found
