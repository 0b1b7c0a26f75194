"""The field names in a profile, its only part of the original, and made-up names for them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ..generated._generate import Random
from . import profile as s
from .letters import pieces, spell, word_form

_TRIES = 100


def names(profile: s.DataProfile) -> list[str]:
    """Return the names of all fields."""
    return list(dict.fromkeys(one.key for one in profile.nodes() if isinstance(one, s.ProfileField)))


def names_by_risk(profile: s.DataProfile) -> list[str]:
    """Return the names of all fields, most likely data first: non-identifiers, then rare names."""
    shares: dict[str, float] = {}
    for node in profile.nodes():
        if isinstance(node, s.ProfileRecord):
            for one in node.fields:
                share = one.count / max(1, node.count)
                shares[one.key] = max(share, shares.get(one.key, 0.0))
    return sorted(shares, key=lambda name: (name.isidentifier(), shares[name]))


def hidden(profile: s.DataProfile, seed: int = 1) -> s.DataProfile:
    """Return the profile with made-up names of the same length."""
    random = Random(seed, "names")
    made: dict[str, str] = {}
    taken: set[str] = set()
    for name in names(profile):
        forms = [word_form(piece)[1] for piece in pieces(name)]
        for _ in range(_TRIES):
            new = "".join(spell(random, form) for form in forms)
            if new not in taken:
                break
        else:
            new = f"{new}{len(taken)}"
        taken.add(new)
        made[name] = new
    return replace(profile, record=_renamed(profile.record, made))


def _renamed(part: Any, made: dict[str, str]) -> Any:
    if isinstance(part, tuple):
        return tuple(_renamed(one, made) for one in part)
    if isinstance(part, s.ProfileField):
        return replace(part, key=made[part.key], value=_renamed(part.value, made))
    if isinstance(part, s.Node):
        return replace(part, **{one.name: _renamed(getattr(part, one.name), made) for one in fields(part)})
    return part
