"""A broker of Kafka for tests: librdkafka's mock cluster, which speaks the protocol on a port of its own.

``python broker.py PORT`` leads there from a port of ours, where clients ask first; it tells them its own.
It has topics, partitions, groups and transactions, in memory. It lacks ApiVersions from version 3 on, and
what administrators ask: creating and describing topics (``src/rdkafka_mock_handlers.c`` of librdkafka).
"""

from __future__ import annotations

import asyncio
import sys

from confluent_kafka import Producer


async def lead(port: int, to: int) -> None:
    """Pass what comes in on a port on to another one."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", to)
        await asyncio.gather(pour(reader, back), pour(there, writer))

    async with await asyncio.start_server(meet, "127.0.0.1", port) as server:
        await server.serve_forever()


async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy all that comes, and its end."""
    try:
        while some := await reader.read(65536):
            writer.write(some)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


if __name__ == "__main__":
    cluster = Producer({"test.mock.num.brokers": 1})
    (broker,) = cluster.list_topics(timeout=300).brokers.values()
    asyncio.run(lead(int(sys.argv[1]), broker.port))
