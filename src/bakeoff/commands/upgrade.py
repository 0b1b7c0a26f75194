"""``bakeoff upgrade``: what gets worse for the user's records with other versions of codec libraries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..errors import RunError, UsageError
from ..escape import visible
from ..files import read_limited
from ..nearby import no_such_file
from ._grouped import GroupedCommand
from ._output import exit_code_1_is_an_answer, put, put_table
from ._releases import check_extra, check_records, codecs_of, comparing, measured

_LARGEST = 1 << 20
"""Most bytes of a requirements file."""
_SHOWN = 40
"""Letters of a line that is not a requirement, and may be a whole file of another kind."""


@click.command(
    cls=GroupedCommand,
    codes="0 nothing gets worse, 1 something does, 2 something is open or was not compared",
)
@click.argument("before", metavar="REQUIREMENTS", type=click.Path(path_type=Path))
@comparing("upgrade.json", budget=180.0)
@click.option(
    "--to", "after", type=click.Path(path_type=Path), required=True, help="Requirements after the upgrade."
)
def command(
    before: Path,
    after: Path,
    corpora: Sequence[str],
    output: Path,
    form: str,
    how: dict[str, Any],
    **given: Any,
) -> None:
    """Measure the codec libraries that an upgrade changes, and say what gets worse on your records.

    REQUIREMENTS and --to are requirements files with pinned versions (NAME==VERSION). For each codec library
    whose version differs, both versions are measured in the rounds of one run: time, bytes, memory, and what
    is preserved. Your environment does not change.

    A time gets worse if its whole interval is above 1%. It is open if the interval leaves room for more
    than 4%; that depends on how quiet the machine is, so use a longer --budget then.
    """
    check_extra()
    check_records(corpora, how)
    from ..reports.decide import compare_output as written
    from ..reports.decide.releases import between, undecided, worse
    from ..reports.model.lists import some

    old, new = _pinned(before), _pinned(after)
    pairs = [
        (codec, f"{codec}=={old[library]}", f"{codec}=={new[library]}")
        for library in old
        if library in new and old[library] != new[library]
        for codec in codecs_of(library)
    ]
    if not pairs:
        click.echo(f"{before} and {after} have the same versions of all codec libraries", err=True)
        return
    wanted = [side for _, *sides in pairs for side in sides]
    with exit_code_1_is_an_answer():
        result = measured(corpora, wanted, output, how, **given)
    found = between(
        result, {then: codec for codec, then, _ in pairs}, {now: codec for codec, _, now in pairs}
    )
    if form == "json":
        put(written.json(found), None)
    else:
        put_table(written.table(found), form)
    if lines := worse(found):
        raise RunError("\n  ".join(["the upgrade makes these worse:", *lines]))
    if left := undecided(found, result):
        raise UsageError(f"undecided: {some(left)}; use a longer --budget")


def _pinned(path: Path) -> Mapping[str, str]:
    """Return the pinned version of each codec library in a requirements file.

    Raises:
        UsageError: It cannot be read, or a line is not a requirement.
    """
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    found: dict[str, str] = {}
    try:
        content = read_limited(path, _LARGEST).decode()
    except FileNotFoundError as error:
        raise UsageError(no_such_file(path, "`pip freeze` writes one", "requirements file")) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot be read: {reason}") from error
    for number, line in enumerate(content.replace("\\\n", " ").splitlines(), 1):
        # Without comments, and without options such as --hash.
        text = f" {line}".split(" #")[0].split(" -")[0].strip()
        if not text:
            continue
        try:
            wanted = Requirement(text)
        except InvalidRequirement as error:
            raise UsageError(
                f"{path}, line {number}: {text[:_SHOWN]!r} is not a requirement; expected NAME==VERSION"
            ) from error
        if (wanted.marker is not None and not wanted.marker.evaluate()) or not codecs_of(wanted.name):
            continue
        exact = [each.version for each in wanted.specifier if each.operator in ("==", "===")]
        if exact and not exact[0].endswith(".*"):
            found[canonicalize_name(wanted.name)] = exact[0]
        else:
            click.echo(visible(f"{path}: {text} is not pinned with ==, so it is not compared"), err=True)
    return found
