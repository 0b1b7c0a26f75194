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
from test_house import ROOMS

pytestmark = pytest.mark.checkout

REFUSED = re.compile(
    r"""
    \bst(?:ands?|ood)\b(?!\ (?:in\ )?for\b)         # is, is listed; "stands for" is a word of its own
    | \btells?\b | \btold\b | \bheld?s?\ against\b  # says, shows, distinguishes; compared with
    | \b(?:brings?|brought|comes?|gives?|gave)\ (?:\w+\ )?back\b | \bcame\ back\b(?!\ (?:as\b|for\b|$))
    | \b(?:beside|anew|surely|likewise|whoever|nobody|somebody|strangers?|quicker|quickest)\b
    | \b(?:at\ hand|without\ a\ word|be\ had|so\ many|as\ far\ as|the\ like|all\ else|for\ ever)\b
    | \b(?:for|of|to|from|by|than|those)\ who\b | ^who\b[^?]*$ | \bthe\ very\ (?!first|last)
    | (?<!there\ )\b(?:is|are|was|were)\ no\b(?!\ (?:longer|more))          # is not a
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
    """Yield the help of a command, its options and its subcommands."""
    yield from (str(getattr(one, "help", "")) for one in (command, *command.params))
    yield from (text for below in getattr(command, "commands", {}).values() for text in helps(below))


def literals(path: Path) -> Iterator[str]:
    """Yield what a module may print: its strings of several words, but for docstrings."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    silent = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found = (str(node.value) for node in nodes if isinstance(node, ast.Constant) and id(node) not in silent)
    yield from (text for text in found if " " in text)


def everything() -> Iterator[tuple[object, str]]:
    """Yield all that users read, each with its place; words of generated records are not prose."""
    yield from ((page, text) for page in PAGES for _, text in texts(page))
    for name in COMMANDS:
        yield from ((name, text) for text in helps(import_module(f"bakeoff.commands.{name}").command))
    for path in (path for room in (*ROOMS, "src/bakeoff") for path in (ROOT / room).rglob("*.py")):
        yield from ((path, text) for text in literals(path) if path.parent.name != "generated")


@pytest.mark.slow
def test_prose_is_plain() -> None:
    found = [f"{place}: {hit[0]!r}: {text}" for place, text in everything() for hit in REFUSED.finditer(text)]
    assert not found, "\n".join(found)


def test_half_of_the_sentences_have_16_words_or_fewer() -> None:
    for page in ("README.md", "docs/tutorial.md"):
        text = " ".join(text for kind, text in texts(ROOT / page) if kind == "paragraph_open")
        assert median(len(sentence.split()) for sentence in re.split(r"(?<=[.!?:]) ", text)) <= 16, page
