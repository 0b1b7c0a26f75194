"""Software for tests that pip does not install. Tests without it are skipped, and their number is reported.

``python3 tasks.py test --all --servers`` installs it; see `servers` for servers.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

import pytest

_MARK = "missing here: "


def leave_out(reason: str) -> NoReturn:
    """Skip a test; the reason names the missing software and how to get it."""
    pytest.skip(_MARK + reason)


def count(skipped: Iterable[Any]) -> int:
    """Return the number of tests skipped by `leave_out`, from the reports of skipped tests."""
    return sum(_MARK in str(report.longrepr) for report in skipped)


def is_endless(codec: str) -> bool:
    """Return whether a codec takes minutes for 100,000 levels before it reaches the recursion limit.

    CPython 3.13.0 visits all of them in simplejson's generators, in time that grows with their square.
    """
    return codec == "simplejson/pure" and sys.version_info[:3] == (3, 13, 0)


def chromium() -> str:
    """Return the path of the browser; skip the test without one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    return found or leave_out("Chromium; apt-get install chromium")
