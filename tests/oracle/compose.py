"""Random records of the catalog's values."""

from __future__ import annotations

import dataclasses
from random import Random
from typing import Any

from . import classes
from .values import KEYS, Value, keys, leaves

_LEAVES: list[Value] = []
_KEYS: list[Value] = []


@dataclasses.dataclass
class Box:
    """Holds any value, in a field of each kind of name."""

    content: Any
    _held: Any = None


def catalog() -> list[Value]:
    """Return all values, made once: none is changed by a codec."""
    if not _LEAVES:
        _LEAVES.extend(leaves())
        _KEYS.extend(keys())
    return _LEAVES


def key_catalog() -> list[Value]:
    """Return all values that are keys of dicts."""
    catalog()
    return _KEYS


def _differ(chosen: list[Value]) -> bool:
    """Whether values can be keys of one dict."""
    try:
        given, meant = {each.given for each in chosen}, {each.meant for each in chosen}
    except ValueError:  # NumPy compares a number with empty bytes
        return False
    return len(given) == len(meant) == len({repr(each.meant) for each in chosen}) == len(chosen)


def record(random: Random, depth: int = 0) -> Value:
    """Return a random record of one to some twenty values."""
    roll = random.random()
    if depth and (roll < 0.6 or depth > 3):
        return random.choice(catalog())
    items = [record(random, depth + 1) for _ in range(random.randint(0 if depth else 1, 3))]
    given, meant = [item.given for item in items], [item.meant for item in items]
    kind = ", ".join(item.kind for item in items)
    way = random.randrange(9)
    if way == 0:
        return Value(f"list of {kind}", given, meant)
    if way == 1:
        return Value(f"tuple of {kind}", tuple(given), tuple(meant))
    if way == 2 and items:
        return Value(
            f"dataclass of {kind}", Box(given[0], given[-1]), {"content": meant[0], "_held": meant[-1]}
        )
    if way == 3 and items:
        return Value(
            f"model of {kind}",
            classes.Model.model_construct(a=given[0], b=given[-1]),
            {"a": meant[0], "b": meant[-1]},
        )
    if way == 4 and items:
        return Value(
            f"Struct of {kind}", classes.Struct(given[0], given[-1]), {"a": meant[0], "_private": meant[-1]}
        )
    if way == 5:
        chosen = random.choices(key_catalog(), k=len(items))
        if _differ(chosen):
            pairs = zip(chosen, items, strict=True)
            made = [(key.given, key.meant, item) for key, item in pairs]
            kinds = ", ".join(f"{key.kind}: {item.kind}" for key, item in zip(chosen, items, strict=True))
            return Value(
                f"dict of {kinds}",
                {key: item.given for key, _, item in made},
                {key: item.meant for _, key, item in made},
            )
    if way == 6:
        chosen = random.choices(key_catalog(), k=random.randint(0, 3))
        if _differ(chosen):
            kinds = ", ".join(each.kind for each in chosen)
            return Value(f"set of {kinds}", {each.given for each in chosen}, {each.meant for each in chosen})
    names = random.sample([key for key in KEYS if type(key) is str], len(items))
    return Value(
        f"dict of {kind}", dict(zip(names, given, strict=True)), dict(zip(names, meant, strict=True))
    )
