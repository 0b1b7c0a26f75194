"""``bakeoff upgrade``: what gets worse for the user's records with other versions of codec libraries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..errors import RunError, UsageError
from ..files import read_limited
from ..nearby import NoSuchFile
from ._grouped import GroupedCommand
from ._output import exit_code_1_is_an_answer, put, put_table
from ._releases import check_extra, check_records, codecs_of, comparing, measured

_LARGEST = 1 << 20
"""Most bytes of a requirements file."""
_SHOWN = 40
"""Letters of a line that is not a requirement, and may be a whole file of another kind."""
_INCLUDED = re.compile(r"\s*(?:-r|--requirement)[\s=]*([^\s#]+)")


@click.command(
    cls=GroupedCommand,
    codes="0 nothing gets worse, 1 something does, 2 something is undecided or not compared",
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

    A time gets worse if its whole interval is above 1%. It is undecided if it may be more than 4% worse, by
    a one-sided 95% interval: then use a longer --budget, or a quieter machine. A library that is not pinned
    in both files is not compared.
    """
    check_extra()
    check_records(corpora, how)
    from ..reports.decide import compare_output as written
    from ..reports.decide.releases import between, undecided, worse
    from ..reports.model.lists import some

    old, new = _required(before), _required(after)
    loose = [library for library in old if library in new and not (old[library] and new[library])]
    unpinned = [f"not compared: {some(loose)}; pin each as NAME==VERSION in both files"] if loose else []
    pairs = [
        (codec, f"{codec}=={old[library]}", f"{codec}=={new[library]}")
        for library in old
        if old[library] and new.get(library) and old[library] != new[library]
        for codec in codecs_of(library)
    ]
    if not pairs:
        if unpinned:
            raise UsageError(*unpinned)
        click.echo(f"no codec library has another version in {after} than in {before}", err=True)
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
    left = undecided(found, result)
    unclear = [f"undecided: {some(left)}; use a longer --budget"] if left else []
    if unclear or unpinned:
        raise UsageError("\n  ".join(unclear + unpinned))


def _required(path: Path, within: tuple[Path, ...] = ()) -> Mapping[str, str]:
    """Return the codec libraries that a requirements file installs, each with its pinned version or "".

    Args:
        path: The file.
        within: The files that include it, resolved.

    Raises:
        UsageError: It cannot be read, a line is not a requirement, or it includes itself.
    """
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name

    if path.resolve() in within:
        raise UsageError(f"{path}: includes itself")
    found: dict[str, str] = {}
    for number, line in enumerate(_lines(path), 1):
        if included := _INCLUDED.match(line):
            found |= _required(path.parent / included[1], (*within, path.resolve()))
            continue
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
        pinned = bool(exact) and not exact[0].endswith(".*")
        found[canonicalize_name(wanted.name)] = exact[0] if pinned else ""
    return found


def _lines(path: Path) -> list[str]:
    """Return the lines of a requirements file, continued ones as one."""
    try:
        content = read_limited(path, _LARGEST).decode()
    except FileNotFoundError as error:
        raise NoSuchFile(path, "`pip freeze` writes one", "requirements file") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot be read: {reason}") from error
    return content.replace("\\\n", " ").splitlines()
