"""Policies of one codec: what it does, what it can be asked for, and what that takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import CodecError, PolicyError
from ..registry import available, codec, describe
from ._walk import Rules
from .policies import (
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
    from ..core.codec import Codec
    from ..spec import Spec

__all__ = ["changes", "described", "rules"]


def described(made: Codec) -> dict[str, dict[str, Any]]:
    """Return for each policy, as plain values, what a codec does, and what else it can be asked for."""
    known = made.spec.facts.policies
    return {policy: {"now": now, "can": can_be_asked(known, policy)} for policy, now in made.policies.items()}


def changes(made: Codec, policies: Mapping[str, str]) -> Spec:
    """Return what a codec is to be made of so that further policies are kept.

    Raises:
        CodecError: No such policy or value, or the codec cannot keep it.
    """
    known = made.spec.facts.policies
    for policy, value in policies.items():
        if policy not in POLICIES:
            raise CodecError(made.name, f"no policy {policy!r}; there are {', '.join(POLICIES)}")
        if value not in (values := POLICIES[policy].values):
            raise CodecError(made.name, f"{policy} is {_listed([*values], 'or')}, got {value!r}")
        if not is_possible(known, policy, value):
            raise CodecError(made.name, _refusal(made, known, policy, value))
    asked = {**made.spec.settings.asked, **policies}
    kept: Mapping[str, Any] = {}
    if known.enforce is not None:
        kept = known.enforce(
            {policy: asked.get(policy, known.stated(policy, "load")) for policy in known.options}
        )
    return made.spec.changed(asked=asked, **kept)


def rules(made: Codec, direction: PolicyDirection) -> Rules | None:
    """Return what a walk has to refuse in one direction; None where there is no need of one."""
    known = made.spec.facts.policies
    # Nesting has a walk of its own, in a third of the time (`Spec.checked_depth`).
    refused = {
        policy
        for policy, value in made.spec.settings.asked.items()
        if is_walked(known, policy, value, direction)
    } - {"nesting"}
    if not refused:
        return None
    return Rules(
        nonfinite="nonfinite" not in refused,
        surrogates="surrogates" not in refused,
        integer_bits=known.integer_bits if "big_integers" in refused else None,
        foreign=known.classes if "extensions" in refused else (),
        keys=_key_check(made) if "duplicate_keys" in refused else None,
        inside=known.inside or held,
    )


def _key_check(made: Codec) -> Callable[[dict[Any, Any]], None]:
    """Return what raises when two keys of a dict are written alike, which their payloads show."""
    plain = made.from_spec(made.spec.changed(asked={}, schema=None, compression=None))

    def check(record: dict[Any, Any]) -> None:
        seen: dict[bytes, Any] = {}
        for key in record:
            payload = plain.encode({key: None})
            if payload in seen:
                raise PolicyError(f"holds two keys that are written alike, {seen[payload]!r} and {key!r}")
            seen[payload] = key

    return check


def _refusal(made: Codec, known: Policies, policy: str, value: str) -> str:
    stated = in_force(known, {})[policy]
    does = (
        f"it does {stated!r} and its library has" if stated else "what it does is not stated, and it brings"
    )
    can = [name for name, other in _of_format(made.format) if is_possible(other, policy, value)]
    who = (
        f"of the {made.format} codecs {_listed(can, 'and')} can" if can else "nor has any other of its format"
    )
    return f"cannot keep {policy}={value!r}: {does} no option for it; {who}"


def _of_format(name: str) -> Iterator[tuple[str, Policies]]:
    for known in available():
        if describe(known).format == name:
            yield known, codec(known).spec.facts.policies


def _listed(words: Sequence[str], last: str) -> str:
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end
