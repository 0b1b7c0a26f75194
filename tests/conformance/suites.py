"""The known suites, and detection of their copies in a folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from bakeoff.errors import UsageError

from . import bson, cbor, json, msgpack, yaml
from .case import ConformanceCase, Suite

SUITES = (json.SUITE, msgpack.SUITE, yaml.SUITE, bson.SUITE, cbor.SUITE)


class Copy(NamedTuple):
    """A suite and the folder of its cases."""

    suite: Suite
    folder: Path

    @classmethod
    def of(cls, suite: str, folder: Path) -> Copy:
        """Return a copy of the suite with this name."""
        return cls(next(each for each in SUITES if each.name == suite), folder)

    def cases(self) -> list[ConformanceCase]:
        """Read all cases.

        Raises:
            UsageError: The files do not have the layout of the suite.
        """
        try:
            return list(self.suite.cases(self.folder))
        except ImportError as error:
            raise UsageError(f"{self.suite.name}: cannot be read without {error.name}") from error
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            what = f"{type(error).__name__}: {error}"
            raise UsageError(
                f"{self.folder}: looks like {self.suite.name}, but cannot be read as such ({what})"
            ) from error


def find(folder: Path) -> list[Copy]:
    """Return the copies in a folder; of two copies of a suite, the first by name.

    Args:
        folder: A copy of one suite, or a folder of several.

    Raises:
        UsageError: It contains no suite.
    """
    found: dict[str, Copy] = {}
    for top in [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]:
        for suite in SUITES:
            if suite.name not in found and (first := _first(top, suite.places)) is not None:
                found[suite.name] = Copy(suite, first.parent)
    if not found:
        raise UsageError(
            f"{folder}: no conformance suite here, nor in its folders; searched for\n"
            + "\n".join(f"  {' or '.join(suite.places)}: {suite.name}, {suite.url}" for suite in SUITES)
        )
    return [found[suite.name] for suite in SUITES if suite.name in found]


def _first(top: Path, places: Iterable[str]) -> Path | None:
    return next((path for place in places for path in sorted(top.glob(place))), None)
