"""The interface of a transport: it delivers every message of one producer to each of several consumers.

A file of this folder, or of a package that publishes one through the entry-point group
``bakeoff.transports``, makes a `TransportKind`: a name and a function that opens a transport. It is opened
before the consumers are forked, so that they inherit imports and pipes. Each process makes its own
connections afterwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol


class TransportError(Exception):
    """A transport or one of its ends failed; the message says why."""


class MissingTransport(TransportError):  # noqa: N818 - says what is wrong
    """A transport is not available: not installed, or its broker cannot be reached."""


@dataclass(frozen=True, slots=True)
class Route:
    """The exclusive channel of a transport.

    Attributes:
        consumers: Number of consumers.
        name: Name of the channel, subject or exchange.
        url: URL of the broker; empty if there is none. It may hold a password and is never shown.
        client: Settings of the transport's client that the user has changed, by the client's names for them.
    """

    consumers: int
    name: str
    url: str = ""
    client: Mapping[str, str] = field(default_factory=dict)


class Publisher(Protocol):
    """The producer's end, used by one thread."""

    def send(self, message: bytes, /) -> object:
        """Send a message to all consumers.

        It may return before the message has left, and blocks if the transport applies back pressure.
        """
        ...

    def wait(self, seconds: float, /) -> object:
        """Wait, as a producer without messages does; all sent messages leave in that time."""
        ...

    def close(self) -> object:
        """Close the producer's end. It is called once, even if the transport has failed."""
        ...


class Sleeping:
    """A producer's end whose messages leave without its help while it waits."""

    def wait(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)


class Transport(Protocol):
    """An open transport. Errors of its library may propagate.

    Messages arrive in the order of sending, or not at all.
    """

    def publisher(self) -> Publisher:
        """Return the connected producer's end; called once, after the consumers were forked."""
        ...

    def listen(self, number: int, take: Callable[[bytes], object]) -> None:
        """Call `take` with each message, in a consumer's process, until the process is ended.

        Args:
            number: Number of the consumer, from 0 on.
            take: Takes `bytes`.
        """
        ...


def no_settings(route: Route) -> Mapping[str, str]:
    """Return no settings."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportKind:
    """A kind of transport.

    Attributes:
        name: The name for ``--transport`` and after the @ of an operation's name.
        open: Opens the transport. Raises `MissingTransport` if its library is missing or its broker cannot be
            reached.
        schemes: Schemes of its URLs, without ``://``; none if there is no broker.
        module: The module that it imports; empty for the standard library.
        mocks: Name of the transport whose broker it replaces by a mock, where no URL is given; or empty.
        settings: Returns the effective settings that change what figures mean, for reports.
    """

    name: str
    open: Callable[[Route], Transport]
    schemes: tuple[str, ...] = ()
    module: str = ""
    mocks: str = ""
    settings: Callable[[Route], Mapping[str, str]] = no_settings

    @property
    def extra(self) -> str:
        """The extra that installs its module."""
        return self.mocks or self.name
