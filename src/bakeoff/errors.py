"""The ways a command can end badly, their exit codes, and what may have been meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["BakeoffError", "RunError", "SchemaError", "UsageError", "hint", "near"]


class BakeoffError(Exception):
    """Something the user should read: what is wrong, where, and the next step."""

    exit_code = 1


class RunError(BakeoffError):
    """The run itself found a problem (exit code 1)."""


class UsageError(BakeoffError):
    """Usage error (exit code 2)."""

    exit_code = 2


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


def near(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return those known names that look like one that is not, the likeliest first; three at most."""
    from difflib import get_close_matches

    return tuple(get_close_matches(name, list(known)))


def hint(alike: Sequence[str], otherwise: str) -> str:
    """Return the end of a sentence about an unknown name: what may have been meant, or what to do else."""
    return f"did you mean {' or '.join(alike)}?" if alike else otherwise
