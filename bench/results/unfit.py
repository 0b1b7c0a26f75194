"""Files that are not results: what they are instead, and what to do with them."""

from __future__ import annotations

import json
import os
import shlex
import zlib
from pathlib import Path
from typing import Final

from ...errors import hint
from ...files import JOURNAL
from ...opening import open_regular
from .plain import FieldError

_HEAD: Final = 4096
"""Bytes at the beginning of a file that show what it is."""
_GZIP: Final = b"\x1f\x8b"
_NAME: Final = "bakeoff.json"
_NEITHER: Final = "not a result file of `bakeoff run` or pyperf"


def folder(path: Path) -> str:
    """Return what to say of a folder where a result file is expected."""
    there = [str(path / _NAME)] if (path / _NAME).is_file() else []
    return f"{path}: a folder, and not a result file; {hint(there, 'name a result file in it')}"


def damage(error: Exception) -> str:
    """Return what is wrong with the contents of a file that cannot be read, for users."""
    match error:
        case json.JSONDecodeError():
            where = f"line {error.lineno}, column {error.colno}"
            is_cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
            return f"cut off after {where}" if is_cut else f"no JSON at {where}"
        case UnicodeDecodeError():
            return f"no UTF-8 at byte {error.start}"
        case RecursionError():
            return "nested too deeply"
        case KeyError():
            return f"{error.args[0]!s:.40} is missing"
    if isinstance(error, FieldError) or type(error) is ValueError:
        return str(error)
    return "not as bakeoff has written it"


def unfit(path: Path, error: Exception) -> str:
    """Return what to say of a file that cannot be read as a result.

    Args:
        path: The file.
        error: Why it cannot be read.
    """
    try:
        head = _head(path).lstrip()
    except OSError as cause:
        return f"{path}: cannot be read: {cause.strerror}"
    if head.startswith(b'{"benchmarks":'):
        return f"{path}: a damaged or cut off result file: {damage(error)}; run it again"
    what, step = _kind(path, head)
    return f"{path}: {what}; {step}" if step else f"{path}: {what}"


def newer(path: Path, version: int, known: int) -> str:
    """Return what to say of a file in a later format than this version of bakeoff reads."""
    return (
        f"{path}: written by a newer bakeoff, in format {version}; this one reads formats up to {known}: "
        "upgrade it"
    )


def _head(path: Path) -> bytes:
    """Return the beginning of a file, decompressed if its name ends so."""
    with os.fdopen(open_regular(path), "rb") as file:
        head = file.read(_HEAD)
    if path.suffix != ".gz":
        return head
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _HEAD)
    except zlib.error:
        return head


def _kind(path: Path, head: bytes) -> tuple[str, str]:
    """Return what a file is, and the next step."""
    name, plain = shlex.quote(str(path)), path.name.removesuffix(".gz")
    if not head:
        return "empty, and not a result file", f"`bakeoff run -o {name}` makes one"
    if plain.endswith(JOURNAL):
        run = shlex.quote(str(path).removesuffix(JOURNAL))
        return "the journal of a run, and not its result", f"`bakeoff run --resume {run}` continues it"
    if plain.endswith(".lock"):
        return "a lock, and not a result file", f"`bakeoff pick --check --lock {name}` checks it"
    if plain.endswith(".py"):
        return "a program, and not a result file", f"`bakeoff run {name}:NAME` measures its records"
    if head.startswith(_GZIP) and path.suffix != ".gz":
        return "compressed, which its name does not say", f"`mv {name} {name}.gz` names it so"
    if head[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "a page, and not a result file", "name the JSON file from which it was made"
    if _is_of_records(Path(plain), head):
        return "a file of records, and not a result file", f"`bakeoff run {name}` measures them"
    if plain.endswith(".json") and head.startswith(b"{"):
        return _NEITHER, f"if it has records, `bakeoff run {name}` measures them"
    return _NEITHER, ""


def _is_of_records(path: Path, head: bytes) -> bool:
    from ...datasets.errors import UnknownFormat
    from ...datasets.readers.formats import format_of

    try:
        kind = format_of(path)
    except UnknownFormat:
        return False
    return kind.name != "json" or head.startswith(b"[")
