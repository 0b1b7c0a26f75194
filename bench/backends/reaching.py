"""Access to a store or a transport: its library, its server, and the errors if either is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from ...escape import without_secrets

CONNECT = 3
"""Seconds to connect to a server."""
ANSWER = 10
"""Seconds that a server may take to answer a call; then the call fails and the run continues."""

_UNREACHED: dict[str, str] = {}
"""Why a URL could not be reached. Each is tried once per process: all operations ask, and each wait takes
long."""


def imported(module: str, missing: type[Exception], extra: str = "") -> Any:
    """Import and return a library.

    Args:
        module: The name of the library.
        missing: Raised if it is not installed, with the command that installs it.
        extra: The extra that installs it, if its name differs.
    """
    try:
        return import_module(module)
    except ImportError as error:
        name = extra or module
        raise missing(f"{name} is not installed: pip install 'bakeoff[{name}]'") from error


@contextmanager
def reaching(server: str, url: str, failed: type[Exception]) -> Iterator[None]:
    """Turn any error of a client that connects to a server into one error, without the URL's password.

    Args:
        server: Name of the server, for the message.
        url: URL of the server.
        failed: Type of the error to raise.
    """
    if url in _UNREACHED:
        raise failed(_UNREACHED[url])
    try:
        yield
    except Exception as error:  # noqa: BLE001 - clients raise anything
        # The cause is dropped, too: clients quote URLs that they cannot parse.
        said = " ".join(f"{type(error).__name__}: {error}".split())
        _UNREACHED[url] = f"{server} cannot be reached: {without_secrets(said, url)}"
        raise failed(_UNREACHED[url]) from None
