"""No sentence is parsed: reasons, verdicts and units are fields, and text is made where it is shown."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import kept
from bakeoff.reports.model.options import TableOptions
from bakeoff.reports.model.view import View
from bakeoff.reports.tables.build import build

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("reports", "src/bakeoff/commands")
CUTS = {
    "endswith", "find", "index", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind",
    "rpartition", "rsplit", "rstrip", "split", "startswith", "strip",
}  # fmt: skip
"""Methods that look for a text in another one."""
INPUT = {
    ("reports/model/environment.py", "reached "): "an option of a result file",
    ("reports/tables/text.py", "(most recent call first):"): "Python's own output",
    ("reports/tables/text.py", "Current thread"): "Python's own output",
    ("reports/model/view.py", "±"): "the start of a warning in a result file",
}
"""Texts that come from elsewhere, and are read as they are."""


def searched(text: str) -> Iterator[tuple[int, str]]:
    """Yield the words of sentences, and the signs of tables, that a module looks for in texts, by line."""
    tree = ast.parse(text)
    constants = {
        node.target.id if isinstance(node, ast.AnnAssign) else node.targets[0].id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant)
        if isinstance(node.target if isinstance(node, ast.AnnAssign) else node.targets[0], ast.Name)
    }

    def words(node: ast.expr) -> Iterator[str]:
        for each in ast.walk(node):
            value = each.value if isinstance(each, ast.Constant) else None
            value = constants.get(each.id) if isinstance(each, ast.Name) else value
            if isinstance(value, str) and re.search(r"[±≈~]| \(|[a-z] | [a-z]", value):
                yield value

    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CUTS:
            for argument in node.args[:1]:
                yield from ((node.lineno, each) for each in words(argument))
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            left, right = node.left, node.comparators[0]
            if not isinstance(right, ast.Tuple | ast.List | ast.Set | ast.Dict):
                yield from ((node.lineno, each) for each in words(left))


@pytest.mark.checkout
def test_no_sentence_is_parsed() -> None:
    found = {
        (str(path.relative_to(ROOT)), words): line
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, words in searched(path.read_text())
    }

    assert not {
        f"{path}:{line}: {words!r}" for (path, words), line in found.items() if (path, words) not in INPUT
    }


@pytest.mark.parametrize(
    "line",
    [
        'why.startswith("does not preserve")',
        'text.partition(" ±")',
        '"not trusted" in why',
        'any("too wide" in why for why in found)',
        'text.startswith(("corpus ", "option "))',
        'LOSSY = "loses data"\nwhy.startswith(LOSSY)',
    ],
)
def test_the_kinds_are_found(line: str) -> None:
    assert [*searched(line)]


@pytest.mark.parametrize(
    "line", ['name.partition(".")', 'x in ("a b", "c d")', 'line.split("\\n")', '"a" in known']
)
def test_names_and_lines_may_be_split(line: str) -> None:
    assert not [*searched(line)]


@pytest.mark.checkout
@pytest.mark.parametrize("path", kept.GALLERY, ids=lambda path: path.name.partition(".")[0])
def test_signs_of_a_figure_are_fields(path: Path) -> None:
    """Whoever drops an interval, or explains parentheses, asks the entry and not its text."""
    table = build(View.of([kept.result(path)]), TableOptions())
    entries = [entry for section in table.sections for row in section.rows for entry in row.entries.values()]
    ranged = [entry for entry in entries if "±" in entry.text]
    level = [entry for entry in entries if entry.text.startswith("(")]

    assert ranged
    assert all(f"{entry.plain} {entry.spread}" == entry.text for entry in ranged)
    assert not any("±" in entry.plain for entry in entries)
    assert level == [entry for entry in entries if entry.level]
