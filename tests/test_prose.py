"""Wordings that we do not use: in README and docs, in help texts, and in messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from statistics import median

import click
import pytest
from markdown_it import MarkdownIt

from bakeoff.cli import COMMANDS
from pages import PAGES, ROOT

pytestmark = pytest.mark.checkout

REFUSED = re.compile(
    r"""
    \bst(?:ands?|ood)\b(?!\ (?:in\ )?for\b)         # is, is listed; "stands for" is a word of its own
    | \btells?\b | \btold\b | \bheld?s?\ against\b  # says, shows, distinguishes; compared with
    | \b(?:br(?:ing|ings|ought))\ (?:\w+\ )?back\b | \bg[ia]ves?\ back\b    # restores, preserves, returns
    | \bcomes?\ back\b | \bcame\ back\b(?!\ (?:as\b|for\b|$))   # is returned; not "`X` came back as `Y`"
    | \bbeside\b | \banew\b | \bsurely\b | \bat\ hand\b | \bwithout\ a\ word\b | \bbe\ had\b
    | \bso\ many\b | \bas\ far\ as\b | \blikewise\b | \b(?:or|and)\ the\ like\b | \ball\ else\b
    | \b(?:for|of|to|from|by|than)\ who\b | ^who\b[^?]*$ | \bwhoever\b | \bnobody\b | \bsomebody\b
    | \bstrangers?\b | \bthose\ who\b | \bthe\ very\ (?!first|last)
    | (?<!there\ )\b(?:is|are|was|were)\ no\b(?!\ (?:longer|more))          # is not a
    | \bquick(?:er|est)\b | \bfor\ ever\b | \bgo(?:es|ne)\ by\b | \bgone\ through\b
    | \bcarr(?:y|ies|ied)\ out\b | \bin\ (?:its|their)\ stead\b | \bthere(?:with|of)\b
    | ^what\b[^?;:]*\.$ | [;:]\ what\b[^?]*$ | \bwhat\ \w+\ is\ what\b      # a noun
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)


def texts(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each block of a page, without code and the targets of links."""
    kind = ""
    for token in MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8")):
        if token.type == "inline":
            parts = ("X" if c.type == "code_inline" else c.content or " " for c in token.children or ())
            yield kind, "".join(parts)
        kind = token.type


def helps(command: click.Command) -> Iterator[str]:
    """Yield the help of a command and of its options, and those of the commands below it."""
    yield from (command.help or "", *(getattr(option, "help", "") or "" for option in command.params))
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        yield from helps(below)


def literals(path: Path) -> Iterator[str]:
    """Yield what a module may print: its strings of several words, but for docstrings."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    silent = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = (node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in silent)
    yield from (text for text in strings if isinstance(text, str) and " " in text)


def everything() -> Iterator[tuple[object, str]]:
    """Yield all that users read, each with its place; words of generated records are not prose."""
    yield from ((page, text) for page in PAGES for _, text in texts(page))
    modules = {name: import_module(f"bakeoff.commands.{name}") for name in COMMANDS}
    yield from ((name, text) for name, module in modules.items() for text in helps(module.command))
    paths = (path for room in ("reports",) for path in (ROOT / room).rglob("*.py"))
    yield from ((path, text) for path in paths if "generated" not in path.parts for text in literals(path))


def test_prose_is_plain() -> None:
    """Pages, helps and messages have none of the wordings."""
    found = [f"{place}: {hit[0]!r}: {text}" for place, text in everything() for hit in REFUSED.finditer(text)]

    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_sentences_are_short(page: str) -> None:
    """Half of them have 16 words or fewer."""
    text = " ".join(text for kind, text in texts(ROOT / page) if kind == "paragraph_open")

    assert median(len(sentence.split()) for sentence in re.split(r"(?<=[.!?:]) ", text)) <= 16
