"""Generate records from a profile."""

from __future__ import annotations

import base64
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

from ...errors import RunError
from ..base import Progress
from ..generated._generate import Pick, Random, fresh
from . import profile as s
from .letters import is_escaped, scripts, spell

_VOCABULARY = 2_000
"""Distinct words of one form; if more are needed, each is new."""
_LONGEST_WORD = 1_000
"""Most characters of a word that is remembered."""
_TABLE = 4_096
"""Words of prose, each with the piece that follows it."""
_TRIES = 50
_REMEMBERED = 1 << 28
"""Values and characters that are kept for reuse; after that, words are always new."""
_MOST_VALUES = 20_000_000
"""Most values, or characters of texts, in one record."""
_SOME = 1_000

_T = TypeVar("_T")
Make = Callable[[], Any]


def _pick(random: Random, counted: Sequence[tuple[int, _T]]) -> Callable[[], _T]:
    """Return a function that draws alternatives by their counts."""
    if len(counted) == 1:
        return _constant(counted[0][1])
    return Pick(random, [option for _, option in counted], [count for count, _ in counted])


def made(
    profile: s.DataProfile, records: int, seed: int, on_progress: Progress | None = None
) -> Iterator[Any]:
    """Generate records from a profile; the same seed generates the same records.

    Raises:
        RunError: A record would have more than `_MOST_VALUES` values or characters.
    """
    maker = _Maker(Random(seed, "twin"))
    make = maker.of(profile.record)
    for number in range(1, records + 1):
        maker.left = _MOST_VALUES
        yield make()
        if on_progress is not None and number % _SOME == 0:
            on_progress(number, records)


class _Maker:
    """Converts nodes to functions that generate values.

    Attributes:
        left: Values and characters that the current record may still have.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self.left = 0
        self._room = _REMEMBERED

    def of(self, node: s.Node) -> Make:
        """Return the function that generates values of a node."""
        make: Make = getattr(self, f"make_{node.kind}")(node)
        return make

    def take(self, size: int) -> int:
        """Count values before they are generated.

        Raises:
            RunError: There are too many for one record.
        """
        self.left -= size
        if self.left < 0:
            raise RunError(f"a record of this profile has more than {_MOST_VALUES:,} values and characters")
        return size

    def _sized(self, ranges: s.Ranges) -> Callable[[], int]:
        pick = _pick(self._random, [(count, (low, high)) for low, high, count in ranges])
        between, take = self._random.between, self.take

        def size() -> int:
            low, high = pick()
            return take(low if low == high else between(low, high))

        return size

    def make_null(self, node: s.Null) -> Make:
        return lambda: None

    def make_bool(self, node: s.Bool) -> Make:
        return _pick(self._random, ((node.true, True), (node.false, False)))

    def make_int(self, node: s.Int | s.Span) -> Make:
        pick = _pick(self._random, [(count, (low, high)) for low, high, count in node.ranges])
        random = self._random
        wide = any(high - low >= 1 << 63 for low, high, _ in node.ranges)

        def number() -> int:
            low, high = pick()
            if wide and high - low >= 1 << 63:
                bits = int.from_bytes(random.data((high - low).bit_length() // 8 + 8), "little")
                return low + bits % (high - low + 1)
            return int(random.between(low, high))

        return number

    def make_timedelta(self, node: s.Span) -> Make:
        number = self.make_int(node)
        least, most = (limit // timedelta(microseconds=1) for limit in (timedelta.min, timedelta.max))
        return lambda: timedelta(microseconds=max(least, min(most, number())))

    def _digits(self, length: int) -> str:
        """Return the given number of significant digits; neither the first nor the last is 0."""
        ends = "123456789"
        if length == 1:
            return self._random.spell(ends, 1)
        spell = self._random.spell
        return spell(ends, 1) + spell("0123456789", length - 2) + spell(ends, 1)

    def make_float(self, node: s.Float) -> Make:
        options: list[tuple[int, Make]] = [(count, _constant(float(name))) for name, count in node.special]
        for length, power, above, below in node.digits:
            options.append((above, self._real(length, power, "")))
            options.append((below, self._real(length, power, "-")))
        pick = _pick(self._random, options or [(1, float)])
        return lambda: pick()()

    def _real(self, length: int, power: int, sign: str) -> Make:
        def number() -> float:
            for _ in range(_TRIES):
                value = float(f"{sign}{self._digits(length)}e{power - length + 1}")
                if math.isinf(value):
                    continue
                # If all digits are given, the last one is often not needed to distinguish a double from its
                # neighbors.
                if length < 16 or len(repr(value).partition("e")[0].strip("-0.").replace(".", "")) == length:
                    break
            return math.copysign(sys.float_info.max, value) if math.isinf(value) else value

        return number

    def make_decimal(self, node: s.Decimals) -> Make:
        options = []
        for length, power, above, below in node.digits:
            options += [(above, ("", length, power)), (below, ("-", length, power))]
        pick = _pick(self._random, options)

        def number() -> Decimal:
            sign, length, power = pick()
            first = self._random.spell("123456789" if length > 1 else "0123456789", 1)
            return Decimal(f"{sign}{first}{self._random.spell('0123456789', length - 1)}E{power}")

        return number

    def make_bytes(self, node: s.Bytes) -> Make:
        size, data = self._sized(node.lengths), self._random.data
        if node.base64:
            return lambda: base64.b64encode(data(size())).decode("ascii")
        return lambda: data(size())

    def make_uuid(self, node: s.Uuid) -> Make:
        data = self._random.data
        if not node.text:
            return lambda: UUID(bytes=data(16), version=4)
        if node.text == "A":
            return lambda: str(UUID(bytes=data(16), version=4)).upper()
        return lambda: str(UUID(bytes=data(16), version=4))

    def make_moment(self, node: s.Moment) -> Make:
        below, between, spell = self._random.below, self._random.between, self._random.spell
        fraction = _pick(self._random, [(count, digits) for digits, count in node.fractions])
        zone = _pick(self._random, [(count, name) for name, count in node.zones])
        first, last = min(node.years), max(node.years)

        def text() -> str:
            parts = []
            if node.type != "time":
                parts.append(f"{between(first, last):04}-{1 + below(12):02}-{1 + below(28):02}")
            if node.type != "date":
                parts.append(f"{below(24):02}:{below(60):02}")
                if (digits := fraction()) >= 0:
                    parts[-1] += f":{below(60):02}"
                if digits > 0:
                    parts[-1] += "." + spell("0123456789", digits - 1) + spell("123456789", 1)
                if (name := zone()) in ("", "Z"):
                    parts[-1] += name
                else:
                    colon = name[1:]
                    parts[-1] += f"{'+-'[below(2)]}{1 + below(12):02}{colon}{'03'[below(2)]}0"
            return node.separator.join(parts)

        def whole() -> Any:
            day = date(between(first, last), 1 + below(12), 1 + below(28))
            if node.type == "date":
                return day
            digits = fraction()
            micros = 0 if digits <= 0 else (1 + below(999)) * 1_000 if digits <= 3 else 1 + below(999_999)
            zones = {"": None, "Z": UTC}
            name = zone()
            offset = zones[name] if name in zones else timezone(timedelta(minutes=30 * (1 + below(24))))
            moment = time(below(24), below(60), below(60), micros, offset)
            return moment if node.type == "time" else datetime.combine(day, moment)

        return text if node.text else whole

    def _word(self, rows: Sequence[tuple[int, int, s.Form]]) -> Callable[[], str]:
        """Return a function that writes words of some forms: few words repeatedly, or many, always new."""
        options: list[tuple[int, Callable[[], str]]] = []
        for count, different, form in rows:
            options.append((count, self._vocabulary(count, different, form)))
        pick = _pick(self._random, options)
        return options[0][1] if len(options) == 1 else lambda: pick()()

    def _vocabulary(self, count: int, different: int, form: s.Form) -> Callable[[], str]:
        random = self._random
        if all(letter not in s.CLASSES for letter, _ in form):
            return _constant("".join(letter * length for letter, length in form))
        size = sum(length for _, length in form)
        if size > _LONGEST_WORD:
            return self._long(form, size)
        if different > _VOCABULARY or (different > 1 and different * 10 >= 9 * count):
            return lambda: spell(random, form)
        words: list[str] = []

        def word() -> str:
            # A word is as likely as all words up to twice as far down the list: Zipf's law, as in real prose.
            at = int(max(1, different) ** random.real()) - 1
            while len(words) <= at:
                if self._room < 0:
                    return spell(random, form)
                words.append(spell(random, form))
                self._room -= len(words[-1])
            return words[at]

        return word

    def _long(self, form: s.Form, size: int) -> Callable[[], str]:
        def word() -> str:
            self.take(size)
            self.left += size  # Counted with the text; before that, only checked.
            return spell(self._random, form)

        return word

    def make_parts(self, node: s.ProfileParts) -> Make:
        makes = [self._word(part) for part in node.parts]
        take = self.take

        def text() -> str:
            written = []
            for make in makes:
                part = make()
                take(len(part))
                written.append(part)
            # A text of one part may be a word that is repeated.
            return fresh(written[0]) if len(written) == 1 else "".join(written)

        return text

    def make_text(self, node: s.Prose) -> Make:
        random = self._random
        size = self._sized(node.lengths)
        start, end = self._word(node.starts), self._word(node.ends)
        word = self._word(node.words) if node.words else _constant("")
        between = self._word(node.between) if node.between else _constant("")
        table = self._table(word, between)

        def text() -> str:
            length = size()
            before, after = start(), end()
            room = max(0, length - len(before) - len(after))
            body = random.fill(table, room)
            if body and not (body[-1].isalnum() or body[-1] > "\x7f"):
                body = body[:-1] + random.spell("etaoin", 1)
            return self._mended((before + body + after)[:length], node)

        return text

    def _table(self, word: Callable[[], str], between: Callable[[], str]) -> list[str]:
        """Return words with the pieces that follow them, up to the size limit."""
        table: list[str] = []
        room = _TABLE * _LONGEST_WORD
        while len(table) < _TABLE and room > 0:
            entry = word() + between() or "-"
            room -= len(entry)
            table.append(entry)
        return table

    def _mended(self, text: str, node: s.Prose) -> str:
        """Return a text with the features that all texts of its kind share."""
        wide = node.widest
        if wide and text and scripts(text)[-1:] != wide:
            at = self._random.below(len(text))
            text = text[:at] + spell(self._random, ((wide, 1),)) + text[at + 1 :]
        if node.escaped and text and not is_escaped(text):
            at = self._random.below(len(text))
            text = text[:at] + "\n" + text[at + 1 :]
        return text

    def make_values(self, node: s.ProfileValues) -> Make:
        makes = [(count, self.of(part)) for count, part in node.of]
        pick = _pick(self._random, [(count, index) for index, (count, _) in enumerate(makes)])
        known: dict[int, Any] = {}
        taken: set[Any] = set()

        def value() -> Any:
            index = pick()
            if index not in known:
                before = self.left
                known[index] = _new(makes[index][1], taken)
                self._room -= before - self.left + 1
                if self._room < 0:
                    raise RunError(f"fields of few values have more than {_REMEMBERED:,} characters")
            found = known[index]
            # A new object each time, as when a file is read, because pickles refer to shared objects.
            return fresh(found) if type(found) is str else found

        return value

    def make_any(self, node: s.Alternatives) -> Make:
        pick = _pick(self._random, [(count, self.of(part)) for count, part in node.of])
        return lambda: pick()()

    def make_record(self, node: s.ProfileRecord) -> Make:
        makes = [(one.key, self.of(one.value)) for one in node.fields]
        take, width = self.take, len(makes) + 1
        if node.without:
            variants = [
                (count, [pair for index, pair in enumerate(makes) if index not in set(gone)])
                for count, gone in node.without
            ]
            variant = _pick(self._random, variants)

            def together() -> dict[str, Any]:
                take(width)
                return {name: make() for name, make in variant()}

            return together
        if all(one.count >= node.count for one in node.fields):

            def full() -> dict[str, Any]:
                take(width)
                return {name: make() for name, make in makes}

            return full
        present = [
            _pick(self._random, ((one.count, True), (max(0, node.count - one.count), False)))
            for one in node.fields
        ]

        def some() -> dict[str, Any]:
            take(width)
            return {name: make() for (name, make), is_there in zip(makes, present, strict=True) if is_there()}

        return some

    def make_map(self, node: s.ProfileMap) -> Make:
        size, key, value = self._sized(node.lengths), self.of(node.key), self.of(node.value)

        def pairs() -> dict[Any, Any]:
            found: dict[Any, Any] = {}
            for _ in range(size()):
                found[_new(key, found)] = value()
            return found

        return pairs

    def make_list(self, node: s.List) -> Make:
        size, item = self._sized(node.lengths), self.of(node.item)
        if node.type == "list":
            return lambda: [item() for _ in range(size())]
        if node.type == "tuple":
            return lambda: tuple([item() for _ in range(size())])
        kind = set if node.type == "set" else frozenset

        def different() -> Any:
            found: dict[Any, None] = {}
            for _ in range(size()):
                found[_new(item, found)] = None
            return kind(found)

        return different

    def make_row(self, node: s.ProfileRow) -> Make:
        makes = [self.of(one) for one in node.items]
        take, width = self.take, len(makes) + 1

        def values() -> list[Any]:
            take(width)
            return [make() for make in makes]

        return values if node.type == "list" else lambda: tuple(values())


def _constant(value: _T) -> Callable[[], _T]:
    return lambda: value


def _new(make: Make, known: Any) -> Any:
    """Return a value that is not yet known, if there is one."""
    for _ in range(_TRIES):
        value = make()
        if value not in known:
            break
    if isinstance(known, set):
        known.add(value)
    return value
