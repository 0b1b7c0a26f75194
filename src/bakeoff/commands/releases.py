"""``bakeoff releases``: the last releases of a codec's library, on the user's own records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..console import show_on
from ..errors import UsageError, hint, near
from . import _completion
from ._grouped import GroupedCommand
from ._named import Whole
from ._output import put_table
from ._releases import check_extra, check_records, codecs_of, comparing, measured


@click.command(cls=GroupedCommand)
@click.argument("name", shell_complete=_completion.codecs)
@comparing("releases.json", budget=60.0)
@click.option("--last", type=Whole(), default=8, show_default=True, help="Number of releases.")
def command(
    name: str, corpora: Sequence[str], output: Path, last: int, form: str, how: dict[str, Any], **given: Any
) -> None:
    """Measure the last releases of a codec's library on your records, and say which suits them.

    NAME is a codec, or a library with all its codecs. pip lists the releases that have a wheel for this
    Python, and installs each into a folder of its own in the user's cache. They are measured in the rounds of
    one run. The table is ordered by version. Below it are the
    changes from each release to the next.
    """
    check_extra()
    check_records(corpora, how)
    from ..reports.decide.releases import table

    codecs = _codecs(name)
    releases = _listed(codecs, last, offline=bool(given["offline"]))
    wanted = [f"{codec}=={release}" for codec in codecs for release in releases]
    put_table(table(measured(corpora, wanted, output, how, **given)), form)


def _codecs(name: str) -> list[str]:
    """Return the codec of a name, or the codecs of a library."""
    from ..codecs import describe, names

    if name in names(needs_schema=True, only_values=True):
        if not describe(name).library:
            raise UsageError(f"{name} is part of Python, so it has no releases of its own")
        return [name]
    if found := codecs_of(name):
        return found
    alike = hint(near(name, names()), "`bakeoff codecs` lists them")
    raise UsageError(f"{name}: neither a codec nor the library of one; {alike}")


def _listed(codecs: Sequence[str], last: int, *, offline: bool) -> list[str]:
    """Return the releases to measure, the oldest first."""
    from ..bench.run.releases import Releases, releases_of
    from ..codecs import describe
    from ..console import progress

    library = describe(codecs[0]).library
    if offline:
        found = Releases().cached(library)
    else:
        with progress() as bar:
            show_on(bar)(f"listing the releases of {library}", -1, 0)
            found = releases_of(library)
    if not found:
        raise UsageError(f"no release of {library} is in the cache; remove --offline")
    return found[-last:]
