"""Escaping of untrusted text (names, reasons, output of crashed processes) for display."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar, cast

_T = TypeVar("_T")

_UNSAFE: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def visible(text: str) -> str:
    r"""Return one line without characters that control a terminal or reverse its text.

    Control characters, direction marks, lone surrogates and characters that XML does not allow are escaped
    as in Python: ``\x1b``.
    """
    return _escaped(" ".join(text.split()))


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters, with an ellipsis for the rest."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


_PASSWORD: Final = re.compile(r"(:/{1,3}[^/?#\s:@]*:)(\S*)(?=@)|([?&]\w*pass\w*=)([^&#\s]*)", re.IGNORECASE)
"""A password before the host, up to the last @, as passwords may contain unquoted ones; or one after the ?.

One or three slashes do not make a URL, but the password is hidden as well.
"""


def without_passwords(text: str) -> str:
    """Return a text with ``***`` instead of the passwords of URLs in it."""
    return _PASSWORD.sub(r"\1\3***", text)


def without_secrets(text: str, url: str) -> str:
    """Return a text without a URL's password, in the URL's spelling and as clients decode and repeat it."""
    from urllib.parse import unquote

    found = {match[2] or match[4] for match in _PASSWORD.finditer(url)} - {"", None}
    for secret in sorted({*found, *map(unquote, found)}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def _escaped(line: str) -> str:
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], line)


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
