"""Types of CSV columns, and what may surprise the user about them.

The first thousand rows determine the type of a column: numbers or booleans if *every* non-empty cell is one,
else text. Numbers have the grammar of JSON (RFC 8259, section 6), so every finite number that JSON, Python
or pandas writes is one. ``007``, ``+1`` and ``1,5`` make a column text.

An empty cell is None, except in a column of text, where it is an empty text. Texts declared as null (``NA``)
are None in every column, and do not affect its type.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final, Literal

LOOK_AHEAD: Final = 1_000
"""Rows that determine the types of columns."""
_DIGITS: Final = 17
"""Most significant digits that tell two floats apart."""
_WORDS: Final = 3
"""Most different texts for which ``--null-value`` is suggested."""
_EXACT: Final = 1 << 53
"""Integers below this one are floats without a change."""

# Python reads no integer of more than some thousand digits, and no float of more than 309 is finite.
_INT = re.compile(r"0|-?[1-9]\d{0,599}", re.ASCII)
_NUMBERS = {
    point: re.compile(rf"-?(?:0|[1-9]\d*)(?:{re.escape(point)}\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
    for point in ".,"
}
_TRUTH = {"true": True, "false": False, "True": True, "False": False, "TRUE": True, "FALSE": False}
_CODE = re.compile(r"-?0\d+", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?", re.ASCII)
_GROUPED = re.compile(
    "-?[1-9]\\d{0,2}([,.' \u00a0\u202f\u2019])\\d{3}(?:\\1\\d{3})*(?:(?!\\1)[.,]\\d+)?", re.ASCII
)
_LOOSE = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)

_COMMA = "a decimal comma"
_POINT = "a decimal point"
_ADVICE = {
    _COMMA: "; --decimal-comma reads them as numbers",
    _POINT: "; without --decimal-comma they are numbers",
}

ColumnKind = Literal["number", "bool", "text", "empty"]


class TypedColumn:
    """How the cells of a column are read.

    Args:
        name: Its name.
        first: Its cells in the first rows.
        null: Texts that mean None.
        point: The decimal point of its numbers, ``.`` or ``,``.

    Attributes:
        kind: Its type; "empty" if no cell of the first rows is filled.
        read: Returns the value of a cell. If a cell of a later row does not fit the type, that is its text.
    """

    def __init__(self, name: str, first: Sequence[str], null: frozenset[str], point: str) -> None:
        self.name = name
        self._null = null
        self._point = point
        self._first = len(first)
        self._late, self._example = 0, ""
        filled = [cell for cell in first if cell and cell not in null]
        others = {
            "number": [cell for cell in filled if self._number(cell) is None],
            "bool": [cell for cell in filled if cell not in _TRUTH],
        }
        self.kind: ColumnKind = "empty" if not filled else "text"
        self.read: Callable[[str], Any] = self._other
        self._remark = ""
        if filled and not others["number"]:
            self.kind = "number"
            self.read = self._float
            if all(map(_INT.fullmatch, filled)):
                self.read = self._int
            else:
                self._remark = self._rounded(filled)
        elif filled and not others["bool"]:
            self.kind = "bool"
        elif filled:
            self.read = self._text if null else str
            self._remark = self._odd(others["number"], len(filled)) or _because(
                "a boolean", others["bool"], len(filled)
            )

    def is_one(self, cell: str) -> bool:
        """Return whether a cell has the type of the column, which is not text."""
        return (self._number(cell) is not None) if self.kind == "number" else cell in _TRUTH

    def remarks(self) -> list[str]:
        """Return what may surprise the user about the cells that have been read."""
        found = [self._remark] if self._remark else []
        if self._late:
            what = {"number": "numbers", "bool": "booleans", "empty": "empty"}[self.kind]
            found.append(
                f"its first {self._first:,} cells are {what}, so {_cells(self._late)} after them "
                f"{'is' if self._late == 1 else 'are'} text, such as {_short(self._example)}"
            )
        return [f"column {self.name!r}: {remark}" for remark in found]

    def _int(self, cell: str) -> Any:
        return int(cell) if _INT.fullmatch(cell) else self._other(cell)

    def _float(self, cell: str) -> Any:
        if _INT.fullmatch(cell) and not -_EXACT < (whole := int(cell)) < _EXACT:
            return whole
        made = self._number(cell)
        return self._other(cell) if made is None else float(made)

    def _text(self, cell: str) -> str | None:
        return None if cell in self._null else cell

    def _other(self, cell: str) -> Any:
        if not cell or cell in self._null:
            return None
        if self.kind == "bool" and cell in _TRUTH:
            return _TRUTH[cell]
        if self.kind == "number" and (made := self._number(cell)) is not None:
            return made
        self._late, self._example = self._late + 1, self._example or cell
        return cell

    def _number(self, cell: str) -> int | float | None:
        if _INT.fullmatch(cell):
            return int(cell)
        if _NUMBERS[self._point].fullmatch(cell):
            made = float(cell.replace(self._point, "."))
            return made if math.isfinite(made) else None
        return None

    def _odd(self, cells: Sequence[str], filled: int) -> str:
        """Return which cells make a column of numbers text, if most of it are numbers in some notation."""
        if any(map(_CODE.fullmatch, cells)):
            return ""
        notations = Counter(self._notation(cell) for cell in cells)
        words = notations.pop("", 0)
        if not notations or words > max(notations.values()):
            return _because("a number", [cell for cell in cells if not self._notation(cell)], filled)
        if 2 * words >= filled:
            return ""
        ((what, _),) = notations.most_common(1)
        example = next(cell for cell in cells if self._notation(cell) == what)
        return f"text, because its numbers have {what}, such as {_short(example)}{_ADVICE.get(what, '')}"

    def _notation(self, cell: str) -> str:
        """Return what makes a number differ from JSON's notation; empty if the cell is no number."""
        if _GROUPED.fullmatch(cell):
            return "thousands separators"
        if self._point == "." and _NUMBERS[","].fullmatch(cell):
            return _COMMA
        if self._point == "," and _NUMBERS["."].fullmatch(cell):
            return _POINT
        if self._number(cell.strip()) is not None:
            return "blanks around them"
        return "a notation that JSON lacks" if _LOOSE.fullmatch(cell.replace(self._point, ".")) else ""

    def _rounded(self, cells: Sequence[str]) -> str:
        long = [cell for cell in cells if not _INT.fullmatch(cell) and _significant(cell) > _DIGITS]
        what = f"{_cells(len(long))} with more than {_DIGITS} digits, such as"
        return f"{what} {_short(long[0])}, read as the nearest float" if long else ""


def _because(kind: str, others: Sequence[str], filled: int) -> str:
    """Return which cells make a column text, if they are the smaller part of it."""
    if 2 * len(others) >= filled:
        return ""
    words = list(dict.fromkeys(others))
    options = " ".join(f"--null-value {shlex.quote(word)}" for word in words)
    advice = "" if len(words) > _WORDS else f"; {options} reads {'it' if len(words) == 1 else 'them'} as None"
    return (
        f"text, because {len(others):,} of its first {filled:,} cells {'is' if len(others) == 1 else 'are'} "
        f"not {kind}, such as {_short(others[0])}{advice}"
    )


def _significant(cell: str) -> int:
    mantissa = re.split("[eE]", cell)[0]
    return len(re.sub(r"\D", "", mantissa).strip("0"))


def _cells(count: int) -> str:
    return f"{count:,} cell{'s' * (count != 1)}"


def _short(cell: str) -> str:
    return repr(cell if len(cell) <= 30 else f"{cell[:29]}…")


def may_be_a_row(names: Sequence[str], columns: Sequence[TypedColumn], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a header may be the first row: each name has the type of its column, if that is no text.

    Args:
        names: The cells of the header.
        columns: The columns.
        rows: The rows that follow.
    """
    fitting = []
    for number, (name, column) in enumerate(zip(names, columns, strict=True)):
        if column.kind in ("number", "bool"):
            fitting.append(column.is_one(name))
        elif column.kind == "text" and all(_DATE.fullmatch(row[number]) for row in rows):
            fitting.append(_DATE.fullmatch(name) is not None)
    numbered = [int(name) for name in names if _INT.fullmatch(name)]
    # pandas names columns without names by their position.
    counted = len(numbered) > 1 and all(after == before + 1 for before, after in pairwise(numbered))
    return bool(fitting) and all(fitting) and not counted
