"""The cost of a schema change, as a table and as JSON."""

from __future__ import annotations

import json as _json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from ...bench.evolved import CrossReading, EvolutionDirection, ReadingCost, TriedCodec
from ...schemas.difference import RULES, SchemaDifference
from ..model import numbers
from ..model.table import EMPTY, Absent, Column, Entry, Section, Table
from .builder import Maker, TableBuilder, word

_DIRECTIONS: Final[tuple[EvolutionDirection, ...]] = ("old→new", "new→old")
_FEW: Final = 4
"""Names of codecs in a sentence; further ones are only counted."""
_LINES: Final = 20
"""Limit for the lines about losses."""


@dataclass(frozen=True, slots=True)
class Evolution:
    """Results of an evolution.

    Attributes:
        old: The older version, as typed.
        new: The newer version, as typed.
        difference: The changes between them.
        trials: TriedCodecs by codec.
        costs: Costs of reading by codec and direction.
        notes: What disturbed the timing, a sentence each.
        records: Number of records of each version.
        data: Source of the records; empty for generated ones.
        newer: Whether the records of `data` have the newer version.
    """

    old: str
    new: str
    difference: SchemaDifference
    trials: Sequence[TriedCodec]
    costs: Mapping[tuple[str, EvolutionDirection], ReadingCost]
    notes: Sequence[str]
    records: int
    data: str = ""
    newer: bool = False


def table(found: Evolution) -> Table:
    """Return a table with a row for each codec, followed by a row for each single change."""
    if not found.difference.changes:
        return Table((Section(f"{found.old} → {found.new}: no difference", (), ()),))
    changes = found.difference.changes
    kept = f"{len(changes)} change{'s' * (len(changes) != 1)}"
    whose = (
        f"the {'newer' if found.newer else 'older'} version's from {found.data}" if found.data else "made up"
    )
    whole = _Evolved().table(
        f"{found.old} → {found.new}: {kept}",
        found.trials,
        list(_columns(found.costs)),
        lines=(
            f"{found.records:,} record{'s' * (found.records != 1)} of each version, {whose}; "
            "old→new: the new version reads what the old one wrote",
        ),
        remarks=(*_remarks(found.trials), *found.notes),
        absent=(
            Absent(trial.codec, "not carried", trial.backward.failed)
            for trial in found.trials
            if trial.backward.failed
        ),
    )
    alone = Section("Each change on its own", (), (), remarks=tuple(_alone(found)))
    kinds = dict.fromkeys(change.kind for change in changes)
    rules = Section("By the rules of the formats", (), (), remarks=tuple(f"{k}: {RULES[k]}" for k in kinds))
    return Table((whole, alone, rules), recommendation=_sentence(found.trials))


# The rows -------------------------------------------------------------------------------------------


class _Evolved(TableBuilder[TriedCodec]):
    """Builds the table, whose rows have no cells."""

    def __init__(self) -> None:
        super().__init__(lambda _: (), lambda trial: trial.codec)

    def ranked(self, row: TriedCodec) -> bool:
        return not row.backward.failed


def _columns(costs: Mapping[tuple[str, EvolutionDirection], ReadingCost]) -> Iterator[Maker[TriedCodec]]:
    yield word("codec", "codec", lambda trial: trial.codec)
    for way in _DIRECTIONS:
        yield Column(way, way, numeric=False), partial(_read, way)
    yield word("silent", "silently lost or wrong", _silent)
    for way in _DIRECTIONS:
        column = Column(f"cost {way}", f"cost {way}", unit="other / own", raw_unit="ratio")
        yield column, lambda trial, way=way: _cost(costs.get((trial.codec, way)))  # type: ignore[misc]


def _read(way: EvolutionDirection, trial: TriedCodec) -> Entry:
    reading = trial.reading(way)
    words = _words(reading)
    return Entry(words, words, tone="good" if reading.clean else "bad" if _is_silent(reading) else "")


def _words(reading: CrossReading) -> str:
    if reading.failed:
        return "not carried"
    if reading.refused == reading.records:
        return "refuses"
    wrong, lost = len(reading.places("wrong", "made up")), len(reading.places("lost"))
    unfit = len(reading.places("unfit"))
    parts = [
        f"refuses {numbers.percent(reading.refused / reading.records)}" if reading.refused else "",
        f"{wrong} wrong" if wrong else "",
        f"loses {lost}" if lost else "",
        f"{unfit} unfit" if unfit else "",
    ]
    return ", ".join(filter(None, parts)) or "reads"


def _is_silent(reading: CrossReading) -> bool:
    return bool(reading.places("lost", "wrong", "made up"))


def _silent(trial: TriedCodec) -> str:
    found: dict[str, None] = {}
    for way in _DIRECTIONS:
        reading = trial.reading(way)
        found |= dict.fromkeys(reading.places("lost"))
        found |= dict.fromkeys(f"{path} (wrong)" for path in reading.places("wrong", "made up"))
    return ", ".join(found)


def _cost(cost: ReadingCost | None) -> Entry:
    if cost is None:
        return EMPTY
    found = cost.ratio
    half = (found.high - found.low) / 2
    spread = numbers.spread(found.value, half)
    low, high = found.ends
    return Entry(numbers.ratio(found.value, half), found.value, low, high, spread=spread)


# The sentences --------------------------------------------------------------------------------------


def _remarks(trials: Sequence[TriedCodec]) -> Iterator[str]:
    readings = [trial.reading(way) for trial in trials for way in _DIRECTIONS]
    if any(reading.places("lost") for reading in readings):
        yield "loses: number of fields that were written and are missing, without an error"
    if any(reading.places("wrong", "made up") for reading in readings):
        yield "wrong: number of fields with a value that was not written there, without an error"
    if any(reading.places("unfit") for reading in readings):
        yield (
            "unfit: number of fields that are required but missing, or have a type that the reading version "
            "does not expect; only `Schema.advise` reports them"
        )
    yield (
        "cost: time to decode the other version's payload, divided by the time for the same record in the "
        "reading version; ± is half the 95 % interval of the mean over processes"
    )
    yield from _told(trials, _refusals)
    yield from _told(trials, _untimed)
    yield from _told(trials, _faults, examples=True)
    kept = [trial.codec for trial in trials if trial.backward.unknown or trial.forward.unknown]
    dropped = [
        trial.codec
        for trial in trials
        if trial.codec not in kept and False in (trial.backward.unknown, trial.forward.unknown)
    ]
    if kept or dropped:
        said = [
            f"{word} by {_some(names)}" for word, names in (("kept", kept), ("dropped", dropped)) if names
        ]
        yield f"fields unknown to the reading version: {'; '.join(said)}"


_What = tuple[str, str, str]
"""The outcome, its path, and the reason or an example."""


def _refusals(reading: CrossReading) -> list[_What]:
    return [("refused", "", reading.error)] if reading.refused else []


def _untimed(reading: CrossReading) -> list[_What]:
    return [("not timed", "", reading.untimed)] if reading.untimed else []


def _faults(reading: CrossReading) -> list[_What]:
    words = {"wrong": "read wrongly", "made up": "read wrongly"}
    return [(words.get(each.fault, each.fault), each.path, each.example) for each in reading.faults]


def _told(
    trials: Sequence[TriedCodec], of: Callable[[CrossReading], list[_What]], *, examples: bool = False
) -> Iterator[str]:
    """Yield each outcome with its codecs, and with the reason or the first example."""
    groups: dict[tuple[EvolutionDirection, str, str, str], list[str]] = {}
    first: dict[tuple[EvolutionDirection, str, str, str], str] = {}
    for trial in trials:
        for way in _DIRECTIONS:
            for what, path, why in of(trial.reading(way)):
                key = (way, what, path, "" if examples else why)
                first.setdefault(key, why)
                groups.setdefault(key, []).append(trial.codec)
    lines: dict[tuple[str, str, str], list[str]] = {}
    for key, codecs in groups.items():
        lines.setdefault((f"{key[0]} {key[1]}", _some(codecs), first[key]), []).append(key[2])
    for number, ((what, who, why), paths) in enumerate(lines.items()):
        if number == _LINES:
            yield f"and {len(lines) - _LINES} more; -f json has all"
            return
        where = f": {', '.join(paths)}" if any(paths) else ""
        yield f"{what}{where} ({who}): {why}"


def _some(names: Sequence[str]) -> str:
    if len(names) <= _FEW + 1:
        return ", ".join(names)
    return f"{', '.join(names[: _FEW - 1])} and {len(names) - _FEW + 1} others"


_VERBS: Final = {
    "reads": "read by",
    "unfit": "not converted (unfit) by",
    "part": "partly refused by",
    "refuses": "refused by",
    "loses": "silently lost by",
    "wrong": "read wrongly by",
    "not carried": "not carried by",
}


def _outcome(reading: CrossReading) -> str:
    """Return the worst outcome of a reading."""
    if reading.failed:
        return "not carried"
    if reading.places("wrong", "made up"):
        return "wrong"
    if reading.places("lost"):
        return "loses"
    if reading.refused:
        return "refuses" if reading.refused == reading.records else "part"
    return "unfit" if reading.faults else "reads"


def _alone(found: Evolution) -> Iterator[str]:
    """Yield the outcome of each single change."""
    several = len(found.difference.changes) > 1
    alike: dict[tuple[str, str], list[str]] = {}
    for at, change in enumerate(found.difference.changes):
        pairs = [
            (trial.codec, trial.changes[at] if several else (trial.backward, trial.forward))
            for trial in found.trials
            if not several or trial.changes
        ]
        told = [
            _by((codec, _outcome(pair[way])) for codec, pair in pairs if pair is not None) for way in (0, 1)
        ]
        if not told[0]:
            words = "cannot be tried alone"
        else:
            same = told[0] == told[1]
            words = f"both ways {told[0]}" if same else f"old→new {told[0]}; new→old {told[1]}"
        alike.setdefault((change.kind, words), []).append(change.words)
    yield from (f"{kind} {', '.join(places)}: {words}" for (kind, words), places in alike.items())
    carried = [trial for trial in found.trials if not trial.backward.failed]
    whole = [trial.codec for trial in carried if several and not trial.changes]
    if whole:
        yield f"not tried: {', '.join(whole)}, whose defaults and aliases belong to the definition as a whole"
    for gone, came in found.difference.suspects():
        before, after = gone.path.rpartition(".")[2], came.path.rpartition(".")[2]
        yield f"if {came.path} is {gone.path} under another name, use --rename {before}={after}"


def _by(outcomes: Iterable[tuple[str, str]]) -> str:
    """Return the codecs by outcome as text; empty without codecs."""
    groups: dict[str, list[str]] = {}
    for codec, outcome in outcomes:
        groups.setdefault(outcome, []).append(codec)
    if not groups:
        return ""
    if len(groups) == 1:
        return f"{_VERBS[next(iter(groups))]} all"
    largest = max(groups, key=lambda outcome: len(groups[outcome]))
    parts = [
        f"{_VERBS[outcome]} {', '.join(names)}" for outcome, names in groups.items() if outcome != largest
    ]
    rest = groups[largest]
    others = ", ".join(rest) if len(rest) < _FEW else f"the {len(rest)} others"
    return ", ".join([*parts, f"{_VERBS[largest]} {others}"])


def _sentence(trials: Sequence[TriedCodec]) -> str:
    clean = [trial.codec for trial in trials if trial.clean]
    silent = [t.codec for t in trials if _is_silent(t.backward) or _is_silent(t.forward)]
    several = "s" if len(trials) != 1 else ""
    said = f"{len(clean)} of {len(trials)} codec{several} read both ways without loss"
    if clean:
        said += f" ({_some(clean)})"
    if silent:
        said += f"; {len(silent)} {'lose or misread' if len(silent) > 1 else 'loses or misreads'} something"
        said += " silently"
    return said + "."


# JSON -----------------------------------------------------------------------------------------------


def json(found: Evolution) -> str:
    """Render the results as JSON; costs are ratios, times are in seconds."""
    changes = found.difference.changes
    plain = {
        "old": found.old,
        "new": found.new,
        "records": found.records,
        "data": found.data or None,
        "data_of": ("new" if found.newer else "old") if found.data else None,
        "changes": [{key: getattr(c, key) for key in ("kind", "path", "before", "after")} for c in changes],
        "may_be_renamed": [[gone.path, came.path] for gone, came in found.difference.suspects()],
        "codecs": [
            {
                "codec": trial.codec,
                "clean": trial.clean,
                "old_to_new": _reading(trial.backward, found.costs.get((trial.codec, "old→new"))),
                "new_to_old": _reading(trial.forward, found.costs.get((trial.codec, "new→old"))),
                "changes": [
                    None if pair is None else {
                        "old_to_new": _reading(pair[0]),
                        "new_to_old": _reading(pair[1]),
                    }
                    for pair in trial.changes
                ],
            }
            for trial in found.trials
        ],
        "notes": list(found.notes),
    }  # fmt: skip
    return _json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _reading(reading: CrossReading, cost: ReadingCost | None = None) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "outcome": _outcome(reading),
        "records": reading.records,
        "refused": reading.refused,
        "error": reading.error,
        "failed": reading.failed,
        "untimed": reading.untimed,
        "faults": [asdict(found) for found in reading.faults],
        "unknown_fields_kept": reading.unknown,
    }
    if cost is not None:
        low, high = cost.ratio.ends
        plain["cost"] = {
            "ratio": cost.ratio.value,
            "low": low,
            "high": high,
            "other_seconds": cost.other,
            "own_seconds": cost.own,
        }
    return plain
