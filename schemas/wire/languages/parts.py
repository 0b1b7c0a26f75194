"""Choose the record's definition in a file with several definitions."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ....errors import UsageError, hint, near
from ...tree.declare import SchemaError
from ..layout import Chosen

_SHOWN = 8
"""Names in a message."""


def choose(names: Sequence[str], used: Collection[str], file: str, noun: str) -> tuple[str, Chosen | None]:
    """Return the name that no other uses, and why it was chosen; None if there is no other.

    Args:
        names: All candidates.
        used: The names that others use.
        file: Name of the file, for messages.
        noun: The kind of definition, such as ``"message"``.

    Raises:
        SchemaError: There is no such name, or more than one.
    """
    if not names:
        raise SchemaError("$", f"{file} has no {noun}")
    free = [name for name in names if name not in used]
    if len(free) != 1:
        raise SchemaError(
            "$",
            f"{file} has more than one {noun} that could be the record ({_listed(free or names)}); "
            f"name one: {file}#{(free or names)[0]}",
        )
    others = tuple(name for name in names if name != free[0])
    if not others:
        return free[0], None
    remark = (
        f"{file}: {noun} {free[0]}, which no other uses, is used as the record; "
        f"{file}#{others[0]} selects another"
    )
    return free[0], Chosen(remark, others)


def unknown(wanted: str, names: Sequence[str], file: str, noun: str) -> UsageError:
    """Return the error for a name that a file does not have."""
    short = {name.rpartition(".")[2]: name for name in reversed(names)}
    alike = near(wanted, names) or tuple(
        short[name] for name in near(wanted.rpartition(".")[2].rpartition("/")[2], short)
    )
    return UsageError(f"{file} has no {noun} {wanted!r}; {hint(alike, f'it has {_listed(names)}')}")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
