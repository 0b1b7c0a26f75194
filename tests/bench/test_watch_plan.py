"""The timing processes of a watch, by the rules of all timing processes.

They are played: each answers with figures of its own, unless something happens to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, cast

import pytest

from bakeoff.bench.heartbeat import IDLE
from bakeoff.bench.jobs import Ended, Job, decode, encode
from bakeoff.bench.messages.watch import AfterWork, CallTimes, TimeCalls, TimedCalls, WatchedCall
from bakeoff.bench.run.rounds import Rounds
from bakeoff.bench.watch.alternatives import OWN, Other
from bakeoff.bench.watch.measure import Found, TimedSites
from bakeoff.bench.watch.parts import Kept
from bakeoff.bench.watch.tasks import Task

PROCESSES = 6
LIBRARY = Other("json", "orjson")
TASKS = [Task(function, {}, [Kept("[1]", 1)], 0.0) for function in ("json.loads", "simplejson.loads")]

Happens = Callable[[TimeCalls], Ended]


class Played:
    """An executor: what happens to some processes, by their number; the others answer.

    Attributes:
        asked: The calls of each process.
    """

    cores = (0,)

    def __init__(self, happens: Mapping[int, Happens]) -> None:
        self._happens = happens
        self.asked: list[Sequence[WatchedCall]] = []

    def submit(self, job: Job, **more: object) -> Future[Ended]:
        assert isinstance(job, TimeCalls)
        self.asked.append(job.calls)
        done: Future[Ended] = Future()
        happens = self._happens.get(len(self.asked) - 1, answers())
        done.set_result(happens(job))
        return done


def answers(*, dirty: float = 0.0, contention: float = 1.0, refused: str = "", error: str = "") -> Happens:
    """A process that answers; `LIBRARY` at the first call site may be refused, or have an error."""

    def ended(job: TimeCalls) -> Ended:
        index = str(place(job.calls, 0, LIBRARY))
        out = {index} if refused or error else set()
        cells = {str(n): CallTimes((contention,), (1.0,)) for n in range(len(job.calls))}
        found = {key: times for key, times in cells.items() if key not in out}
        return Ended(
            TimedCalls(
                found,
                {index: refused} if refused else {},
                {index: error} if error else {},
                dirty,
                contention,
                1.0,
            )
        )

    return ended


def dies(site: int | None, library: Other = OWN, outcome: Any = "crashed") -> Happens:
    """A process that dies in a call, or while none runs."""
    return lambda job: Ended(
        None, outcome, "died", cell=IDLE if site is None else place(job.calls, site, library)
    )


def place(calls: Sequence[WatchedCall], site: int, library: Other) -> int:
    wanted = WatchedCall(site, library.form, library.library)
    return calls.index(wanted) if wanted in calls else IDLE


def play(happens: Mapping[int, Happens]) -> tuple[list[Found], Played]:
    """Return what is known of both call sites, and the processes that ran."""
    played = Played(happens)
    plan = TimedSites(cast("Any", played), TimeCalls(tasks=""), TASKS, PROCESSES, lambda share: None)
    Rounds(plan, patience=60.0).conduct()
    return plan.found(), played


def test_all_processes_count() -> None:
    found, played = play({})

    assert len(played.asked) == PROCESSES
    assert all(set(each.times) == set(task.libraries) for each, task in zip(found, TASKS, strict=True))
    assert {PROCESSES} == {len(times) for each in found for times in each.times.values()}


@pytest.mark.parametrize("number", [0, 3, PROCESSES - 1])
@pytest.mark.parametrize(
    ("happens", "reason", "more"),
    [
        (dies(0, LIBRARY), "crashed: died, while being timed", 1),
        (dies(0, LIBRARY, "timed out"), "made no progress for 60 s while being timed", 1),
        (answers(refused="`tuple` came back as `list`"), "`tuple` came back as `list`", 0),
        (answers(error="ValueError: no"), "while being timed: ValueError: no", 0),
    ],
)
def test_a_library_is_out_at_one_call_site(number: int, happens: Happens, reason: str, more: int) -> None:
    found, played = play({number: happens})

    assert len(played.asked) == PROCESSES + more
    assert {LIBRARY: reason} == found[0].refused
    assert set(TASKS[0].libraries) - {LIBRARY} == set(found[0].times)
    assert {} == found[1].refused
    assert {PROCESSES} == {len(times) for each in found for times in each.times.values()}
    assert all(place(calls, 0, LIBRARY) == IDLE for calls in played.asked[number + 1 :])


def test_without_the_watched_function_a_call_site_is_out() -> None:
    found, _ = play({2: dies(0)})

    assert Found({}, {OWN: "crashed: died, while being timed"}) == found[0]
    assert set(TASKS[1].libraries) == set(found[1].times)


@pytest.mark.parametrize(("numbers", "lost"), [((0, 1), False), ((0, 1, 3), False), ((0, 1, 2), True)])
def test_only_three_deaths_in_a_row_while_no_call_runs_end_it(numbers: Sequence[int], lost: bool) -> None:
    found, played = play(dict.fromkeys(numbers, dies(None)))

    assert len(played.asked) == (len(numbers) if lost else PROCESSES + len(numbers))
    assert all((OWN in each.refused, OWN in each.times) == (lost, not lost) for each in found)


def test_a_disturbed_process_is_replaced() -> None:
    found, played = play({1: answers(dirty=0.9, contention=7.0)})

    assert len(played.asked) == PROCESSES + 1
    assert [1.0] * PROCESSES == [times.calls[0] for times in found[0].times[OWN]]


def test_processes_on_a_shared_core_are_left_out() -> None:
    found, _ = play({number: answers(contention=1.6) for number in (0, 4)})

    assert [1.0] * (PROCESSES - 2) == [times.calls[0] for times in found[0].times[LIBRARY]]


def test_messages_are_read_as_they_were_written() -> None:
    job = TimeCalls(tasks="digest", calls=(WatchedCall(0, "json", "orjson"),))
    times = CallTimes((1e-6,), (2e-6,), (AfterWork(1.5, -0.1, 0.2), AfterWork(2.0)), 1.2)
    answer = TimedCalls({"0": times}, {"1": "no"}, {}, 0.1, 1.0, 1.0)

    assert job == decode(encode(job))
    assert answer == decode(encode(answer))
