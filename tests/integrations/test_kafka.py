"""Codecs in clients of Kafka, over the protocol: librdkafka's mock is the broker."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

import bakeoff
from bakeoff import DecodeError

RECORD = {"id": 7, "name": "Zoë", "tags": ["a", "b"]}
POISON = b"\xc1 no payload"
CODEC = bakeoff.codec("msgpack")


@pytest.fixture(scope="module")
def kafka(server):
    return server("kafka")


@pytest.fixture
def topic():
    return f"orders-{uuid4().hex}"


def poisoned(kafka, topic):
    from confluent_kafka import SerializingProducer

    producer = SerializingProducer({"bootstrap.servers": kafka, "value.serializer": CODEC.encode})
    headers = {"content-type": CODEC.media_type}
    producer.produce(topic, value=RECORD, partition=0, headers=headers)
    super(SerializingProducer, producer).produce(topic, value=POISON, partition=0)
    producer.produce(topic, value=None, partition=0)
    assert producer.flush(10) == 0


def test_aiokafka_stays_before_a_poisoned_message(kafka, topic):
    """With a deserializer it raises the codec's error again and again, at the same place."""
    from aiokafka import AIOKafkaConsumer, TopicPartition

    async def consume():
        partition = TopicPartition(topic, 0)
        async with AIOKafkaConsumer(
            bootstrap_servers=kafka, auto_offset_reset="earliest", value_deserializer=CODEC.decode
        ) as consumer:
            consumer.assign([partition])
            first = await asyncio.wait_for(consumer.getone(), 300)
            for _ in range(2):
                with pytest.raises(DecodeError, match="msgpack: "):
                    await asyncio.wait_for(consumer.getone(), 300)
            place = await consumer.position(partition)
            consumer.seek(partition, place + 1)
            return first.value, place, (await asyncio.wait_for(consumer.getone(), 300)).offset

    poisoned(kafka, topic)

    assert (RECORD, 1, 2) == asyncio.run(consume())


def test_aiokafka_takes_encode(kafka, topic):
    from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

    async def pass_on():
        async with AIOKafkaProducer(bootstrap_servers=kafka, value_serializer=CODEC.encode) as producer:
            await producer.send_and_wait(topic, RECORD, partition=0)
        async with AIOKafkaConsumer(bootstrap_servers=kafka, auto_offset_reset="earliest") as consumer:
            consumer.assign([TopicPartition(topic, 0)])
            return (await asyncio.wait_for(consumer.getone(), 300)).value

    assert CODEC.encode(RECORD) == asyncio.run(pass_on())


@pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning")  # its own import
def test_kafka_python_takes_the_adapter(kafka, topic):
    """Without the warning that a plain function gets; None deletes a key, and errors are the codec's."""
    from kafka import KafkaConsumer, KafkaProducer, TopicPartition

    # 2.3, as the mock knows no later way to ask for versions.
    with KafkaProducer(
        bootstrap_servers=kafka, api_version=(2, 3), value_serializer=CODEC.for_kafka_python()
    ) as producer:
        producer.send(topic, RECORD, partition=0)
        producer.send(topic, None, key=b"7", partition=0).get(300)
        with pytest.raises(bakeoff.EncodeError, match="msgpack: "):
            producer.send(topic, object(), partition=0)
    consumer = KafkaConsumer(
        bootstrap_servers=kafka, api_version=(2, 3), auto_offset_reset="earliest", consumer_timeout_ms=300_000
    )
    try:
        consumer.assign([TopicPartition(topic, 0)])
        found = [next(consumer).value for _ in range(2)]
    finally:
        consumer.close()

    assert [CODEC.encode(RECORD), None] == found
