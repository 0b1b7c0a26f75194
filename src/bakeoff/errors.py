"""The two ways a command can end badly, and their exit codes."""

from __future__ import annotations

__all__ = ["BakeoffError", "RunError", "UsageError"]


class BakeoffError(Exception):
    """Something the user should read: what is wrong, where, and the next step."""

    exit_code = 1


class RunError(BakeoffError):
    """The run itself found a problem (exit code 1)."""


class UsageError(BakeoffError):
    """The command cannot be carried out as typed (exit code 2)."""

    exit_code = 2
