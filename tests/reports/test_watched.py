"""The page of a watch."""

from __future__ import annotations

import re
from dataclasses import replace

import madeup
from bakeoff.bench.results.watched import CallSite, Frame, Stack
from bakeoff.reports.page.watched import render
from bakeoff.reports.tables import text
from bakeoff.reports.tables.watched import table


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
    """Names in a file neither run in the page nor control the terminal."""
    watch = madeup.watch(sites=(site(Frame("<img src=x>\x1b[2J", "call", True)),), program=("<img\x1b",))
    page = render(watch)

    assert "<img" not in page
    assert "\x1b" not in page
    assert "\x1b" not in text.render(table(watch))


def test_a_watch_without_calls() -> None:
    page = render(madeup.watch(sites=(), savings=()))

    assert "No call of a watched function was seen." in page
    assert boxes(page) == []
