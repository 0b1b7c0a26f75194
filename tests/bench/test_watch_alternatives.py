"""What could take the place of a watched function, and what could not."""

from __future__ import annotations

import gc
import itertools
import marshal
import pickle
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgpack
import pytest

from bakeoff.bench.libraries import FUNCTIONS, OWNERS
from bakeoff.bench.messages.watch import AfterWork, CallTimes
from bakeoff.bench.results.watched import CallSite, Frame, LeftOut, Saving, Stack
from bakeoff.bench.watch import answer, regimes
from bakeoff.bench.watch.alternatives import (
    NOT_INSTALLED,
    OWN,
    PROTOCOL,
    Other,
    is_plain,
    obstacle,
    others,
    unpickled,
)
from bakeoff.bench.watch.collector import collections
from bakeoff.bench.watch.measure import Found, SiteFindings, measure
from bakeoff.bench.watch.parts import Kept, Site
from bakeoff.bench.watch.regimes import Disturbances
from bakeoff.bench.watch.saved import replaced
from bakeoff.bench.watch.tasks import USUAL, Effort, Task, task
from bakeoff.errors import RunError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="watch needs POSIX")

RECORD = {"order": 1, "lines": [{"sku": "A-1", "price": 1.25}] * 3, "paid": True, "note": None}
PAIR = {"place": (1, 2)}
MORE = Other("json", "more")
USUALLY = CallTimes((0.002,), (0.002,))
OTHER_FORMATS = {
    *(Other("msgpack", name) for name in ("ormsgpack", "msgspec", "msgpack")),
    *(Other("json", name) for name in ("orjson", "msgspec")),
}


class Touching:
    """Creates a file when its pickle is read without care."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_each_watched_function_has_alternatives_or_a_reason() -> None:
    assert [] == [name for name, known in FUNCTIONS.items() if not known.alone and not others(name, {})]


@pytest.mark.parametrize(
    ("function", "options", "found"),
    [
        ("pickle.dumps", {"1": "2"}, ""),
        ("pickle.dump", {"1": "<BufferedWriter>", "protocol": "5"}, ""),
        ("pickle.dumps", {"buffer_callback": "<function>"}, "it is called with buffer_callback="),
        ("pickle.loads", {"encoding": "'bytes'"}, "it is called with encoding="),
        ("marshal.dumps", {"1": "2"}, "it is called with version="),
        ("cbor2.dumps", {"canonical": "True"}, "it is called with canonical="),
        ("cbor2.dump", {"1": "<BytesIO>", "default": "None"}, ""),
        ("bson.decode", {"1": "<CodecOptions>"}, "it is called with codec_options="),
        ("orjson.dumps", {"1": "None", "2": "1"}, "it is called with option="),
        ("json.loads", {"1": "<function>"}, "it is called with argument 2"),
        ("yaml.dump", {"1": "<TextIOWrapper>", "sort_keys": "False", "indent": "4"}, ""),
        ("yaml.load", {"1": "FullLoader"}, ""),
        ("yaml.load", {"Loader": "CSafeLoader"}, "CSafeLoader is libyaml's already"),
        ("yaml.load_all", {"Loader": "LineLoader"}, "it is called with Loader=LineLoader"),
        ("pydantic_core.from_json", {"cache_strings": "'keys'"}, ""),
        ("pydantic_core.from_json", {"allow_partial": "True"}, "it is called with allow_partial="),
    ],
)
def test_options_that_others_do_not_have(function: str, options: dict[str, str], found: str) -> None:
    assert obstacle(options, function) == found


@pytest.mark.parametrize("said", ["5", "-1"])
def test_the_newest_protocol_is_no_alternative_to_itself(said: str) -> None:
    assert {other.form for other in others("pickle.dumps", {"protocol": said})} == {"msgpack", "json"}
    assert Other("pickle", PROTOCOL) in others("pickle.dumps", {"protocol": "2"})


def test_a_pickle_that_names_a_class_is_not_read(tmp_path: Path) -> None:
    payload = pickle.dumps(Touching(tmp_path / "touched"))

    assert not is_plain("pickle.loads", Kept(payload, 1))
    with pytest.raises(pickle.UnpicklingError, match="Path"):
        unpickled(payload)
    assert not list(tmp_path.iterdir())
    assert unpickled(pickle.dumps(PAIR)) == PAIR


def _kept(value: Any, *, result: bool = False) -> Kept:
    return Kept(value if isinstance(value, bytes | str) else marshal.dumps(value), 1.0, result)


CASES: dict[str, tuple[str, dict[str, str], Kept, set[Other]]] = {
    "old protocol": (
        "pickle.dumps",
        {"1": "0"},
        _kept(RECORD),
        {Other("pickle", PROTOCOL), *OTHER_FORMATS},
    ),
    "pickle in a file": (
        "pickle.dump",
        {"1": "<FileIO>", "2": "2"},
        _kept(RECORD),
        {Other("pickle", PROTOCOL), *OTHER_FORMATS},
    ),
    "pickled text": (
        "pickle.loads",
        {},
        _kept(pickle.dumps(RECORD, 0)),
        {Other("pickle", PROTOCOL), *OTHER_FORMATS},
    ),
    "a stream of pickles": ("pickle.load", {}, _kept(RECORD, result=True), OTHER_FORMATS),
    "a tuple": ("pickle.dumps", {}, _kept(PAIR), {Other("pickle", PROTOCOL)}),
    "a pickled tuple": (
        "pickle.loads",
        {},
        _kept(pickle.dumps(PAIR, 2)),
        {Other("pickle", PROTOCOL)},
    ),
    "marshal": ("marshal.loads", {}, _kept(RECORD, result=True), OTHER_FORMATS),
    "a tuple in CBOR": ("cbor2.dumps", {}, _kept(PAIR), OTHER_FORMATS),
    "a stream of CBOR": ("cbor2.load", {}, _kept(RECORD, result=True), OTHER_FORMATS),
    "BSON": ("bson.encode", {}, _kept(RECORD), OTHER_FORMATS),
    "a stream of BSON": ("bson.decode_iter", {}, _kept(RECORD, result=True), OTHER_FORMATS),
    "a file of YAML": ("yaml.safe_load_all", {}, _kept(RECORD, result=True), {Other("yaml", "libyaml")}),
    "documents of YAML": (
        "yaml.dump_all",
        {"1": "<StringIO>", "Dumper": "SafeDumper", "indent": "4"},
        _kept([RECORD, RECORD]),
        {Other("yaml", "libyaml")},
    ),
    "a packer": (
        "msgpack.Packer.pack",
        {},
        _kept(RECORD)._replace(size=len(msgpack.packb(RECORD))),
        {Other("msgpack", name) for name in ("ormsgpack", "msgspec")},
    ),
    "a packer with options": (
        "msgpack.Packer.pack",
        {},
        _kept(RECORD)._replace(size=len(msgpack.packb(RECORD, use_single_float=True))),
        set(),
    ),
    "not JSON": ("json.loads", {}, _kept("{"), set()),
    "a tuple in YAML": ("yaml.dump", {}, _kept(PAIR), set()),
}
"""Function, options, what was kept, and what could replace the call."""


@pytest.fixture(scope="module")
def found() -> dict[str, Found]:
    """What a new process finds for each of `CASES`."""
    tasks = [Task(function, options, [kept], 0.0) for function, options, kept, _ in CASES.values()]
    return dict(zip(CASES, measure(tasks, Effort(processes=1), lambda _: None).found, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_takes_the_place_of_a_call(name: str, found: dict[str, Found]) -> None:
    expected = CASES[name][-1]

    assert set(found[name].times) - {OWN} == expected, found[name].refused


@pytest.mark.slow
def test_why_a_library_cannot_be_used(found: dict[str, Found]) -> None:
    reason = "`tuple` came back as `list` at `$.place`"

    assert found["a packer with options"].refused == {OWN: "its constructor has options"}
    assert found["a tuple"].refused[Other("msgpack", "ormsgpack")] == reason
    assert found["a pickled tuple"].refused[Other("json", "orjson")] == reason


def _site(
    function: str,
    *kept: Kept,
    place: str = "app.py:7",
    calls: float = 1.0,
    busy: float = 1.0,
    collecting: float = 0.0,
    after_work: float = 0.0,
) -> Site:
    known, stack = FUNCTIONS[function], Stack((Frame(place, "main", True),), busy)
    facts = CallSite(
        function,
        place,
        not known.encodes,
        OWNERS[function].format,
        {},
        calls,
        busy,
        busy,
        None,
        0.0,
        len(kept),
        (stack,),
        known.alone,
        collecting,
    )
    return Site(facts, after_work, kept)


@pytest.mark.parametrize(
    ("site", "reason"),
    [
        (_site("pickle.dumps", Kept(False, 1)), "its records have objects of classes"),
        (_site("pickle.loads", Kept(pickle.dumps(Path()), 1)), "its records have objects of classes"),
        (
            _site("pickle.loads", Kept(pickle.dumps(1), 1), place="multiprocessing/queues.py:1"),
            "multiprocessing chooses the format",
        ),
    ],
)
def test_calls_that_are_left_out(site: Site, reason: str) -> None:
    savings, _ = answer.predict([site], 2.0, USUAL, lambda _: None)

    assert {(each.into or each.form, each.library) for each in savings} == set(
        others(site.facts.function, {})
    )
    assert not any(each.tried for each in savings)
    assert {LeftOut(site.facts.function, site.facts.place, 1.0, reason)} == {
        left_out for each in savings for left_out in each.left_out
    }


@pytest.mark.parametrize(
    ("functions", "saved"),
    [
        ({"pickle.loads": 1.0}, 0.5),
        ({"pickle.load": 1.0}, 0.1),
        ({"pickle.loads": 0.4, "pickle.load": 1.0}, 0.4),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) else "",
)
def test_the_time_of_a_file_is_not_saved(
    functions: dict[str, float], saved: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When timed, the calls take 0.2 s, in the program more; another library takes half of its time.

    If calls without a file take twice as long in the program, so does what calls with a file do without it.
    """
    record = _kept(RECORD, result=True)
    sites = [_site(function, record, calls=100, busy=busy) for function, busy in functions.items()]

    assert _saving(sites, monkeypatch).seconds == pytest.approx(saved)


@pytest.mark.parametrize(
    ("collections", "saved", "half"), [(1.0, 0.3, 0.0), (1.5, 0.3 - 0.1, 0.1), (0.9, 0.3 + 0.02, 0.02)]
)
def test_what_the_garbage_collector_takes_for_records_of_another_library(
    collections: float, saved: float, half: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between none and all of its 0.4 s are for records of the library."""
    site = _site("pickle.loads", _kept(RECORD, result=True), calls=100, collecting=0.4)

    found = _saving([site], monkeypatch, collections)
    assert found.seconds == pytest.approx(saved)
    assert found.half == pytest.approx(half)


@pytest.mark.parametrize(
    ("function", "collecting", "expected"),
    [("json.loads", 0.4, True), ("json.loads", 0.001, False), ("json.dumps", 0.4, False)],
)
def test_the_garbage_collector_is_timed_where_it_matters(
    function: str, collecting: float, expected: bool
) -> None:
    found = task(_site(function, _kept(RECORD), collecting=collecting), 1.0)

    assert found is not None
    assert found.collecting is expected


@pytest.mark.slow
def test_the_garbage_collector_takes_longer_for_more_objects() -> None:
    def more(payload: str) -> list[list[int]]:
        return [[len(payload)] for _ in range(100)]

    calls = {OWN: (lambda payload: [len(payload)], ["x" * 1000]), MORE: (more, ["x" * 1000])}
    found = collections(calls, 1.0)

    assert found[OWN] == 1.0
    assert found[MORE] > 2
    assert gc.get_freeze_count() == 0


def test_slow_decoding_is_not_repeated_for_the_garbage_collector() -> None:
    asked = Counter[str]()

    def slow(payload: str) -> list[str]:
        asked[payload] += 1
        return [payload]

    collections({OWN: (slow, ["a", "b"])}, 0.0)

    assert asked == {"a": 3}


def _found(other: Other, its: CallTimes, own: CallTimes = USUALLY) -> Found:
    """Return what six processes found that agree."""
    return Found({OWN: [own] * 6, other: [its] * 6}, defaultdict(lambda: NOT_INSTALLED))


def _saving(sites: list[Site], monkeypatch: pytest.MonkeyPatch, collections: float = 1.0) -> Saving:
    """Return what a library saves whose calls take 1 ms, where those of a site took 2 ms."""
    other = Other("msgpack", "ormsgpack")
    found = _found(other, CallTimes((0.001,), (0.001,), collection=collections))
    monkeypatch.setattr(answer, "measure", lambda *_: SiteFindings([found] * len(sites)))
    savings, _ = answer.predict(sites, 2.0, USUAL, print)
    (saving,) = [each for each in savings if each.library == "ormsgpack"]
    return saving


@pytest.mark.parametrize(
    ("part", "seconds", "ratio"),
    [
        (0.0, 0.009, 1 - 0.5),
        (0.5, 0.0, 1 - (0.6 + 0.05) / 1.5),
        (1.0, 0.003, 1 - 0.7 / 2 - 0.1 / 1.5),
        (1.0, 0.004, 1 - (0.7 + 0.1) / 2),
        (1.0, 0.006, 1 - (0.8 + 0.05) / 3),
        (1.0, 0.009, 1 - 0.9 / 4),
        (0.5, 0.009, 1 - 0.7 / 2.5),
    ],
)
def test_after_other_work_calls_are_slower_and_a_library_saves_more(
    part: float, seconds: float, ratio: float
) -> None:
    """In a row, calls take 2 ms and another library's 1 ms.

    After other work they take 4 ms, and 8 ms with empty caches; the library saves 20 and 40 % of 2 ms more,
    and 10 % in the work after a call, if the caches are not empty.
    """
    other = Other("json", "orjson")
    found = _found(other, CallTimes((0.001,), (0.001,), (AfterWork(2.0, 0.2, 0.1), AfterWork(4.0, 0.4, 0.0))))

    assert replaced(found, other, part, seconds).ratio == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("saved", "saved_after", "counted"),
    [(0.2, 0.5, 0.2), (0.2, -0.1, 0.0), (-0.2, -0.5, -0.2), (-0.2, 0.1, 0.0)],
)
def test_a_library_saves_no_more_after_a_call_than_in_it(
    saved: float, saved_after: float, counted: float
) -> None:
    """What a call brings into the caches pushes out as much, at most."""
    other = Other("json", "orjson")
    found = _found(other, CallTimes((0.001,), (0.001,), (AfterWork(2.0, saved, saved_after), AfterWork(2.0))))

    assert replaced(found, other, 1.0, 0.0).ratio == pytest.approx(1 - (0.5 + saved + counted) / 2)


def test_a_library_saves_no_more_than_the_calls_take() -> None:
    other = Other("json", "orjson")
    found = _found(other, CallTimes((0.001,), (0.001,), (AfterWork(1.0, 0.4, 0.4), AfterWork(1.0))))

    assert replaced(found, other, 1.0, 0.0).ratio == 0.0


@pytest.mark.parametrize(("part", "is_known"), [(0.0, True), (1.0, False)])
def test_the_interval_includes_how_well_the_caches_are_known(part: float, is_known: bool) -> None:
    """If processes disagree on how long a call takes, they disagree on how empty the caches are."""
    other = Other("json", "orjson")
    after = AfterWork(2.0, 0.2), AfterWork(4.0, 0.4)
    own = [CallTimes((seconds,), (seconds,)) for seconds in (0.002, 0.003) * 3]
    its = [CallTimes((seconds,), (seconds / 2,), after) for seconds in (0.002, 0.003) * 3]

    assert (replaced(Found({OWN: own, other: its}, {}), other, part, 0.008).half < 1e-9) is is_known


def test_records_are_drawn_in_proportion_to_the_calls_that_they_represent() -> None:
    job = task(_site("json.loads", *(Kept(f"[{number}]", number) for number in (1, 2, 3)), busy=0.0), 1.0)

    assert job is not None
    assert {"[1]": 10, "[2]": 20, "[3]": 30} == Counter(kept.value for kept in job.kept)


@pytest.mark.parametrize(("seconds", "records"), [(1e-6, 60), (0.005, 40), (0.1, 10)])
def test_of_slow_calls_fewer_records_are_timed(seconds: float, records: int) -> None:
    kept = [_kept(f"a: {number}") for number in range(10)]
    job = task(_site("yaml.safe_load", *kept, calls=100, busy=100 * seconds), 1.0)

    assert job is not None
    assert len(job.kept) == records


def test_a_slow_call_is_timed_without_copies() -> None:
    job = task(_site("yaml.safe_load", _kept("a: 1"), calls=1, busy=2.0), 1.0)

    assert job is not None
    assert len(job.kept) == 1


def test_an_interrupted_call_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call is interrupted once, and all others never."""
    counted = iter([0, 1])
    monkeypatch.setattr(regimes, "interruptions", lambda: next(counted, 1))
    made: list[int] = []
    passes, disturbances = {OWN: regimes._Passes()}, Disturbances()

    regimes._add_cold(passes, {OWN: (made.append, [10, 11])}, [0, 1], lambda other: None, disturbances)

    assert made == [10, 10, 11]
    assert disturbances.share == 0.0
    assert len(passes[OWN].calls[0]) == 2


def test_a_call_that_is_interrupted_each_time_is_disturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = itertools.count()
    monkeypatch.setattr(regimes, "interruptions", lambda: next(counted) if len(made) <= 5 else 0)
    made: list[int] = []
    passes, disturbances = {OWN: regimes._Passes()}, Disturbances()

    regimes._add_cold(passes, {OWN: (made.append, [10, 11])}, [0, 1], lambda other: None, disturbances)

    assert made == [10] * 5 + [11] * 2
    assert disturbances.share == 0.5


def test_a_long_call_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something interrupts nearly every one."""
    monkeypatch.setattr(regimes, "interruptions", itertools.count().__next__)
    monkeypatch.setattr(regimes, "time_followed", lambda call, given, then: [(call(*given), 0)])
    made: list[int] = []

    def call(nanoseconds: int) -> int:
        made.append(nanoseconds)
        return nanoseconds

    disturbances = Disturbances()
    for nanoseconds in (10, 10**9):
        regimes._uninterrupted(disturbances, call, nanoseconds)

    assert Counter({10: 5, 10**9: 1}) == Counter(made)
    assert disturbances.share == 0.5


def test_a_library_makes_its_calls_between_other_work_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call, which finds another library in the caches, does not count."""
    monkeypatch.setattr(regimes, "interruptions", lambda: 0)
    made: list[tuple[int, int]] = []
    other = Other("json", "orjson")
    calls: dict[Other, Any] = {
        OWN: (lambda record: made.append((0, record)), [10, 11]),
        other: (lambda record: made.append((1, record)), [10, 11]),
    }
    passes = {each: regimes._Passes() for each in calls}

    regimes._add_between(passes, calls, [1, 0], lambda other: None, Disturbances())

    in_row = [list(records) for _, records in itertools.groupby(made, lambda each: each[0])]
    assert sorted(in_row) == [[(0, 11), (0, 11), (0, 10)], [(1, 11), (1, 11), (1, 10)]]
    assert [len(each.calls[0]) for each in passes.values()] == [2, 2]


@pytest.mark.parametrize(("eviction", "records"), [(0.0001, 6), (0.01, 2), (1.0, 1)])
def test_no_more_caches_are_emptied_than_there_is_time_for(
    eviction: float, records: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    add, counts = regimes._add_cold, set()

    def counted(after: Any, calls: Any, some: Sequence[int], *more: Any) -> None:
        counts.add(len(some))
        add(after, calls, some, *more)

    monkeypatch.setattr(regimes, "_add_cold", counted)
    monkeypatch.setattr(regimes, "_eviction", lambda: eviction)
    regimes.timed({OWN: (str, list(range(20)))}, 0.02, lambda other: None, lambda: None, Disturbances())

    assert {records} == counts


def test_dropping_a_record_takes_no_part_of_a_call() -> None:
    other = Other("json", "orjson")
    found = _found(other, CallTimes((0.001,), (0.003,)), CallTimes((0.002,), (0.004,)))

    assert replaced(found, other, 0.0, 0.002).ratio == pytest.approx(0.5)


def test_what_a_call_does_to_the_work_after_it_is_part_of_a_saving() -> None:
    """Nanoseconds of two records; only the first one is timed between other work."""
    other = Other("json", "orjson")
    in_row = {OWN: _passes((110, 150), (210, 300)), other: _passes((60, 110), (80, 140))}
    warm = {OWN: _passes((210, 1200)), other: _passes((90, 1110))}
    cold = {OWN: _passes((310, 2200)), other: _passes((190, 2000))}

    found = regimes._compared(in_row, (warm, cold), [0], [(10, 20)])

    assert found[OWN].calls == pytest.approx((100e-9, 200e-9))
    assert found[OWN].seconds == pytest.approx((130e-9, 280e-9))
    assert found[other].seconds == pytest.approx((90e-9, 120e-9))
    warm, cold = found[other].after_work
    assert (warm.call, warm.saved, warm.saved_after) == pytest.approx((2.0, 0.7, -0.2))
    assert (cold.call, cold.saved, cold.saved_after) == pytest.approx((3.0, 0.7, 0.9))


def _passes(*pairs: tuple[int, int]) -> regimes._Passes:
    """Return three equal passes, but for a pause in one."""
    passes = regimes._Passes()
    for pause in (0, 5000, 0):
        passes.add([(call + pause, whole + pause) for call, whole in pairs])
    return passes


def test_without_a_temporary_folder_there_is_no_prediction_but_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def died(*_: object) -> NoReturn:
        raise RunError("no folder for temporary files")

    monkeypatch.setattr(answer, "measure", died)
    savings, _ = answer.predict([_site("json.loads", Kept("[1]", 1))], 2.0, USUAL, lambda _: None)

    assert {each.library for each in savings} == {other.library for other in others("json.loads", {})}
    assert {"no folder for temporary files"} == {site.reason for each in savings for site in each.left_out}
    assert not any(each.tried for each in savings)


def test_a_function_that_nothing_replaces_and_one_that_takes_little_time_are_not_tried() -> None:
    alone = _site("pydantic.BaseModel.model_dump_json", Kept(False, 1))
    small = _site("json.dumps", _kept(RECORD), busy=0.001)

    assert not answer.predict([alone, small], 2.0, USUAL, lambda _: None).savings
