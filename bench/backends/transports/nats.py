"""NATS: one subject. The client is asynchronous: its event loop runs while the producer sends and waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ..reaching import CONNECT, imported, reaching
from .base import MissingTransport, Publisher, Route, TransportKind


async def _connected(url: str, **more: Any) -> Any:
    """Return a connected client.

    Raises:
        Exception: The server cannot be reached; this is the error of the last attempt.
    """
    import nats
    from nats.errors import NoServersError

    failed: list[Exception] = []

    async def note(error: Exception) -> None:
        failed.append(error)  # the client would print it

    # Zero means unlimited attempts.
    once = {"allow_reconnect": False, "max_reconnect_attempts": 1, "reconnect_time_wait": 0}
    try:
        return await nats.connect(url, connect_timeout=CONNECT, error_cb=note, **once, **more)
    except NoServersError as error:
        raise (failed or [error])[-1] from None


class _Publisher:
    def __init__(self, route: Route) -> None:
        self._loop = asyncio.new_event_loop()
        self._client = self._loop.run_until_complete(_connected(route.url))
        self._name = route.name

    def send(self, message: bytes) -> None:
        self._loop.run_until_complete(self._send(message))

    async def _send(self, message: bytes) -> None:
        await self._client.publish(self._name, message)
        await asyncio.sleep(0)  # the client writes in a separate task

    def wait(self, seconds: float) -> None:
        self._loop.run_until_complete(asyncio.sleep(seconds))

    def close(self) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.close()


class _Subject:
    def __init__(self, route: Route) -> None:
        self._route = route
        imported("nats", MissingTransport)
        with reaching("NATS", route.url, MissingTransport):
            asyncio.run(self._reach())

    async def _reach(self) -> None:
        client = await _connected(self._route.url)
        await client.close()

    def publisher(self) -> Publisher:
        return _Publisher(self._route)

    def listen(self, number: int, take: Callable[[bytes], object]) -> None:
        asyncio.run(self._listen(take))

    async def _listen(self, take: Callable[[bytes], object]) -> None:
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def closed() -> None:
            if not ended.done():
                ended.set_exception(ConnectionError("the server has closed the connection"))

        async def heard(message: Any) -> None:
            try:
                take(message.data)
            except Exception as error:  # noqa: BLE001 - the client would only log it
                if not ended.done():
                    ended.set_exception(error)

        client = await _connected(self._route.url, closed_cb=closed)
        await client.subscribe(self._route.name, cb=heard)
        await ended


TRANSPORTS = (TransportKind(name="nats", open=_Subject, schemes=("nats", "tls"), module="nats"),)
