"""Reaching a store or a transport: its library, its server, and the errors if either is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from ...escape import without_secrets

__all__ = ["ANSWER", "CONNECT", "imported", "reaching"]

CONNECT = 3
"""Seconds that a server may take to be reached."""
ANSWER = 10
"""Seconds that it may take to answer a call: one that stands still fails, and the run goes on."""

_UNREACHED: dict[str, str] = {}
"""What went wrong on the way to a URL. It is tried once in a process: every operation asks, and to wait for
each would take the time of the others."""


def imported(module: str, missing: type[Exception], extra: str = "") -> Any:
    """Return a library.

    Args:
        module: Its name.
        missing: Raised if it is not installed, with the command that installs it.
        extra: The extra that brings it, if that has another name.
    """
    try:
        return import_module(module)
    except ImportError as error:
        name = extra or module
        raise missing(f"{name} is not installed: pip install 'bakeoff[{name}]'") from error


@contextmanager
def reaching(server: str, url: str, failed: type[Exception]) -> Iterator[None]:
    """Make one error of whatever a client raises on the way to a server; no password of its URL is repeated.

    Args:
        server: What it is called.
        url: Where it is.
        failed: Raised in its place.
    """
    if url in _UNREACHED:
        raise failed(_UNREACHED[url])
    try:
        yield
    except Exception as error:  # noqa: BLE001 - whatever the clients raise
        # Nor is it kept as the cause: clients quote URLs that they cannot read.
        said = " ".join(f"{type(error).__name__}: {error}".split())
        _UNREACHED[url] = f"{server} cannot be reached: {without_secrets(said, url)}"
        raise failed(_UNREACHED[url]) from None
