"""Each library that could replace a watched one is in the answer: with its saving, or with a reason.

A table of what goes wrong with a library, at how many call sites, and in which format. The processes are
played; `test_deaths` has real ones that die.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

import pytest

from bakeoff.bench.jobs import OVER_MEMORY, Ended, Failed, Job
from bakeoff.bench.libraries import FUNCTIONS, OWNERS, format_title
from bakeoff.bench.messages.watch import CallTimes, TimeCalls, TimedCalls, WatchedCall
from bakeoff.bench.results.watched import CallSite, Frame, Saving, Stack, WatchData, read_watch, write_watch
from bakeoff.bench.watch import answer
from bakeoff.bench.watch.alternatives import NOT_INSTALLED, OWN, Other, others
from bakeoff.bench.watch.measure import ELSEWHERE, SiteFindings, TimedSites, conducted
from bakeoff.bench.watch.parts import Kept, Site
from bakeoff.bench.watch.tasks import Effort, Task
from bakeoff.reports import written
from bakeoff.reports.page.watched import render
from bakeoff.reports.tables.watched import table
from madeup import watch

SITES = 3
OPTIONS = {"default": "<function>"}
"""Options of a call that no other library has."""

Where = tuple[int, ...]
"""The call sites at which it goes wrong, by number."""


def died(outcome: str, reason: str) -> Callable[[int], Ended]:
    return lambda cell: Ended(None, cast("Any", outcome), reason, cell=cell)


DEATHS = {
    "dies": (died("crashed", "died of SIGSEGV"), "crashed: died of SIGSEGV, while being timed"),
    "ends the process": (
        died("crashed", "ended the process with exit code 0"),
        "crashed: ended the process with exit code 0, while being timed",
    ),
    "hangs": (
        died("timed out", "made no progress within 60 s"),
        "timed out: made no progress within 60 s, while being timed",
    ),
    "is killed": (
        died("out of memory", "was killed by the kernel"),
        "out of memory: was killed by the kernel, while being timed",
    ),
}
ERRORS = {
    "memory": (OVER_MEMORY, "out of memory: while being timed: went over its memory limit"),
    "raises": (Failed("ValueError: no"), "while being timed: ValueError: no"),
}
REFUSALS = {
    "refuses records": "OverflowError: int too big to convert",
    "differs": "`tuple` came back as `list` at `$.place`",
    "is not installed": NOT_INSTALLED,
}
KINDS = {name: said for kinds in (DEATHS, ERRORS) for name, (_, said) in kinds.items()} | REFUSALS
"""What goes wrong with a library, and the reason in the answer."""

PLACES: dict[str, Where] = {"one call site": (1,), "several": (0, 2), "all": tuple(range(SITES))}

FORMATS = {
    "same format": ("json.dumps", Other("json", "ujson")),
    "other format": ("cbor2.dumps", Other("msgpack", "ormsgpack")),
    "only library": ("yaml.safe_dump", Other("yaml", "libyaml")),
}
"""A watched function, and the library with which something goes wrong."""


class Played:
    """An executor whose processes meet what goes wrong with some libraries.

    Args:
        wrong: The libraries, each at some call sites.
        kind: What goes wrong.
        disturbed: Disturbed processes before the first one that counts.
    """

    cores = (0,)

    def __init__(self, wrong: Sequence[tuple[Other, Where]], kind: str, disturbed: int = 0) -> None:
        self._wrong = {
            WatchedCall(site, other.form, other.library) for other, where in wrong for site in where
        }
        self._kind = kind
        self._disturbed = disturbed

    def submit(self, job: Job, **more: object) -> Future[Ended]:
        assert isinstance(job, TimeCalls)
        done: Future[Ended] = Future()
        done.set_result(self._ended(job.calls))
        return done

    def _ended(self, calls: Sequence[WatchedCall]) -> Ended:
        wrong = [index for index, call in enumerate(calls) if call in self._wrong]
        if wrong and self._kind in DEATHS:
            return DEATHS[self._kind][0](wrong[0])
        failed = ERRORS.get(self._kind, (None,))[0]
        errors = {str(index): failed for index in wrong if failed}
        refused = {str(index): REFUSALS[self._kind] for index in wrong if self._kind in REFUSALS}
        cells = {
            str(index): CallTimes((seconds := 2e-6 if call.library == OWN.library else 1e-6,), (seconds,))
            for index, call in enumerate(calls)
            if index not in wrong
        }
        self._disturbed -= 1
        return Ended(TimedCalls(cells, refused, errors, 0.9 * (self._disturbed >= 0), 1.0, 1.0))


def site(number: int, function: str, options: dict[str, str]) -> Site:
    known, place = FUNCTIONS[function], f"app.py:{number}"
    facts = CallSite(
        function,
        place,
        not known.encodes,
        OWNERS[function].format,
        options,
        calls=100.0,
        busy=1.0,
        wall=1.0,
        size=None,
        size_error=0.0,
        records=1,
        stacks=(Stack((Frame(place, "main", True),), 1.0),),
    )
    return Site(facts, 0.0, [Kept(b"i\x01\x00\x00\x00", 1.0)])


def predicted(played: Played, sites: Sequence[Site], patch: pytest.MonkeyPatch) -> WatchData:
    """Return the watch of some calls, with what played processes find."""

    def measure(tasks: Sequence[Task], effort: Effort, show: Callable[[float], object]) -> SiteFindings:
        return conducted(TimedSites(cast("Any", played), TimeCalls(tasks=""), tasks, effort, show), 60.0)

    patch.setattr(answer, "measure", measure)
    found = answer.predict(sites, 4.0, Effort(processes=3), lambda _: None)
    facts = tuple(each.facts for each in sites)
    return watch(sites=facts, busy=4.0, savings=tuple(found.savings), notes=tuple(found.notes))


def written_in(form: str, found: WatchData) -> str:
    """Return the answer in a format, as one line without the marks of the format."""
    if form == "page":
        return html.unescape(re.sub(r"<[^>]+>", " ", render(found)))
    screen: dict[str, Any] = {"width": 100_000, "color": False} if form == "text" else {}
    text = written(table(found), form, **screen)
    return "\n".join(json.loads(text)["sections"][0]["answer"]) if form == "json" else text


def plain(text: str) -> str:
    """Return text without what Markdown and the page make of code."""
    return re.sub(r"\s+", " ", text.replace("`", "").replace("\\", "")).replace(" ,", ",").replace(" )", ")")


ANSWERS = ("text", "md", "json", "html", "page")


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", FORMATS)
def test_each_library_is_in_the_answer(
    case: str, kind: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, bad = FORMATS[case]
    sites = [site(number, function, {}) for number in range(SITES)]
    found = predicted(Played([(bad, PLACES[where])], kind), sites, monkeypatch)

    assert {(each.into or each.form, each.library) for each in found.savings} == set(others(function, {}))
    (saving,) = [each for each in found.savings if (each.into or each.form, each.library) == bad]
    # A library that hangs is tried no more, as each hang takes a minute.
    times, elsewhere = (1, SITES - 1) if kind == "hangs" else (len(PLACES[where]), 0)
    reasons = Counter(each.reason for each in saving.left_out)
    assert reasons == Counter({KINDS[kind]: times, ELSEWHERE: elsewhere})
    assert saving.tried == (times + elsewhere < SITES)
    said = {form: plain(written_in(form, found)) for form in ANSWERS}
    expected = [plain(KINDS[kind]), *(each.library for each in found.savings)]
    expected += [f"app.py:{number}" for number in PLACES[where] if saving.tried]
    assert [] == [(form, words) for form, text in said.items() for words in expected if words not in text]


@pytest.mark.parametrize("case", FORMATS)
def test_libraries_with_the_same_reason_share_a_line(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function, _ = FORMATS[case]
    sites = [site(number, function, {}) for number in range(SITES)]
    everywhere = [(other, PLACES["all"]) for other in others(function, {})]
    found = predicted(Played(everywhere, "is not installed"), sites, monkeypatch)

    (line,) = [line for line in written_in("json", found).splitlines() if "could be tried" in line]
    form = format_title(sites[0].facts.form)
    assert {
        "same format": (
            f"No other library for {form} could be tried: orjson, msgspec, ujson, rapidjson and simplejson "
            "(not installed)."
        ),
        "other format": (
            f"No other format in place of {form} could be tried: ormsgpack, msgspec and msgpack for "
            "MessagePack, orjson and msgspec for JSON (not installed)."
        ),
        "only library": f"No other library for {form} could be tried: libyaml (not installed).",
    }[case] == line


@pytest.mark.parametrize("kind", ["dies", "hangs", "memory", "raises", "wrong options"])
@pytest.mark.parametrize("case", FORMATS)
def test_calls_that_no_library_can_replace_are_in_the_answer(
    case: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watched function itself cannot be timed, or is called with an option that others lack."""
    function, _ = FORMATS[case]
    options = OPTIONS if kind == "wrong options" else {}
    sites = [site(number, function, options) for number in range(SITES)]
    found = predicted(Played([(OWN, PLACES["all"])], kind), sites, monkeypatch)

    said = {form: plain(written_in(form, found)) for form in ANSWERS}
    reason = KINDS.get(kind, "it is called with default=")
    assert {(each.into or each.form, each.library) for each in found.savings} == set(others(function, {}))
    assert not any(each.tried for each in found.savings)
    lines = [f"- app.py:{number}, {function}: {reason} (25 % of CPU)" for number in range(SITES)]
    rows = [f"app.py:{number} {function} {reason} 25 %" for number in range(SITES)]
    for form, text in said.items():
        expected = ["could be tried for", *(rows if form == "page" else map(plain, lines))]
        assert [] == [words for words in expected if plain(words) not in text], form


def test_a_library_for_calls_with_wrong_options_only_is_in_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`json` could only replace simplejson, whose calls have an option; `simplejson` only json."""
    sites = [site(0, "json.dumps", {}), site(1, "simplejson.dumps", OPTIONS)]
    found = predicted(Played([], ""), sites, monkeypatch)

    assert "Not tried: json (it is called with default=)." in written_in("json", found)


def test_a_disturbed_process_is_in_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    found = predicted(Played([], "", disturbed=1), [site(0, "json.dumps", {})], monkeypatch)

    assert "1 process was disturbed by neighbors and measured again" in written_in("text", found)


def test_reasons_are_read_as_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = Other("json", "ujson")
    sites = [site(number, "json.dumps", OPTIONS if number == 2 else {}) for number in range(SITES)]
    found = predicted(Played([(bad, (0,))], "dies"), sites, monkeypatch)
    write_watch(found, tmp_path / "watch.json")

    assert found == read_watch(tmp_path / "watch.json")


def test_a_file_that_says_only_that_nothing_was_tried_is_read() -> None:
    """As older files do, in place of a saving for each library."""
    found = watch(savings=(Saving("json", "", 0.0, 0.0, ()),))

    assert "No other library could be tried for JSON." in written_in("json", found)
    assert "<figcaption><h3>" not in render(found)


def test_many_calls_without_a_replacement_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    sites = [site(number, "json.dumps", OPTIONS) for number in range(15)]
    found = predicted(Played([], ""), sites, monkeypatch)

    lines = written_in("json", found).splitlines()
    assert "- 3 more, in a page: bakeoff report -f html" == lines[-1]
    assert 12 == sum(line.startswith("- app.py:") for line in lines)


def test_a_wordy_reason_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REFUSALS, "differs", "ValueError: at\n" + "much " * 100)
    sites = [site(0, "json.dumps", {})]
    found = predicted(Played([(Other("json", "ujson"), (0,))], "differs"), sites, monkeypatch)

    (line,) = [line for line in written_in("json", found).splitlines() if "ujson" in line]
    assert line.startswith("Not tried: ujson (ValueError: at much")
    assert len(line) < 160
