"""Pick a codec for a use: filters, cost, documented tie-breakers, and what would change the answer."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...bench.method import Processes
from ...bench.results import CorpusFacts, Measurement, ResultData
from ...bench.stats import Ratio
from ...bench.verdict import Contest, error_share, preference, ranked
from ...codecs import split_name
from ...errors import RunError, UsageError, hint, near
from ..model import numbers, turning
from ..model.breakeven import (
    Choice,
    CostParts,
    WeightAxis,
    WinnerChange,
    axes_of,
    bandwidth_axis,
    breakeven,
    printed,
)
from ..model.candidates import (
    BASELINE,
    Candidate,
    Standing,
    candidates_on,
    corpora,
    standing_on,
    summed,
)
from ..model.cost import CostModel, rate_text
from ..model.environment import block_noun, resuming
from ..model.lists import few, listed
from ..model.merge import aligned, machines
from ..model.names import plain_name
from ..model.obstacle import Obstacle
from ..model.prices import PriceDifference, YearlyCost
from ..tables.further import resolving
from ..tables.longer import adding, longer
from ..tables.sentence import broken_by, too_few
from . import interop
from .eligible import ByCorpus, Requirements, eligible_in, obstacle, sent, takes, too_wide
from .excluded import explained

__all__ = ["PickedCodec", "Requirements", "pick"]


@dataclass(frozen=True, slots=True, repr=False)
class PickedCodec:
    """The codec picked, and why.

    Attributes:
        winner: Its facts and its cells on the first corpus.
        cost: The cost of the winner in words, and for what.
        why: Half sentences that explain the choice when joined: its cost, its safety, what it loses.
        merits: Half sentences on its other advantages and disadvantages.
        processes: The fewest timing processes of any codec that fits.
        rule: The tie-breaker that put it before codecs that tie with it; empty if none did.
        longer: What may distinguish the codecs that are not: a command, or an argument, and what it does.
        tied: Codecs that tie with the winner (`Verdicts.TIE`), and lost by a tie-breaker.
        unresolved: Codecs that are not distinguishable from the cheapest: name, and cost relative to the
            lowest, with the interval of the table's verdict, which contains 1.
        runners_up: Name and cost relative to the winner, cheapest first.
        excluded: Name of a codec, and why it may not be chosen.
        changes: The weights at which another codec would be picked.
        parts: The parts of the cost by codec, for every codec that was not excluded.
        standing: The ranking of all codecs with a cost, including those that were excluded.
        yearly: Cores, gigabytes and price of a year by codec, if there are prices.
        saving: What the winner saves against json, or without it against the next codec; None without
            prices, or another codec.
    """

    winner: Candidate
    requirements: Requirements
    corpora: tuple[CorpusFacts, ...]
    cost: str
    why: tuple[str, ...]
    merits: tuple[str, ...]
    processes: int
    tied: tuple[str, ...]
    unresolved: tuple[tuple[str, Ratio], ...]
    runners_up: tuple[tuple[str, float], ...]
    excluded: tuple[tuple[str, Obstacle], ...]
    changes: tuple[WinnerChange, ...]
    parts: Mapping[str, CostParts]
    standing: Standing
    yearly: Mapping[str, YearlyCost] = field(default_factory=dict)
    saving: PriceDifference | None = None
    rule: str = ""
    longer: str = ""

    @property
    def name(self) -> str:
        """Name of the winner, for `bakeoff.codec`."""
        return self.winner.name

    @property
    def breakeven(self) -> tuple[str, ...]:
        """Sentences on what would change the answer."""
        return tuple(map(turning.sentence, self.changes))

    @property
    def needs_schema(self) -> bool:
        """Whether a schema would make excluded codecs fit, and none was measured with one."""
        names = [self.winner.name, *self.parts, *(name for name, _ in self.excluded)]
        if any(split_name(plain_name(name))[1] for name in names):
            return False
        return any(why.kind == "types" for _, why in self.excluded)

    @property
    def sentence(self) -> str:
        """Why this codec, in one sentence."""
        return f"{self.winner.name}: {'; '.join((*self.why, *self.merits))}."

    def __repr__(self) -> str:
        return f"<PickedCodec {self.sentence}>"


def pick(results: Sequence[ResultData], requirements: Requirements, file: str = "FILE") -> PickedCodec:
    """Pick the cheapest codec; among codecs that tie with it, the first by the tie-breakers.

    The verdict on any two codecs is that of the table, whichever codecs are excluded. A codec that is not
    distinguishable from the cheapest does not tie: it is placed after it, and the reasons say so.

    Args:
        results: The results to choose by.
        requirements: The requirements.
        file: Name of the result file, for the suggested command; empty if there is none.

    Raises:
        UsageError: No such corpus or codec, no process common to all, or results of several machines or
            interpreters.
        RunError: Nothing fits; the message says what excluded the best candidates.
    """
    merged = machines(results)
    if len(merged) > 1:
        raise UsageError(
            f"these results are of several {(noun := block_noun(results))}s "
            f"({', '.join(label for label, _ in merged)}); pick from those of the {noun} that will run it"
        )
    result = merged[0][1]
    by_command, file = bool(file), "" if result.in_python else file
    chosen = _corpora(result, requirements)
    by_corpus = {
        c.name: {e.name: e for e in candidates_on(result, c.name) if e.name != BASELINE} for c in chosen
    }
    eligible, excluded = eligible_in(by_corpus, chosen, requirements)
    if not eligible:
        raise _none_fits(excluded, by_corpus, requirements, options=by_command)
    weights = dict.fromkeys(by_corpus, 1 / len(by_corpus)) if requirements.prices else _weights(by_corpus)
    also = {name for name in eligible if takes(name, by_corpus)}
    standing = _standing(result, by_corpus, weights, requirements.weights, also)
    samples = {name: standing.samples.get(name, ()) for name in eligible}
    fewest = min(map(len, samples.values()))
    if not fewest:
        raise UsageError(
            f"no process measured {next(n for n in eligible if not samples[n])} on all corpora "
            f"({', '.join(by_corpus)}); measure them in one run, or decide by one with --corpus"
        )
    ranking = _Ranking(
        by_corpus=by_corpus,
        weights=weights,
        standing=standing,
        order=[name for name in standing.costs if name in eligible],
        requirements=requirements,
    )
    contest = ranking.contest
    assert contest is not None, "those that fit have costs"
    tied: tuple[str, ...] = ()
    unresolved: dict[str, Ratio] = {}
    way = rule = ""
    if requirements.codec is not None:
        winner = _named(requirements.codec, ranking.order, excluded)
        why = _decided(winner, ranking)
    else:
        if fewest < Processes.FEWEST and len(eligible) > 1:
            way = adding(resuming(results[0], file)) if file else longer(result).processes
            raise RunError(f"{too_few(fewest)} to distinguish codecs; {way}")
        winner, tied = contest.winner, contest.same
        unresolved = {name: standing.judged[name, contest.cheapest][1] for name in contest.unresolved}
        rule = broken_by(ranking.preferred, contest) if tied else ""
        why = _won(contest, ranking, rule)
        if unresolved:
            contenders = [plain_name(name) for name in (contest.cheapest, *unresolved)]
            ratios = list(unresolved.values())
            way = resolving(results, contenders, ratios, file) if file else longer(result).processes
            why += [f"not distinguishable from {few(list(unresolved))}", way]
    candidate = next(found[winner] for found in by_corpus.values() if winner in found)
    level = {winner, *tied, *unresolved}
    return PickedCodec(
        winner=candidate,
        requirements=requirements,
        corpora=tuple(chosen),
        cost=ranking.words(winner),
        why=(*why, *_safe(candidate, requirements)),
        merits=tuple(_merits(candidate, requirements, by_corpus, chosen, options=by_command)),
        processes=fewest,
        tied=tied,
        unresolved=tuple(unresolved.items()),
        runners_up=tuple((n, standing.times(n, winner)) for n in ranking.order if n not in level),
        excluded=tuple(excluded.items()),
        changes=tuple(_changes(winner, ranking, result, chosen)) if winner in contest.level else (),
        parts={name: ranking.parts(name) for name in ranking.order},
        standing=standing,
        yearly=ranking.yearly,
        saving=_saving(winner, ranking),
        rule=rule,
        longer=way,
    )


def _none_fits(
    excluded: Mapping[str, Obstacle], by_corpus: ByCorpus, requirements: Requirements, *, options: bool
) -> RunError:
    """Return the error that says what excluded the best codecs, and what would include them.

    Args:
        excluded: What is wrong with each codec.
        by_corpus: The codecs on each corpus.
        requirements: The requirements.
        options: It names options of the command, and not arguments.

    Raises:
        RunError: The codec that was asked for does not fit.
        UsageError: It took no part.
    """
    if not excluded:
        return RunError("no codec took part")
    if requirements.codec is not None:
        _named(requirements.codec, [], excluded)
    lines = explained(excluded, len(excluded), options=options)
    fitting = (name for name in excluded if obstacle(name, by_corpus, requirements) is None)
    if requirements.interop and (line := interop.alternatives(fitting, by_corpus, options=options)):
        lines.append(f"  ({line})")
    return RunError("\n".join(["no codec fits", *lines]))


def _changes(
    winner: str, ranking: _Ranking, result: ResultData, chosen: Sequence[CorpusFacts]
) -> Iterable[WinnerChange]:
    """Yield the weights at which another codec would be picked."""
    requirements, by_corpus = ranking.requirements, ranking.by_corpus
    # Of the reasons for an exclusion, only the width of the line depends on the weights.
    unlimited = replace(requirements, cost=replace(requirements.cost, bandwidth=math.inf))
    fit = set(ranking.order if requirements.rate is None else eligible_in(by_corpus, chosen, unlimited)[0])
    also = {name for name in fit if takes(name, by_corpus)}

    def ask(cost: CostModel) -> Choice:
        other = requirements.weighing(cost)
        standing = _standing(result, by_corpus, ranking.weights, cost, also)
        order = [n for n in standing.costs if n in fit and too_wide(n, by_corpus, other) is None]
        there = replace(ranking, standing=standing, order=order, requirements=other)
        return Choice(order, there.contest, standing.judged)

    def bandwidth(cost: CostModel) -> WeightAxis:
        axis, rate = bandwidth_axis(cost), requirements.rate
        if rate is None:
            return axis
        return replace(axis, usable_from=lambda name: printed(8 * sent(name, by_corpus, rate, cost), up=True))

    line = requirements.prices.axis if requirements.prices else bandwidth
    axes = axes_of(ranking.parts(winner), requirements.weights, line)
    return breakeven(winner, ranking.parts, axes, ask)


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The codecs that fit, and their costs.

    Attributes:
        by_corpus: Every codec's cells, by corpus and name.
        weights: The weight of each corpus.
        standing: The ranking of all codecs with a cost, including those that do not fit.
        order: The names of those that fit, cheapest first.
    """

    by_corpus: ByCorpus
    weights: Mapping[str, float]
    standing: Standing
    order: Sequence[str]
    requirements: Requirements

    @property
    def contest(self) -> Contest | None:
        """The codecs that may win."""
        return self.standing.judgment.contest(self.order, self.preferred)

    def parts(self, name: str) -> CostParts:
        """The parts of a codec's cost."""
        return _parts(name, self.by_corpus, self.weights)

    @property
    def yearly(self) -> dict[str, YearlyCost]:
        """The price of a year by codec; nothing without prices."""
        requirements, costs = self.requirements, self.standing.costs
        if requirements.prices is None or requirements.rate is None:
            return {}
        return {
            name: YearlyCost.of(
                requirements.rate, requirements.prices, requirements.cost, self.parts(name), costs[name], rank
            )
            for name, rank in self.standing.judgment.rank_ranges(self.order).items()
        }

    def words(self, name: str) -> str:
        """Write the cost of a codec, and for what."""
        requirements = self.requirements
        if requirements.prices is None or requirements.rate is None:
            cost = self.standing.costs[name]
            return f"{numbers.amount(cost.value, 'second', cost.half)} for {requirements.cost.sentence()}"
        use = replace(requirements.cost, bandwidth=math.inf).sentence()
        if requirements.prices.gigabyte and requirements.cost.reads != 1:
            how = "once" if requirements.cost.crossings == "once" else "for each read"
            use += f", each payload sent {how}"
        return f"{self.yearly[name].text} a year for {rate_text(requirements.rate)} records/s, {use}"

    def preferred(self, name: str) -> tuple[Any, ...]:
        """The sort key of the tie-breakers."""
        facts, parts = next(iter(self.by_corpus.values()))[name].facts, self.parts(name)
        return preference(facts, parts.size, parts.work(self.requirements.cost))


def _named(wanted: str, order: Sequence[str], excluded: Mapping[str, Obstacle]) -> str:
    """Return the row of the codec that was decided on manually."""
    known = {plain_name(name): name for name in reversed(order)}
    if wanted in known:
        return known[wanted]
    for name, why in excluded.items():
        if plain_name(name) == wanted:
            raise RunError("\n".join(["it does not fit", *explained({name: why})]))
    names = dict.fromkeys(map(plain_name, [*order, *excluded]))
    there = f"there are {', '.join(names)}"
    raise UsageError(f"no codec {wanted!r} in these results; {hint(near(wanted, names), there)}")


def _corpora(result: ResultData, requirements: Requirements) -> list[CorpusFacts]:
    known = {c.name: c for c in corpora(result)}
    for name in requirements.corpora:
        if name not in known:
            there = f"there are {', '.join(known) or 'none'}"
            raise UsageError(f"no corpus {name!r} in these results; {hint(near(name, known), there)}")
    return [known[name] for name in requirements.corpora or known]


# Cost over one or several corpora


def _weights(by_corpus: ByCorpus) -> dict[str, float]:
    """Weight each corpus by the inverse of its typical dump + load, whatever the cost model."""
    if len(by_corpus) == 1:
        return dict.fromkeys(by_corpus, 1.0)
    typical = {}
    for corpus, found in by_corpus.items():
        times = [t for e in found.values() if (t := e.value("dump") + e.value("load")) > 0]
        typical[corpus] = math.exp(math.fsum(map(math.log, times)) / len(times)) if times else 1.0
    scale = math.exp(math.fsum(map(math.log, typical.values())) / len(typical))
    return {corpus: scale / value / len(typical) for corpus, value in typical.items()}


def _standing(
    result: ResultData,
    by_corpus: ByCorpus,
    weights: Mapping[str, float],
    cost: CostModel,
    also: Collection[str],
) -> Standing:
    """Rank all codecs that have a cost on all corpora, whether they fit or not, as the table does.

    Args:
        also: See `standing_on`.
    """
    if len(by_corpus) == 1:
        corpus, found = next(iter(by_corpus.items()))
        return standing_on(result, corpus, found.values(), cost, also)
    everywhere = set.intersection(*(set(found) for found in by_corpus.values()))
    everywhere &= ranked({name: takes(name, by_corpus) for name in everywhere}).union(also)

    def weighted(corpus: str, name: str) -> list[Measurement]:
        w = weights[corpus]
        found = cost.samples(by_corpus[corpus][name].cells)
        return [replace(s, value=s.value * w, raw=s.raw * w, paired=s.paired * w) for s in found]

    samples = {n: summed(aligned([weighted(corpus, n) for corpus in by_corpus])) for n in sorted(everywhere)}
    return Standing.of(samples, error_share(result))


def _parts(name: str, by_corpus: ByCorpus, weights: Mapping[str, float]) -> CostParts:
    def added(operation: str) -> float:
        return math.fsum(
            weights[corpus] * found[name].value(operation) for corpus, found in by_corpus.items()
        )

    return CostParts(added("dump"), added("load"), added("fix"), added("size"))


# Reasons


def _won(contest: Contest, ranking: _Ranking, rule: str) -> list[str]:
    """Explain why a codec is first, and by how much."""
    winner = contest.winner
    of = ranking.words(winner)
    if len(ranking.order) == 1:
        return [f"the only codec that fits, {of}"]
    if contest.same:
        reasons = [f"{_level(contest)}, at {of}, and comes first as {rule}"]
    else:
        reasons = [f"lowest {'price' if ranking.requirements.prices else 'cost'}, {of}"]
    rest = [name for name in ranking.order if name not in contest.level]
    if rest and not contest.unresolved:
        reasons.append(f"{rest[0]} is next at {numbers.ratio(ranking.standing.times(rest[0], winner))} that")
    return reasons


def _decided(winner: str, ranking: _Ranking) -> list[str]:
    """Describe the cost of a manual decision."""
    least = ranking.order[0]
    reasons = [f"decided on by name, at {ranking.words(winner)}"]
    if winner != least:
        times = numbers.ratio(ranking.standing.times(least, winner))
        reasons.append(f"the lowest cost is that of {least}, {times} as much")
    return reasons


def _saving(winner: str, ranking: _Ranking) -> PriceDifference | None:
    """Compare the price of a codec with that of a cheaper one, else of json, else of the next one."""
    yearly, judged = ranking.yearly, ranking.standing.judged
    others = [name for name in yearly if name != winner]
    known = {name: judged[winner, name][0] for name in others}
    cheaper = [name for name in others if known[name] == "slower"]
    usual = [name for name in others if plain_name(name) == "json"]
    following = [name for name in others if known[name] == "faster"]
    against = next(iter((*cheaper, *usual, *following, *others)), None)
    if against is None:
        return None
    return PriceDifference.of((winner, yearly[winner]), (against, yearly[against]), *judged[winner, against])


def _safe(winner: Candidate, requirements: Requirements) -> Iterator[str]:
    """Say whether the codec may read untrusted payloads, and what it loses."""
    if not requirements.trusted and not winner.facts.source:
        yield "safe to read from anyone"
    if winner.losses:
        yield f"lossy, as allowed: {'; '.join(winner.losses)}"


def _merits(
    winner: Candidate,
    requirements: Requirements,
    by_corpus: ByCorpus,
    chosen: Sequence[CorpusFacts],
    *,
    options: bool,
) -> list[str]:
    """Describe other advantages and disadvantages of a codec."""
    reasons = []
    if requirements.needs:
        reasons.append(f"preserves {', '.join(requirements.needs)}")
    if requirements.interop:
        reasons.append(interop.claim(winner.name, by_corpus, chosen, options=options))
    if requirements.cost.readers and (read := winner.cells["load"].extras.get("read")):
        reasons.append(f"read {read}")
    if winner.slow_build:
        reasons.append(f"but {winner.facts.library} lacks its C accelerator here")
    if requirements.rate is not None and requirements.prices is None:
        busy = requirements.rate * max(
            _cpu(found[winner.name], requirements.cost) for found in by_corpus.values()
        )
        reasons.append(f"{rate_text(requirements.rate)} records/s keep {busy:.2g} cores busy")
    return reasons


def _level(contest: Contest) -> str:
    """Name the codecs that the winner ties with; each of them is only known to tie with the cheapest."""
    if contest.winner == contest.cheapest:
        return f"costs the same as {listed(contest.same)}, {numbers.TIED}"
    also = [other for other in contest.same if other != contest.cheapest]
    do = "do" if len(also) > 1 else "does"
    return f"costs the same as {contest.cheapest}, {numbers.TIED}" + (
        f", and so {do} {listed(also)}" if also else ""
    )


def _cpu(candidate: Candidate, cost: CostModel) -> float:
    reading = candidate.value("load") + candidate.value("fix")
    return candidate.value("dump") + cost.reads * reading
