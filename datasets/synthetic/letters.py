"""Classes of characters, and words made of them.

Characters are in one class if codecs treat them alike: their bytes in UTF-8, their width in Python, and
whether JSON escapes them. ASCII characters other than letters and digits represent themselves.
`profile.CLASSES` has the classes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from .profile import Form

if TYPE_CHECKING:
    from ..generated._generate import Random

_ALPHABETS: Final = {
    "a": "eeeeeeeeeeetttttttttaaaaaaaoooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrddddlllluuucccmmffwwyyppvbgkjxqz",
    "A": "EEEETTTAAAOOOIIINNNSSSHHHRRRDDLLUUCCMMFFWWYYPPVVBBGGKKJJXQZ",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "p": "-_.,:;/()[]{}#@!?*+=<>&%$~|^",
    "n": "éèàüöäçñáíóúêâîôûëïåæøßãõ",
    "w": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщłśżźćęąőűğşıřěšžůτοαινσερ",
    "t": "のにはをたがでてとしれさいうもなこらるくあっかまりアイスクトリ日人大年本中国出上生時行",
    "f": "😀😂😍🤔😭🎉🔥🚀🍕🐙👍🌍🎵💡📷😎🙏💪🌸",
    "s": "\ud800\ud83d\udbff\udc00\ude00\udfff",
}
"""Letters of each class; those of prose are repeated by their frequency."""

_PIECES: Final = re.compile("[0-9A-Za-z\x80-\U0010ffff]+|[^0-9A-Za-z\x80-\U0010ffff]+")
_RUNS: Final = re.compile(
    "(?P<a>[a-z]+)|(?P<A>[A-Z]+)|(?P<d>[0-9]+)|(?P<n>[\x80-\xff]+)|(?P<w>[\u0100-\u07ff]+)"
    "|(?P<s>[\ud800-\udfff]+)|(?P<t>[\u0800-\uffff]+)|(?P<f>[\U00010000-\U0010ffff]+)"
)
_WIDE: Final = {
    "n": re.compile("[\x80-\xff]"),
    "w": re.compile("[\u0100-\u07ff]"),
    "s": re.compile("[\ud800-\udfff]"),
    "t": re.compile("[\u0800-\ud7ff\ue000-\uffff]"),
    "f": re.compile("[\U00010000-\U0010ffff]"),
}
_SAME: Final = re.compile(r"(.)\1*", re.DOTALL)
_HEX: Final = re.compile(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{6,}")
_HEX_UPPER: Final = re.compile(r"(?=.*[0-9])(?=.*[A-F])[0-9A-F]{6,}")
_ESCAPED: Final = re.compile(r'["\\\x00-\x1f]')
_SIGN: Final = re.compile(r'[^"\\\x00-\x20]')
_SIGNS = 3
"""Most signs in a row that are kept."""
_SCRAMBLED = 4
"""Runs of characters from which a word of at least eight letters and digits counts as random."""
_MEANINGS: Final = frozenset(
    word
    for plain in ("y", "n", "no", "on", "off", "yes", "true", "false", "null")
    for word in (plain, plain.title(), plain.upper())
)
"""Words that YAML reads as another type than text."""


def pieces(text: str) -> list[str]:
    """Split a text into words and the pieces between them."""
    return _PIECES.findall(text)


def word_form(piece: str) -> tuple[bool, Form]:
    """Return whether a piece is a word, and its form."""
    if piece[0] < "\x80" and not piece[0].isalnum():
        # Pieces between words are kept unchanged, but a row of signs may be a value.
        signs = piece if len(piece) <= _SIGNS else _SIGN.sub("p", piece)
        return False, tuple((match[1], len(match[0])) for match in _SAME.finditer(signs))
    if piece.isascii():
        if piece.isdigit():
            return True, (("0" if piece[0] == "0" and len(piece) > 1 else "d", len(piece)),)
        if _HEX.fullmatch(piece):
            return True, (("h", len(piece)),)
        if _HEX_UPPER.fullmatch(piece):
            return True, (("H", len(piece)),)
    runs = tuple((match.lastgroup or "", len(match[0])) for match in _RUNS.finditer(piece))
    if len(piece) >= 8 and len(runs) >= _SCRAMBLED and piece.isascii():
        return True, (("b", len(piece)),)
    return True, runs


def is_escaped(text: str) -> bool:
    """Return whether JSON has to escape a character of a text."""
    return _ESCAPED.search(text) is not None


def scripts(text: str) -> str:
    """Return the classes of the characters that are not ASCII, the wider ones last; empty for ASCII."""
    if text.isascii():
        return ""
    return "".join([letter for letter, some in _WIDE.items() if some.search(text)])


def main_script(text: str) -> str:
    """Return the most frequent class beyond ASCII, empty if there is none, without emoji and surrogates."""
    if text.isascii():
        return ""
    found = {letter: sum(map(len, _WIDE[letter].findall(text))) for letter in "nwt"}
    most = max(found, key=found.__getitem__)
    return most if found[most] else ""


def spell(random: Random, form: Form) -> str:
    """Return new letters of a form."""
    while (text := "".join(_runs(random, form))) in _MEANINGS:
        pass
    return text


def _runs(random: Random, form: Form) -> Iterator[str]:
    for letter, length in form:
        if letter == "d":
            first = random.spell("123456789" if length > 1 else "0123456789", 1)
            yield first + random.spell("0123456789", length - 1)
        elif letter == "0":
            yield "0" + random.spell("0123456789", length - 1)
        else:
            alphabet = _ALPHABETS.get(letter)
            yield letter * length if alphabet is None else random.spell(alphabet, length)
