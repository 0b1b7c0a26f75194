"""What a transport is: a way from one producer to several readers, each of which gets every message.

A file of this folder, or of a package that publishes one through the entry-point group
``bakeoff.transports``, makes a `TransportKind`: a name and a function that opens one. It is opened before
the readers are forked, so that what is imported, and pipes, are theirs too; connections are made afterwards,
by each process for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

__all__ = ["MissingTransport", "Publisher", "Route", "Transport", "TransportError", "TransportKind"]


class TransportError(Exception):
    """A transport, or who is at its other end, cannot do what it is for; says why."""


class MissingTransport(TransportError):  # noqa: N818 - says what is wrong
    """A transport cannot be had at all: not installed, or its broker cannot be reached."""


@dataclass(frozen=True, slots=True)
class Route:
    """Which way messages go, which nobody else's do.

    Attributes:
        readers: How many there are.
        name: Of the channel, subject or exchange.
        url: Of the broker; empty where there is none. It may hold a password and is never shown.
    """

    readers: int
    name: str
    url: str = ""


class Publisher(Protocol):
    """The producer's end. One thread uses it."""

    def send(self, message: bytes, /) -> object:
        """Send a message to all readers.

        It may return before it has left, and waits where the transport makes its users wait.
        """
        ...

    def wait(self, seconds: float, /) -> object:
        """Let time pass, as a producer does that has nothing to send: what was sent has left then."""
        ...

    def close(self) -> object:
        """Let go of it; called once, whatever has happened to the transport."""
        ...


class Transport(Protocol):
    """An open transport. Whatever its library raises may come through.

    Its messages come in the order in which they were sent, or not at all.
    """

    def publisher(self) -> Publisher:
        """Return the producer's end, connected; called once, after the readers were forked."""
        ...

    def listen(self, number: int, take: Callable[[bytes], object]) -> None:
        """Call `take` with each message, in a reader's process, until that is ended.

        Args:
            number: Of the reader, from 0 on.
            take: Takes `bytes`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportKind:
    """A kind of transports.

    Attributes:
        name: As ``--transport`` has it, and behind the @ of an operation's name.
        summary: One line for help and documentation.
        open: Opens it. Raises `MissingTransport` where its library is missing or its broker cannot be
            reached.
        schemes: Of the URLs that lead to it, without ``://``; none where there is no broker.
        module: What it imports, and the extra that brings it; empty for what Python has.
    """

    name: str
    summary: str
    open: Callable[[Route], Transport]
    schemes: tuple[str, ...] = ()
    module: str = ""
