"""Escaping of untrusted text (names, reasons, output of crashed processes) for display."""

from __future__ import annotations

import codecs
import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Self, TypeVar, cast

_T = TypeVar("_T")

_UNSAFE: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


_UNSAFE_IN_LINES: Final = re.compile(rf"(?![\t\n]|\r\n){_UNSAFE.pattern}")
"""Line ends of CSV are two characters; alone, the first one writes over its line."""


def visible(text: str) -> str:
    r"""Return one line without characters that control a terminal or reverse its text.

    Control characters, direction marks, lone surrogates and characters that XML does not allow are escaped
    as in Python and JSON: ``\x1b``, ``\u202e``.
    """
    return _escaped(" ".join(text.split()))


class Styled(str):
    """Text of a table with the escape sequences of its colors; everything else in it has been escaped."""

    __slots__ = ()

    @classmethod
    def joined(cls, texts: Iterable[str]) -> Self:
        """Join texts, and escape the others among them."""
        return cls("".join(map(escaped, texts)))


def escaped(text: str) -> str:
    r"""Return text of several lines as it may be written to a terminal or a file; `Styled` as it is.

    This is the last step of all output: it keeps tabs and line ends, and escapes what `visible` escapes. Text
    of JSON stays valid.
    """
    return text if isinstance(text, Styled) else _escaped(text, _UNSAFE_IN_LINES)


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters, with an ellipsis for the rest."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


_USER: Final = re.compile(r":/{1,3}[^/?#\s:@]*:")
"""A user before a password. One or three slashes do not make a URL, but the password is hidden as well."""
_TOKEN: Final = re.compile(r"(https?:/{1,3})([^/?#\s:@]+)(?=@)", re.IGNORECASE)
"""A name without a password: package indexes and forges take tokens so."""
_PARAMETER: Final = re.compile(r"([?&;]([\w.-]+)=)([^&#;\s]+)")
_IS_SECRET: Final = re.compile("pass|pwd|token|secret|credential|api_?key|signature", re.IGNORECASE)
"""Names of parameters that are secret."""


def without_passwords(text: str) -> str:
    """Return a text with ``***`` instead of the passwords and tokens of URLs in it."""
    text = re.sub(r"\S+", lambda found: _without_password(found[0]), text)
    text = _TOKEN.sub(r"\1***", text)
    return _PARAMETER.sub(lambda found: f"{found[1]}***" if _IS_SECRET.search(found[2]) else found[0], text)


def _without_password(word: str) -> str:
    start, end = _password(word)
    return f"{word[:start]}***{word[end:]}" if start < end else word


def _password(word: str) -> tuple[int, int]:
    """Return start and end of the password up to the last @, as it may hold unquoted ones; or twice 0."""
    end = max(word.rfind("@"), 0)
    found = _USER.search(word, 0, end)
    return (found.end(), end) if found else (0, 0)


def without_secrets(text: str, url: str) -> str:
    """Return a text without a URL's password, in the URL's spelling and as clients decode and repeat it."""
    from urllib.parse import unquote

    found = {match[2] for match in _TOKEN.finditer(url)}
    found |= {match[3] for match in _PARAMETER.finditer(url) if _IS_SECRET.search(match[2])}
    found |= {word[slice(*_password(word))] for word in url.split()} - {""}
    for secret in sorted({*found, *map(unquote, found)}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def _escaped(text: str, unsafe: re.Pattern[str] = _UNSAFE) -> str:
    return unsafe.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    letter = found[0]
    # JSON has no two-digit form; it never holds the characters below a space.
    return ascii(letter)[1:-1] if letter < " " else f"\\u{ord(letter):04x}"


SPELLED: Final = "spelled"
"""The error handler of `str.encode` for terminals without the signs of our tables: ``x`` for ``×``."""

_PLAIN: Final = {
    **dict(zip("×µ≈−–·↓↑→─│░", "xu~---v^>-|.", strict=True)),
    **dict(zip("±σ²⁹…", ("+-", "sigma", "^2", "^9", "..."), strict=True)),
    **dict(zip("▁▂▃▄▅▆▇█", "_.-=+*%#", strict=True)),
    **dict.fromkeys("▏▎▍▌▋▊▉", "|"),
}


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """Replace letters that an encoding lacks: signs of ours by others, and the rest by question marks."""
    assert isinstance(error, UnicodeEncodeError), "it is a handler for encoding"
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(letter, "?") for letter in lacking), error.end


codecs.register_error(SPELLED, _spelled)


def lines_visible(text: str) -> str:
    """Return text of several lines, each escaped as in `visible`, with unchanged spaces."""
    return "\n".join(_escaped(line.expandtabs().rstrip()) for line in text.split("\n"))


def all_visible(plain: _T) -> _T:
    """Return plain values, or a dataclass of them, with all texts escaped as in `lines_visible`."""
    found: Any = plain
    if isinstance(plain, str):
        found = lines_visible(plain) if _UNSAFE.search(plain.replace("\n", "")) else plain
    elif isinstance(plain, Mapping):
        found = {all_visible(key): all_visible(value) for key, value in plain.items()}
    elif isinstance(plain, list | tuple):
        found = type(plain)(all_visible(value) for value in plain)
    elif dataclasses.is_dataclass(plain) and not isinstance(plain, type):
        fields = dataclasses.fields(plain)
        found = dataclasses.replace(plain, **{f.name: all_visible(getattr(plain, f.name)) for f in fields})
    return cast("_T", found)
