"""Errors of commands with their exit codes, and suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


class BakeoffError(Exception):
    """Base of errors for the user: the problem, its place, and the next step."""

    exit_code = 1


class RunError(BakeoffError):
    """The run itself found a problem (exit code 1)."""


class UsageError(BakeoffError):
    """Usage error (exit code 2)."""

    exit_code = 2


class UnknownName(UsageError):  # noqa: N818
    """There is nothing with a name that the user gave.

    Attributes:
        typed: The name.
        near: Similar names.
    """

    typed: str
    near: tuple[str, ...]


class SchemaError(UsageError, ValueError):
    """A schema that cannot be compiled.

    Attributes:
        path: Place in the schema, for instance ``$.items[].owner``.
        reason: What is wrong there.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"schema at `{self.path}`: {self.reason}"


def reason_of(error: Exception) -> str:
    """Return what an error says; one of the system with the file's name, and without its number."""
    if not isinstance(error, OSError):
        return str(error)
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def near(
    name: str,
    known: Iterable[str],
    other_words: Mapping[str, str] | None = None,
    *,
    least: float = 0.6,
) -> tuple[str, ...]:
    """Return at most three known names similar to an unknown one, the most similar first, in any case.

    Args:
        other_words: Names for words that other tools use for the same thing.
        least: Similarity of the least similar one, from 0 to 1 (`difflib.SequenceMatcher.ratio`).
    """
    from difflib import get_close_matches

    if other_words is not None and name in other_words:
        return (other_words[name],)
    spelled: dict[str, list[str]] = {}
    for each in known:
        spelled.setdefault(each.lower(), []).append(each)
    alike = get_close_matches(name.lower(), spelled, cutoff=least)
    return tuple(each for lower in alike for each in spelled[lower])[:3]


def hint(alike: Sequence[str], otherwise: str) -> str:
    """Return the end of a message about an unknown name: similar names, or else `otherwise`."""
    return f"did you mean {' or '.join(alike)}?" if alike else otherwise
