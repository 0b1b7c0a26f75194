"""AMQP 0-9-1 as in RabbitMQ: a fanout exchange, and one temporary queue per consumer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..reaching import CONNECT, imported, reaching
from .base import MissingTransport, Publisher, Route, TransportKind


def _connected(url: str) -> Any:
    import pika

    parameters = pika.URLParameters(url)
    parameters.socket_timeout = parameters.blocked_connection_timeout = CONNECT
    return pika.BlockingConnection(parameters)


def _exchange(route: Route) -> tuple[Any, Any]:
    connection = _connected(route.url)
    channel = connection.channel()
    channel.exchange_declare(route.name, "fanout", auto_delete=True)
    return connection, channel


class _Publisher:
    def __init__(self, route: Route) -> None:
        self._connection, self._channel = _exchange(route)
        self._name = route.name

    def send(self, message: bytes) -> None:
        self._channel.basic_publish(self._name, "", message)

    def wait(self, seconds: float) -> None:
        self._connection.sleep(seconds)

    def close(self) -> None:
        self._connection.close()


class _Fanout:
    def __init__(self, route: Route) -> None:
        imported("pika", MissingTransport, "amqp")
        with reaching("the AMQP broker", route.url, MissingTransport):
            _connected(route.url).close()
        self._route = route

    def publisher(self) -> Publisher:
        return _Publisher(self._route)

    def listen(self, number: int, take: Callable[[bytes], object]) -> None:
        _, channel = _exchange(self._route)
        queue = channel.queue_declare("", exclusive=True).method.queue
        channel.queue_bind(queue, self._route.name)
        channel.basic_consume(queue, lambda channel, how, facts, body: take(body), auto_ack=True)
        channel.start_consuming()
        raise ConnectionError("the broker has cancelled the consumer")


TRANSPORTS = (
    TransportKind(
        name="amqp",
        open=_Fanout,
        schemes=("amqp", "amqps"),
        module="pika",
    ),
)
