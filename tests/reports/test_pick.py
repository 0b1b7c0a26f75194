"""Picking a codec from made-up runs."""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bakeoff import Result
from bakeoff.bench.results import CheckFacts, PyperfFacts, write
from bakeoff.codecs.production.lock import Dictionary, Lock, located
from bakeoff.errors import RunError, UsageError
from bakeoff.reports import recommendation
from bakeoff.reports import render as table
from bakeoff.reports.decide.lock import check, decided, lock_of, version_range
from bakeoff.reports.decide.pick import Requirements, pick
from bakeoff.reports.decide.pick_output import render
from bakeoff.reports.model.candidates import candidates_on, standing_on
from bakeoff.reports.model.cost import CostModel, parse_bandwidth
from bakeoff.reports.model.files import load
from bakeoff.reports.model.obstacle import Obstacle
from madeup import PLANTED, changed

FIELD = {
    **{name: PLANTED[name] for name in ("json", "msgpack", "bson")},
    "pickle": {"dump": 1.0e-6, "load": 0.9e-6, "size": 1742},
    "json|zstd:3": {"dump": 9e-6, "load": 5e-6, "size": 420},
}
FACTS = {
    "pickle": {
        "trusted_only": True,
        "interoperable": False,
        "library": "Python",
        "preserves": ("datetime", "bytes"),
    },
    "json": {"library": "Python", "preserves": ("str",)},
    "json|zstd:3": {"format": "json", "library": "Python", "preserves": ("str",)},
    "bson": {"preserves": ("bytes", "datetime_aware")},
    "msgpack": {"preserves": ("bytes", "datetime_aware")},
}


def shaken(run, codec, factors):
    """A run in which the processes that timed a codec, or all, were disturbed in turn."""

    def disturbed(sample):
        factor = factors[sample.pair % len(factors)]
        return replace(sample, value=sample.value * factor, paired=sample.paired * factor)

    for operation in ("dump", "load"):
        run = changed(run, codec, operation, sample=disturbed)
    return run


def locked(path, requirements=None):
    """The lock that --write makes of a result file."""
    result = load(path)
    return lock_of(pick([result], requirements or Requirements()), [path], [result])


@pytest.fixture
def run(result_of):
    return result_of(FIELD, facts=FACTS)


class TestScenarios:
    @pytest.mark.parametrize(
        ("requirements", "winner", "said"),
        [
            # Read often on a LAN: the quickest safe loader.
            (Requirements(CostModel.of(24, "1Gbit")), "bson", "one write and 24 reads over 1 Gbit/s; "),
            (Requirements(CostModel.of(24, "1Gbit")), "bson", "; safe to read from anyone"),
            # Sent 24 times, the payload's size decides.
            (
                Requirements(CostModel.of(24, "1Gbit", "per-read")),
                "json|zstd:3",
                "24 reads, each over 1 Gbit/s; ",
            ),
            # An archive behind a slow line, never read: the smallest payload.
            (Requirements(CostModel.of(0, "50Mbit")), "json|zstd:3", ""),
            (Requirements(trusted=True), "pickle", ""),
            (
                Requirements(trusted=True, interop=True),
                "msgpack",
                "; other languages read its format, but no reader",
            ),
            (Requirements(formats=("json",)), "json", ""),
        ],
    )
    def test_the_winner_follows_the_use(self, run, requirements, winner, said):
        choice = pick([run], requirements)

        assert winner == choice.winner.name
        assert said in choice.sentence

    def test_untrusted_datetimes(self, run):
        choice = pick([run], Requirements(needs=("datetime_aware",)))
        excluded = dict(choice.excluded)

        assert "msgpack" == choice.winner.name
        assert "does not preserve datetime_aware" == excluded["json"].words
        # That others would with a schema comes before the answer.
        hint, _, answer = render(choice).splitlines()[2:5]
        assert "with a schema other codecs preserve datetime_aware as well" in hint
        assert answer.startswith(f"  use     msgpack: {choice.cost}")
        assert "not trusted" in excluded["pickle"].words
        assert "preserves datetime_aware" in choice.sentence

    def test_options_are_named_by_the_command_only(self, run):
        """A program has arguments instead; the command says which option would change what."""
        late = changed(run, "bson", samples=(), rough=1e-6)
        choice, best = pick([late], Requirements()), Result(late).best

        assert "  bson was not timed: not enough time (run --resume FILE --all)\n" in render(choice)
        assert "the data is not trusted (--trusted)\n" in render(choice)
        assert not any("--" in why.words for _, why in best().excluded)
        with pytest.raises(RunError, match="no codec fits") as found:
            best(needs=["uuid"])
        assert "--" not in str(found.value)

    @pytest.mark.parametrize("argument", ["needs", "formats", "corpora"])
    def test_a_text_is_no_list_of_names(self, run, argument):
        with pytest.raises(UsageError, match=rf"{argument} is 'uuid'; expected a list of names, such as"):
            Result(run).best(**{argument: "uuid"})

    def test_keys_that_other_languages_refuse(self, result_of):
        """MessagePack keeps integers as keys, and Go's usual reader refuses them; JSON writes text."""
        facts = {"msgpack": {"format": "msgpack"}, "json": {"format": "json"}}
        run = result_of({name: FIELD[name] for name in facts}, facts=facts)
        keyed = replace(run, corpora=(replace(run.corpora[0], profile={"key_other": 0.5}),))

        assert "msgpack" == pick([keyed], Requirements()).winner.name
        assert "msgpack" == pick([run], Requirements(interop=True)).winner.name
        choice = pick([keyed], Requirements(interop=True))
        assert "json" == choice.winner.name
        assert "keys that are not text" in dict(choice.excluded)["msgpack"].words

    def test_line_too_narrow(self, run):
        requirements = Requirements(CostModel(1, parse_bandwidth("50Mbit")), rate=4000)
        choice = pick([run], requirements)

        assert "json|zstd:3" == choice.winner.name
        assert (
            "needs 53.6 Mbit/s for 4,000 records/s, the bandwidth is 50 Mbit/s"
            == dict(choice.excluded)["json"].words
        )
        assert "4,000 records/s keep 0.056 cores busy" in choice.sentence


class TestHonesty:
    def test_lossy_is_out(self, result_of):
        run = result_of(FIELD, facts=FACTS, losses={"msgpack": ("`tuple` came back as `list` at `$`",)})

        assert "bson" == pick([run], Requirements()).winner.name
        assert "`tuple` came back as `list`" in dict(pick([run], Requirements()).excluded)["msgpack"].words
        choice = pick([run], Requirements(allow_loss=True))
        assert "msgpack" == choice.winner.name
        assert "lossy, as allowed" in choice.sentence

    def test_failures_are_out(self, result_of):
        run = result_of(FIELD, outcomes={"bad": ("crashed", "signal 11"), "orjson": ("missing", "")})
        excluded = dict(pick([run], Requirements()).excluded)

        assert "crashed (signal 11)" == excluded["bad"].words
        assert "is not installed" == excluded["orjson"].words

    @pytest.mark.parametrize(
        ("codecs", "facts", "bandwidth", "because"),
        [
            ({"b": (2, 1), "a": (2, 1)}, {"a": {"interoperable": False}}, None, "other languages read it"),
            ({"b": (2, 1), "a": (2, 1)}, {"a": {"extra": "a"}}, None, "it needs fewer dependencies"),
            (
                {"c": (2, 1), "a": (2, 1), "b": (2, 1)},
                {"a": {"extra": "a"}, "c": {"library": "Python"}},
                None,
                "it needs fewer dependencies",
            ),
            ({"b": (2, 1000), "a": (3, 1000)}, {}, 1e6, "it takes less processor time"),
            # The smaller payload puts one behind, the name another.
            (
                {"c": (2, 7), "a": (2, 9), "d": (2, 7)},
                {},
                None,
                "its payload is smaller and, where that is equal, its name sorts first",
            ),
        ],
    )
    def test_a_tie_is_said(self, result_of, codecs, facts, bandwidth, because):
        field = {
            name: {"dump": dump * 1e-6, "load": 2e-6, "size": size} for name, (dump, size) in codecs.items()
        }
        choice = pick([result_of(field, facts=facts, noise=0.001)], Requirements(CostModel.of(1, bandwidth)))
        winner, *tied = codecs

        assert (winner, set(tied)) == (choice.winner.name, set(choice.tied))
        assert re.search(r": costs the same as .*, within 1%", choice.sentence)
        assert f"comes first as {because}" in choice.sentence

    @pytest.mark.parametrize(
        ("sizes", "words"),
        [
            ((9, 8, 7), "c: costs the same as a, within 1%, and so does b, at "),
            ((1, 8, 7), "a: costs the same as b and c, within 1%, at "),
        ],
    )
    def test_a_tie_is_with_the_cheapest(self, result_of, sizes, words):
        """Of two codecs that tie with the cheapest it is not known that they tie with each other."""
        times = (2e-6, 2.002e-6, 2.005e-6)
        field = {n: {"dump": t, "load": t, "size": s} for n, t, s in zip("abc", times, sizes, strict=True)}

        assert pick([result_of(field, noise=0.001)], Requirements()).sentence.startswith(words)

    @pytest.mark.parametrize("seed", [1, 5, 8])
    def test_the_dearer_is_not_preferred_while_nothing_is_known(self, result_of, seed):
        """Not distinguishable is no tie: the cheapest comes first, with the command that goes on."""
        dear = {"dump": 60e-3, "load": 176e-3, "size": 9}
        run = result_of(
            {"json": dear, "orjson": {"dump": 9e-3, "load": 26e-3, "size": 100}},
            facts={"json": {"library": "Python"}, "orjson": {"extra": "orjson"}},
            processes=5,
            noise=1.5,
            seed=seed,
            options={"precision": 0.02, "trust_files": True},
        )
        choice = pick([run], Requirements(), "a b.json")
        costs = choice.standing.costs

        assert min(costs, key=lambda name: costs[name].value) == choice.winner.name
        ((name, found),) = choice.unresolved
        assert () == choice.tied
        assert found.low < 1 < found.value
        line = r"bakeoff run --resume 'a b.json' --ratios --precision 2% --budget [1-9]0+ --trust-files"
        assert re.search(rf"not distinguishable from {name}; `{line}` adds processes; safe", choice.sentence)
        assert f"  sure    no: not distinguishable from {name}, over " in render(choice)
        assert f"\nnot distinguishable, times the lowest cost: {name} " in render(choice)
        assert f"\n{choice.longer}\n" in render(choice)

    def test_a_tie_is_kept_apart_from_what_is_not_resolved(self, result_of):
        """Rules of taste are for the former, whatever stands between them."""
        time = {"load": 2e-6, "size": 9}
        run = result_of(
            {
                "cheapest": {"dump": 2e-6, **time},
                "vague": {"dump": 2.02e-6, **time},
                "plain": {"dump": 2.008e-6, **time},
            },
            facts={"cheapest": {"extra": "x"}, "vague": {"library": "Python"}, "plain": {}},
            noise=0.0005,
        )
        run = shaken(run, "vague", (0.9, 1.12, 1.0))
        choice = pick([run], Requirements())

        assert (
            "bakeoff run" not in pick([replace(run, command="bakeoff.run('x', [])")], Requirements()).sentence
        )
        assert ("plain", ("cheapest",)) == (choice.winner.name, choice.tied)
        assert ["vague"] == [name for name, _ in choice.unresolved]
        assert "plain: costs the same as cheapest, within 1%" in choice.sentence
        assert "not distinguishable from vague; `bakeoff run --resume FILE --ratios" in choice.sentence

    def test_rows_of_several_runs_are_resolved_by_one(self, result_of):
        """More processes of either do not pair them."""
        time = {"dump": 2e-6, "load": 2e-6, "size": 9}
        runs = [result_of({name: time}, corpora=["movies"]) for name in "ab"]

        line = re.search(
            "; `(bakeoff run movies -c .*)` measures them in one run;", pick(runs, Requirements()).sentence
        )
        assert line

    def test_people_may_decide(self, run):
        choice = pick([run], Requirements(codec="json"))

        assert ("json", (), ()) == (choice.winner.name, choice.tied, choice.unresolved)
        assert choice.sentence.startswith("json: decided on by name, at 4.598 µs for one write")
        assert "the lowest cost is that of msgpack, 0.65× as much" in choice.sentence
        assert () == pick([run], Requirements(codec="bson")).breakeven, (
            "it is not what the others would overtake"
        )
        assert pick([run], Requirements()).breakeven == pick([run], Requirements(codec="msgpack")).breakeven
        assert (
            "json: decided on by name" in pick([run], Requirements(codec="json", formats=("json",))).sentence
        )
        with pytest.raises(RunError, match="it does not fit\n  pickle runs code found in its input"):
            pick([run], Requirements(codec="pickle"))
        with pytest.raises(UsageError, match="no codec 'mgpack' in these results; did you mean msgpack"):
            pick([run], Requirements(codec="mgpack"))

    def test_what_is_surely_dearer_ends_a_tie(self, result_of):
        quick = {"dump": 2e-6, "load": 2e-6, "size": 100}
        slow = {"dump": 9e-6, "load": 9e-6, "size": 10}
        run = result_of({"quick": quick, "slower": {**quick, "load": 3e-6}, "vague": slow})
        choice = pick([shaken(run, "vague", (1e-4, 1e4))], Requirements(allow_loss=True))

        assert ("quick", ()) == (choice.winner.name, choice.tied)
        assert ["vague"] == [name for name, _ in choice.unresolved]

    @pytest.mark.parametrize("processes", [1, 2])
    def test_too_few_processes_decide_nothing(self, result_of, processes):
        run = result_of(FIELD, facts=FACTS, processes=processes)

        with pytest.raises(RunError, match=f"^{processes} process.* too few to distinguish codecs; "):
            pick([run], Requirements())
        assert "too few to distinguish codecs" in recommendation(run)

    @pytest.mark.parametrize(
        ("facts", "cell", "words"),
        [
            ({}, {"outcome": "lossy", "loss": ("`tuple` came back as `list`",)}, "is lossy here"),
            ({"trusted_only": True}, {}, "is for trusted data only"),
            ({"unguarded": True}, {}, "lacks a guard against untrusted payloads"),
            ({}, {"facts": PyperfFacts("byte")}, "was not checked"),
            ({}, {"outcome": "out of memory", "samples": ()}, "ran out of memory in peak-load"),
            ({}, {"outcome": "timed out", "samples": ()}, "timed out in peak-load"),
        ],
    )
    def test_why_a_quicker_codec_is_not_recommended(self, result_of, facts, cell, words):
        run = result_of(
            {"json": FIELD["json"], "msgpack": {**FIELD["msgpack"], "peak-load": 9}}, facts={"msgpack": facts}
        )
        run = changed(run, "msgpack", "peak-load", **cell)

        assert f"msgpack is faster but {words} (by the cost" in recommendation(run)

    def test_the_quickest_call_is_no_codec(self, result_of):
        """However much less a library's own call costs, what is picked and recommended can be imported."""
        quick = {"dump": 1e-6, "load": 1e-6, "size": 100}
        run = result_of({"orjson": FIELD["msgpack"], "orjson/raw": quick})
        choice = pick([run], Requirements())

        assert "orjson" == choice.winner.name
        assert "is the library's own calls: no codec to import" == dict(choice.excluded)["orjson/raw"].words
        assert "orjson/raw is faster but is not a codec" in recommendation(run)

    def test_a_codec_of_objects_wins_where_it_was_asked_for(self, result_of):
        """Objects are filled before the clock starts: among codecs of dicts they have no rank."""
        facts = {"protobuf/object": {"takes": "protobuf messages"}}
        quick = {"dump": 2e-7, "load": 2e-7, "size": 100}
        run = result_of({"protobuf/object": quick, "json": FIELD["json"], "bson": FIELD["bson"]}, facts=facts)

        assert "bson" == (choice := pick([run], Requirements())).winner.name
        assert ("protobuf/object", Obstacle("objects", names=("protobuf messages",))) in choice.excluded
        assert "protobuf/object" not in recommendation(run)
        assert {"json", "bson"} == standing_on(
            run, "messages", candidates_on(run, "messages"), CostModel()
        ).ranks.keys()
        assert "protobuf/object" == pick([run], Requirements(codec="protobuf/object")).winner.name
        facts["thrift/object"] = {"takes": "Thrift structs"}
        alone = result_of({"protobuf/object": quick, "thrift/object": FIELD["json"]}, facts=facts)
        assert "protobuf/object" == pick([alone], Requirements()).winner.name
        assert "protobuf/object costs least" in recommendation(alone)

    def test_a_codec_of_objects_is_ranked_where_the_records_are_these(self, result_of):
        """Nothing is filled for it then: it is the others that convert, and it brings the class back."""
        facts = {"msgspec-json/struct": {"takes": "`msgspec.Struct` objects", "preserves": ["str"]}}
        quick = {"dump": 2e-7, "load": 2e-7, "size": 100}
        run = result_of({"msgspec-json/struct": quick, "json": FIELD["json"]}, facts=facts)
        run = changed(run, check=CheckFacts(1000, 1000, as_is=True))

        assert (
            "msgspec-json/struct" == (choice := pick([run], Requirements(needs=("dataclass",)))).winner.name
        )
        assert not any(why.kind == "objects" for _, why in choice.excluded)
        assert "msgspec-json/struct costs least" in recommendation(run)
        assert "takes and gives" not in table([run], "text")

    def test_a_codec_without_guards_wins_for_trusted_data(self, result_of):
        """It is ranked all the same: a table shows what the library can do."""
        quick = {"dump": 2e-7, "load": 2e-7, "size": 100}
        facts = {**FACTS, "cbor2/unguarded": {"unguarded": True}}
        run = result_of({"cbor2/unguarded": quick, **FIELD}, facts=facts)

        assert (
            1
            == standing_on(run, "messages", candidates_on(run, "messages"), CostModel()).ranks[
                "cbor2/unguarded"
            ]
        )
        assert "cbor2/unguarded" in dict(pick([run], Requirements()).excluded)
        assert "cbor2/unguarded" == pick([run], Requirements(trusted=True)).winner.name

    def test_the_order_of_a_tie_changes_nothing(self, result_of):
        run = result_of(
            {
                "plain": {"dump": 2e-6, "load": 2.002e-6, "size": 100},
                "extra": {"dump": 2e-6, "load": 2e-6, "size": 100},
                "other": {"dump": 9e-6, "load": 1.9e-6, "size": 100},
            },
            facts={"extra": {"extra": "extra"}},
            noise=0.001,
        )
        choice = pick([run], Requirements())

        assert ("plain", ("extra",)) == (choice.winner.name, choice.tied)
        assert (
            "other wins if you read more than 85.7 times per write (undecided from 57.3)",
        ) == choice.breakeven

    def test_nothing_fits(self, run):
        with pytest.raises(RunError, match="no codec fits\n  does not preserve uuid: json, msgpack, bson"):
            pick([run], Requirements(needs=("uuid",)))

    def test_a_schema_brings_types_back(self, result_of):
        run = result_of({"json+schema": {"dump": 2e-6, "load": 2e-6, "fix": 1e-6, "size": 100}})

        assert "json+schema" == pick([run], Requirements(needs=("uuid", "datetime"))).winner.name

    def test_what_was_seen_counts(self, result_of):
        """A type that the run saw lost is not brought back, whatever a schema promises."""
        loss = "`datetime.datetime(2027, 1, 4, 22, 6, 28, 742983)` came back as `...` at `$.when`"
        one = {"dump": 2e-6, "load": 2e-6, "fix": 1e-6, "size": 100}
        run = result_of({"bson+schema": one}, losses={"bson+schema": (loss,)})

        assert pick([run], Requirements(needs=("uuid",), allow_loss=True))
        with pytest.raises(RunError, match="does not preserve datetime"):
            pick([run], Requirements(needs=("datetime",), allow_loss=True))

    @pytest.mark.parametrize(
        ("need", "preserved", "loss", "said"),
        [
            (
                "datetime",
                {"datetime_aware", "datetime_offset"},
                "",
                ", but datetime_aware and datetime_offset, and loses nothing of these records",
            ),
            (
                "datetime",
                {"datetime_aware"},
                "`nan` came back as `None` at `$.x`",
                ", but datetime_aware",
            ),
            ("datetime", {"datetime", "datetime_aware"}, "`datetime.datetime(1, 1, 1)` came back as ...", ""),
            ("datetime", {"date"}, "", ""),
            ("datetime_zone", {"datetime_aware"}, "", ""),
            ("int_keys", {"dict", "key_order"}, "", ""),
        ],
    )
    def test_a_part_of_a_type_is_named(self, result_of, need, preserved, loss, said):
        """`datetime` is that without an offset, which many records do not have."""
        one = {"dump": 2e-6, "load": 2e-6, "size": 100}
        facts = {"cbor2": {"preserves": tuple(preserved)}}
        run = result_of({"cbor2": one}, facts=facts, losses={"cbor2": (loss,)} if loss else {})

        with pytest.raises(RunError) as found:
            pick([run], Requirements(needs=(need,), allow_loss=True))
        assert (
            f"no codec fits\n  cbor2 does not preserve {need}{said}" == str(found.value).partition("\n  (")[0]
        )

    def test_unknown_wishes(self, run):
        with pytest.raises(UsageError, match="did you mean datetime"):
            Requirements(needs=("datetimes",))
        with pytest.raises(UsageError, match="no corpus 'film'"):
            pick([run], Requirements(corpora=("film",)))
        with pytest.raises(UsageError, match="rate 0"):
            Requirements(rate=0)

    def test_several_machines(self, run):
        other = replace(run, environment={**run.environment, "hostname": "elsewhere"})

        with pytest.raises(UsageError, match="several machines"):
            pick([run, other], Requirements())

    def test_several_corpora(self, result_of):
        """Big records do not decide alone: each corpus counts by its typical cost."""
        small = result_of(
            {"a": {"dump": 1e-6, "load": 1e-6}, "b": {"dump": 2e-6, "load": 2e-6}}, corpora=["small"]
        )
        big = result_of(
            {"a": {"dump": 1.1e-3, "load": 1.1e-3}, "b": {"dump": 1e-3, "load": 1e-3}}, corpora=["big"]
        )
        both = replace(small, cells=small.cells + big.cells, corpora=small.corpora + big.corpora)

        assert "b" == pick([big], Requirements()).winner.name
        assert "a" == pick([both], Requirements()).winner.name
        assert "b" == pick([both], Requirements(corpora=("big",))).winner.name
        assert "a" == pick([small, big], Requirements()).winner.name

    def test_corpora_of_several_files_stay_paired(self, result_of):
        """What each process of a file says of both codecs is compared, as in one file over both corpora."""
        one, near = {"dump": 1e-6, "load": 1e-6}, {"dump": 1.02e-6, "load": 1.02e-6}

        def disturbed(corpus, seed):
            run = result_of({"a": one, "b": near}, corpora=[corpus], seed=seed, noise=0.0005)
            return shaken(run, "", (1.0, 1.3, 0.8))

        choice = pick([disturbed("movies", 1), disturbed("messages", 2)], Requirements())

        assert ("a", ()) == (choice.winner.name, choice.tied)

    def test_sums_of_other_files_are_no_pairs(self, result_of):
        """Codecs that share the file of one corpus only are compared as two sessions are."""
        one, near = {"dump": 1e-6, "load": 1e-6}, {"dump": 1.01e-6, "load": 1.01e-6}
        sure = {"noise": 0.0005, "processes": 20}
        both = result_of({"a": one, "b": near}, corpora=["movies"], **sure)
        first = result_of({"a": one}, corpora=["messages"], seed=2, **sure)
        second = result_of({"b": near}, corpora=["messages"], seed=3, **sure)
        together = result_of({"a": one, "b": near}, corpora=["messages"], seed=2, **sure)

        assert ["b"] == [name for name, _ in pick([both, first, second], Requirements()).unresolved]
        assert () == pick([both, together], Requirements()).unresolved

    def test_corpora_without_a_common_process(self, result_of):
        run = result_of(FIELD, corpora=["movies", "messages"])
        apart = tuple(
            replace(c, samples=tuple(replace(s, pair=s.pair + 100) for s in c.samples))
            if c.cell.corpus == "messages"
            else c
            for c in run.cells
        )

        with pytest.raises(UsageError, match=r"no process measured json on all corpora .* --corpus"):
            pick([replace(run, cells=apart)], Requirements())


class TestBreakEven:
    @given(
        st.lists(st.tuples(*[st.floats(1e-6, 9e-6)] * 2, st.floats(100, 9000)), min_size=2, max_size=5),
        st.sampled_from([CostModel(), CostModel(3, 1e9), CostModel(3, 1e9, "per-read")]),
    )
    # A tie: the dearer one won.
    @example([(8.925e-06, 6.3005e-06, 100.0), (8.678e-06, 6.544e-06, 100.0)], CostModel())
    def test_crossing_the_point_changes_the_winner(self, result_of, figures, cost):
        field = {
            f"c{number}": {"dump": dump, "load": load, "size": size}
            for number, (dump, load, size) in enumerate(figures)
        }
        run = result_of(field, noise=0.0)
        choice = pick([run], Requirements(cost))
        for change in choice.changes:
            if change.axis.weight != "reads":
                continue
            ours, theirs = choice.parts[choice.winner.name], choice.parts[change.winner]
            (once, again), (their_once, their_again) = ours.along(cost), theirs.along(cost)
            point = (once - their_once) / (their_again - again)
            reads = point * (1.01 if change.above else 0.99)
            assert their_once + reads * their_again < once + reads * again

    def test_says_what_would_change(self, run):
        found = pick([run], Requirements()).breakeven

        assert "bson wins if you read more than 2.74 times per write (undecided from 2.53)" in found
        assert any(
            re.match(r"json\|zstd:3 wins if the network .* \(undecided from 798 Mbit/s\)", line)
            for line in found
        )


LOCK = "version = 1\n[codec]\nname = 'json'\nrequires = {}\n"


class TestLock:
    @pytest.fixture
    def file(self, run, tmp_path, monkeypatch):
        """A result file of today in the working folder."""
        monkeypatch.chdir(tmp_path)
        today = dt.datetime.now(dt.UTC).isoformat()
        facts = {"msgpack": {"version": "1.2.4", "library": "msgpack", **FACTS["msgpack"]}}
        codecs = tuple(replace(c, **facts.get(c.name, {})) for c in run.codecs)
        write(replace(run, started=today, codecs=codecs), tmp_path / "bakeoff.json")
        return tmp_path / "bakeoff.json"

    def test_round_trip(self, file):
        lock = locked(file)
        Path("bakeoff.lock").write_text(lock.dumps())

        assert lock == Lock.read(Path("bakeoff.lock"))
        assert "msgpack" == lock.codec
        assert {"msgpack": ">=1.2.4,<2"} == lock.requires

    @given(
        name=st.text(min_size=1, max_size=40),
        why=st.text(max_size=80),
        options=st.dictionaries(st.sampled_from(("size", "depth", "ratio")), st.integers(0, 9)),
    )
    def test_any_text_survives(self, tmp_path, name, why, options):
        lock = Lock(codec=name, requires={name: why}, why=why, options=options)
        path = tmp_path / "bakeoff.lock"
        path.write_text(lock.dumps(), encoding="utf-8", newline="")

        assert lock == Lock.read(path)

    def test_the_schema_is_kept_and_trust_is_not(self, result_of, tmp_path):
        """A +schema winner is locked by its plain name and the need for a schema; nobody is trusted by it."""
        fast = {"dump": 1e-6, "load": 1e-6, "fix": 1e-7, "size": 9}
        write(
            result_of({"pickle+schema|zstd:3": fast}, facts={"pickle+schema|zstd:3": {"trusted_only": True}}),
            tmp_path / "a.json",
        )
        lock = locked(tmp_path / "a.json", Requirements(trusted=True))

        assert ("pickle|zstd:3", True, {}) == (lock.codec, lock.schema, lock.options)
        assert "pickle+schema|zstd:3" == lock.named

    @pytest.mark.parametrize(
        ("version", "text"),
        [
            ("1.2.4", ">=1.2.4,<2"),
            ("0.22.0", ">=0.22.0,<0.23"),
            ("", ""),
            ("2025a-x", "===2025a-x"),
            ("3.0rc1", "===3.0rc1"),
            ("2.0", ">=2.0,<3"),
            ("0", ">=0,<0.1"),
            ("1.9.0.post1+cpu", ">=1.9.0.post1,<2"),
        ],
    )
    def test_version_range(self, version, text):
        assert text == version_range(version)

    def test_check(self, file):
        lock = locked(file)
        folder = file.parent

        assert [] == check(lock, folder, dt.timedelta(days=1))
        assert [
            "nosuchlib is not installed, the lock requires >=1.2.4,<2: pip install 'nosuchlib>=1.2.4,<2'"
        ] == check(replace(lock, requires={"nosuchlib": ">=1.2.4,<2"}), folder)
        for allowed, message in {
            ">=99": "is installed, the lock requires >=99",
            "x y": "range 'x y' of msgpack is not one",
        }.items():
            assert message in check(replace(lock, requires={"msgpack": allowed}), folder)[0]
        assert ["nothing: no such codec; `bakeoff codecs` lists them"] == check(
            replace(lock, codec="nothing"), folder
        )
        assert ["bson writes bson here, the lock requires msgpack"] == check(
            replace(lock, codec="bson"), folder
        )
        assert "the limit of size" in check(replace(lock, options={"size": -1}), folder)[0]
        old = replace(lock, date="2011-01-01")
        assert "days old, more than the 90 allowed" in check(old, folder, dt.timedelta(90))[0]
        file.write_text("{}")
        assert "sha256 differs" in check(lock, folder)[0]
        file.unlink()
        assert [] == check(lock, folder)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "not a lock; `bakeoff pick RESULTS --write` writes one"),
            ("version = 4", "format 4; this bakeoff reads format 1"),
            ("version = 3", "development version .* `bakeoff pick RESULTS --write` writes a new one"),
            ("version = true", "format True"),
            ("version = 1", "codec must be a table"),
            ("version = 1\n[codec]\nname = 1\nrequires = {}", "name must be text"),
            ("version = 1\n[codec]\nname = 'json'\nrequires = ''", "requires must be a table"),
            ("[[", "cannot be read as a lock"),
            ("version = 1\ncodec = 3", "codec must be a table"),
            ("x = " + "[" * 100_000, "cannot be read as a lock"),
            ("#" * (1 << 20) + "#", "has more than 1,048,576 bytes"),
            (LOCK + "options = {foo = 1}", "no option 'foo'; there are size, decompressed"),
            (LOCK + "options = {trusted = true}", "no option 'trusted'"),
            (LOCK + "options = {size = 'x'}", "size must be a whole number"),
            (LOCK + "options = {size = true}", "size must be a whole number"),
            (LOCK + "options = 3", "options must be a table"),
            (LOCK + "schema = 'no'", "schema must be true or false"),
        ],
    )
    def test_bad_locks(self, tmp_path, text, message):
        (tmp_path / "bakeoff.lock").write_text(text)

        with pytest.raises(RunError, match=message):
            Lock.read(tmp_path / "bakeoff.lock")

    def test_the_compressor_is_named_and_checked(self, result_of, tmp_path, monkeypatch):
        """By the version that the run was made with; a lock that does not name it wants it all the same."""
        environment = {"zstandard_version": "0.23.1"}
        run = result_of({"json|zstd:3": FIELD["json"]}, facts=FACTS, environment=environment)
        write(run, tmp_path / "a.json")
        lock = locked(tmp_path / "a.json")
        monkeypatch.setattr("bakeoff.codecs.production.lock.version", lambda name: None)
        monkeypatch.setattr("bakeoff.codecs.production.lock.of_modules", lambda name: None)

        assert {"zstandard": ">=0.23.1,<0.24", "Python": ">=1.2.3,<2"} == lock.requires
        missing = "zstandard is not installed, the lock requires >=0.23.1,<0.24: pip install 'zstandard>=0.23"
        assert missing in check(lock, tmp_path)[0]
        bare = replace(lock, requires={})
        assert [
            "zstandard is not installed, the lock requires any version: pip install 'zstandard'"
        ] == check(bare, tmp_path)

    def test_a_compressor_of_the_standard_library(self, result_of, tmp_path):
        """It is required in the version of Python, which the environment writes with more words."""
        environment = {"python_version": "3.11.7 (64-bit)"}
        facts = {"msgpack|zlib:1": {"format": "msgpack", "library": "msgpack"}}
        run = result_of({"msgpack|zlib:1": FIELD["msgpack"]}, facts=facts, environment=environment)
        write(run, tmp_path / "a.json")

        assert locked(tmp_path / "a.json").requires["Python"] == ">=3.11.7,<4"

    def test_the_format_of_locks_is_frozen(self):
        path = Path(__file__).parents[1] / "data" / "locks" / "format-1.lock"
        recorded = Lock(
            codec="avro|zstd:3,dict",
            requires={"fastavro": ">=1.12,<2", "zstandard": ">=0.25.0,<0.26"},
            format="avro",
            definition='{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}',
            dictionaries=(Dictionary(7, "bakeoff-7.dict", "00"),),
            options={"size": 100_000, "policies": {"nonfinite": "reject"}},
            why="lowest cost",
            terms={"reads": 24.0, "trusted": False, "corpora": {"orders": "00"}},
            evidence=({"file": "bakeoff.json", "sha256": "00", "date": "2026-11-21"},),
            date="2026-11-21",
        )

        assert recorded == Lock.read(path)
        assert path.read_text() == recorded.dumps()

    def test_the_nearest_lock_is_found(self, tmp_path, monkeypatch):
        monkeypatch.delenv("BAKEOFF_LOCK", raising=False)
        (tmp_path / "a" / "b").mkdir(parents=True)
        monkeypatch.chdir(tmp_path / "a" / "b")

        (tmp_path / "pyproject.toml").touch()
        assert f"{tmp_path}/a/b/bakeoff.lock" == located().path
        (tmp_path / "bakeoff.lock").write_text(LOCK)
        assert f"{tmp_path}/bakeoff.lock" == located().path
        (tmp_path / "a" / "bakeoff.lock").symlink_to("nothing")
        assert f"{tmp_path}/a/bakeoff.lock" == located().path
        monkeypatch.setenv("BAKEOFF_LOCK", "other.lock")
        assert f"{tmp_path}/a/b/other.lock" == located().path
        assert f"{tmp_path}/a/b/third.lock" == located(Path("third.lock")).path

    @pytest.mark.parametrize(
        ("marks", "found"),
        [
            ([], None),
            (["./.git"], "."),
            (["a/.git"], None),
            (["a/pyproject.toml"], None),
            (["a/b/setup.py", "a/.hg"], None),
            (["a/pyproject.toml", "./.git"], "."),
        ],
    )
    def test_no_further_than_the_project_s_root(self, tmp_path, monkeypatch, marks, found):
        """A repository's, else the nearest project's; without either the working folder alone is searched."""
        monkeypatch.delenv("BAKEOFF_LOCK", raising=False)
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / "bakeoff.lock").write_text(LOCK)
        for mark in marks:
            (tmp_path / mark).touch()
        monkeypatch.chdir(tmp_path / "a" / "b")
        place = located()

        assert (found is not None) == place.is_there
        assert str(tmp_path / (found or "a/b") / "bakeoff.lock") == place.path
        if found is None:
            above = f", {tmp_path}/a" if marks else ""
            assert place.missing.startswith(f"no bakeoff.lock in {tmp_path}/a/b{above} (up to")

    def test_a_decision_claims_no_figures(self):
        lock = decided("orjson+schema|zstd:3", "ada")

        assert ("orjson|zstd:3", True, "json") == (lock.codec, lock.schema, lock.format)
        assert {"orjson", "zstandard"} == lock.requires.keys()
        assert all(allowed.startswith(">=") for allowed in lock.requires.values())
        assert "decided by ada, not by a measurement" == lock.why
        assert {"trusted": False} == lock.terms
        assert [{"decided_by": "ada", "date": lock.date}] == list(lock.evidence)
        assert [] == check(lock, Path(), dt.timedelta(days=1))


class TestCommand:
    @pytest.fixture
    def call(self, bakeoff, run):
        """`bakeoff pick` in a folder with a result file."""
        write(run, Path("bakeoff.json"))
        return partial(bakeoff, "pick")

    def test_says_all(self, call):
        code, out, _ = call("--explain")

        assert 0 == code
        assert out.startswith("msgpack\n\nmessages: ")
        assert "\n  use     msgpack: " in out
        assert "runners-up, times its cost: bson 1.3" in out
        assert "  bson wins if you read more than 2.74 times per write (undecided from 2.53)\n" in out
        assert "  pickle runs code found in its input" in out
        assert "cost = dump + reads × (load + fix) + crossings × bytes / bandwidth" in out

    def test_long_lists_are_counted(self, call, result_of):
        figures = {"dump": 1e-6, "load": 1e-6, "size": 9}
        names = [f"codec-{number:02}" for number in range(12)]
        write(result_of({"msgpack": figures, **dict.fromkeys(names, figures)}), Path("many.json"))
        short = call("many.json", "--formats", "msgpack")[1]
        whole = call("many.json", "--formats", "msgpack", "--explain")[1]

        assert "  does not write msgpack: codec-00, codec-01, codec-02 and 9 more\n" in short
        assert short.endswith("--explain names all\n")
        assert f"  does not write msgpack: {', '.join(names)}\n" in whole
        assert "--explain names all" not in whole

    def test_two_files_of_a_corpus(self, call, run):
        write(replace(run, started="later"), Path("again.json"))
        code, out, _ = call("bakeoff.json", "again.json")

        assert 0 == code
        assert "msgpack" == out.splitlines()[0]
        assert re.search(r"^  use     msgpack #[12]: ", out, re.M)

    def test_write_and_check(self, call):
        code, _, err = call("--write")
        path = Path("bakeoff.lock").absolute()
        lock = tomllib.loads(path.read_text())

        assert 0 == code
        assert f"wrote {path}: msgpack\n" == err
        assert "msgpack" == lock["codec"]["name"]
        assert "bakeoff.json" == lock["evidence"][0]["file"]
        path.write_text(Lock(codec="json", requires={"nosuchlib": ">=1"}).dumps())
        code, _, err = call("--check")
        assert 1 == code
        assert f"{path} does not match this environment: nosuchlib is not installed" in err
        path.write_text(Lock(codec="json", requires={"Python": ">=3"}).dumps())
        assert (0, f"{path} matches: json (Python >=3)\n", "") == call("--check")

    def test_another_format_wants_a_word(self, call):
        path = Path("bakeoff.lock").absolute()
        before = Lock(codec="bson", requires={}, format="bson", options={"size": 999}).dumps()
        path.write_text(before)
        code, out, err = call("--write")

        assert 2 == code
        assert out.startswith("msgpack\n")
        met = "decoding a payload of bson with msgpack gives DecodeError: msgpack: "
        for words in (
            f"bakeoff: {path} is unchanged: from bson (bson) to msgpack (msgpack)",
            met,
            "--force",
        ):
            assert words in err
        assert before == path.read_text()
        code, _, err = call("--write", "--force")
        assert 0 == code
        assert err.startswith(
            f"wrote {path}: msgpack\nfrom bson (bson) to msgpack (msgpack): the wire format changes"
        )
        assert met in err
        assert {"size": 999} == Lock.read(path).options
        assert f"wrote {path}: msgpack\n" == call("--write")[2]

    @pytest.mark.parametrize(
        ("before", "new", "refused", "words"),
        [
            ("json", "orjson", False, "bigint: was native, "),
            ("msgpack", "msgpack/pure", False, "no other known changes"),
            ("json", "json|zlib", True, "decoding a payload of json with json|zlib gives DecodeError"),
            ("json", "yaml", True, "yaml read a payload of json in a test"),
            (
                "msgspec-msgpack",
                "msgspec-msgpack/array+schema",
                True,
                "decoding a payload of msgspec-msgpack with",
            ),
            ("gone", "json", True, "could not be tested here: gone: no such codec"),
        ],
    )
    def test_what_changes_is_said(self, call, before, new, refused, words):
        Path("bakeoff.lock").write_text(Lock(codec=before, requires={}).dumps())
        Path("bakeoff.json").unlink()
        code, _, err = call("--choose", new, "--write")

        assert (2 if refused else 0) == code
        assert words in err
        assert (before if refused else new.replace("+schema", "")) == Lock.read("bakeoff.lock").codec

    def test_people_decide_without_a_measurement(self, call):
        assert 0 == call("--choose", "ujson", "--write")[0]
        lock = Lock.read("bakeoff.lock")

        assert ("ujson", "decided_by") == (lock.codec, next(iter(lock.evidence[0])))
        assert 0 == call("--check", "--max-age", "1d")[0]
        for args, code, message in (
            (["--choose", "pickle/2"], 2, "pickle/2 runs code found in its input"),
            (["--choose", "ujsn"], 2, "did you mean ujson"),
            (["--choose", "ujson", "--reads", "3"], 2, "--reads needs a result file that includes ujson"),
        ):
            found, _, err = call(*args, "--write")
            assert code == found
            assert message in err
        assert 0 == call("--choose", "msgpack", "--write", "--force")[0]
        assert "bakeoff.json" == Lock.read("bakeoff.lock").evidence[0]["file"]

    def test_a_file_that_is_no_lock_is_kept(self, call):
        Path("notes").write_text("my notes")
        code, _, err = call("--write", "--lock", "notes")

        assert 1 == code
        assert "notes: cannot be read as a lock" in err
        assert "my notes" == Path("notes").read_text()

    @pytest.mark.parametrize(
        ("args", "code", "message"),
        [
            (["--check"], 2, "no bakeoff.lock in /"),
            (["--check", "--write"], 2, "remove --write"),
            (["--check", "--trusted", "--corpus", "x"], 2, "remove --corpus, --trusted"),
            (["--check", "--reads", "3", "--interop"], 2, "remove --interop, --reads"),
            (["--needs", "datetimes"], 2, "did you mean datetime"),
            (["--formats", "plist"], 1, "no codec fits"),
            (["--formats", "json,mgpack"], 2, "no wire format 'mgpack'; did you mean msgpack?"),
            (["--formats", "xml"], 2, "there are bson, cbor, "),
            (["--bandwidth", "1"], 2, "bandwidth '1'"),
            (["--write", "--lock", "no/such/dir.lock"], 2, "no such folder: "),
            (["nosuch.json"], 2, "no such file"),
        ],
    )
    def test_bad_input(self, call, args, code, message):
        found, _, err = call(*args)

        assert code == found
        assert message in err
        assert message in err.splitlines()[0]
