"""Write which codecs may not be chosen, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...codecs import split_name
from ..model.lists import FEW_NAMES, some
from ..model.names import plain_name
from ..model.obstacle import OPTIONS, Obstacle

_SCHEMA_HELPS: Final = "codecs with a schema preserve more types: bakeoff run --infer"


def explained(excluded: Mapping[str, Obstacle], most: int = FEW_NAMES, *, options: bool = True) -> list[str]:
    """Return the lines that say which codecs were excluded and why, and what to do about losses.

    Args:
        excluded: Why each codec was.
        most: Most names in a line.
        options: Name the options of the command that would change it.
    """
    reasons: dict[str, dict[str, Obstacle]] = {}
    for name, why in excluded.items():
        option = f" ({OPTIONS[why.kind]})" if options and why.only and why.kind in OPTIONS else ""
        reasons.setdefault(f"{why.words}{option}", {})[name] = why
    lines = []
    for words, found in reasons.items():
        names = list(found)
        before = len(names) == 1 or any(why.after_colon for why in found.values())
        who = names[0] if len(names) == 1 else f"{some(names, most)}:"
        lines.append(f"  {who} {words}" if before else f"  {words}: {some(names, most)}")
    if not options or any(split_name(plain_name(name))[1] for name in excluded):
        return lines  # They may already have schemas.
    kinds = {why.kind for why in excluded.values()}
    if "lossy" in kinds:
        lines.append(f"  ({_SCHEMA_HELPS}; --allow-loss accepts losses)")
    elif "types" in kinds:
        lines.append(f"  ({_SCHEMA_HELPS})")
    return lines
