"""Programs for `benchmarks.watch`: ``python _watched.py PROGRAM [other]``, with another codec."""

from __future__ import annotations

import hashlib
import json
import sys
from multiprocessing import get_context
from typing import Any

OTHER = sys.argv[2:] == ["other"]


class Orjson:
    """The functions of ``json``, by orjson."""

    JSONEncoder, JSONDecodeError = json.JSONEncoder, json.JSONDecodeError

    @staticmethod
    def dumps(record: Any, **_: Any) -> str:
        """Encode."""
        return orjson.dumps(record).decode()

    @staticmethod
    def loads(payload: Any, **_: Any) -> Any:
        """Decode."""
        return orjson.loads(payload)


if OTHER:
    import orjson

    library: Any = Orjson
else:
    library = json


def orders(count: int) -> list[dict[str, Any]]:
    """Return records of some 700 bytes."""
    return [
        {
            "id": number,
            "customer": {"name": f"customer {number}", "city": "Köln", "premium": number % 3 == 0},
            "lines": [
                {"sku": f"A-{number}-{n}", "count": n, "price": n * 1.25, "tags": ["new", "sale"]}
                for n in range(number % 9 + 3)
            ],
            "note": None,
        }
        for number in range(count)
    ]


def batch() -> int:
    """Read lines, add up, write lines."""
    found, dumps, loads = 0, library.dumps, library.loads
    lines = [json.dumps(order) for order in orders(500)]
    for _ in range(150):
        written = []
        for line in lines:
            order = loads(line)
            order["total"] = sum(each["count"] * each["price"] for each in order["lines"])
            written.append(dumps(order))
        found += sum(map(len, written))
    return found > 0


def _work(lines: list[str]) -> float:
    found = 0.0
    for _ in range(80):
        for line in lines:
            order = library.loads(line)
            found += sum(each["price"] for each in sorted(order["lines"], key=lambda one: one["sku"]))
    return found


def pool() -> int:
    """Workers of multiprocessing decode what they are sent."""
    lines = [json.dumps(order) for order in orders(300)]
    with get_context("fork").Pool(2) as workers:
        return sum(workers.map(_work, [lines] * 8, 1)) > 0


def service() -> int:
    """A Starlette application that is called in the process."""
    import starlette.requests
    import starlette.responses
    from starlette.applications import Starlette
    from starlette.routing import Route
    from starlette.testclient import TestClient

    starlette.requests.json = library  # type: ignore[attr-defined]
    if OTHER:
        starlette.responses.json = Orjson  # type: ignore[attr-defined, assignment]

    async def add(request: Any) -> Any:
        order = await request.json()
        return starlette.responses.JSONResponse({"total": len(order["lines"]), "orders": [order] * 20})

    body = json.dumps(orders(9)[-1]).encode()
    with TestClient(Starlette(routes=[Route("/", add, methods=["POST"])])) as client:
        return sum(len(client.post("/", content=body).content) for _ in range(800)) > 0


def queue() -> int:
    """Messages of kombu, as Celery sends them, over a broker in memory."""
    from kombu import Connection, serialization
    from kombu.utils.json import dumps, loads

    if OTHER:
        serialization.register("other", Orjson.dumps, orjson.loads, "application/x-other", "utf-8")
    else:
        serialization.register("other", dumps, loads, "application/x-other", "utf-8")
    found = 0
    with Connection("memory://") as connection:
        tasks = connection.SimpleQueue("tasks", serializer="other")
        tasks.consumer.accept = {"application/x-other"}
        for order in orders(60) * 100:
            tasks.put(order, serializer="other")
            message = tasks.get(timeout=1)
            found += len(message.payload["lines"])
            message.ack()
    return found > 0


def client() -> int:
    """Calls of httpx, answered in the process."""
    import httpx

    if OTHER:
        httpx._models.jsonlib = Orjson  # type: ignore[attr-defined, assignment]
    body = json.dumps(orders(60)).encode()
    answer = httpx.MockTransport(lambda request: httpx.Response(200, content=body))
    with httpx.Client(transport=answer) as calls:
        return sum(len(calls.get("http://here/").json()) for _ in range(1200)) > 0


def consumer() -> int:
    """MessagePack in and out, with a digest of each message."""
    import msgpack
    import ormsgpack

    pack, unpack = (ormsgpack.packb, ormsgpack.unpackb) if OTHER else (msgpack.packb, msgpack.unpackb)
    messages, found = [msgpack.packb(order) for order in orders(500)], 0
    for _ in range(200):
        for message in messages:
            order = unpack(message)
            order["digest"] = hashlib.sha256(message).hexdigest()
            found += len(pack(order))
    return found > 0


def elsewhere() -> int:
    """A program that hardly encodes anything."""
    found = 0
    for order in orders(60) * 15:
        text = library.dumps(order)
        for _ in range(60):
            found += sum(ord(letter) for letter in hashlib.sha256(text.encode()).hexdigest())
            found += len(sorted(str(number) for number in range(100)))
    return found > 0


PROGRAMS = {each.__name__: each for each in (batch, pool, service, queue, client, consumer, elsewhere)}

if __name__ == "__main__":
    assert PROGRAMS[sys.argv[1]]()
