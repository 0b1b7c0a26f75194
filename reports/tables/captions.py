"""The text below the rows of a corpus: what they mean, what is not known, and the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ...bench.method import Processes
from ...bench.results import CorpusFacts, Fact
from ..model import numbers, row
from ..model.candidates import Candidate, Seen, Standing, limits_needed, records_seen
from ..model.lists import some
from ..model.options import TableOptions
from .block import count, mean_size
from .longer import Longer

_ROUGH: Final = 0.01
"""Deviation or uncertainty of the sample's mean size, as a share, from which it is reported."""

_DEPARTS: Final = 1.5
"""Factor between a codec's ratio in instructions and its ratio in time from which it is reported."""

_ELSEWHERE: Final = "more on a codec, and why one is for trusted data only: `bakeoff codecs NAME`"


def origin(corpus: CorpusFacts) -> Iterable[str]:
    """Describe the data."""
    if corpus.description:
        yield corpus.description
    if corpus.records:
        yield measured_on(corpus)
    if name := corpus.profile.get("class"):
        yield f"records are `{name}` objects ({corpus.profile.get('class_kind')}): the class is the schema"


def meaning(
    shown: Sequence[Candidate], standing: Standing, options: TableOptions, more: Longer
) -> Iterable[str]:
    """Describe the ranking, and the meaning of ±."""
    if options.scale_to > 1:
        yield f"times are for {options.scale_to:,} records"
    if standing.rank_ranges:
        yield f"rank by cost: {options.cost.sentence()}{_ranges(standing)}"
    counts = [len(e.cells["dump"].samples) for e in shown if "dump" in e.cells and not e.untimed]
    if counts and max(counts) == 1:
        yield f"a single process: no intervals, and nothing is distinguishable{_more(standing, more)}"
    elif counts:
        few = ", too few to distinguish anything" if max(counts) < Processes.FEWEST else ""
        processes = f"{_range(counts)} processes{few}{_more(standing, more)}"
        yield f"± half the 95 % interval of the mean over {processes}"


def _ranges(standing: Standing) -> str:
    """Explain ranks such as "3 to 4", if there are any."""
    ranges = {
        name: standing.rank_text(name) for name, (first, last) in standing.rank_ranges.items() if first < last
    }
    if not ranges:
        return ""
    unknown = [name for name in ranges if standing.verdict(name) == "unresolved"]
    if unknown:
        one, why = ranges[unknown[0]], "are not distinguishable"
    else:
        one, why = next(iter(ranges.values())), f"cost the same, {numbers.TIED}"
    return f"; codecs with a range such as {one} {why}"


def _more(standing: Standing, more: Longer) -> str:
    """Name the command that measures more, if that may distinguish codecs."""
    unknown = any(standing.verdict(name) == "unresolved" for name in standing.rank_ranges)
    return f"; {more.processes}" if unknown else ""


def below(corpus: CorpusFacts, shown: Sequence[Candidate], more: Longer) -> Iterable[str]:
    """Describe the unknowns of the figures."""
    if partly := _seen_on_fewer(corpus, shown, "records"):
        yield f"slow codecs are checked on fewer than {corpus.sample:,} records: {partly}"
    if partly := _seen_on_fewer(corpus, shown, "encoded"):
        yield f"very slow ones did not even encode all, and their bytes are estimated: {partly}"
    if asked := _limits(shown):
        yield f"records go beyond the default limits of some codecs; ask for them as {asked}"
    if untimed := [e.name for e in shown if e.untimed]:
        yield (
            f"not timed, as there was not enough time: {some(untimed)}; ≈ is roughly "
            f"what the check took; {more.time} times them"
        )
    if apart := list(_departing(shown)):
        yield f"instructions differ from time, by SIMD or memory stalls, and time decides: {some(apart)}"
    if any(len(row.notes(e, corpus.profile)) < len(e.facts.notes) for e in shown):
        yield _ELSEWHERE


def _departing(shown: Sequence[Candidate]) -> Iterable[str]:
    """Describe codecs whose ratio to the fastest one is another in instructions than in time."""
    known = {
        candidate.name: (time.value, count.value)
        for candidate in shown
        if (time := candidate.figure("dump", "load"))
        and (count := candidate.figure("count-dump", "count-load"))
    }
    if not known:
        return
    best = min(known, key=lambda name: known[name][0])
    for name, (seconds, instructions) in known.items():
        slower, more = seconds / known[best][0], instructions / known[best][1]
        if max(slower / more, more / slower) > _DEPARTS:
            yield f"{name} {numbers.ratio(slower)} the time of {best}, {numbers.ratio(more)} its instructions"


def _seen_on_fewer(corpus: CorpusFacts, shown: Sequence[Candidate], fact: Seen) -> str:
    """Name the codecs that were measured on fewer records than the sample has, with the number."""
    seen = ((candidate.name, records_seen(candidate.cells.values(), fact)) for candidate in shown)
    return some([f"{name} ({n:,})" for name, n in seen if n < corpus.sample])


def _limits(shown: Sequence[Candidate]) -> str:
    """Name the options for codecs whose default limits are too low for these records."""
    needed = ((candidate.name, limits_needed(candidate.cells.values())) for candidate in shown)
    texts: dict[str, list[str]] = {}
    for name, limits in needed:
        if limits:
            options = "".join(f", {key}={limit}" for key, limit in limits.items())
            texts.setdefault(f"`bakeoff.codec(NAME{options})`", []).append(name)
    return "; ".join(f"{call} ({some(names)})" for call, names in texts.items())


def _left_out(profile: Mapping[str, Fact]) -> str:
    """Compare the sample's mean record with that of all records, and state its uncertainty.

    Nothing is said if both are within one per cent.
    """
    error, own, mean = (profile.get(key) for key in ("sample_error", "sample_size", "size_mean"))
    rough = f"standard error {numbers.percent(error)}" if isinstance(error, float) and error > _ROUGH else ""
    factor = own / mean if isinstance(own, float) and isinstance(mean, float) and mean > 0 else 1.0
    if abs(factor - 1) > _ROUGH:
        way = "larger" if factor > 1 else "smaller"
        text = f"; they are {numbers.percent(abs(factor - 1))} {way} than all on average"
        return text + (f" ({rough})" if rough else "")
    return f"; {rough} of their mean size" if rough else ""


def measured_on(corpus: CorpusFacts) -> str:
    """Return the number of measured records, the number of all, and their size."""
    text = f"measured on {count(corpus)}"
    if size := mean_size(corpus):
        text += f", {size}"
    share = corpus.profile.get("read_share")
    if isinstance(share, float):
        text += f", of the first {numbers.percent(share)} of the source, as there was no time to read more"
    if corpus.seed is not None:
        text += f", seed {corpus.seed}"
    if corpus.sha256:
        text += f", sha256 {corpus.sha256[:12]}"
    if corpus.sample < corpus.records:
        text += _left_out(corpus.profile)
    if corpus.skipped:
        text += f"; {corpus.skipped:,} bad record{'s' * (corpus.skipped != 1)} skipped"
    return text


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"
