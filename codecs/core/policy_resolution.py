"""Policies of one codec: its defaults, the values that it supports, and how these are enforced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import CodecError, PolicyError
from ..registry import available, describe, spec_of
from ..safety._walk import Rules
from ..safety.policies import (
    POLICIES,
    Policies,
    PolicyDirection,
    can_be_asked,
    held,
    in_force,
    is_possible,
    is_walked,
)

if TYPE_CHECKING:
    from ..binding import CodecProtocol
    from ..spec import Spec


def described(spec: Spec) -> dict[str, dict[str, Any]]:
    """Return a codec's value of each policy and the other values that it supports, as plain values."""
    known = spec.facts.policies
    now = in_force(known, spec.settings.asked)
    return {policy: {"now": now[policy], "can": can_be_asked(known, policy)} for policy in now}


def changes(spec: Spec, policies: Mapping[str, str]) -> Spec:
    """Return a codec's spec with further policies enforced.

    Raises:
        CodecError: No such policy or value, or the codec cannot enforce it.
    """
    known = spec.facts.policies
    for policy, value in policies.items():
        if policy not in POLICIES:
            raise CodecError(spec.name, f"no policy {policy!r}; there are {', '.join(POLICIES)}")
        if value not in (values := POLICIES[policy].values):
            raise CodecError(spec.name, f"{policy} is {_listed([*values], 'or')}, got {value!r}")
        if not is_possible(known, policy, value):
            raise CodecError(spec.name, _refusal(spec.format.name, known, policy, value))
    asked = {**spec.settings.asked, **policies}
    kept: Mapping[str, Any] = {}
    if known.enforce is not None:
        kept = known.enforce(
            {policy: asked.get(policy, known.stated(policy, "load")) for policy in known.options}
        )
    return spec.changed(asked=asked, **kept)


def rules(spec: Spec, direction: PolicyDirection, make: Callable[[Spec], CodecProtocol]) -> Rules | None:
    """Return the rules of a walk in one direction; None if no walk is needed.

    Args:
        spec: The codec's spec.
        direction: The direction of the walk.
        make: Makes a codec from a spec.
    """
    known = spec.facts.policies
    # Nesting is checked by a separate walk in a third of the time (`Spec.checked_depth`).
    refused = {
        policy for policy, value in spec.settings.asked.items() if is_walked(known, policy, value, direction)
    } - {"nesting"}
    if not refused:
        return None
    plain = spec.changed(asked={}, schema=None, compression=None)
    return Rules(
        nonfinite="nonfinite" not in refused,
        surrogates="surrogates" not in refused,
        integer_bits=known.integer_bits if "big_integers" in refused else None,
        foreign=known.classes if "extensions" in refused else (),
        keys=_key_check(make(plain)) if "duplicate_keys" in refused else None,
        inside=known.inside or held,
    )


def _key_check(plain: CodecProtocol) -> Callable[[dict[Any, Any]], None]:
    """Return a check that raises if two keys of a dict have the same payload."""

    def check(record: dict[Any, Any]) -> None:
        seen: dict[bytes, Any] = {}
        for key in record:
            payload = plain.encode({key: None})
            if payload in seen:
                raise PolicyError(f"holds two keys that are written alike, {seen[payload]!r} and {key!r}")
            seen[payload] = key

    return check


def _refusal(format: str, known: Policies, policy: str, value: str) -> str:
    stated = in_force(known, {})[policy]
    does = (
        f"it uses {stated!r} and its library has" if stated else "its default is unknown, and its library has"
    )
    can = [name for name, other in _of_format(format) if is_possible(other, policy, value)]
    who = (
        f"of the {format} codecs {_listed(can, 'and')} can" if can else "no other codec of its format has one"
    )
    return f"cannot enforce {policy}={value!r}: {does} no option for it; {who}"


def _of_format(name: str) -> Iterator[tuple[str, Policies]]:
    for known in available():
        if describe(known).format == name:
            yield known, spec_of(known).facts.policies


def _listed(words: Sequence[str], last: str) -> str:
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end
