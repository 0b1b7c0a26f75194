"""The file of a profile: readable JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from .checks import DataProfileError, built
from .profile import DEEPEST, DataProfile, Form, Node, ProfileField

LARGEST: Final = 64 << 20
"""Most bytes of a profile file."""
VERSION: Final = 1
_MOST_NODES = 100_000
_LINE = 110


def _plain(value: Any) -> Any:
    if isinstance(value, Node | ProfileField):
        kind = {"kind": value.kind} if isinstance(value, Node) else {}
        return kind | {one.name: _plain_part(one.name, getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value


def _plain_part(name: str, value: Any) -> Any:
    if name in ("words", "between", "starts", "ends"):
        return [_plain_word(word) for word in value]
    if name == "parts":
        return [[_plain_word(word) for word in part] for part in value]
    return _plain(value)


def _plain_word(word: tuple[int, int, Form]) -> list[Any]:
    count, different, form = word
    return [count, different, [part for run in form for part in run]]


def write(profile: DataProfile) -> bytes:
    """Return a profile as readable JSON: parts that fit are on one line.

    Raises:
        DataProfileError: The profile is larger than the limit for reading.
    """
    if sum(1 for _ in profile.nodes()) > _MOST_NODES:
        raise DataProfileError("profile", f"the records have more than {_MOST_NODES:,} different parts")
    plain = {
        "bakeoff_profile": VERSION,
        "records": profile.records,
        "seen": profile.seen,
        "record": _plain(profile.record),
    }
    return ("".join(_lines(plain, "")) + "\n").encode()


def _lines(value: Any, indent: str) -> Iterator[str]:
    text = json.dumps(value)
    if len(text) + len(indent) <= _LINE or not isinstance(value, dict | list):
        yield text
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inner, before = indent + " ", opening
    for part in value:
        yield f"{before}\n{inner}"
        before = ","
        if isinstance(value, dict):
            yield f"{json.dumps(part)}: "
            yield from _lines(value[part], inner)
        else:
            yield from _lines(part, inner)
    yield f"\n{indent}{closing}"


def read(content: bytes, source: str) -> DataProfile:
    """Return the profile in a file.

    Raises:
        DataProfileError: The file is not a profile, has another version, or asks for impossible records.
    """
    from ...codecs import CodecError, codec

    try:
        plain = codec("json").with_limits(size=LARGEST, items=10_000_000, depth=1_000).decode(content)
    except CodecError as error:
        raise DataProfileError(source, f"is not a profile: {error.reason}") from error
    version = plain.pop("bakeoff_profile", None) if isinstance(plain, dict) else None
    if version != VERSION:
        told = "is not a profile" if version is None else f"is of version {version!r}"
        raise DataProfileError(source, f"{told}; version {VERSION} is read, as --save-profile writes it")
    _check_depth(plain, source)
    profile: DataProfile = built(DataProfile, plain, source, set())
    return profile


def _check_depth(plain: Any, source: str) -> None:
    nodes, level = 0, [plain]
    for _ in range(4 * DEEPEST):
        level = [
            part
            for one in level
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, dict | list)
        ]
        nodes += sum(isinstance(one, dict) for one in level)
        if not level:
            break
    if level or nodes > _MOST_NODES:
        raise DataProfileError(source, f"has more than {DEEPEST} levels or {_MOST_NODES:,} parts")
