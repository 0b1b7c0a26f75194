"""ZeroMQ: PUB and SUB over a Unix socket.

If a consumer falls behind by more than 1,000 messages (``ZMQ_SNDHWM``), the publisher drops messages for it,
which is the library's default. They count as lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..reaching import imported
from .base import MissingTransport, Publisher, Route, Sleeping, TransportKind


class _Publisher(Sleeping):
    def __init__(self, context: Any, place: str) -> None:
        import zmq

        self._context = context
        self._socket = context.socket(zmq.PUB)
        self._socket.bind(place)
        self.send = self._socket.send

    def close(self) -> None:
        self._socket.close(linger=0)
        self._context.term()


class _PubSub:
    def __init__(self, route: Route) -> None:
        imported("zmq", MissingTransport)  # once, for all consumers
        # In the abstract namespace: no file is left over, and the length of its path is not limited.
        self._place = f"ipc://@{route.name}"

    def publisher(self) -> Publisher:
        import zmq

        return _Publisher(zmq.Context(), self._place)

    def listen(self, number: int, take: Callable[[bytes], object]) -> None:
        import zmq

        socket = zmq.Context().socket(zmq.SUB)
        socket.subscribe(b"")
        socket.connect(self._place)
        receive = socket.recv
        while True:
            take(receive())


TRANSPORTS = (TransportKind(name="zmq", open=_PubSub, module="zmq"),)
