"""Software for tests that pip does not install. Tests without it are skipped, and their number is reported.

``python3 tasks.py test --servers`` installs it; see `servers` for servers.
"""

from __future__ import annotations

import os
import shutil
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


def chromium() -> str:
    """Return the path of the browser; skip the test without one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    return found or leave_out("Chromium; apt-get install chromium")
