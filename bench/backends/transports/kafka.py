"""Kafka: one partition of a topic, which every consumer reads from its start.

`kafka-mock` needs no broker: it is librdkafka's own mock cluster, in a separate process, as a broker's
processor time does not count. It keeps the last 5 MB of a partition. It answers a fetch that waits for
messages only when the wait is over, so the wait is short; a broker costs the consumers fewer fetches.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import unquote, urlsplit

from ..reaching import ANSWER, CONNECT, imported, reaching
from .base import MissingTransport, Publisher, Route, TransportError, TransportKind

PRODUCER: Mapping[str, str] = {"compression.type": "none", "linger.ms": "5", "acks": "all"}
"""Settings of the producer that a run may change, with librdkafka's defaults."""

_MOCK_WAIT = {"fetch.wait.max.ms": "1"}
_PORT = 9092
_FULL = 0.01
"""Seconds to wait for space in the producer's queue."""


def _library() -> Any:
    return imported("confluent_kafka", MissingTransport, "kafka")


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or _PORT


def _reach(url: str, failing: Callable[[Any], object]) -> dict[str, Any]:
    """Return the settings of a client.

    Args:
        url: URL of the broker.
        failing: Called with errors that belong to none of the client's calls.
    """
    parts = urlsplit(url)
    secure = "ssl" if parts.scheme == "kafkas" else "plaintext"
    # Errors are raised; the client would print them, too.
    found = {"bootstrap.servers": "{}:{}".format(*_address(url)), "error_cb": failing, "log_level": 0}
    if parts.username is None:
        return found | {"security.protocol": secure}
    return found | {
        "security.protocol": f"sasl_{secure}",
        "sasl.mechanism": "PLAIN",
        "sasl.username": unquote(parts.username),
        "sasl.password": unquote(parts.password or ""),
    }


def _broken(error: Any) -> None:
    """Raise an error that a client reports, unless it connects again by itself."""
    if error.fatal() or error.code() == _library().KafkaError._ALL_BROKERS_DOWN:
        raise ConnectionError(error.str())


def _producer_settings(route: Route) -> dict[str, str]:
    # Others may come from a result file, and would run code: plugin.library.paths.
    return {name: route.client.get(name, usual) for name, usual in PRODUCER.items()}


class _Publisher:
    def __init__(self, route: Route, url: str, close: Callable[[], object]) -> None:
        self._producer = _library().Producer({**_reach(url, _broken), **_producer_settings(route)})
        self._name, self._close = route.name, close

    def send(self, message: bytes) -> None:
        producer = self._producer
        while True:
            try:
                producer.produce(self._name, message, partition=0)
            except BufferError:
                producer.poll(_FULL)
            else:
                break
        producer.poll(0)

    def wait(self, seconds: float) -> None:
        self._producer.poll(0)
        time.sleep(seconds)  # another thread sends

    def close(self) -> None:
        self._producer.purge()
        del self._producer  # ends its threads
        self._close()


class _Topic:
    """A topic that exists.

    Args:
        url: URL of its broker.
        close: Ends the topic, after the producer.
        reading: Further settings of the consumers.
    """

    def __init__(
        self, route: Route, url: str, close: Callable[[], object], reading: Mapping[str, str]
    ) -> None:
        self._route, self._url, self._close, self._reading = route, url, close, reading

    def publisher(self) -> Publisher:
        return _Publisher(self._route, self._url, self._close)

    def listen(self, number: int, take: Callable[[bytes], object]) -> None:
        kafka, name = _library(), self._route.name
        consumer = kafka.Consumer(
            {
                **_reach(self._url, _broken),
                **self._reading,
                "group.id": f"{name}_{number}",  # required, although no offset is stored
                "enable.auto.commit": False,
                # What the broker no longer has is lost; the rest is still read.
                "auto.offset.reset": "earliest",
            }
        )
        consumer.assign([kafka.TopicPartition(name, partition=0, offset=0)])
        poll = consumer.poll
        while True:
            message = poll(ANSWER)
            if message is None:
                continue
            if (error := message.error()) is not None:
                raise ConnectionError(error.str())
            take(message.value())


def _on_broker(route: Route) -> _Topic:
    _library()
    with reaching("Kafka", route.url, MissingTransport):
        return _Topic(route, route.url, _created(route), {})


def _created(route: Route) -> Callable[[], object]:
    """Create a topic; return the function that removes it."""
    from confluent_kafka.admin import AdminClient, NewTopic

    # The client would not say why it cannot connect, and keep trying.
    socket.create_connection(_address(route.url), CONNECT).close()
    failed: list[Any] = []
    settings = _reach(route.url, failed.append)
    client = AdminClient(settings)
    try:
        known = client.list_topics(timeout=CONNECT)
    except Exception:
        client.poll(0)
        if failed:
            raise ConnectionError(failed[0].str()) from None
        raise
    if known.controller_id not in known.brokers:
        # A mock cluster has no controller; it creates topics that are asked for.
        client.list_topics(route.name, timeout=CONNECT)
        return lambda: None
    _await(client.create_topics([NewTopic(route.name, 1, -1)], operation_timeout=ANSWER))

    def remove() -> None:
        # The first client had threads, which consumers could not be forked with.
        client = AdminClient(settings)
        _await(client.delete_topics([route.name], operation_timeout=ANSWER))

    return remove


def _await(futures: Mapping[str, Any]) -> None:
    for future in futures.values():
        future.result(ANSWER)


def _on_mock(route: Route) -> _Topic:
    _library()
    context = get_context("fork")
    here, there = context.Pipe()
    context.Process(target=_serve, args=(route.name, there, here), daemon=True).start()
    there.close()
    try:
        port = here.recv()
    except EOFError:
        raise TransportError("librdkafka's mock cluster did not start") from None
    return _Topic(route, f"kafka://127.0.0.1:{port}", here.close, _MOCK_WAIT)


def _serve(name: str, here: Connection, there: Connection) -> None:
    """Run a mock cluster until its user and the consumers, which inherit that end of the pipe, have ended."""
    there.close()
    cluster = _library().Producer({"test.mock.num.brokers": 1, "log_level": 0})
    (broker,) = cluster.list_topics(name, timeout=ANSWER).brokers.values()
    here.send(broker.port)
    with suppress(EOFError):
        here.recv()


def _settings(route: Route) -> dict[str, str]:
    return {**_producer_settings(route), "librdkafka": _library().libversion()[0]}


def _mock_settings(route: Route) -> dict[str, str]:
    return {"broker": "librdkafka's mock cluster", **_settings(route), **_MOCK_WAIT}


TRANSPORTS = (
    TransportKind(
        name="kafka",
        open=_on_broker,
        schemes=("kafka", "kafkas"),
        module="confluent_kafka",
        settings=_settings,
    ),
    TransportKind(
        name="kafka-mock",
        open=_on_mock,
        module="confluent_kafka",
        mocks="kafka",
        settings=_mock_settings,
    ),
)
