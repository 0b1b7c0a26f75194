"""What tests drive and pip does not install: where it is missing they are left out, and it is said how many.

``python3 tasks.py test --servers`` installs it; see `servers` for the servers among it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from typing import Any, NoReturn

import pytest

__all__ = ["chromium", "count", "leave_out"]

_MARK = "missing here: "


def leave_out(reason: str) -> NoReturn:
    """Skip a test, with what it needs and how to get that."""
    pytest.skip(_MARK + reason)


def count(skipped: Iterable[Any]) -> int:
    """Return how many of the reports of skipped tests are of tests that `leave_out` has skipped."""
    return sum(_MARK in str(report.longrepr) for report in skipped)


def chromium() -> str:
    """Return the path of the browser; skips the test where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    return found or leave_out("Chromium; apt-get install chromium")
