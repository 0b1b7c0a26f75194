"""A codec in task queues: their own clients and workers execute tasks, and meet a message that is none."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

import pytest

import bakeoff

CODEC = bakeoff.codec("msgpack")
NOON = dt.datetime(2026, 1, 2, 12, tzinfo=dt.UTC)
ARGUMENTS = (NOON, Decimal("1.10"), (1, 2))
SHOWN = f"{NOON!r}, '1.10', [1, 2]"
POISON = b"\x92\x01\xc1"
SAID = "msgpack: FormatError"


@pytest.fixture
def url(server: Callable[[str], str]) -> str:
    return server("redis").rpartition("/")[0] + "/9"


@pytest.fixture
def name() -> str:
    return f"shop-{uuid4().hex}"


def causes(record: logging.LogRecord) -> list[str]:
    assert record.exc_info is not None
    found, error = [], record.exc_info[1]
    while error is not None:
        found.append(str(error))
        error = error.__cause__
    return found


def show(*args: Any) -> str:
    return ", ".join(map(repr, args))


async def showing(_: Any, *args: Any) -> str:
    return show(*args)


async def showing_all(_: Any, *, args: list[Any]) -> str:
    return show(*args)


async def failing(_: Any) -> None:
    raise ValueError("of the task")


def test_rq(url: str, name: str) -> None:
    import redis
    from rq import Queue, SimpleWorker

    path = "bakeoff.codecs.ready.msgpack"
    with redis.Redis.from_url(url) as client:
        queue = Queue(name, connection=client, serializer=CODEC)
        good, bad, last = queue.enqueue(show, *ARGUMENTS), queue.enqueue(show, 1), queue.enqueue(show, 2)
        client.hset(bad.key, "data", POISON)

        SimpleWorker([queue], connection=client, serializer=path).work(burst=True)

        assert [SHOWN, "2"] == [job.return_value() for job in (good, last)]
        assert queue.failed_job_registry.get_job_ids() == [bad.id]
        assert SAID in queue.fetch_job(bad.id).latest_result().exc_string


@pytest.mark.filterwarnings("ignore:Call to deprecated close:DeprecationWarning:arq")
def test_arq(url: str, name: str, caplog: pytest.LogCaptureFixture) -> None:
    from arq import create_pool
    from arq.connections import RedisSettings
    from arq.jobs import SerializationError
    from arq.worker import Worker

    both: dict[str, Any] = {"job_serializer": CODEC.encode, "job_deserializer": CODEC.decode}

    async def run() -> list[object]:
        settings = RedisSettings.from_dsn(url)
        settings.password = unquote(settings.password or "")  # which arq does not unquote
        settings.conn_timeout = 60  # one second is too short on a busy machine
        pool = await create_pool(settings, default_queue_name=name, **both)
        calls = [("showing", ARGUMENTS), ("failing", ()), ("showing", ()), ("showing", (2,))]
        jobs = [await pool.enqueue_job(function, *args) for function, args in calls]
        await pool.set(f"arq:job:{jobs[2].job_id}", POISON)
        options: dict[str, Any] = {"burst": True, "handle_signals": False, "poll_delay": 0.01, **both}
        worker = Worker([showing, failing], redis_pool=pool, queue_name=name, **options)
        await worker.main()
        ended = await asyncio.gather(
            *(job.result(10, poll_delay=0.01) for job in jobs), return_exceptions=True
        )
        await worker.close()
        return list(ended)

    good, failed, bad, last = asyncio.run(run())

    assert [SHOWN, "2"] == [good, last]
    assert [SerializationError] * 2 == [type(failed), type(bad)]
    (record,) = (r for r in caplog.records if "deserializing job" in r.message)
    assert SAID in causes(record)


def test_saq(url: str, name: str, caplog: pytest.LogCaptureFixture) -> None:
    from saq import Queue, Worker

    async def run() -> object:
        queue = Queue.from_url(url, name=name, dump=CODEC.encode, load=CODEC.decode)
        await queue.connect()
        worker = Worker(queue, [showing_all], dequeue_timeout=0.1, concurrency=1)
        bad = await queue.enqueue("showing_all", args=[])
        await queue.redis.set(bad.id, POISON)
        started = asyncio.create_task(worker.start())
        good = await queue.apply("showing_all", args=ARGUMENTS, timeout=300)
        with pytest.raises(bakeoff.DecodeError, match=SAID):
            await queue.job(bad.key)
        worker.event.set()
        await started
        await queue.disconnect()
        return good

    assert SHOWN == asyncio.run(run())
    (record,) = (r for r in caplog.records if r.message == "Upkeep task failed unexpectedly")
    assert SAID in causes(record)


def test_dramatiq(
    url: str, name: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message that cannot be read ends the consumer, which dramatiq restarts."""
    import dramatiq
    from dramatiq.brokers.redis import RedisBroker
    from dramatiq.results import Results
    from dramatiq.results.backends import RedisBackend

    monkeypatch.setattr("dramatiq.worker.CONSUMER_RESTART_DELAY_SECS", 0.01)
    usual = dramatiq.get_encoder()
    dramatiq.set_encoder(CODEC)
    results = RedisBackend(url=url)
    broker = RedisBroker(url=url, namespace=name, middleware=[Results(backend=results)])
    actor = dramatiq.actor(show, broker=broker, store_results=True)
    bad = actor.send()
    broker.client.hset(f"{name}:default.msgs", bad.options["redis_message_id"], POISON)
    worker = dramatiq.Worker(broker, worker_threads=1, worker_timeout=10)
    ended = threading.Event()
    monkeypatch.setattr(
        logging.getLogger("dramatiq.worker.ConsumerThread(default)"),
        "critical",
        lambda *args, **options: (logging.critical(*args, **options), ended.set()),
    )
    try:
        worker.start()
        assert ended.wait(300)
        assert SHOWN == actor.send(*ARGUMENTS).get_result(backend=results, block=True, timeout=300_000)
    finally:
        worker.stop()
        broker.close()
        dramatiq.set_encoder(usual)
    (record,) = (r for r in caplog.records if r.levelno == logging.CRITICAL)
    assert SAID in causes(record)


@pytest.mark.parametrize("codec", [*map(bakeoff.codec, ("orjson", "bson", "cbor2"))], ids=str)
def test_huey(codec: bakeoff.Codec, url: str, name: str, caplog: pytest.LogCaptureFixture) -> None:
    from huey import RedisHuey, chord
    from huey.consumer import Worker
    from huey.exceptions import TaskException

    huey = RedisHuey(name, url=url, blocking=False, serializer=bakeoff.integrations.huey(codec))
    worker = Worker(huey, threading.Event(), default_delay=0, max_delay=0, backoff=1)

    @huey.task()
    def add(a: int, b: int = 1) -> int:
        return a + b

    @huey.task()
    def total(numbers: list[int]) -> int:
        return sum(numbers)

    @huey.task()
    def fail() -> None:
        raise ValueError("of the task")

    def work() -> None:
        while huey.pending_count():
            worker.loop()

    piped = huey.enqueue(add.s(1).then(add, 5))
    joined = huey.enqueue(chord([add.s(1), add.s(2)], total))
    failed, revoked, put_off = fail(), add(1), add.schedule((1,), delay=60, expires=dt.timedelta(seconds=90))
    huey.revoke(revoked.task, revoke_until=dt.datetime.now() + dt.timedelta(days=1))
    work()

    assert [[2, 7], 5, None] == [piped.get(), joined.get(), revoked.get()]
    with pytest.raises(TaskException) as caught:
        failed.get()
    assert "ValueError('of the task')" == caught.value.metadata["error"]
    (waiting,) = huey.scheduled()
    assert (put_off.task.eta, 90.0, put_off.task.expires_resolved) == (
        waiting.eta,
        waiting.expires,
        waiting.expires_resolved,
    )
    for poison in (b"{\xc1", codec.encode({"id": 1}), codec.encode({"task": {"no": 1}})):
        huey.storage.enqueue(poison)
    after = add(3)
    work()
    assert 4 == after.get()
    said = [record.exc_info[1] for record in caplog.records if record.message == "Error reading from queue"]
    assert [(bakeoff.DecodeError, codec.name)] * 3 == [(type(error), error.codec) for error in said]
