"""Codecs in brokers of FastStream: a real Redis, and Kafka by librdkafka's mock; its page has NATS."""

from __future__ import annotations

import asyncio
import logging
from importlib import import_module
from uuid import uuid4

import pytest

import bakeoff

CODEC = bakeoff.codec("msgpack")
POISON = b"\xc1 no payload"
FOREIGN = b'{"by": "another"}'
JSON = "application/json; charset=utf-8"


def kafka(url):
    from aiokafka import AIOKafkaProducer
    from faststream.kafka import KafkaBroker

    async def send(topic, payload, headers=None):
        async with AIOKafkaProducer(bootstrap_servers=url) as producer:
            pairs = [(name, value.encode()) for name, value in (headers or {}).items()]
            await producer.send_and_wait(topic, payload, headers=pairs, partition=0)

    subscriber = {"auto_offset_reset": "earliest"}
    return (
        KafkaBroker(url, codec=bakeoff.integrations.faststream(CODEC), allow_auto_create_topics=False),
        send,
        subscriber,
    )


def redis(url):
    """Return a broker of Redis, whose messages of other producers have no headers."""
    from faststream.redis import RedisBroker
    from faststream.redis.parser import BinaryMessageFormatV1

    broker = RedisBroker(url, codec=bakeoff.integrations.faststream(CODEC))

    async def send(channel, payload, headers=None):
        if headers:
            payload = await BinaryMessageFormatV1.encode(
                message=payload, reply_to=None, headers=headers, correlation_id="1"
            )
        await broker._connection.publish(channel, payload)

    return broker, send, {}


@pytest.mark.parametrize("made", [kafka, redis])
def test_a_poisoned_message_is_buried_and_the_next_one_handled(server, made):
    from faststream import Context, ExceptionMiddleware

    async def run():
        subject, seen, dead, all_of_them = uuid4().hex, [], [], asyncio.Event()
        broker, send, options = made(server(made.__name__))
        middleware = ExceptionMiddleware()

        @middleware.add_handler(bakeoff.DecodeError)
        async def bury(error: bakeoff.DecodeError, message=Context()):  # noqa: B008 - how it is asked for
            dead.append((error.codec, message.body))

        @broker.subscriber(subject, **options)
        async def handle(record):
            seen.append(record)
            if len(seen) == 3:
                all_of_them.set()

        broker.add_middleware(middleware)
        async with broker:
            await broker.start()
            placed = {"partition": 0} if made is kafka else {}
            await broker.publish({"n": 1, "payload": b"\x00"}, subject, **placed)
            await send(subject, POISON)
            await send(subject, FOREIGN, {"content-type": JSON})
            await send(subject, CODEC.encode({"n": 2}), {"content-type": CODEC.media_type})
            await asyncio.wait_for(all_of_them.wait(), 300)
        return seen, dead

    logging.getLogger("faststream").setLevel(logging.CRITICAL)
    seen, dead = asyncio.run(run())

    assert [{"n": 1, "payload": b"\x00"}, {"by": "another"}, {"n": 2}] == seen
    assert [("msgpack", POISON)] == dead


def test_a_batch_is_encoded_and_decoded_record_by_record(server):
    from faststream.kafka import KafkaBroker

    async def run():
        topic, seen, all_of_them = uuid4().hex, [], asyncio.Event()
        broker = KafkaBroker(
            server("kafka"),
            codec=bakeoff.integrations.faststream(CODEC),
            allow_auto_create_topics=False,
            logger=None,
        )

        @broker.subscriber(topic, batch=True, auto_offset_reset="earliest")
        async def handle(records):
            seen.extend(records)
            if len(seen) == 2:
                all_of_them.set()

        async with broker:
            await broker.start()
            await broker.publish_batch({"n": 1}, {"n": 2}, topic=topic, partition=0)
            await asyncio.wait_for(all_of_them.wait(), 300)
        return seen

    assert [{"n": 1}, {"n": 2}] == asyncio.run(run())


@pytest.mark.parametrize("library", ["kafka", "confluent"])
def test_one_message_of_another_kind_does_not_lose_a_batch(server, library):
    """JSON with and without its type, and a deleted key."""
    from aiokafka import AIOKafkaProducer

    kind_of_broker = import_module(f"faststream.{library}").KafkaBroker

    async def run():
        topic, seen, all_of_them = uuid4().hex, [], asyncio.Event()
        broker = kind_of_broker(
            server("kafka"),
            codec=bakeoff.integrations.faststream(CODEC),
            allow_auto_create_topics=False,
            logger=None,
        )

        @broker.subscriber(topic, batch=True, auto_offset_reset="earliest", group_id=topic)
        async def handle(records):
            seen.extend(records)
            if len(seen) == 6:
                all_of_them.set()

        async with AIOKafkaProducer(bootstrap_servers=server("kafka")) as producer:
            for value, kind in (
                (CODEC.encode({"n": 1}), CODEC.media_type),
                (FOREIGN, JSON),
                (FOREIGN, None),
                (None, None),
                (CODEC.encode(None), CODEC.media_type),
                (CODEC.encode({"n": 2}), None),
            ):
                headers = [("content-type", kind.encode())] if kind else None
                await producer.send_and_wait(topic, value, b"7", headers=headers, partition=0)
        async with broker:
            await broker.start()
            await asyncio.wait_for(all_of_them.wait(), 300)
        return seen

    assert [{"n": 1}, {"by": "another"}, {"by": "another"}, None, None, {"n": 2}] == asyncio.run(run())


@pytest.mark.parametrize("body", [b"\xc1", b"\x81", b"no payload", b'{"a": '])
def test_bytes_of_no_kind_are_an_error(body):
    """The codec's; also in a batch."""
    from faststream.message import StreamMessage

    ours = bakeoff.integrations.faststream(CODEC)
    with pytest.raises(bakeoff.DecodeError, match="msgpack: "):
        asyncio.run(ours.decode(StreamMessage(None, body)))
    with pytest.raises(bakeoff.DecodeError, match="msgpack: "):
        asyncio.run(ours.decode_batch(StreamMessage(None, [CODEC.encode(1), body])))


def test_a_limit_is_no_reason_to_try_json():
    from faststream.message import StreamMessage

    ours = bakeoff.integrations.faststream(CODEC.with_limits(size=10))
    with pytest.raises(bakeoff.LimitError):
        asyncio.run(ours.decode(StreamMessage(None, b'{"a": "long text"}')))
