"""Codecs in applications of Quix Streams."""

from __future__ import annotations

import signal
from uuid import uuid4

import bakeoff


def test_an_application_goes_on_where_it_is_asked_to(server, tmp_path, monkeypatch):
    from confluent_kafka import Producer, TopicPartition
    from quixstreams import Application
    from quixstreams.models import TopicConfig
    from quixstreams.models.topics.admin import TopicAdmin

    def describe(self, names, timeout=0):
        """The one request to the broker that the mock does not answer."""
        return {name: TopicConfig(num_partitions=1, replication_factor=1, extra_config={}) for name in names}

    def bury(error, message, logger):
        dead.append((str(error).split(":")[0], type(error), message.value()))
        return True

    monkeypatch.setattr(TopicAdmin, "inspect_topics", describe)
    kafka, codec, name = server("kafka"), bakeoff.codec("msgpack"), f"orders-{uuid4().hex}"
    dead, seen = [], []
    application = Application(
        broker_address=kafka,
        consumer_group=name,
        auto_offset_reset="earliest",
        auto_create_topics=False,
        on_consumer_error=bury,
        loglevel=None,
        state_dir=tmp_path,
    )
    both = bakeoff.integrations.quixstreams(codec)
    orders, bills = application.topic(name, **both), application.topic(f"{name}-bills", **both)
    producer = Producer({"bootstrap.servers": kafka})
    for payload in (orders.serialize(value={"n": 1}).value, b"\xc1", orders.serialize(value={"n": 2}).value):
        producer.produce(name, payload, partition=0)
    assert producer.flush(10) == 0
    application.dataframe(orders).update(seen.append).to_topic(bills)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        application.run(count=2, timeout=600)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)

    assert [{"n": 1}, {"n": 2}] == seen
    assert [("msgpack", bakeoff.DecodeError, b"\xc1")] == dead
    with application.get_consumer(auto_commit_enable=False) as consumer:
        consumer.assign([TopicPartition(bills.name, n, 0) for n in range(4)])
        message = consumer.poll(10)
    assert {"n": 1} == bills.deserialize(message).value
    assert [("content-type", codec.media_type.encode())] == message.headers()
