"""Programs for `benchmarks.watch`: ``python _watched.py PROGRAM FOLDER URL [other]``, with another codec.

Five are programs or applications of others: ``json.tool``, the command of jsonschema, the application with
which FastAPI measures itself, an example of Celery's documentation, and FastStream's choice between json and
orjson. ``other`` puts orjson in the place of their library, as their authors would. Each imports it, also
without ``other``: that takes 8 ms once, which is 1 % of the time of some of them.
"""

from __future__ import annotations

import os
import random

_RANDOM = random.Random(os.environ.get("PYTHONHASHSEED"))
_LAYOUT = [bytearray(_RANDOM.randrange(3000)) for _ in range(_RANDOM.randrange(1000))]
"""Moves what a program allocates, also the code of the libraries that it imports, so it comes before them.

Where that lies changes the program's time by several per cent, watched or not. Source: Mytkowicz et al.,
"Producing wrong data without doing anything obviously wrong!", ASPLOS 2009.
"""

import hashlib  # noqa: E402
import json  # noqa: E402
import logging  # noqa: E402
import runpy  # noqa: E402
import sys  # noqa: E402
from importlib import import_module  # noqa: E402
from multiprocessing import get_context  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402
from urllib.parse import urlsplit  # noqa: E402

import orjson  # noqa: E402

_HARMLESS = {"separators", "ensure_ascii", "allow_nan", "skipkeys", "check_circular"}


def use_orjson(*names: str) -> None:
    """Put orjson in the place of json and other modules, for all modules that are imported from now on."""
    plain = json.dumps, json.loads

    def dumps(record: Any, **options: Any) -> str:
        # First what is cheap, as this is part of the time of the other library.
        if options.keys() <= _HARMLESS or not any(options[name] for name in options.keys() - _HARMLESS):
            return orjson.dumps(record).decode()
        return plain[0](record, **options)

    def loads(payload: Any, **options: Any) -> Any:
        return plain[1](payload, **options) if options and any(options.values()) else orjson.loads(payload)

    def dump(record: Any, file: Any, **options: Any) -> None:
        file.write(dumps(record, **options))

    for module in ("json", *names):
        found: Any = import_module(module)
        found.dumps, found.loads, found.dump = dumps, loads, dump


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


def batch() -> None:
    """The command of Python that rewrites JSON Lines."""
    sys.argv = ["json.tool", "--json-lines", "--compact", str(FOLDER / "orders.jsonl"), "/dev/null"]
    runpy.run_module("json.tool", run_name="__main__")


def elsewhere() -> None:
    """The command of jsonschema, which hardly encodes anything."""
    instances = ["--instance", str(FOLDER / "orders.json")] * 15
    sys.argv = ["jsonschema", *instances, str(FOLDER / "schema.json")]
    runpy.run_module("jsonschema", run_name="__main__")


def service() -> None:
    """The application with which FastAPI measures itself, served by uvicorn."""
    import uvicorn

    sys.argv.append("--codspeed")  # without it the module says that it is a test to skip
    sys.path.insert(0, str(FOLDER / "fastapi"))
    port = urlsplit(URL).port or 0
    uvicorn.run("tests.benchmarks.test_general_performance:app", port=port, log_level="warning")


def worker() -> None:
    """A worker of the project in Celery's "Next Steps"."""
    sys.path.insert(0, str(FOLDER / "celery/examples/next-steps"))
    app = import_module("proj.celery").app
    app.conf.update(broker_url=URL, result_backend=URL)
    app.worker_main(["worker", "--pool", "solo", "--without-gossip", "--without-mingle", "-l", "error"])


def consumer() -> None:
    """A consumer of FastStream on Kafka, which uses orjson if it is installed."""
    import asyncio

    if not OTHER:
        sys.modules["orjson"] = None  # type: ignore[assignment]
    from faststream import FastStream
    from faststream.kafka import KafkaBroker

    broker = KafkaBroker(URL, allow_auto_create_topics=False)
    app = FastStream(broker, logger=None)
    messages = 0

    @broker.subscriber("orders", auto_offset_reset="earliest")
    async def handle(order: dict[str, Any]) -> None:
        nonlocal messages
        assert order["customer"]["city"] == "Köln"
        messages += 1
        if messages == MESSAGES:
            app.exit()

    asyncio.run(app.run(log_level=logging.CRITICAL))


MESSAGES = 5000


def view() -> None:
    """A view of Django with its cache in memory, served by two processes of gunicorn."""
    from django.conf import settings
    from django.core.cache import cache
    from django.core.wsgi import get_wsgi_application
    from django.http import JsonResponse
    from django.urls import path
    from gunicorn.app.wsgiapp import run

    loads = orjson.loads if OTHER else json.loads

    def add(request: Any, number: int) -> Any:
        added = loads(request.body)
        cache.set(number, [*cache.get(number, [])[-5:], added[-1]])
        return JsonResponse({"count": len(added), "last": added[-1]})

    settings.configure(
        ROOT_URLCONF=(path("<int:number>", add),), ALLOWED_HOSTS=["*"], SECRET_KEY="x", LOGGING_CONFIG=None
    )
    globals()["application"] = get_wsgi_application()
    sys.modules["_watched"] = sys.modules["__main__"]
    sys.argv = ["gunicorn", "-w", "2", "-b", urlsplit(URL).netloc, "--no-control-socket"]
    sys.argv += ["--log-level", "error", "_watched:application"]
    run()


def client() -> None:
    """Requests that are sent and answered as JSON."""
    import requests

    with requests.Session() as session:
        for order in orders(700):
            answer = session.post(URL, json=order)
            assert len(answer.json()) == 60


def _work(messages: list[bytes]) -> int:
    library: Any = import_module("ormsgpack" if OTHER else "msgpack")
    found = 0
    for message in messages * 80:
        order = library.unpackb(message)
        order["digest"] = hashlib.sha256(message).hexdigest()
        found += len(library.packb(order))
    return found


def pool() -> None:
    """Processes of multiprocessing that read and write MessagePack."""
    import msgpack

    messages = [msgpack.packb(order) for order in orders(300)]
    with get_context("spawn").Pool(2) as workers:
        assert sum(workers.map(_work, [messages] * 8, 1)) > 0


PROGRAMS = {each.__name__: each for each in (batch, pool, service, worker, consumer, view, client, elsewhere)}
OTHER = sys.argv[4:] == ["other"]

if __name__ == "__main__":
    FOLDER, URL = Path(sys.argv[2]), sys.argv[3]
    if OTHER and sys.argv[1] != "view":
        use_orjson(*{"worker": ["kombu.utils.json"], "client": ["simplejson"]}.get(sys.argv[1], ()))
    PROGRAMS[sys.argv[1]]()
