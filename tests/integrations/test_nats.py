"""Codecs with nats-py, on a real server."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import bakeoff

CODEC = bakeoff.codec("msgpack")


def test_a_subscriber_goes_on_after_a_poisoned_message(server):
    import nats

    async def run():
        subject, errors, found = uuid4().hex, [], asyncio.get_running_loop().create_future()

        async def failed(error):
            errors.append((type(error), error.codec))

        async def handle(message):
            found.set_result((CODEC.decode(message.data), message.headers))

        client = await nats.connect(server("nats"), error_cb=failed)
        await client.subscribe(subject, cb=handle)
        await client.publish(subject, b"\xc1")
        headers = {"content-type": CODEC.media_type}
        await client.publish(subject, CODEC.encode({"n": 1, "b": b"\x00"}), headers=headers)
        try:
            return *await asyncio.wait_for(found, 300), errors
        finally:
            await client.close()

    record, headers, errors = asyncio.run(run())

    assert ({"n": 1, "b": b"\x00"}, {"content-type": "application/x.bakeoff.msgpack"}) == (record, headers)
    assert [(bakeoff.DecodeError, "msgpack")] == errors
