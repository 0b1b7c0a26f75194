"""What other packages publish through entry points."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def published(group: str, what: str, own: Collection[str]) -> dict[str, EntryPoint]:
    """Return what other packages publish, by name. A built-in name is left out with a warning.

    Args:
        group: The entry-point group.
        what: Word for one of them, for the warning.
        own: The built-in names.
    """
    from importlib import metadata

    found = {}
    for point in metadata.entry_points(group=group):
        if point.name in own:
            warnings.warn(
                f"{what} {point.name!r} of {point.value} is ignored: bakeoff has one of this name",
                stacklevel=2,
            )
        else:
            found[point.name] = point
    return found
