"""What all transports share that have a library, a broker, or both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ....escape import without_secrets
from .base import MissingTransport

__all__ = ["CONNECT", "reaching"]

CONNECT = 3
"""Seconds that a broker may take to be reached."""


@contextmanager
def reaching(name: str, extra: str, url: str = "") -> Iterator[None]:
    """Make `MissingTransport` of what goes wrong on the way to a transport.

    Raises:
        MissingTransport: Its library is not installed, or its broker cannot be reached or refuses us; no
            password of its URL is repeated.
    """
    try:
        yield
    except ImportError as error:
        raise MissingTransport(f"{extra} is not installed: pip install 'bakeoff[{extra}]'") from error
    except Exception as error:  # noqa: BLE001 - whatever the clients raise
        # Nor is it kept as the cause: clients quote URLs that they cannot read.
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise MissingTransport(f"{name} cannot be reached: {without_secrets(said, url)}") from None
