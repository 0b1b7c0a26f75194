"""Faults of some releases of a library, each with a probe that finds it in the installed one.

A codec's row says which of them its library has: in `bakeoff codecs`, in every table and in result files.
`docs/reference/faults.md` has a report on each, to send to the library's authors. Faults of most releases
that only hostile objects show are in `bench/lab/hostile/faults.py`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .conventions.notes import VERSION, Cost, Note


@dataclass(frozen=True, slots=True)
class VersionFault:
    """A fault of some releases.

    Attributes:
        name: Name of its report, without ``.md``.
        library: The distribution.
        versions: The releases known to have it, as for `installed.allows`.
        what: What the library does, and in parentheses what the codec does about it, as a clause.
        found: Probe ``(module) -> bool``; must not crash where the fault does.
        dump: Most that a dump costs because of it, as a multiple of the library's own call.
    """

    name: str
    library: str
    versions: str
    what: str
    found: Callable[[ModuleType], bool]
    dump: float = 0.0


def noted(faults: Sequence[VersionFault]) -> tuple[Note, ...]:
    """Return the note on the faults that an installed release has, for a codec's row; none without any."""
    if not faults:
        return ()
    text = f"this version {'; '.join(fault.what for fault in faults)}"
    most = max(fault.dump for fault in faults)
    return (Cost(text, VERSION, "dump", most, said=True) if most else Note(text, VERSION),)


def _omits_a_zero(orjson: ModuleType) -> bool:
    return bool(orjson.dumps(dt.time(0, 0, 0, 10_000)) != b'"00:00:00.010000"')


def _does_not_count_tuples(orjson: ModuleType) -> bool:
    # Beyond the limit of levels, and far below those that end the process.
    nested: Any = 0
    for _ in range(300):
        nested = (nested,)
    try:
        orjson.dumps(nested)
    except TypeError:
        return False
    return True


def _writes_lists_beyond_its_buffer(orjson: ModuleType) -> bool:
    # Before 3.12, the bracket that ends a list is written without looking at the room, of which 31 bytes are
    # left at least: after an empty text, dict or list.
    return tuple(map(int, orjson.__version__.split(".")[:2])) < (3, 12)


ORJSON_TIMES = VersionFault(
    "orjson-times",
    "orjson",
    ">=3.11.8,<=3.13.0",
    "writes 0.01 s in a `time` as 0.1 s (the codec corrects it; dumps take up to 11 % longer)",
    _omits_a_zero,
    dump=1.11,
)
ORJSON_TUPLES = VersionFault(
    "orjson-tuples",
    "orjson",
    ">=3.12,<=3.13.0",
    "crashes on tuples nested thousands deep (nesting='reject' refuses them)",
    _does_not_count_tuples,
)
ORJSON_LISTS = VersionFault(
    "orjson-lists",
    "orjson",
    "<3.12",
    "writes beyond its buffer if more than 31 nested lists end together (dumps look for these first)",
    _writes_lists_beyond_its_buffer,
)
VERSION_FAULTS = (ORJSON_TIMES, ORJSON_LISTS, ORJSON_TUPLES)
