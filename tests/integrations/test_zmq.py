"""Codecs on sockets of pyzmq, over TCP."""

from __future__ import annotations

import asyncio

import pytest

import bakeoff

RECORD = {"n": 1, "b": b"\x00" * 5000}
CODEC = bakeoff.codec("msgpack")


@pytest.fixture
def pair():
    import zmq

    with zmq.Context() as context, context.socket(zmq.PAIR) as one, context.socket(zmq.PAIR) as other:
        port = one.bind_to_random_port("tcp://127.0.0.1")
        other.connect(f"tcp://127.0.0.1:{port}")
        one.rcvtimeo = other.rcvtimeo = 20_000
        yield one, other


@pytest.mark.parametrize("copy", [True, False])
def test_a_record_is_a_message_of_one_frame(pair, copy):
    one, other = pair
    frames = bakeoff.integrations.zmq(CODEC)

    one.send_serialized(RECORD, frames.encode, copy=copy)

    assert RECORD == other.recv_serialized(frames.decode, copy=copy)


@pytest.mark.parametrize("poison", [[b"\xc1"], [b"\xc0", b"\xc0"]], ids=["damaged", "two frames"])
def test_the_next_message_comes_after_a_poisoned_one(pair, poison):
    one, other = pair
    frames = bakeoff.integrations.zmq(CODEC)
    one.send_multipart(poison)
    one.send_serialized(RECORD, frames.encode)

    with pytest.raises(bakeoff.DecodeError, match="msgpack: "):
        other.recv_serialized(frames.decode)
    assert RECORD == other.recv_serialized(frames.decode)


def test_sockets_of_asyncio_take_the_same(pair):
    import zmq.asyncio

    one, other = pair
    frames = bakeoff.integrations.zmq(CODEC)

    async def run():
        await zmq.asyncio.Socket(one).send_serialized(RECORD, frames.encode)
        return await zmq.asyncio.Socket(other).recv_serialized(frames.decode)

    assert RECORD == asyncio.run(run())


def test_bytes_in_place_of_frames_send_nothing(pair):
    """The trap of the page: each byte is taken for a frame, and refused."""
    one, other = pair

    with pytest.raises(TypeError, match="Frame 0"):
        one.send_serialized(RECORD, CODEC.encode)
    one.send(b"next")
    assert b"next" == other.recv()
