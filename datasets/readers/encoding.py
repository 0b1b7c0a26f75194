"""Text that is not UTF-8: turned into it while it is read, and guessed at where nobody said what it is."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from encodings.aliases import aliases

from ...errors import UsageError, hint, near
from ..errors import UnreadableCorpus
from .streams import Pieces

__all__ = ["as_utf8", "checked", "not_utf8"]

_CHUNK = 256 * 1024
# The longer ones first: that of UTF-16 begins that of UTF-32.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CONTROLS = re.compile(rb"[\x80-\x9f]")
"""Control characters in latin-1, which no text has; quotes and dashes in cp1252."""


def checked(encoding: str) -> str:
    """Return the name of an encoding that there is.

    Raises:
        UsageError: There is none of that name, or it is none of text.
    """
    try:
        "".encode(encoding)
    except (LookupError, ValueError) as error:
        alike = near(encoding.lower().replace("-", "_"), set(aliases) - {encoding})
        meant = hint(alike, "for instance latin-1, cp1252, utf-16")
        raise UsageError(f"no text encoding named {encoding!r}; {meant}") from error
    return encoding


def as_utf8(file: io.BufferedReader, encoding: str | None, source: str) -> io.BufferedReader:
    """Return a file as UTF-8: from the encoding that was said, or that its byte order mark tells."""
    if encoding is None:
        head = file.peek(4)[:4]
        encoding = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if encoding is None or codecs.lookup(encoding).name == "utf-8":
        return file
    return io.BufferedReader(Pieces(_recoded(file, encoding, source)), _CHUNK)


def not_utf8(error: UnicodeDecodeError) -> str:
    """Return what is wrong with bytes that are no UTF-8, and what to say in case they are something else."""
    narrow = "cp1252" if _CONTROLS.search(error.object) else "latin-1"
    guess = "utf-16" if b"\0" in error.object else narrow
    where = f"{error.reason} at byte {error.start + 1:,} of it"
    return f"not UTF-8: {where}; if it is {guess}, use --encoding {guess}"


def _recoded(file: io.BufferedReader, encoding: str, source: str) -> Iterator[bytes]:
    """Yield text of another encoding as UTF-8."""
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
