"""A service moves to another codec while its queue in Redis holds payloads of both."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import redis

import bakeoff


def test_a_queue_is_emptied_by_readers_of_both_while_both_write(server):
    """In the three steps of the guide, with readers and writers side by side."""
    old, new = bakeoff.codec("json"), bakeoff.codec("msgpack")
    queue = redis.Redis.from_url(server("redis"))
    queue.delete("moving")
    steps = [(old, bakeoff.migrate(new, old)), (bakeoff.migrate(old, new), bakeoff.migrate(old, new))]

    def write(part: int) -> None:
        writer = (*steps[0], steps[1][0], new)[part]
        for n in range(100):
            queue.rpush("moving", writer.encode({"id": part * 100 + n, "tags": ["a"]}))

    def read(part: int) -> list[int]:
        reader = steps[part % 2][1]
        return [reader.decode(queue.blpop(["moving"])[1])["id"] for _ in range(200)]

    with ThreadPoolExecutor(4) as threads:
        written = threads.map(write, range(4))
        found = [number for numbers in threads.map(read, range(2)) for number in numbers]
        assert [None] * 4 == list(written)

    assert list(range(400)) == sorted(found)
    assert 0 == queue.llen("moving")
