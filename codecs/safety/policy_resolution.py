"""What a codec is made of when policies are asked of it, or why it cannot keep them and which others can."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import CodecError
from ..registry import available, codec, describe
from .policies import POLICIES, Policies, in_force_with, is_possible, known_and_asked

if TYPE_CHECKING:
    from ..core._codec import Codec
    from ..spec import Spec

__all__ = ["changes"]


def changes(made: Codec, policies: Mapping[str, str]) -> Spec:
    """Return what a codec is to be made of so that further policies are kept.

    Raises:
        CodecError: No such policy or value, or the codec cannot keep it.
    """
    known, before = known_and_asked(made.spec)
    for policy, value in policies.items():
        if policy not in POLICIES:
            raise CodecError(made.name, f"no policy {policy!r}; there are {', '.join(POLICIES)}")
        if value not in (values := POLICIES[policy].values):
            raise CodecError(made.name, f"{policy} is {_listed(values, 'or')}, got {value!r}")
        if not is_possible(known, policy, value):
            raise CodecError(made.name, _refusal(made, known, policy, value))
    asked = {**before, **policies}
    spec = made.spec
    if known.enforce is not None:
        values = {policy: asked.get(policy, known.stated(policy, "load")) for policy in known.options}
        spec = known.enforce(spec, values)
    return dataclasses.replace(spec, asked=asked)


def _refusal(made: Codec, known: Policies, policy: str, value: str) -> str:
    stated = in_force_with(known, {})[policy]
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
            yield known, known_and_asked(codec(known).spec)[0]


def _listed(words: Any, last: str) -> str:
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else str(end)
