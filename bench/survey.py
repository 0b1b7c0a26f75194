"""What a survey finds in the records of a piece, or of many: exact, and merged in any order to the same.

Everything has a bounded size, whatever the number of records.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any

from ..datasets.counts import Lengths, whole
from ..datasets.profile import ProfileTally
from ..datasets.readers.problems import KEPT
from ..datasets.sampling import MergedSample
from ..schemas.infer import Observations

Position = tuple[int, ...]
"""Number of the shard, first byte of the piece, and number of the record in the piece."""
Example = tuple[Position, str, str]
"""Where something was found: the position, and in words; and what was found."""

SAMPLE_ROOM = 8 << 20
"""Most bytes of the payloads of a sample."""
_EXAMPLES = 3
_KINDS = 20
"""Kinds of losses of which an example is kept."""
_LONGEST = 500
"""Most characters of an example."""


class CodecTally:
    """The payloads of one codec, and what its round trips lose.

    Attributes:
        payloads: Their lengths in bytes.
        lossy: Records that lose something that the codec declares.
        refused: Records that it cannot encode, or whose payload it cannot decode.
        wrong: Records that come back with an undeclared difference.
        examples: The first ones by outcome, ``refused`` or ``wrong``.
        losses: The first example of each kind of loss.
    """

    _SUMS = ("lossy", "refused", "wrong")

    def __init__(self) -> None:
        self.payloads = Lengths()
        self.lossy = self.refused = self.wrong = 0
        self.examples: dict[str, list[Example]] = {"refused": [], "wrong": []}
        self.losses: dict[str, Example] = {}

    def wants(self, outcome: str) -> bool:
        """Return whether a later record may still be an example."""
        return len(self.examples[outcome]) < _EXAMPLES

    def add_examples(self, outcome: str, found: Iterable[Example]) -> None:
        """Keep the first examples of an outcome."""
        self.examples[outcome] = sorted({*self.examples[outcome], *found})[:_EXAMPLES]

    def add_losses(self, found: Mapping[str, Example]) -> None:
        """Keep the first example of each kind of loss, of the kinds that occur first."""
        for kind, example in found.items():
            self.losses[kind] = min(example, self.losses.get(kind, example))
        if len(self.losses) > _KINDS:
            self.losses = dict(sorted(self.losses.items(), key=lambda pair: (pair[1], pair[0]))[:_KINDS])

    def merge(self, other: CodecTally) -> None:
        """Add the findings of other records."""
        for name in self._SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.payloads.merge(other.payloads)
        for outcome, found in other.examples.items():
            self.add_examples(outcome, found)
        self.add_losses(other.losses)

    def plain(self) -> dict[str, Any]:
        """Return the findings as JSON types."""
        found = {"payloads": self.payloads.plain(), "examples": self.examples, "losses": self.losses}
        return found | {name: getattr(self, name) for name in self._SUMS}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> CodecTally:
        """Return the findings of `plain`."""
        made = cls()
        made.payloads = Lengths.of(plain["payloads"])
        for name in cls._SUMS:
            setattr(made, name, whole(plain[name]))
        for outcome in made.examples:
            made.add_examples(outcome, map(_example, plain["examples"][outcome]))
        made.add_losses({str(kind)[:_LONGEST]: _example(one) for kind, one in plain["losses"].items()})
        return made

    def facts(self) -> dict[str, Any]:
        """Return the findings for a file; quantiles from 512 bytes are up to 0.4 % too low."""
        sizes = self.payloads
        found: dict[str, Any] = {"records": sizes.number, "bytes": sizes.total}
        if sizes.number:
            quantiles = {"median": sizes.quantile(0.5), "p99": sizes.quantile(0.99)}
            lengths = {"mean": sizes.mean, "min": sizes.least, **quantiles, "max": sizes.most}
            found |= {f"bytes_{name}": length for name, length in lengths.items()}
        found |= {name: getattr(self, name) for name in self._SUMS}
        listed = {"loses": sorted(self.losses.values()), **self.examples}
        return found | {
            f"{name}_first": [{"where": where, "what": what} for _, where, what in each]
            for name, each in listed.items()
            if each
        }


def _example(plain: Any) -> Example:
    position, where, what = plain
    return tuple(map(whole, position)), str(where)[:_LONGEST], str(what)[:_LONGEST]


def example(position: Position, where: str, what: str) -> Example:
    """Return an example of limited length."""
    return _example((position, where, what))


class SurveyTally:
    """All findings of a survey in some records.

    Args:
        codecs: Names of the codecs.
        sample: The sample of these records.

    Attributes:
        bad: Where and why the first records were skipped, with their positions.
        skipped: Number of skipped records.
    """

    def __init__(self, codecs: Iterable[str], sample: MergedSample) -> None:
        self.codecs = {name: CodecTally() for name in codecs}
        self.profile = ProfileTally()
        self.observed = Observations()
        self.sample = sample
        self.bad: list[Example] = []
        self.skipped = 0

    @property
    def records(self) -> int:
        """Number of records."""
        return self.profile.records

    def fold(self) -> None:
        """Bound the space; call it now and then."""
        for tally in self.codecs.values():
            tally.payloads.fold()

    def add_bad(self, bad: Iterable[Example], skipped: int) -> None:
        """Add skipped records: the first ones, and their number."""
        self.bad = sorted({*self.bad, *bad})[:KEPT]
        self.skipped += skipped

    def merge(self, other: SurveyTally) -> None:
        """Add the findings in other records."""
        for name, tally in self.codecs.items():
            tally.merge(other.codecs[name])
        self.profile.merge(other.profile)
        self.observed.merge(other.observed)
        self.sample.merge(other.sample)
        self.add_bad(other.bad, other.skipped)

    def plain(self) -> dict[str, Any]:
        """Return the findings as JSON types."""
        kept = [
            (key, base64.b64encode(payload).decode(), sizes) for key, payload, sizes in self.sample.kept()
        ]
        return {
            "codecs": {name: tally.plain() for name, tally in self.codecs.items()},
            "profile": self.profile.plain(),
            "observed": self.observed.plain(),
            "sample": {"cut": self.sample.cut, "kept": kept},
            "bad": self.bad,
            "skipped": self.skipped,
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any], codecs: Iterable[str], size: int) -> SurveyTally:
        """Return the findings of `plain`, which may come from another machine.

        Raises:
            ValueError: They are not those of a survey of these codecs.
        """
        try:
            sample = MergedSample(size, SAMPLE_ROOM, whole(plain["sample"]["cut"]))
            made = cls((), sample)
            made.codecs = {name: CodecTally.of(plain["codecs"][name]) for name in codecs}
            made.profile = ProfileTally.of(plain["profile"])
            made.observed = Observations.of(plain["observed"])
            made.bad = [_example(one) for one in plain["bad"][:KEPT]]
            made.skipped = whole(plain["skipped"])
            for key, payload, sizes in plain["sample"]["kept"]:
                facts = tuple(map(int, sizes))
                if whole(key) < sample.cut and len(facts) == len(made.codecs):
                    sample.add(key, base64.b64decode(payload), facts)
        except (LookupError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"not the findings of a survey: {type(error).__name__}: {error}") from error
        return made

    def errors(self) -> dict[str, tuple[float, float]]:
        """Return how far the sample's mean payload is off that of all records, and the standard error.

        Both are shares of the mean, by codec. The standard error is that of the mean of a sample drawn
        without replacement (Cochran, "Sampling Techniques", 3rd edition, 2.5).
        """
        kept = self.sample.kept()
        found = {}
        for place, (name, tally) in enumerate(self.codecs.items()):
            sizes, all_sizes = [facts[place] for *_, facts in kept if facts[place] >= 0], tally.payloads
            if not sizes or not all_sizes.total:
                continue
            error = all_sizes.deviation / all_sizes.mean / len(sizes) ** 0.5
            left = max(0.0, 1 - len(sizes) / all_sizes.number) ** 0.5
            found[name] = sum(sizes) / len(sizes) / all_sizes.mean - 1, error * left
        return found
