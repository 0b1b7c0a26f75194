"""Temporal's client and a worker's sandbox, with histories in place of a server."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import logging
import os
import subprocess
import sys
from base64 import b64encode
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from temporalio import workflow
from temporalio.client import WorkflowHistory
from temporalio.converter import DataConverter
from temporalio.worker import Replayer

with workflow.unsafe.imports_passed_through():
    import bakeoff


@dataclasses.dataclass
class Order:
    id: UUID
    price: Decimal
    at: dt.datetime
    day: dt.date
    tags: list[str | None]


ORDER = Order(
    UUID(int=5),
    Decimal("1.10"),
    dt.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=dt.UTC),
    dt.date(2026, 1, 2),
    ["a", None],
)


@workflow.defn
class Sum:
    """A workflow with decimals, which Temporal's JSON lacks; imported again in the sandbox."""

    @workflow.run
    async def run(self, amounts: list[Decimal]) -> Decimal:
        return sum(amounts, start=Decimal())


@pytest.mark.parametrize("codec", [*map(bakeoff.codec, ("orjson", "msgpack", "cbor2"))], ids=str)
def test_values_come_back_as_what_is_hinted_at(codec: bakeoff.Codec) -> None:
    converter = bakeoff.integrations.temporal(codec)

    async def run() -> list[Any]:
        payloads = await converter.encode([ORDER, None, b"\xff"])
        assert [codec.media_type.encode(), b"binary/null", b"binary/plain"] == [
            payload.metadata["encoding"] for payload in payloads
        ]
        before = await DataConverter.default.encode([{"written": "before"}])
        return await converter.decode([*payloads, *before], [Order, None, bytes, dict])

    assert [ORDER, None, b"\xff", {"written": "before"}] == asyncio.run(run())


def test_a_worker_runs_a_workflow_and_names_the_codec_of_poison() -> None:
    # The sandbox imports modules again, and separates them from those of its process.
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)

    assert 0 == done.returncode, done.stderr
    good, *poisoned = done.stdout.splitlines()
    assert "None" == good
    assert "Failed decoding arguments" == poisoned[-1]
    assert "msgpack: FormatError" in poisoned


async def replay(*data: bytes) -> Exception | None:
    converter = bakeoff.integrations.temporal(bakeoff.codec("msgpack"))
    (given,) = await converter.encode([[Decimal("1.10"), Decimal("2.20")]])
    (result,) = await converter.encode([Decimal("3.30")])
    given.data = data[0] if data else given.data
    replayer = Replayer(workflows=[Sum], data_converter=converter)
    replayed = await replayer.replay_workflow(history(given, result), raise_on_replay_failure=False)
    return replayed.replay_failure


def history(given: Any, result: Any) -> WorkflowHistory:
    def payloads(payload: Any) -> dict[str, Any]:
        metadata = {key: b64encode(value).decode() for key, value in payload.metadata.items()}
        return {"payloads": [{"metadata": metadata, "data": b64encode(payload.data).decode()}]}

    queue = {"taskQueue": {"name": "shop"}}
    started = {
        "workflowType": {"name": "Sum"},
        "input": payloads(given),
        "originalExecutionRunId": "1",
        **queue,
    }
    events = {
        "workflowExecutionStarted": started,
        "workflowTaskScheduled": queue,
        "workflowTaskStarted": {"scheduledEventId": "2"},
        "workflowTaskCompleted": {"scheduledEventId": "2", "startedEventId": "3"},
        "workflowExecutionCompleted": {"result": payloads(result), "workflowTaskCompletedEventId": "4"},
    }
    numbered = enumerate(events.items(), 1)
    written = [
        {
            "eventId": str(n),
            "eventTime": "2026-01-02T12:00:00Z",
            "eventType": name[0].upper() + name[1:],
            f"{name}EventAttributes": attributes,
        }
        for n, (name, attributes) in numbered
    ]
    return WorkflowHistory.from_json("sum", {"events": written})


class Causes(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1]:
            print(record.exc_info[1].__cause__)


if __name__ == "__main__":
    print(asyncio.run(replay()))
    logging.getLogger().addHandler(Causes(logging.WARNING))
    failure = str(asyncio.run(replay(b"\x92\x01\xc1")))
    print("Failed decoding arguments" if "Failed decoding arguments" in failure else failure, flush=True)
    # Without finalizers: once, this process was aborted, presumably by a thread of the client at its end.
    os._exit(0)
