"""A Kafka broker for tests: librdkafka's mock cluster, which speaks the protocol on its own port.

``python broker.py PORT`` forwards from our port, to which clients connect first; the broker then gives them
its own port. It has topics, partitions, groups and transactions, in memory. It lacks ApiVersions from version
3 on, and the requests of administrators: creating and describing topics (``src/rdkafka_mock_handlers.c`` of
librdkafka).
"""

from __future__ import annotations

import asyncio
import sys

from confluent_kafka import Producer


async def lead(port: int, to: int) -> None:
    """Forward connections of a port to another one."""

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", to)
        await asyncio.gather(pour(reader, back), pour(there, writer))

    async with await asyncio.start_server(meet, "127.0.0.1", port) as server:
        await server.serve_forever()


async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy all data, and the end of the connection."""
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
