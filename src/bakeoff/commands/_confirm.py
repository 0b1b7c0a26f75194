"""``bakeoff compare --confirm``: measure undecided cells of two runs again, alternating between the sides."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..console import live_display, show_on
from ..errors import UsageError

if TYPE_CHECKING:
    from ..bench.results import Cell, Measurement, ResultData
    from ..bench.run.interleaved import Again
    from ..reports.decide.compare import Comparison


class TypedOptions(NamedTuple):
    """Settings that only the user may give, and not a result file.

    Attributes:
        pythons: Interpreters before and after; None for the current one.
        corpora: Sources of the records; empty for those named in the results.
        schema: Schema of the records; None for the one in the results.
        trust_files: Whether pickles may be read.
        budget: Seconds for the measurements.
    """

    pythons: tuple[str | None, str | None]
    corpora: tuple[str, ...]
    schema: str | None
    trust_files: bool
    budget: float


def confirm(
    comparison: Comparison, runs: tuple[ResultData, ResultData], limit: float, typed: TypedOptions
) -> Comparison:
    """Measure cells that would not pass a gate again, and decide by these measurements.

    Raises:
        UsageError: An interpreter, a version or the records differ from those of the results.
        RunError: The records cannot be read.
    """
    from ..bench.run.interleaved import Side, interleave, options_of
    from ..reports.decide.compare import again, confirmed, settled

    if not (changes := again(comparison, limit)):
        return comparison
    operations = {change.cell: change.operation for change in changes}
    before, after = _pythons(runs, typed.pythons)
    codecs = {cell.codec for cell in operations}
    _refuse_own(runs, codecs)
    if before == after:
        _refuse_unversioned(codecs)
    options = options_of(runs[0], typed.corpora, schema=typed.schema, trust_files=typed.trust_files)

    def enough(cell: Cell, old: Sequence[Measurement], new: Sequence[Measurement], alpha: float) -> bool:
        return len(old) > 1 and settled(old, new, operations[cell], limit, alpha)

    with live_display() as screen:
        found = interleave(
            (Side(before, runs[0]), Side(after, runs[1])),
            list(operations),
            options,
            enough,
            budget=typed.budget,
            show=show_on(screen.progress),
        )
    return confirmed(comparison, found.samples, found.alpha, _remarks(found, same=before == after))


def _pythons(runs: tuple[ResultData, ResultData], given: tuple[str | None, str | None]) -> tuple[str, str]:
    """Return the interpreters, never one that only a file names.

    Raises:
        UsageError: The runs were made with two interpreters, and the user names neither.
    """
    recorded = [run.environment.get("python_executable") for run in runs]
    if given == (None, None) and recorded[0] != recorded[1]:
        raise UsageError(
            f"--confirm: these runs were made by two interpreters ({recorded[0]} and {recorded[1]}), which "
            "a result file cannot start; name them with --python-before and --python-after"
        )
    # Links are not followed, because an environment is defined by the link to its interpreter.
    before, after = (
        str(Path(shutil.which(name) or name).absolute()) if name else sys.executable for name in given
    )
    return before, after


def _refuse_own(runs: tuple[ResultData, ResultData], codecs: Collection[str]) -> None:
    """Refuse to import codecs whose source is only named by a result.

    Raises:
        UsageError: One of the codecs is the user's own.
    """
    if own := sorted(
        {each.name for run in runs for each in run.codecs if each.source and each.name in codecs}
    ):
        raise UsageError(
            f"--confirm: refusing to import your own {', '.join(own)} named in the result file; run "
            "without it, or compare without --confirm"
        )


def _refuse_unversioned(codecs: Iterable[str]) -> None:
    """Refuse to measure one environment against itself where two checkouts may have one version.

    Raises:
        UsageError: A codec is from another package than bakeoff.
    """
    from ..codecs import describe

    if others := sorted(codec for codec in codecs if describe(codec).entry_point):
        raise UsageError(
            f"--confirm: {', '.join(others)} may have changed between the runs without another version; name "
            "the interpreters of two environments with --python-before and --python-after"
        )


def _remarks(found: Again, *, same: bool) -> list[str]:
    from ..bench.run.rounds import of_disturbed
    from ..reports.model.lists import some

    remarks = []
    if found.samples:
        pairs = max(len(before) for before, _ in found.samples.values())
        cells = some([cell.name for cell in found.samples])
        remarks.append(
            f"measured again, both sides in turn, up to {pairs} pairs of processes in {found.seconds:.0f} s: "
            f"{cells}"
        )
    remarks += of_disturbed(found.replaced)
    if same and found.samples:
        remarks.append(
            "both sides are one interpreter with the same versions, so it was measured against itself; "
            "--python-before and --python-after name two"
        )
    reasons: dict[str, list[str]] = {}
    for cell, reason in found.failed.items():
        reasons.setdefault(reason, []).append(cell.name)
    return remarks + [f"not measured again ({reason}): {some(names)}" for reason, names in reasons.items()]
