"""The page of a watch."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import madeup
from bakeoff.bench.results.watched import CallSite, Frame, LeftOut, Saving, Stack
from bakeoff.reports.page.watched import render
from bakeoff.reports.tables import text
from bakeoff.reports.tables.watched import sentences, table


def site(*frames: Frame) -> CallSite:
    return replace(madeup.watch().sites[0], stacks=(Stack(frames, 2.4),))


def boxes(page: str) -> list[str]:
    return re.findall(r"<svg class=\"[^\"]+\" x=.*?<title>(.*?)</title>", page, re.DOTALL)


def test_frames_of_libraries_are_one_step_and_those_of_a_server_none() -> None:
    frames = [
        ("httpx/_content.py:176", False),
        ("httpx/_client.py:9", False),
        ("app.py:3", True),
        ("wsgi.py:1", False),
    ]
    watch = madeup.watch(sites=(site(*(Frame(place, "call", own) for place, own in frames)),))

    assert boxes(render(watch)) == [
        "call (app.py:3): 30 % of CPU",
        "call (httpx/_content.py:176) and 1 more: 30 % of CPU\n"
        "call (httpx/_client.py:9)\ncall (httpx/_content.py:176)",
        "json.dumps: 30 % of CPU",
    ]


def test_hostile_texts_are_inert() -> None:
    watch = madeup.watch(sites=(site(Frame("<img src=x>\x1b[2J", "call", True)),), program=("<img\x1b",))
    page = render(watch)

    assert "<img" not in page
    assert "\x1b" not in page
    assert "\x1b" not in text.render(table(watch))


def test_a_watch_without_calls() -> None:
    page = render(madeup.watch(sites=(), savings=()))

    assert "No call of a serialization library was seen." in page
    assert boxes(page) == []


def test_another_format_is_called_so_and_comes_last() -> None:
    changed = [
        Saving("pickle", "ormsgpack", 0.5, 0.02, (), "msgpack"),
        Saving("pickle", "orjson", 0.3, 0.02, (), "json"),
    ]
    watch = madeup.watch(savings=(*changed, *madeup.watch().savings))

    assert [*sentences(watch)][:-2] == [
        "orjson would save 3.44 s of 8.00 s CPU (43.0 ± 0.5 %).",
        "Too close to call: msgspec 42 %.",
        "Others would save less: ujson 25 %.",
        "Others would take more CPU: simplejson 11 %.",
        "Undecided, as the interval includes 0: rapidjson 0.1 ± 0.5 %.",
        "Another format: ormsgpack (MessagePack in place of pickle) would save 0.50 s of 8.00 s CPU "
        "(6.2 ± 0.2 %).",
        "Everything that writes or reads these pickle records would have to change with it.",
        "Others would save less: orjson (JSON) 3.8 %.",
        "bakeoff knows no other library for pickle.",
    ]


ELSEWHERE = Saving("pickle", "ormsgpack", 0.3, 0.02, (), "msgpack")


@pytest.mark.parametrize(
    ("savings", "first"),
    [
        ([ELSEWHERE], "Another format: ormsgpack "),
        ([Saving("json", "orjson", 0.01, 0.02, ()), ELSEWHERE], "Another format: ormsgpack "),
        ([Saving("json", "", 0.0, 0.0, (LeftOut("json.dumps", "a.py:1", 0.4, "objects"),)), ELSEWHERE],
         "Another format: ormsgpack "),
        ([ELSEWHERE, Saving("json", "orjson", 0.1, 0.02, ())], "orjson would save "),
        ([Saving("json", "orjson", 0.1, 0.02, ()), Saving("pickle", "x", 0.2, 0.02, ())], "x for pickle"),
    ],
)  # fmt: skip
def test_the_first_line_is_a_saving_if_there_is_one(savings: list[Saving], first: str) -> None:
    watch = madeup.watch(savings=tuple(savings))

    assert next(sentences(watch)).startswith(first)
    assert f'<h1 class="recommendation">{first}' in render(watch)


def test_the_page_has_bars_only_for_formats_that_were_tried() -> None:
    left_out = (LeftOut("pickle.dumps", "app.py:1", 0.4, "records with objects of classes"),)
    changed = Saving("json", "ormsgpack", 0.5, 0.02, (), "msgpack")
    page = render(madeup.watch(savings=(changed, Saving("pickle", "", 0.0, 0.0, left_out))))

    assert re.findall("<figcaption><h3>(.*?)</h3>", page) == ["Another format in place of JSON"]
    assert "with ormsgpack (MessagePack)" in page
    assert "records with objects of classes" in page
    assert "records with objects" in render(madeup.watch(savings=(Saving("pickle", "", 0.0, 0.0, left_out),)))


@pytest.mark.parametrize(
    ("savings", "found"),
    [
        (
            [Saving("json", "orjson", 0.01, 0.02, ()), Saving("json", "ujson", -0.3, 0.02, ())],
            "Another library for JSON would not make this program faster. Tried: orjson and ujson.",
        ),
        (
            [Saving("json", "orjson", 0.1, 0.4, ()), Saving("json", "ujson", -0.3, 0.02, ())],
            "Another library for JSON would save 6.2 % of CPU at most, and perhaps nothing. "
            "Tried: orjson and ujson.",
        ),
        (
            [Saving("json", "libyaml", 0.0, 0.02, ())],
            "libyaml for JSON would not make this program faster.",
        ),
        (
            [Saving("json", "orjson", -1.0, 0.02, (), "json")],
            "Another format in place of JSON would not make this program faster. Tried: orjson for JSON.",
        ),
    ],
)
def test_what_saves_nothing(savings: list[Saving], found: str) -> None:
    assert found in [*sentences(madeup.watch(savings=tuple(savings)))]


def test_calls_that_keep_their_library_save_nothing() -> None:
    kept = sum(site.busy for site in madeup.watch().sites if site.form == "json") - 0.6
    left_out = (LeftOut("json.dumps", "app.py:1", kept, "it is called with indent="),)
    first, *_ = sentences(madeup.watch(savings=(Saving("json", "orjson", 0.4, 8.0, left_out),)))

    assert first == "orjson for JSON would save 7.5 % of CPU at most, and perhaps nothing."


def test_a_library_of_several_formats_is_named_with_each() -> None:
    savings = [Saving(form, "msgspec", 1.0, 0.1, ()) for form in ("json", "msgpack")]

    assert [*sentences(madeup.watch(savings=tuple(savings)))][:2] == [
        "msgspec for JSON would save 1.0 s of 8.0 s CPU (12 ± 1 %).",
        "msgspec for MessagePack would save 1.0 s of 8.0 s CPU (12 ± 1 %).",
    ]


def test_a_larger_saving_that_is_uncertain_does_not_hide_a_certain_one() -> None:
    savings = (Saving("json", "noisy", 2.4, 2.5, ()), Saving("json", "certain", 2.0, 0.1, ()))
    watch = madeup.watch(savings=savings)

    assert [*sentences(watch)][:2] == [
        "certain would save 2.0 s of 8.0 s CPU (25 ± 1 %).",
        "Undecided, as the interval includes 0: noisy 30 ± 31 %.",
    ]
    best = re.search(r'with (\S+)</b>[^<]*<span>[^<]*</span></p>\s*<svg[^>]*class="best"', render(watch))
    assert best
    assert best.group(1) == "certain"


def test_an_interval_beyond_the_whole_program_has_no_figures() -> None:
    savings = [
        Saving("json", name, *found, ())
        for name, *found in (("a", 2.0, 0.1), ("b", -0.8, 4.0), ("c", 1.0, 8.0))
    ]

    assert "Undecided, as the interval includes 0: b −10 ± 50 %, c." in [
        *sentences(madeup.watch(savings=tuple(savings)))
    ]


def test_times_have_the_digits_of_the_largest() -> None:
    first, *rest = madeup.watch().sites
    sites = (replace(first, busy=0.1234), *(replace(each, busy=0.0000042) for each in rest))
    (section,) = table(madeup.watch(sites=sites)).sections

    assert [column.unit for column in section.columns if column.key == "time"] == ["ms"]
    assert {row.entries["time"].text for row in section.rows} == {"123", "0"}


def test_functions_without_a_prediction() -> None:
    first, *rest = madeup.watch().sites
    reason = "no other library works with pydantic's models"
    sites = (replace(first, function="pydantic.dump", alone=reason), *(replace(s, busy=0.01) for s in rest))

    assert [*sentences(madeup.watch(sites=sites, savings=()))] == [
        "Changing the codec cannot save more than 30 % of CPU.",
        "Changing the codec of json.dumps, json.loads and pickle.dumps cannot save more than 0.5 % of CPU.",
        f"No prediction for pydantic.dump (30 % of CPU): {reason}.",
    ]
