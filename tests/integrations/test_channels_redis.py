"""Codecs in the channel layers of channels_redis, on a real Redis."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

import bakeoff

CODEC = bakeoff.codec("msgpack")
MESSAGE = {"type": "bill", "at": b"\x00"}


@pytest.fixture(params=["core.RedisChannelLayer", "pubsub.RedisPubSubChannelLayer"])
def layer(request, server):
    from importlib import import_module

    from channels_redis.serializers import registry

    registry.register_serializer("bakeoff", bakeoff.integrations.channels_redis(CODEC))
    module, _, name = request.param.partition(".")
    made = getattr(import_module(f"channels_redis.{module}"), name)
    prefix = uuid4().hex

    def layer(**options):
        return made(hosts=[server("redis")], serializer_format="bakeoff", prefix=prefix, **options)

    return layer


async def closed(layer):
    await (layer.close_pools() if hasattr(layer, "close_pools") else layer.flush())


def test_a_message_that_is_sent_twice_arrives_twice(layer):
    """To a channel and to a group; the same bytes would be one member of a sorted set."""

    async def run():
        shop = layer()
        channel = await shop.new_channel()
        await shop.group_add("shop", channel)
        await shop.send(channel, MESSAGE)
        await shop.send(channel, MESSAGE)
        await shop.group_send("shop", MESSAGE)
        try:
            return [await asyncio.wait_for(shop.receive(channel), 300) for _ in range(3)]
        finally:
            await closed(shop)

    assert [MESSAGE["at"]] * 3 == [found["at"] for found in asyncio.run(run())]


def test_the_layers_keys_encrypt_it(layer):
    shop = layer(symmetric_encryption_keys=["secret"])

    payload = shop.serialize(MESSAGE)

    assert CODEC.encode(MESSAGE) not in payload
    assert MESSAGE == shop.deserialize(payload)


def test_the_next_message_comes_after_a_poisoned_one(layer):
    async def run():
        shop = layer()
        channel = await shop.new_channel()
        whole, shop.serialize = shop.serialize, lambda message: whole(message)[:-1]
        await shop.send(channel, MESSAGE)
        shop.serialize = whole
        await shop.send(channel, MESSAGE)
        try:
            with pytest.raises(bakeoff.DecodeError, match="msgpack: "):
                await asyncio.wait_for(shop.receive(channel), 300)
            return (await asyncio.wait_for(shop.receive(channel), 300))["at"]
        finally:
            await closed(shop)

    assert MESSAGE["at"] == asyncio.run(run())
