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

    deserialize = bakeoff.integrations.aiokafka(CODEC).deserialize

    async def consume():
        partition = TopicPartition(topic, 0)
        async with AIOKafkaConsumer(
            bootstrap_servers=kafka, auto_offset_reset="earliest", value_deserializer=deserialize
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


def confluent(kafka, topic, messages):
    from confluent_kafka import DeserializingConsumer, SerializingProducer, TopicPartition

    servers = {"bootstrap.servers": kafka}
    producer = SerializingProducer(
        {**servers, "key.serializer": CODEC.encode, "value.serializer": CODEC.encode}
    )
    for key, value in messages:
        producer.produce(topic, key=key, value=value, partition=0)
    assert producer.flush(10) == 0
    readers = {"key.deserializer": CODEC.decode, "value.deserializer": CODEC.decode}
    raw, read = (
        DeserializingConsumer({**servers, "group.id": uuid4().hex, **each}) for each in ({}, readers)
    )
    for consumer in (raw, read):
        consumer.assign([TopicPartition(topic, 0, 0)])
        found = [consumer.poll(300) for _ in messages]
        yield [(message.key(), message.value()) for message in found]
        consumer.close()


def aiokafka(kafka, topic, messages):
    from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

    ours = bakeoff.integrations.aiokafka(CODEC)
    readers = {"key_deserializer": ours.deserialize, "value_deserializer": ours.deserialize}

    async def read(**deserializers):
        options = {"bootstrap_servers": kafka, "auto_offset_reset": "earliest", **deserializers}
        async with AIOKafkaConsumer(**options) as consumer:
            consumer.assign([TopicPartition(topic, 0)])
            found = [await asyncio.wait_for(consumer.getone(), 300) for _ in messages]
            return [(message.key, message.value) for message in found]

    async def run():
        writers = {"key_serializer": ours.serialize, "value_serializer": ours.serialize}
        async with AIOKafkaProducer(bootstrap_servers=kafka, **writers) as producer:
            for key, value in messages:
                await producer.send_and_wait(topic, key=key, value=value, partition=0)
        return await read(), await read(**readers)

    return asyncio.run(run())


def kafka_python(kafka, topic, messages):
    from kafka import KafkaConsumer, KafkaProducer, TopicPartition

    ours, servers = (
        bakeoff.integrations.kafka_python(CODEC),
        {"bootstrap_servers": kafka, "api_version": (2, 3)},
    )
    with KafkaProducer(**servers, key_serializer=ours, value_serializer=ours) as producer:
        for key, value in messages:
            producer.send(topic, key=key, value=value, partition=0).get(300)
    for readers in ({}, {"key_deserializer": ours, "value_deserializer": ours}):
        consumer = KafkaConsumer(
            **servers, auto_offset_reset="earliest", consumer_timeout_ms=300_000, **readers
        )
        consumer.assign([TopicPartition(topic, 0)])
        found = [next(consumer) for _ in messages]
        yield [(message.key, message.value) for message in found]
        consumer.close()


def quixstreams(kafka, topic, messages):
    from confluent_kafka import Consumer, Producer, TopicPartition
    from quixstreams.models import Topic

    both = bakeoff.integrations.quixstreams(CODEC)
    keys = {name.replace("value", "key"): each for name, each in both.items()}
    ours = Topic(topic, **both, **keys)
    producer = Producer({"bootstrap.servers": kafka})
    for key, value in messages:
        written = ours.serialize(key=key, value=value)
        producer.produce(topic, key=written.key, value=written.value, partition=0)
    assert producer.flush(10) == 0
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": uuid4().hex})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = [consumer.poll(300) for _ in messages]
    consumer.close()
    yield [(message.key(), message.value()) for message in found]
    yield [(read.key, read.value) for read in map(ours.deserialize, found)]


@pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning")
@pytest.mark.parametrize(
    "client", [confluent, aiokafka, kafka_python, quixstreams], ids=lambda made: made.__name__
)
def test_none_is_none_in_every_client(kafka, topic, client):
    """A message without a value deletes its key; a record that is empty or false is none of these."""
    messages = [("7", RECORD), ("7", None), (None, {}), ("", 0), (5, False)]
    payloads = [
        tuple(None if each is None else CODEC.encode(each) for each in message) for message in messages
    ]

    raw, read = client(kafka, topic, messages)

    assert payloads == raw
    assert messages == read


@pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning")  # its own import
def test_kafka_python_takes_the_adapter(kafka, topic):
    """Without the warning that a plain function gets; None deletes a key, and errors are the codec's."""
    from kafka import KafkaConsumer, KafkaProducer, TopicPartition

    # 2.3, as the mock knows no later way to ask for versions.
    with KafkaProducer(
        bootstrap_servers=kafka, api_version=(2, 3), value_serializer=bakeoff.integrations.kafka_python(CODEC)
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
