"""The answer below tables of stores and pipelines: the codec's share of a call, and the best codec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...bench.verdict import Contest
from ..model import numbers
from ..model.cost import CostModel
from ..model.lists import FEW_NAMES, few, listed
from ..model.placed_cost import codec_part, contest_in, placed
from ..model.view import CorpusView, MachineView, View
from .sentence import equal


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """The findings of one place.

    Attributes:
        place: A store with its state, or a transport with its consumers.
        shares: The smallest and the largest share of a codec in the whole.
        whole: What it is a share of.
        best: The codecs that no other codec is significantly faster than.
        codecs: Number of codecs measured there.
    """

    place: str
    shares: tuple[float, float]
    whole: str
    best: Contest
    codecs: int

    @property
    def words(self) -> str:
        """Write the codec's share, and the best codec."""
        text = _part([self])
        if self.codecs == 1:
            return f"{text}."
        level = self.best.level
        if len(level) == self.codecs:
            return f"{text}; codecs {equal(self.best)}."
        if len(level) > 1:
            return f"{text}; {few(level)} {equal(self.best)}, and the others take longer."
        return f"{text}; {level[0]} takes least."


def answers(view: View) -> list[PlaceAnswer]:
    """Find the codec's share of a call, and the best codec, for each place."""
    return [answer for machine in view.machines for answer in answers_on(machine, view.cost)]


def answers_on(machine: MachineView, cost: CostModel | None = None) -> Iterator[PlaceAnswer]:
    """Find the same for the places of one machine.

    Args:
        machine: The results of the machine.
        cost: The weights of writes and reads; the default cost if not given.
    """
    for there in View.of([placed(machine.result, machine.placed)], cost).corpora:
        name = f"{there.corpus.name} on {machine.label}" if machine.label else there.corpus.name
        if (answer := _answer(name, there)) is not None:
            yield answer


def headline(found: Sequence[PlaceAnswer]) -> str:
    """Write which codec is best in how many places, and the codec's share of the whole."""
    compared = [one for one in found if one.codecs > 1]
    levels, words = [one.best.level for one in compared], {equal(one.best) for one in compared}
    won = Counter(level[0] for level in levels if len(level) == 1).most_common(FEW_NAMES)
    if won:
        text = listed([f"{codec} takes least in {count} of {len(compared)} setups" for codec, count in won])
    elif not compared:
        return f"{_part(found)}."
    elif all(len(one.best.level) == one.codecs for one in compared) and len(words) == 1:
        (said,) = words
        text = f"{_everywhere(len(compared))} codecs {said}"
    else:
        text = f"No codec alone takes least in any of {len(compared)} setups"
    part = _part(found)
    return f"{text}; {part[0].lower()}{part[1:]}."


def _everywhere(setups: int) -> str:
    return {1: "In the setup", 2: "In both setups"}.get(setups, f"In all {setups} setups")


def _part(found: Sequence[PlaceAnswer]) -> str:
    ends = min(one.shares[0] for one in found), max(one.shares[1] for one in found)
    wholes = dict.fromkeys(one.whole for one in found)
    whole = next(iter(wholes)) if len(wholes) == 1 else "the time"
    return f"The codec is {' to '.join(dict.fromkeys(map(numbers.share, ends)))} of {whole}"


def _answer(place: str, view: CorpusView) -> PlaceAnswer | None:
    cost, standing = view.cost, view.standing
    known = [candidate for candidate in view.candidates if candidate.name in standing.costs]
    if not known:
        return None
    # The producer and all its consumers were measured together.
    whole = all(figure.value == 0 for one in known if (figure := one.figure("load")) is not None)
    of = "the processor time of a record" if whole and cost.reads else f"the time of {cost.sentence()}"
    shares = [codec_part(one, cost) / standing.costs[one.name].value for one in known]
    return PlaceAnswer(place, (min(shares), max(shares)), of, contest_in(standing), len(known))
