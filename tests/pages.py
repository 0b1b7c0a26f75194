"""README and the pages of docs/ for tests: their blocks of code, and functions that run them.

A comment above a block may define an exception, for instance ``<!-- not run: needs a broker -->``:

==================  =====================================================================================
``not run: WHY``    the block is not run, with the reason; each block of ``text`` needs one
``needs SERVERS``   kinds of `servers` to start for it; ``KIND_URL`` has their URLs
``given FILE``      a made-up result file to create before it; ``given FOLDER/`` is a history of them
``lines left out``  console: more lines are printed between those shown
``figures differ``  console: measured numbers count as equal, and lines may have any order
``a cell``          python: a cell of the notebook of all these blocks, see test_notebook.py
``exits with N``    console: the last command's exit code, if it is not 0
``exit differs``    console: the last command's exit code depends on the measurement
==================  =====================================================================================

Runs get as much time as they need instead of their budget: otherwise the load of the machine would
determine which figures exist. All that measures is `hurried`. Blocks with output keep the number of
processes, because few give no ranks and verdicts. The output of a run must be valid for any machine.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import yaml
from markdown_it import MarkdownIt

import madeup
from bakeoff import codecs
from bakeoff.bench.results import write
from hurried import BAKEOFF, DECIDED

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))

_NOTE = re.compile(r"<!-- (.*?) -->", re.DOTALL)
_FILE = re.compile(r"# ([\w-]+\.(?:py|toml|yaml))\n")
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_GAP = "..."
_MEASURES = re.compile(r"\bbakeoff (run|stores|pipeline) ([^\n]*)")
_EVOLVES = re.compile(r"\bbakeoff (evolve [^\n]*--budget) \S+")
_TIMES = re.compile(r"\bbakeoff (?=(?:run|stores|pipeline|evolve|watch|verify) )")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Attributes:
        page: The page of the block.
        line: Line of its fence, from 1.
        language: The language of the fence; empty for an indented block.
        code: The code with a final newline.
        notes: Exceptions in the comment above it.
    """

    page: Path
    line: int
    language: str
    code: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def is_built(self) -> bool:
        """Whether it is a directive of Sphinx."""
        return self.language.startswith("{")

    @property
    def not_run(self) -> str:
        """The reason why it is not run; empty if it is run."""
        return next((note.removeprefix("not run: ") for note in self.notes if note.startswith("not run")), "")

    @property
    def is_cell(self) -> bool:
        """Whether it is a cell of a notebook."""
        return "a cell" in self.notes

    @property
    def needs(self) -> list[str]:
        """The kinds of servers that it needs."""
        found = (note.removeprefix("needs ") for note in self.notes if note.startswith("needs "))
        return next(found, "").split()


def blocks(page: Path) -> Iterator[Block]:
    """Yield all blocks of a page, including blocks in lists."""
    notes: tuple[str, ...] = ()
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "html_block":
            notes = tuple(note for text in _NOTE.findall(token.content) for note in text.split("; "))
        elif token.type in ("fence", "code_block"):
            assert token.map is not None
            yield Block(page, token.map[0] + 1, token.info.strip(), token.content, notes)
            notes = ()
        elif token.nesting != -1:
            notes = ()


def to_carry_out(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page that are run; consecutive parts of a session are one."""
    run = (block for block in blocks(page) if not (block.is_built or block.not_run or block.is_cell))
    for is_session, found in groupby(run, lambda block: block.language == "pycon"):
        if is_session:
            first, *others = found
            yield replace(first, code="\n".join(block.code for block in (first, *others)))
        else:
            yield from found


def inline(page: Path) -> Iterator[str]:
    """Yield the texts in backticks on a page."""
    for token in MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8")):
        yield from (child.content for child in token.children or () if child.type == "code_inline")


def links(page: Path) -> Iterator[str]:
    """Yield the targets of a page's links and pictures."""
    for token in MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8")):
        for child in token.children or ():
            yield from (str(child.attrs[key]) for key in ("href", "src") if key in child.attrs)


def commands(block: Block) -> list[tuple[str, str]]:
    """Return the command lines of a shell block, each with the output shown."""
    if block.language == "console":
        return _COMMAND.findall(block.code)
    return [(line, "") for line in block.code.replace("\\\n", " ").splitlines() if line.strip()]


def patient(code: str) -> str:
    """Let a shell's runs measure the same codecs, each as often as it needs; `evolve` times one process."""

    def typed(found: re.Match[str]) -> str:
        verb, rest = found[1], re.sub(r"(^| )--(?:all\b|budget \S+)", "", found[2])
        # --all would change the default set of codecs.
        chosen = f"-c {','.join(codecs.default_set())} " if verb == "run" and "-c " not in rest else ""
        return f"bakeoff {verb} --all --budget 0 {chosen}{rest}"

    return _MEASURES.sub(typed, _EVOLVES.sub(r"bakeoff \1 0.1s", code))


def _with(command: tuple[str, ...], code: str) -> str:
    return _TIMES.sub(f"{shlex.join(command)} ", patient(code))


def carry_out(block: Block, folder: Path, **environment: str) -> None:
    """Run a block in the folder that the page's earlier blocks have used.

    Args:
        block: The block.
        folder: The folder.
        environment: Additional environment variables.

    Raises:
        AssertionError: The block behaves differently.
    """
    for name in (note.removeprefix("given ") for note in block.notes if note.startswith("given ")):
        if name.endswith("/"):
            _write_history(folder / name)
        else:
            write(madeup.planted(), folder / name)
    if named := _FILE.match(block.code):
        (folder / named[1]).write_text(block.code, encoding="utf-8")
    elif block.language == "python":
        _succeed(block, [sys.executable, "-c", block.code], folder, environment)
    elif block.language == "pycon":
        # One session for each page: later blocks use the names of earlier ones.
        session = folder / "session.txt"
        with session.open("a", encoding="utf-8") as typed:
            typed.write(f"{block.code}\n")
        _succeed(
            block, [sys.executable, "-m", "doctest", "-o", "ELLIPSIS", session.name], folder, environment
        )
    elif block.language == "sh":
        code = _with(BAKEOFF, block.code)
        _succeed(block, ["bash", "-euo", "pipefail", "-c", code], folder, environment)
    elif block.language == "console":
        _converse(block, folder, environment)
    elif block.language == "toml":
        tomllib.loads(block.code)
    elif block.language == "yaml":
        yaml.safe_load(block.code)
    else:
        raise AssertionError(f"{block}: nothing carries out {block.language!r}")


def _write_history(folder: Path) -> None:
    """Write a result a week, with one library that became slower."""
    folder.mkdir()
    old, new = ({"orjson": {"library": "orjson", "version": v}} for v in ("3.11.9", "3.12.0"))
    weeks = madeup.weekly(12, change=("orjson", "load", 1.8), at=8, facts=old, after={"facts": new})
    for number, run in enumerate(weeks):
        write(run, folder / f"{number}.json")


def _run(command: list[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, **environment, "PATH": path, "COLUMNS": "110", "BROWSER": "true"}
    environment |= {"PIP_NO_BUILD_ISOLATION": "false"}  # in pip's words: build with what is installed
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.returncode, done.stdout


def _succeed(block: Block, command: list[str], folder: Path, environment: Mapping[str, str]) -> None:
    code, printed = _run(command, folder, environment)
    assert code == 0, f"{block}: ended with {code}\n{printed}"


def _converse(block: Block, folder: Path, environment: Mapping[str, str]) -> None:
    """Run the commands of a block, and compare their output with the block's."""
    typed = commands(block)
    assert "".join(f"$ {line}\n{shown}" for line, shown in typed) == block.code, (
        f"{block}: begins with output"
    )
    last = [int(note.removeprefix("exits with ")) for note in block.notes if note.startswith("exits")] or [0]
    wanted = [[0]] * (len(typed) - 1) + [[0, 1, 2] if "exit differs" in block.notes else last]
    for (line, shown), codes in zip(typed, wanted, strict=True):
        words = line.split()
        if words[0] == "cat" and not (folder / words[1]).exists():
            (folder / words[1]).write_text(shown, encoding="utf-8")  # a file that the reader has
            continue
        ended, printed = _run(["bash", "-c", _with(DECIDED, line)], folder, environment)
        assert ended in codes, f"{block}: `{line}` ended with {ended}\n{printed}"
        lines, there = shown.splitlines(), printed.splitlines()
        if "lines left out" in block.notes:
            lines = [part for line in lines for part in (_GAP, line)] + [_GAP]
        same = _has_lines if "figures differ" in block.notes else _matches
        assert same(lines, there), f"{block}: `{line}` printed\n{printed}"


def _matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines are the same; ``...`` matches further lines, or a part of a line."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == _GAP else re.escape(line).replace(re.escape(_GAP), ".*?") + r"\n"
        for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in printed)) is not None


def _has_lines(shown: list[str], printed: list[str]) -> bool:
    """Whether the printed lines are those shown, except for figures, with further lines only at a gap."""
    wanted = [re.escape(_stable(line)).replace(re.escape(_GAP), ".*") for line in shown if line != _GAP]
    there = [_stable(line) for line in printed]
    found = all(any(re.fullmatch(line, other) for other in there) for line in wanted)
    return found and (_GAP in shown or len(wanted) == len(there))


def _stable(line: str) -> str:
    """Remove parts that differ between runs: figures with marks and units, verdicts, footnotes, widths."""
    line = re.sub(r"\b[nµm]s/record\b", "s/record", line)
    line = re.sub(r"\(?[<>≈±+−]*\d[\d,.]*(?:%|×\)?)?(?: [nµm]s\b|/s\b)?", "#", line)
    line = re.sub(r"\bnot held\b|\bunclear\b", "#", line)
    line = re.sub(r" \[[a-z]+(,[a-z]+)*\]|^\[[a-z]+\]", "", line)
    line = re.sub(r"not significant|cannot decide|# (?:slower|faster)$", "~", line)
    line = re.sub(r"best there: \S+$|codecs are not distinguishable there$", "~", line)
    line = re.sub(r": .*; (# of # cells became better, # worse)", r": \1", line)
    line = re.sub(r"\bdisagrees\b|\bagrees\b", "~", line)
    line = re.sub(r"^(?:This machine|Cannot decide whether this machine) .*", "~", line)
    line = re.sub(r"# to #", "#", re.sub(r"\s+|[-─]{2,}", " ", line)).strip()
    return re.sub(r"#( #)+", "#", line)
