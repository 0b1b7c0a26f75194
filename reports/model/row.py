"""The words of a row: the codec's name, its rank, whether records are preserved, whether memory grows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from ...bench.method import Processes
from ...bench.results import CellResult, Fact, GrowthFacts, Measurement
from ...codecs.conventions.notes import FIGURES, GUARD, VERSION
from . import numbers
from .candidates import BASELINE, GROWING, RARE, Candidate, Standing, figure, weighed
from .lists import listed
from .table import EMPTY, Entry, Footnotes

_CALM: Final = "no growth"
_MOST_LOSSES: Final = 4
_TRUSTED: Final = "for trusted data only"
_GUARDED: Final = (
    "includes safety checks that its library lacks; they cost more than 3 %, which NAME/unguarded saves"
)
_COPY: Final = "baseline (plain copy)"
"""The label of the harness overhead's row."""


@dataclass
class Setting:
    """Further data for the words of a row.

    Attributes:
        notes: Footnotes of the table.
        standing: The ranking.
        columns: Keys of the columns that are shown.
        profile: Profile of the corpus.
    """

    notes: Footnotes
    standing: Standing
    columns: Collection[str]
    profile: Mapping[str, Fact] = field(default_factory=dict)


def name(candidate: Candidate, setting: Setting) -> Entry:
    """Name the codec, with footnotes on caveats that affect these records."""
    if candidate.name == BASELINE:
        return Entry(_COPY, BASELINE)
    texts = []
    if candidate.slow_build:
        texts.append(f"C ACCELERATOR MISSING: {candidate.facts.library} runs as pure Python here")
    if candidate.facts.trusted_only or candidate.facts.unguarded:
        texts.append(_TRUSTED)
    if candidate.outcome == "lossy" and "fidelity" not in setting.columns:
        # Losses are always shown, whatever columns were requested.
        texts.append(_lost(candidate))
    texts += notes(candidate, setting.profile)
    marks = tuple(setting.notes.mark(text) for text in texts)
    return Entry(candidate.name, candidate.name, marks=marks, tone="bad" if candidate.slow_build else "")


def notes(candidate: Candidate, profile: Mapping[str, Fact]) -> list[str]:
    """Return the caveats of a codec that concern these records; `bakeoff codecs NAME` has all."""
    facts = candidate.facts
    found = [f"takes and gives {candidate.takes}"] if candidate.takes else []
    found += [_GUARDED] if GUARD in facts.about else []
    pairs = zip(facts.notes, facts.about, strict=False)
    return [*found, *(text for text, about in pairs if about in profile or about in (FIGURES, VERSION))]


def rare(samples: Sequence[Measurement]) -> float:
    """Return the share by which rare slow calls would raise the mean if counted in full.

    It is 0 if they hardly matter, if most processes had none, and if figures already count them in full, see
    `Measurement.sums`.
    """
    met = sum(sample.dear > 0 for sample in samples)
    if len(samples) < Processes.FEWEST or 2 * met <= len(samples) or samples[0].sums:
        return 0.0
    share = median(sample.rare for sample in samples)
    return share / (1 - share) if share >= RARE else 0.0


def fact(key: str) -> Callable[[Candidate, Setting], Entry]:
    """Return a function that writes one of a codec's facts."""

    def said(candidate: Candidate, _: Setting) -> Entry:
        if candidate.name == BASELINE:
            return EMPTY
        value = str(getattr(candidate.facts, key))
        return Entry(value, value or None)

    return said


def rank(candidate: Candidate, setting: Setting) -> Entry:
    """Write the rank by cost."""
    standing = setting.standing
    if candidate.name not in standing.rank_ranges:
        return Entry("not timed" if candidate.untimed else "–", None, tone="dim")
    first, last = standing.rank_ranges[candidate.name]
    text = standing.rank_text(candidate.name)
    return Entry(text, first, first, last, verdict=standing.verdict(candidate.name) or "")


def fidelity(candidate: Candidate, setting: Setting) -> Entry:
    """Write whether records survived the round trip."""
    if candidate.name == BASELINE:
        return EMPTY
    if not candidate.checked:
        return Entry("not checked", "not checked", tone="dim")
    if candidate.outcome == "ok":
        return Entry("exact", "exact", tone="good")
    if candidate.losses:
        return Entry("lossy", "lossy", marks=(setting.notes.mark(_lost(candidate)),), tone="bad")
    if candidate.outcome == "lossy":
        return Entry("lossy", "lossy", tone="bad")
    return setting.notes.failed(next(c for c in candidate.cells.values() if c.outcome == candidate.outcome))


def has_growth(candidate: Candidate) -> bool:
    """Return whether memory growth was measured."""
    return any(weighed(cell) for cell in _growths(candidate).values())


def growth(candidate: Candidate, setting: Setting) -> Entry:
    """Write whether memory grows, and after which operations."""
    cells = {name: cell for name, cell in _growths(candidate).items() if weighed(cell)}
    if not cells or candidate.name == BASELINE:
        return EMPTY
    said: dict[str, str] = {name: cell.verdict or cell.outcome for name, cell in cells.items()}
    growing = [name for name, text in said.items() if text == GROWING]
    texts = [_leak(name, cells[name]) for name in growing]
    texts += _coarse({name: cells[name] for name, text in said.items() if text == _CALM})
    marks = tuple(setting.notes.mark(text) for text in texts)
    if growing:
        return Entry(f"{GROWING} ({', '.join(growing)})", GROWING, marks=marks, tone="bad")
    verdict = next((text for text in said.values() if text != _CALM), _CALM)
    if verdict == _CALM:
        return Entry("none", verdict, marks=marks)
    return Entry(verdict, verdict, marks=marks, tone="dim")


def _growths(candidate: Candidate) -> dict[str, CellResult]:
    """Return the cells that show memory growth, by operation."""
    return {
        name.removeprefix("growth-"): cell
        for name, cell in candidate.cells.items()
        if name.startswith("growth-")
    }


def _lost(candidate: Candidate) -> str:
    """Write the losses and their frequency; CSV, JSON and the page have all of them."""
    losses = candidate.losses or ("does not bring every record back",)
    more = len(losses) - _MOST_LOSSES
    text = "; ".join(losses[:_MOST_LOSSES]) + (
        f"; and {more} more loss{'es' * (more > 1)}" if more > 0 else ""
    )
    check = next((c.check for c in candidate.cells.values() if c.outcome == "lossy"), None)
    if check is not None and 0 < check.lossy < check.records:
        text += f" (in {check.lossy:,} of {check.records:,} records)"
    return text


def _leak(operation: str, cell: CellResult) -> str:
    """Write how much memory remains, and its source."""
    found = figure(cell.samples)
    amount = f", {numbers.quantity(found.value)} bytes stay per call" if found else ""
    where = f": {cell.facts.where}" if isinstance(cell.facts, GrowthFacts) and cell.facts.where else ""
    return f"{operation} is growing{amount}{where}"


def _coarse(cells: Mapping[str, CellResult]) -> Iterable[str]:
    """Write the growth that would not have been detected, once for the operations that share it.

    Nothing is written if exact counters would have shown a byte per call.
    """
    found: dict[str, list[str]] = {}
    for operation, cell in cells.items():
        facts = cell.facts
        if not isinstance(facts, GrowthFacts):
            continue
        reasons = [facts.counters] if "resident" in facts.counters else []
        reasons += [facts.allocator] if facts.allocator else []
        if facts.resolution and (reasons or facts.resolution > 1):
            text = f"growth under {facts.resolution:.3g} bytes a call would not have been seen"
            text += f" in {facts.calls:,} calls" if facts.calls else ""
            found.setdefault("; ".join([text, *reasons]), []).append(operation)
    return (f"{listed(operations)}: {text}" for text, operations in found.items())
