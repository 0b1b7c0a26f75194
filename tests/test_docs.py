"""The examples in README and the site are run, page by page, and the names in them exist."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import get_args

import click
import pytest

import bakeoff
from bakeoff.bench.results import Outcome
from bakeoff.cli import COMMANDS
from pages import PAGES, ROOT, Block, blocks, carry_out, commands, inline, links, patient, to_carry_out
from untraced import untraced

pytestmark = pytest.mark.checkout

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
LANGUAGES = {"python", "pycon", "sh", "console", "toml", "yaml", "text"}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_blocks_are_carried_out(page: Path, tmp_path: Path, server: Callable[[str], str]) -> None:
    skipped = None
    for block in to_carry_out(page):
        try:
            urls = {f"{name.upper()}_URL": server(name) for name in block.needs}
        except pytest.skip.Exception as lacking:
            skipped = lacking
        else:
            carry_out(block, tmp_path, **urls)
    if skipped:
        raise skipped


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_blocks_say_what_they_are(page: Path) -> None:
    """Each names a language that can be run; none is indented, as indented blocks have no language."""
    assert [] == [str(b) for b in blocks(page) if not b.is_built and b.language not in LANGUAGES]


def test_what_is_not_run_is_counted() -> None:
    """The number of blocks that are not run, each with a reason; a further one must be a decision."""
    written = [page for page in PAGES if not page.read_text(encoding="utf-8").startswith("<!-- made by ")]
    left_out = [block for page in written for block in blocks(page) if block.not_run]

    assert [] == [str(block) for block in left_out if len(block.not_run.split()) < 2]
    assert 75 == len(left_out), "\n".join(f"{block}: {block.not_run}" for block in left_out)


def options_of(command: click.Command) -> set[str]:
    found = {name for p in command.params for name in (*p.opts, *p.secondary_opts) if name.startswith("-")}
    if isinstance(command, click.Group):
        found |= {name for below in command.commands.values() for name in options_of(below)}
    return found | {"--help", "--help-all", "--version", "--debug"}


OPTIONS = {name: options_of(import_module(f"bakeoff.commands.{name}").command) for name in COMMANDS}


def unknown(line: str) -> list[str]:
    found = []
    for name, rest in re.findall(r"(?:^|[\s/])bakeoff ([a-z]+)\b([^|;&`]*)", line):
        if name not in OPTIONS:
            found.append(f"bakeoff {name}")
        else:
            typed = re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", rest.partition(" -- ")[0].partition("#")[0])
            found += [f"{name} {option}" for option in typed if option not in OPTIONS[name]]
    return found


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_exist(page: Path) -> None:
    lines = [line for b in blocks(page) if b.language in ("sh", "console") for line, _ in commands(b)]

    assert [] == [wrong for line in (*lines, *inline(page)) for wrong in unknown(line)]


FOREIGN = {"--append", "--cap-add", "--cpus", "--gen", "--user"}
"""Options of other programs that pages name alone."""


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_an_option_that_is_named_alone_exists(page: Path) -> None:
    typed = {word[0] for code in inline(page) if (word := re.match(r"--[a-z][a-z0-9-]*", code))}

    assert set() == typed.difference(FOREIGN, *OPTIONS.values())


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_names_exist(page: Path) -> None:
    named = {m[1] for code in inline(page) if (m := re.match(r"(bakeoff(?:\.[A-Za-z_]\w*)+)", code))}
    groups = {
        "bakeoff.operations",
        "bakeoff.schema_codecs",
        "bakeoff.stores",
        "bakeoff.transports",
    }  # of entry points

    assert [] == [name for name in sorted(named - groups) if not is_there(name.removesuffix(".NAME"))]


def is_there(name: str) -> bool:
    _, *parts = name.split(".")
    if parts[-1] in ("json", "lock", "html"):
        return True  # a file
    value: object = bakeoff
    for n, part in enumerate(parts, 1):
        if hasattr(value, part):
            value = getattr(value, part)
            continue
        try:
            value = import_module(".".join(["bakeoff", *parts[:n]]))
        except ImportError:
            return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_files_exist(page: Path) -> None:
    rooms = "bench|codecs|datasets|docs|reports|schemas|src|tests"
    named = {
        code for code in inline(page) if re.fullmatch(rf"({rooms})/[\w./-]+", code) and "NAME" not in code
    }

    assert [] == [name for name in sorted(named) if not (ROOT / name).exists()]


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent == ROOT], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    there = [link for link in links(page) if "://" not in link]

    assert [] == [link for link in there if not (ROOT / link.partition("#")[0]).exists()]


@pytest.mark.parametrize(
    ("typed", "carried_out"),
    [
        (
            "bakeoff run a --quick -c json --budget 9s -o b\n",
            "bakeoff run --all --budget 0 a --quick -c json -o b\n",
        ),
        ("x; bakeoff stores --budget 9s", "x; bakeoff stores --all --budget 0 "),
        ("bakeoff pipeline a --all", "bakeoff pipeline --all --budget 0 a"),
        ("bakeoff evolve a b --budget 9s -c json", "bakeoff evolve a b --budget 0.1s -c json"),
        ("bakeoff report a --budget 9s", "bakeoff report a --budget 9s"),
    ],
)
def test_what_measures_takes_its_time(typed: str, carried_out: str) -> None:
    assert carried_out == patient(typed)


def test_the_codecs_of_a_patient_run_are_the_usual_ones() -> None:
    chosen = patient("bakeoff run a").partition("-c ")[2].split()[0]

    assert ",".join(bakeoff.codecs.default_set()) == chosen


def test_every_outcome_is_in_the_reference() -> None:
    table = (ROOT / "docs/reference/files.md").read_text().partition("| outcome |")[2].partition("\n\n")[0]

    assert sorted(get_args(Outcome)) == sorted(
        name for row in table.splitlines() for name in re.findall(r"`([^`]+)`", row.split("|")[1])
    )


@pytest.mark.parametrize("room", ["", ".codecs", ".schemas", ".datasets", ".reports"])
def test_every_public_name_is_in_the_reference(room: str) -> None:
    text = "".join(path.read_text() for path in (ROOT / "docs/reference/api").glob("*.md"))
    names = set(import_module(f"bakeoff{room}").__all__) - {"__version__"}

    assert [] == [
        name for name in sorted(names) if not re.search(rf"^\.\. auto\w+:: (?:[\w.]+\.)?{name}\b", text, re.M)
    ]


def test_all_of_a_codec_is_in_the_reference() -> None:
    """Every public method and attribute of the compiled class, whose members autodoc is given by name."""
    text = (ROOT / "docs/reference/api/bakeoff.md").read_text()
    names = [name for name in dir(bakeoff.Codec) if not name.startswith("_")]

    assert [] == [
        name
        for name in names
        if not re.search(
            rf"(automethod|autoattribute):: {name}\b|``{name}``|^ {{3,}}.*\b{name}\(", text, re.M
        )
    ]


FAULTS = ROOT / "docs/reference/faults.md"
SHOWN = {"ends the process": r"", "prints the stack of the library": r"PanicException"}
"""What a program of the faults does that cannot be run with the others of its page, and prints."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "block", [block for block in blocks(FAULTS) if block.not_run in SHOWN], ids=lambda block: block.line
)
def test_a_fault_is_shown_by_its_program(block: Block, tmp_path: Path) -> None:
    library = re.findall(r"^import (\w+)", block.code, re.M)[-1]
    pytest.importorskip(library)
    before = "".join(FAULTS.read_text(encoding="utf-8").splitlines(keepends=True)[: block.line])
    report = before.rpartition("\n## ")[2]
    if (release := version(library)) not in report:
        pytest.skip(f"{library} {release} is not in this report")
    if sys.version_info >= (3, 12) and "before CPython 3.12" in report:
        pytest.skip("later versions of CPython do not show it")
    (tmp_path / "this.py").write_text(block.code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "this.py"], cwd=tmp_path, capture_output=True, text=True, env=untraced()
    )

    assert (done.returncode < 0) == (not SHOWN[block.not_run]), done.stderr
    assert done.returncode != 0
    assert re.search(SHOWN[block.not_run], done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "code", "notes"),
    [
        ("python", "assert False\n", ()),
        ("sh", "false\ntrue\n", ()),
        ("console", "$ echo a\nb\n", ()),
        ("console", "$ printf 'a\\nb\\n'\na\n", ()),
        ("console", "$ printf 'a\\nb\\n'\nb\na\n", ()),
        ("console", "$ echo a; exit 1\na\n", ()),
        ("console", "$ echo 1 µs\n2 s\n", ("figures differ",)),
        ("console", "$ printf '1\\nb\\n'\n2\n", ("figures differ",)),
        ("toml", "a = \n", ()),
        ("rust", "fn\n", ()),
        ("text", "output\n", ()),
    ],
)
def test_what_is_wrong_is_seen(language: str, code: str, notes: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises((AssertionError, ValueError)):
        carry_out(Block(ROOT / "README.md", 1, language, code, notes), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "notes"),
    [
        ("$ echo a\na\n", ()),
        ("$ printf 'a\\nb\\nc\\n'\na\n...\n", ()),
        ("$ echo took 3.2 s\ntook ... s\n", ()),
        ("$ cat f\nx\n$ cat f\nx\n", ()),
        ("$ false\n", ("exits with 1",)),
        ("$ true\n$ false\n", ("exit differs",)),
        ("$ printf 'b   2.5 ±1%%\\na 1,000\\n'\na 7\nb 12 ±20%\n", ("figures differ",)),
    ],
)
def test_what_is_right_passes(code: str, notes: tuple[str, ...], tmp_path: Path) -> None:
    carry_out(Block(ROOT / "README.md", 1, "console", code, notes), tmp_path)
