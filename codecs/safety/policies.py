"""Policies: choices that formats leave open, with the same names for all codecs.

`Policies` states a codec's defaults, and `Codec.with_policies` requests other values. These are enforced by
an option of the library, or by a walk through the record (`_walk`). A walk is only possible if the record
still contains the values in question, that is, if the library has not merged or rounded them.
"""

from __future__ import annotations

import array
import dataclasses
import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..conventions.classes import fields_of
from ..conventions.finite import dict_of, items_of

PolicyDirection = Literal["dump", "load"]
DIRECTIONS: tuple[PolicyDirection, PolicyDirection] = ("dump", "load")


class Policy(NamedTuple):
    """One choice that formats leave open.

    Attributes:
        what: The subject, as a noun.
        values: The values that can be chosen, each with its meaning.
    """

    what: str
    values: Mapping[str, str]


POLICIES: Mapping[str, Policy] = {
    "duplicate_keys": Policy(
        "a key that occurs twice in a payload's map, or two keys of a dict that are written alike",
        {"last": "the last of them is read", "reject": "refused"},
    ),
    "nonfinite": Policy(
        "NaN and infinities",
        {"allow": "written and read", "null": "written as null, refused in payloads", "reject": "refused"},
    ),
    "surrogates": Policy(
        "lone surrogates in texts, which UTF-8 cannot hold",
        {"allow": "written and read", "reject": "refused"},
    ),
    "big_integers": Policy(
        "integers outside of -2**63 to 2**64 - 1; in BSON from 2**63 on",
        {"exact": "written and read digit for digit", "reject": "refused"},
    ),
    "trailing": Policy("data after the end of the value", {"reject": "refused"}),
    "extensions": Policy(
        "values of the format's own types, such as extension types, tags and ObjectId",
        {"keep": "written and read, as objects of the library's classes", "reject": "refused"},
    ),
    "nesting": Policy(
        "nested lists and dicts, deeper than the limit of depth (120 by default)",
        {"reject": "refused before the library sees them"},
    ),
}
"""Every policy by its name."""

FACTS: Mapping[str, str] = {
    "none": "the format has none",
    "text": "written as decimal text",
    "float": "read as the nearest float",
    "ignore": "not checked",
    "library": "left to the library, which raises an error at its own limit, or crashes the process",
}
"""Defaults of codecs that cannot be chosen, each with its meaning."""

_WALKED: Mapping[str, tuple[PolicyDirection, ...]] = {
    "duplicate_keys": ("dump",),
    "nonfinite": DIRECTIONS,
    "surrogates": DIRECTIONS,
    "big_integers": DIRECTIONS,
    "extensions": DIRECTIONS,
    "nesting": DIRECTIONS,
}
"""Policies that a walk over the record can check, with the directions."""


@dataclass(frozen=True, slots=True)
class Policies:
    """The defaults of a codec, and the policies that its library can enforce.

    One value for each policy, or two, ``DUMP/LOAD``, if the directions differ; empty if unknown.

    Attributes:
        options: Values of policies that the library's own options enforce.
        enforce: ``(values) -> options`` returns the options of `Spec` that keep to the values of the policies
            in `options`: always the same options, whatever the values.
        classes: The extension types.
        inside: Returns the content of an object that is neither a plain value nor a container, else None.
        integer_bits: Width of the format's integers.
    """

    duplicate_keys: str = ""
    nonfinite: str = ""
    surrogates: str = ""
    big_integers: str = ""
    trailing: str = ""
    extensions: str = ""
    nesting: str = ""
    options: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    enforce: Callable[[Mapping[str, str]], Mapping[str, Any]] | None = None
    classes: tuple[type, ...] = ()
    inside: Callable[[Any], Any] | None = None
    integer_bits: Literal[63, 64] = 64

    def stated(self, policy: str, direction: PolicyDirection) -> str:
        """Return the default behavior in one direction."""
        both: str = getattr(self, policy)
        dump, _, load = both.partition("/")
        return dump if direction == "dump" else load or dump


def held(value: Any) -> Any:
    """Return the content of an object that libraries or our conventions can write, else None."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value) if isinstance(value, dict) else dict_of(value)
    if isinstance(value, Sequence):
        if isinstance(value, _NOT_GONE_INTO):
            return None
        return list(value) if isinstance(value, list | tuple) else items_of(value)
    fields = fields_of(value)
    return list(fields.values()) if fields else None


_NOT_GONE_INTO = (str, bytes, bytearray, range, memoryview, array.array)
"""Sequences of characters or small numbers, possibly very many."""


def _meant(policy: str, value: str, direction: PolicyDirection) -> str:
    """Return the meaning of a requested value in one direction; empty if it does not concern this one."""
    if value == "null":
        return "null" if direction == "dump" else "reject"
    if (value == "last" or policy == "trailing") and direction == "dump":
        return ""
    return value


def is_walked(known: Policies, policy: str, value: str, direction: PolicyDirection) -> bool:
    """Whether a value of a policy needs a walk in one direction."""
    return (
        direction in _WALKED.get(policy, ())
        and _meant(policy, value, direction) == "reject"
        and known.stated(policy, direction) not in ("reject", "none")
    )


def is_possible(known: Policies, policy: str, value: str) -> bool:
    """Whether a codec follows a policy, or a walk over its records can make it do so."""
    for direction in DIRECTIONS:
        stated, meant = known.stated(policy, direction), _meant(policy, value, direction)
        if stated in (meant, "none") or not meant or value in known.options.get(policy, ()):
            continue
        # A number that was read as a float does not show its original value.
        seen = stated != "float" and (policy != "extensions" or known.classes)
        if not (seen and is_walked(known, policy, value, direction)):
            return False
    return True


def can_be_asked(known: Policies, policy: str) -> list[str]:
    """Return the values of a policy that a codec supports and that would change its behavior."""
    default = in_force(known, {})[policy]
    return [
        value
        for value in POLICIES[policy].values
        if is_possible(known, policy, value) and in_force(known, {policy: value})[policy] != default
    ]


def in_force(known: Policies, asked: Mapping[str, str]) -> dict[str, str]:
    """Return the value of each policy: ``DUMP/LOAD`` if the directions differ, "" if not stated."""

    def done(policy: str, direction: PolicyDirection) -> str:
        stated = known.stated(policy, direction)
        if stated == "none" or policy not in asked:
            return stated
        return _meant(policy, asked[policy], direction) or stated

    both = {policy: [done(policy, direction) for direction in DIRECTIONS] for policy in POLICIES}
    return {policy: dump if dump == load else f"{dump}/{load}" for policy, (dump, load) in both.items()}


def documented() -> list[list[str]]:
    """Return the meanings of all values as a table: a header row, then one row for each policy."""

    def row(name: str, what: str, values: Mapping[str, str]) -> list[str]:
        return [name, what, "; ".join(f"{value}: {meaning}" for value, meaning in values.items())]

    rows = [row(name, policy.what, policy.values) for name, policy in POLICIES.items()]
    return [["policy", "about", "values"], *rows, row("", "by default only", FACTS)]
