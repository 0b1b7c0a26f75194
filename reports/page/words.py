"""Words for keys in result files: types of values, facts of the machine and of the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from ...bench.results import BASELINE, Fact, ResultData
from ..model.numbers import amount

_TYPES: Final[Mapping[str, tuple[str, str]]] = {
    "bigint": ("int beyond 64 bits", ""),
    "nonfinite": ("NaN, infinity", ""),
    "datetime": ("datetime, naive", ""),
    "datetime_aware": ("datetime, UTC", ""),
    "datetime_offset": ("datetime with offset", "an offset from UTC other than zero"),
    "datetime_zone": ("datetime with zone", "a named zone, which has other offsets in summer"),
    "datetime_fold": ("datetime, fold", "the second of two equal times, as clocks are set back"),
    "int_keys": ("int keys", "dicts whose keys are integers"),
    "any_keys": ("any keys", "dicts whose keys are tuples, None or other hashable values"),
    "key_order": ("key order", "dicts keep the order of their keys"),
}
"""Types as in the head of a column, with an explanation if that is not enough."""

_CLASSES: Final[Mapping[str, str]] = {
    "bigint": "int_beyond_64",
    "nonfinite": "float_nonfinite",
    "none": "type_NoneType",
    "decimal": "type_Decimal",
    "uuid": "type_UUID",
    "int_keys": "key_other",
    "any_keys": "key_other",
    "key_order": "keys_distinct",
}
"""What a profile calls a type, if it is not the type's own name."""

_OWN: Final = ("dataclass", "enum", "namedtuple")
"""Types whose values a profile counts by the names of their classes."""

_BUILT_IN: Final = {
    f"type_{name}"
    for name in (
        *("NoneType", "bool", "int", "float", "complex", "str", "bytes", "bytearray"),
        *("list", "tuple", "set", "frozenset", "dict", "Decimal", "UUID"),
        *("date", "time", "datetime", "timedelta"),
    )
}

_FACTS: Final = {
    "cpu_model_name": "processor",
    "cpu_count": "cores of the machine",
    "cores": "cores used",
    "governor": "frequency governor",
    "memory_total": "memory",
    "load_avg_1min": "load as the run began",
    "platform": "operating system",
    "python_implementation": "Python implementation",
    "python_version": "Python version",
    "gc": "garbage collector",
    "aslr": "address randomization",
    "harness_ns": "harness overhead per call",
    "bakeoff_version": "bakeoff version",
}
_UNITS: Final = {"memory_total": (1.0, "byte"), "harness_ns": (1e-9, "second")}


def type_name(token: str) -> str:
    """Return the common name of a type of values."""
    return _TYPES[token][0] if token in _TYPES else token


def occurs(token: str, profile: Mapping[str, Fact]) -> bool:
    """Return whether a type may occur in records; it may if they have no profile."""
    if not any(key.startswith("type_") for key in profile):
        return True
    if token in _OWN:
        return not {key for key in profile if key.startswith("type_")} <= _BUILT_IN
    name = "datetime" if token.startswith("datetime") else token
    return bool(profile.get(_CLASSES.get(token, f"type_{name}")))


def explained(tokens: Iterable[str]) -> list[tuple[str, str]]:
    """Return names of types that need an explanation, with the explanation."""
    return [_TYPES[token] for token in tokens if token in _TYPES and _TYPES[token][1]]


def machine_facts(environment: Mapping[str, Fact]) -> list[tuple[str, str]]:
    """Return the facts of the machine in words."""
    return [(words, _value(key, environment[key])) for key, words in _FACTS.items() if key in environment]


def _value(key: str, value: Fact) -> str:
    if key in _UNITS and isinstance(value, int | float):
        factor, unit = _UNITS[key]
        return amount(value * factor, unit)
    return str(value)


def run_facts(result: ResultData, *, opened: bool = False) -> list[str]:
    """Return the line below the headline: what was measured, when, and for how long.

    Args:
        result: The result.
        opened: Whether the answer above says how many codecs were measured, and for how long.
    """
    measured = {cell.cell.codec for cell in result.cells if cell.samples} - {BASELINE}
    used: dict[str, int] = {}
    for cell in result.cells:
        used[cell.cell.corpus] = max(used.get(cell.cell.corpus, 0), len(cell.samples))
    least, most = min(used.values(), default=0), max(used.values(), default=0)
    found = [_counted(len(measured), "codec", "codecs"), _counted(len(used), "corpus", "corpora")]
    found = [] if opened else found
    if most:
        each = f"{least:,} to " if least < most else ""
        found.append(each + _counted(most, "process", "processes"))
    if result.duration and not opened:
        minutes, seconds = divmod(round(result.duration), 60)
        found.append(f"{minutes} min {seconds} s" if minutes else f"{seconds} s")
    if result.started:
        found.append(result.started.replace("T", " ")[:16])
    facts = {"cpu_model_name": "{}", "python_version": "Python {}"}
    return found + [
        text.format(result.environment[key]) for key, text in facts.items() if key in result.environment
    ]


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
