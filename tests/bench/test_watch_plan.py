"""What the plan of a watch makes of its processes, which are played: of call sites, refusals, shared cores.

`test_rounds` has the rules of all timing processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NoReturn, cast

import pytest

from bakeoff.bench.heartbeat import IDLE
from bakeoff.bench.jobs import Ended, Job, decode, encode
from bakeoff.bench.messages.watch import AfterWork, CallTimes, TimeCalls, TimedCalls, WatchedCall
from bakeoff.bench.run.rounds import Rounds
from bakeoff.bench.watch.alternatives import OWN, Other
from bakeoff.bench.watch.measure import Found, TimedSites, conducted
from bakeoff.bench.watch.parts import Kept
from bakeoff.bench.watch.tasks import Effort, Task

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


def answers(*, contention: float = 1.0, refused: str = "") -> Happens:
    """A process that answers; it may refuse `LIBRARY` at the first call site."""

    def ended(job: TimeCalls) -> Ended:
        out = {str(place(job.calls, 0, LIBRARY)): refused} if refused else {}
        cells = {str(n): CallTimes((contention,), (1.0,)) for n in range(len(job.calls)) if str(n) not in out}
        return Ended(TimedCalls(cells, out, {}, 0.0, contention, 1.0))

    return ended


def dies(site: int, library: Other = OWN) -> Happens:
    """A process that dies in a call."""
    return lambda job: Ended(None, "crashed", "died", cell=place(job.calls, site, library))


def interrupts(job: TimeCalls) -> NoReturn:
    """Ctrl-C."""
    raise KeyboardInterrupt


def place(calls: Sequence[WatchedCall], site: int, library: Other) -> int:
    wanted = WatchedCall(site, library.form, library.library)
    return calls.index(wanted) if wanted in calls else IDLE


def planned(played: Played) -> TimedSites:
    effort = Effort(processes=PROCESSES, limit=30.0, fewest=3)
    return TimedSites(cast("Any", played), TimeCalls(tasks=""), TASKS, effort, lambda share: None)


def play(happens: Mapping[int, Happens]) -> tuple[list[Found], Played]:
    """Return what is known of both call sites, and the processes that ran."""
    played = Played(happens)
    plan = planned(played)
    Rounds(plan, patience=60.0).conduct()
    return plan.found(), played


@pytest.mark.parametrize("number", [0, 3, PROCESSES - 1])
@pytest.mark.parametrize(
    ("happens", "reason", "more"),
    [
        (dies(0, LIBRARY), "crashed: died, while being timed", 1),
        (answers(refused="`tuple` came back as `list`"), "`tuple` came back as `list`", 0),
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


@pytest.mark.parametrize("number", [0, 1, 2, PROCESSES - 1])
def test_what_was_timed_before_ctrl_c_counts(number: int) -> None:
    """An interval needs two processes."""
    found, notes = conducted(planned(Played({number: interrupts})), 60.0)

    assert (
        f"the timing of other libraries was interrupted after {number} of {PROCESSES} processes",
    ) == notes
    if number < 2:
        assert [Found({}, {OWN: "the timing was interrupted"})] * len(TASKS) == found
    else:
        assert {number} == {len(times) for each in found for times in each.times.values()}
        assert [set(task.libraries) for task in TASKS] == [set(each.times) for each in found]


@pytest.mark.parametrize(("seconds", "processes"), [(1.0, PROCESSES), (9.0, 4), (100.0, 3)])
def test_of_slow_calls_fewer_processes_are_timed(
    seconds: float, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = Played({})
    monkeypatch.setattr(time, "monotonic", lambda: seconds * len(played.asked))
    found, _ = conducted(planned(played), 60.0)

    assert processes == len(played.asked)
    assert {processes} == {len(times) for each in found for times in each.times.values()}


def test_processes_on_a_shared_core_are_left_out() -> None:
    found, _ = play({number: answers(contention=1.6) for number in (0, 4)})

    assert [1.0] * (PROCESSES - 2) == [times.calls[0] for times in found[0].times[LIBRARY]]


def test_messages_are_read_as_they_were_written() -> None:
    job = TimeCalls(tasks="digest", calls=(WatchedCall(0, "json", "orjson"),))
    times = CallTimes((1e-6,), (2e-6,), (AfterWork(1.5, -0.1, 0.2), AfterWork(2.0)), 1.2)
    answer = TimedCalls({"0": times}, {"1": "no"}, {}, 0.1, 1.0, 1.0)

    assert job == decode(encode(job))
    assert answer == decode(encode(answer))
