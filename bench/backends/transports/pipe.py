"""Pipes of the operating system, one per consumer; the producer writes every message to each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from .base import Publisher, Route, Sleeping, TransportKind


class _Publisher(Sleeping):
    def __init__(self, ends: Sequence[Connection]) -> None:
        self._ends = ends

    def send(self, message: bytes) -> None:
        for end in self._ends:
            end.send_bytes(message)

    def close(self) -> None:
        for end in self._ends:
            end.close()


class _Pipes:
    def __init__(self, route: Route) -> None:
        self._pipes = [Pipe(duplex=False) for _ in range(route.consumers)]

    def publisher(self) -> Publisher:
        # Without this, writing to a dead consumer would not fail.
        for reading, _ in self._pipes:
            reading.close()
        return _Publisher([writing for _, writing in self._pipes])

    def listen(self, number: int, take: Callable[[bytes], object]) -> None:
        for other, (reading, writing) in enumerate(self._pipes):
            writing.close()
            if other != number:
                reading.close()
        receive = self._pipes[number][0].recv_bytes
        while True:
            take(receive())


TRANSPORTS = (TransportKind(name="pipe", open=_Pipes),)
