"""Hooks for types that a library lacks, as its users write them: `RawCalls.options` of the codecs.

Each has the form of the libraries' documentation: it converts the types that its author expects, and refuses
the rest. The written forms are those of our conventions, so that the calls do the same work as the codec.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from ..spec import RawCalls

Hook = Callable[[Any], Any]


def moments(value: Any) -> str:
    """Return ISO 8601 text."""
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    raise TypeError(f"cannot write {type(value).__name__}")


def texts(value: Any) -> str:
    """Return the text of a number or an identifier."""
    if isinstance(value, decimal.Decimal | uuid.UUID | int):
        return str(value)
    raise TypeError(f"cannot write {type(value).__name__}")


def members(value: Any) -> Any:
    """Return the value of a member of an enumeration."""
    if isinstance(value, enum.Enum):
        return value.value
    raise TypeError(f"cannot write {type(value).__name__}")


def binary(value: Any) -> str:
    """Return base64 text."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"cannot write {type(value).__name__}")


def sets(value: Any) -> list[Any]:
    """Return a sorted list."""
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"cannot write {type(value).__name__}")


def fields(value: Any) -> dict[str, Any]:
    """Return the fields of an object."""
    if dataclasses.is_dataclass(value):
        return vars(value)
    if hasattr(value, "model_dump"):
        return value.model_dump()  # type: ignore[no-any-return]
    if hasattr(value, "__struct_fields__"):
        return {name: getattr(value, name) for name in value.__struct_fields__}
    raise TypeError(f"cannot write {type(value).__name__}")


def anything(value: Any) -> Any:
    """Return the form of any of these types, for records with several."""
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | uuid.UUID | int):
        return str(value)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, set | frozenset):
        return sorted(value)
    return fields(value)


HOOKS: Mapping[str, Hook] = {
    hook.__name__: hook for hook in (moments, texts, members, binary, sets, fields, anything)
}
"""In the order in which they are tried."""


def hooked(option: str, calls: Callable[[Hook], RawCalls]) -> dict[str, RawCalls]:
    """Return a library's calls with each hook, by the option that takes it and the hook's name."""
    return {f"{option}={name}": calls(hook) for name, hook in HOOKS.items()}
