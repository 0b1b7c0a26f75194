"""Codecs in aio-pika, on a RabbitMQ that AMQP_URL names; it takes too long to start for every run."""

from __future__ import annotations

import asyncio
import logging
from uuid import uuid4

import pytest

import bakeoff

CODEC = bakeoff.codec("msgpack")
RECORD = {"n": 1, "b": b"\x00"}


@pytest.fixture(scope="module")
def rabbitmq(server):
    return server("amqp")


def test_a_poisoned_message_is_dead_lettered(rabbitmq):
    from aio_pika import Message, connect

    async def run():
        name, seen = uuid4().hex, []
        async with await connect(rabbitmq) as connection, connection.channel() as channel:
            dead = await channel.declare_queue(f"{name}.dead", auto_delete=True)
            letters = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead.name}
            queue = await channel.declare_queue(name, auto_delete=True, arguments=letters)
            for body in (b"\xc1", CODEC.encode(RECORD)):
                message = Message(body, content_type=CODEC.media_type)
                await channel.default_exchange.publish(message, name)
            async with queue.iterator(timeout=300) as messages:
                async for message in messages:
                    try:
                        async with message.process():
                            seen.append((message.content_type, CODEC.decode(message.body)))
                    except bakeoff.DecodeError:
                        continue
                    break
            letter = await dead.get(timeout=300)
            await letter.ack()
            return seen, letter.body

    assert ([(CODEC.media_type, RECORD)], b"\xc1") == asyncio.run(run())


def test_patterns_take_it_as_serializer(rabbitmq):
    from aio_pika import Message, connect
    from aio_pika.patterns import RPC, JsonRPC, Master
    from aio_pika.patterns.rpc import JsonRPCError

    class Tasks(Master):
        SERIALIZER = CODEC
        CONTENT_TYPE = CODEC.media_type

    class Calls(JsonRPC):
        SERIALIZER = CODEC
        CONTENT_TYPE = CODEC.media_type
        serialize = RPC.serialize

    async def double(*, n):
        return {"n": 2 * n}

    async def fail():
        raise LookupError("no tea")

    async def run():
        name, done = uuid4().hex, asyncio.get_running_loop().create_future()

        async def work(**record):
            done.set_result(record)

        async with await connect(rabbitmq) as connection, connection.channel() as channel:
            tasks = Tasks(channel, requeue=False)
            await tasks.create_worker(name, work, auto_delete=True)
            await channel.default_exchange.publish(Message(b"\xc1"), name)
            await tasks.create_task(name, RECORD)
            calls = await Calls.create(channel)
            await calls.register(f"{name}.double", double, auto_delete=True)
            await calls.register(f"{name}.fail", fail, auto_delete=True)
            answer = await asyncio.wait_for(calls.call(f"{name}.double", {"n": 4}), 300)
            with pytest.raises(JsonRPCError, match="RPC exception") as wrong:
                await asyncio.wait_for(calls.call(f"{name}.fail"), 300)
            return await asyncio.wait_for(done, 300), answer, wrong.value.args[1]["error"]["type"]

    logging.getLogger("asyncio").setLevel(logging.CRITICAL)

    assert (RECORD, {"n": 8}, "LookupError") == asyncio.run(run())


def test_a_pattern_serializes_by_it():
    from aio_pika.patterns import Master

    class Tasks(Master):
        SERIALIZER = CODEC

    tasks = Tasks.__new__(Tasks)

    assert CODEC.encode(RECORD) == tasks.serialize(RECORD)
    assert RECORD == tasks.deserialize(CODEC.encode(RECORD))
