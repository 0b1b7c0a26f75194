"""Wordings that we do not use: in README and docs, in help texts, and in messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from statistics import median

import click
import pytest
from markdown_it import MarkdownIt

from bakeoff.cli import COMMANDS
from pages import PAGES, ROOT

pytestmark = pytest.mark.checkout

PLAIN = [page for page in PAGES if page.parent.name not in ("reference", "api", "use")]

REFUSED = re.compile(
    r"""
    \bst(?:ands?|ood)\b(?!\ (?:in\ )?for\b)         # is, is listed; "stands for" is a word of its own
    | \btells?\b | \btold\b                         # says, shows, distinguishes
    | \bheld?s?\ against\b                          # compared with
    | \b(?:br(?:ing|ings|ought))\ (?:\w+\ )?back\b | \bg[ia]ves?\ back\b    # restores, preserves, returns
    | \bcomes?\ back\b | \bcame\ back\b(?!\ as\b)   # is returned; a footnote's "`X` came back as `Y`"
    | \bbeside\b | \banew\b | \bsurely\b | \bat\ hand\b | \bwithout\ a\ word\b | \bbe\ had\b
    | \bso\ many\b | \bas\ far\ as\b | \blikewise\b | \b(?:or|and)\ the\ like\b | \ball\ else\b
    | \b(?:for|of|to|from|by|than)\ who\b | ^who\b[^?]*$ | \bwhoever\b | \bnobody\b | \bsomebody\b
    | \bstrangers?\b | \bthose\ who\b
    | (?<!there\ )\b(?:is|are|was|were)\ no\b(?!\ (?:longer|more))      # is not a
    | \bquick(?:er|est)\b | \bfor\ ever\b
    | \bgo(?:es|ne)\ by\b | \bgone\ through\b | \bcarr(?:y|ies|ied)\ out\b
    | \bin\ (?:its|their)\ stead\b | \bthere(?:with|of)\b | \bthe\ very\ (?!first|last)
    | ^what\b[^?;:]*\.$ | [;:]\ what\b[^?]*$ | \bwhat\ \w+\ is\ what\b        # a noun
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
    yield command.help or ""
    yield from (option.help or "" for option in command.params if isinstance(option, click.Option))
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        yield from helps(below)


def refused(found: Iterable[str]) -> list[str]:
    return [f"{hit[0][:40]!r} in {text!r}" for text in found for hit in REFUSED.finditer(text)]


@pytest.mark.parametrize("page", PLAIN, ids=lambda page: page.name)
def test_pages_are_plain(page: Path) -> None:
    """None of the wordings is in a page's text."""
    assert [] == refused(text for _, text in texts(page))


@pytest.mark.parametrize("name", COMMANDS)
def test_helps_are_plain(name: str) -> None:
    """Those of every command and option."""
    assert [] == refused(helps(import_module(f"bakeoff.commands.{name}").command))


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_sentences_are_short(page: str) -> None:
    """Half of them have 16 words at most."""
    text = " ".join(text for kind, text in texts(ROOT / page) if kind == "paragraph_open")

    assert median(len(sentence.split()) for sentence in re.split(r"(?<=[.!?:]) ", text)) <= 16


@pytest.mark.parametrize("text", ["What was put is what a scan gives.", "It stands there", "for who asks"])
def test_what_is_refused_is_seen(text: str) -> None:
    """One of each kind."""
    assert refused([text])
