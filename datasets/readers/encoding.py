"""Convert text that is not UTF-8 while reading it, and guess its encoding if none is given."""

from __future__ import annotations

import codecs
import io
import re
import unicodedata
from collections.abc import Iterator
from encodings.aliases import aliases

from ...errors import UsageError, hint, near
from ..errors import UnreadableCorpus
from .streams import Pieces

_CHUNK = 256 * 1024
# Longer marks come first: the UTF-32 mark begins with the UTF-16 mark.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROLS = re.compile(rb"[\x80-\x9f]")
"""Control characters in latin-1, which no text has; in cp1252 they are quotes and dashes."""


_LOOK = 1 << 16
"""Bytes whose zeros show an encoding without a byte order mark."""
_PUNCTUATION = re.compile(r"[\t\n\r \",:;|{}\[\]-]")
"""Characters between the values of all text formats."""
_ODD_BYTES = re.compile(rb"[\0-\x08\x0b\x0c\x0e-\x1d\x1f\x7f]")
"""Bytes that hardly occur in UTF-8. In UTF-16, they are half of the bytes of most alphabets."""
_BLANK = "\t\n\r\x1e"


def checked(encoding: str) -> str:
    """Return the name of an existing encoding.

    Raises:
        UsageError: There is no encoding of that name, or it is not for text.
    """
    try:
        "".encode(encoding)
    except (LookupError, ValueError) as error:
        alike = near(encoding.lower().replace("-", "_"), set(aliases) - {encoding})
        meant = hint(alike, "for instance latin-1, cp1252, utf-16")
        raise UsageError(f"no text encoding named {encoding!r}; {meant}") from error
    return encoding


def as_utf8(file: io.BufferedReader, encoding: str | None, source: str) -> io.BufferedReader:
    """Return a file as UTF-8, from the given encoding or the one that its first bytes show."""
    if encoding is None:
        encoding = shown(file.peek(_LOOK)[:_LOOK])
    if encoding is None or codecs.lookup(encoding).name == "utf-8":
        return file
    return io.BufferedReader(Pieces(_recoded(file, encoding, source)), _CHUNK)


def shown(head: bytes) -> str | None:
    """Return the encoding that the first bytes of a text show, by a byte order mark or by their zeros.

    UTF-8 has no zeros, but UTF-16 and UTF-32 write the characters between values with them.

    Returns:
        The encoding; None for UTF-8, and if the bytes do not show it.
    """
    for mark, name in _MARKS.items():
        if head.startswith(mark):
            return name
    if b"\0" not in head:
        return None
    wide = head[: len(head) // 4 * 4]
    for name, high in (("utf-32-le", 3), ("utf-32-be", 0)):
        if wide and not any(wide[high::4]) and _punctuation(wide, name):
            return name
    try:
        head.decode()
    except UnicodeDecodeError as error:
        # The last character may be incomplete.
        is_utf8 = error.start > len(head) - 4
    else:
        is_utf8 = True
    # A stray zero in UTF-8 is a fault of its record.
    if is_utf8 and 4 * len(_ODD_BYTES.findall(head)) < len(head):
        return None
    found, name = max((_punctuation(head, name), name) for name in ("utf-16-le", "utf-16-be"))
    return name if found and _is_text(head, name) else None


def _is_text(head: bytes, encoding: str) -> bool:
    """Return whether hardly any character is one that texts lack: unassigned, private or a control."""
    text = head.decode(encoding, "replace")
    odd = sum(
        each == "\ufffd" or (unicodedata.category(each) in ("Cn", "Co", "Cc") and each not in _BLANK)
        for each in text
    )
    return 100 * odd <= len(text)


def _punctuation(head: bytes, encoding: str) -> int:
    return len(_PUNCTUATION.findall(head.decode(encoding, "ignore")))


def not_utf8(error: UnicodeDecodeError) -> str:
    """Return the fault of bytes that are not UTF-8, and a hint in case they have another encoding."""
    narrow = "cp1252" if _CONTROLS.search(error.object) else "latin-1"
    guess = "utf-16" if b"\0" in error.object else narrow
    where = f"{error.reason} at byte {error.start + 1:,} of it"
    return f"not UTF-8: {where}; if it is {guess}, use --encoding {guess}"


def _recoded(file: io.BufferedReader, encoding: str, source: str) -> Iterator[bytes]:
    """Yield text in another encoding as UTF-8."""
    decode = codecs.getincrementaldecoder(encoding)().decode
    before, data = 0, b" "
    while data:
        data = file.read(_CHUNK)
        try:
            text = decode(data, final=not data)
            yield text.encode()
        except UnicodeError as error:
            reason = getattr(error, "reason", str(error))
            where = f"byte {before + getattr(error, 'start', 0):,}"
            raise UnreadableCorpus(f"{source}: not {encoding}: {reason} at about {where}") from error
        before += len(data)
