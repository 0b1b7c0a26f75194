"""A worker in Python that imports nothing of bakeoff: the reader of PyPy, and the example of worker.md."""

from __future__ import annotations

import datetime
import decimal
import importlib
import importlib.metadata
import io
import json
import platform
import random
import re
import struct
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

Load = Callable[[bytes], Any]
Dump = Callable[[Any], bytes]

FORMATS = {"json": "json", "msgpack": "msgpack", "cbor2": "cbor", "bson": "bson", "fastavro": "avro"}
WARM_UP = 50  # slices at most
STEADY = 0.02  # difference of two slices
WAITED = 0.01  # of a slice without the processor: it is repeated,
REPEATS = 2  # at most so often
HAS_COMPILER = platform.python_implementation() == "PyPy"
HOT_CALLS, HOT_SECONDS = 2000, 0.5  # whichever comes first: after these, its compiler has little left to do

hot: set[str] = set()


def loader(library: str, schema: dict[str, str]) -> Load:
    """Return the library's function that reads a payload; only some formats have a schema."""
    module = importlib.import_module(library)
    if library == "fastavro":
        parsed = module.parse_schema(json.loads(schema["text"]))
        return lambda payload: module.schemaless_reader(io.BytesIO(payload), parsed)
    if library == "msgpack":
        return lambda payload: module.unpackb(payload, strict_map_key=False, timestamp=3)
    load: Load = getattr(module, "decode" if library == "bson" else "loads")
    return load


def dumper(library: str, schema: dict[str, str]) -> Dump:
    """Return the library's function that writes a payload; only some formats have a schema."""
    module = importlib.import_module(library)
    if library == "fastavro":
        return lambda value: written(module, schema, value)
    if library == "json":
        return lambda value: json.dumps(value).encode()
    if library == "msgpack":
        return lambda value: module.packb(value, datetime=True)
    dump: Dump = getattr(module, "encode" if library == "bson" else "dumps")
    return dump


def written(fastavro: Any, schema: dict[str, str], value: Any) -> bytes:
    """Return the payload of a value."""
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, json.loads(schema["text"]), value)
    return buffer.getvalue()


def canonical(value: Any) -> list[Any]:
    """Return the value with its types."""
    if value is None or isinstance(value, bool):
        return ["null"] if value is None else ["bool", value]
    if isinstance(value, (int, decimal.Decimal)):
        return ["int" if isinstance(value, int) else "decimal", str(value)]
    if isinstance(value, float):
        return ["float", struct.pack(">d", value).hex()]
    if isinstance(value, str):
        return ["text", value]
    if isinstance(value, (bytes, bytearray)):
        return ["bytes", value.hex()]
    if type(value).__name__ == "ExtType":  # of msgpack
        return ["tag", str(value.code), canonical(value.data)]
    if isinstance(value, (list, tuple, set, frozenset)):
        tag = "list" if isinstance(value, (list, tuple)) else "set"
        return [tag, [canonical(each) for each in value]]
    if isinstance(value, dict):
        return ["map", [[canonical(key), canonical(each)] for key, each in value.items()]]
    if isinstance(value, datetime.datetime):
        return ["time", re.sub(r"\+00:00$", "Z", value.isoformat(timespec="microseconds"))]
    if isinstance(value, (datetime.date, uuid.UUID)):
        return ["date" if isinstance(value, datetime.date) else "uuid", str(value)]
    return ["other", type(value).__name__, repr(value)]


def available() -> Iterator[dict[str, str]]:
    """Yield the libraries that are installed."""
    for name, form in FORMATS.items():
        try:
            importlib.import_module(name)
            version = (
                platform.python_version()
                if name == "json"
                else importlib.metadata.version(name.replace("bson", "pymongo"))
            )
        except ImportError:
            continue
        yield {"name": name, "version": version, "format": form, "writer": name}


def slice_of(load: Load, payloads: list[bytes], nanoseconds: int) -> float:
    """Return the nanoseconds of processor time per payload of one slice."""
    for _ in range(1 + REPEATS):
        count, spent, before = 0, 0, time.thread_time_ns()
        begin = time.perf_counter_ns()
        while spent < nanoseconds or not count:
            for payload in payloads:
                load(payload)
            count += len(payloads)
            spent = time.perf_counter_ns() - begin
        used = time.thread_time_ns() - before
        if spent - used <= WAITED * spent:
            break
    return max(used, 1) / count


def warm_up(library: str, load: Load, payloads: list[bytes], nanoseconds: int) -> None:
    """Read until two slices in a row differ little; before that, let PyPy compile a library's loops."""
    begin, calls = time.process_time(), 0
    while HAS_COMPILER and library not in hot:
        slice_of(load, payloads, 0)
        calls += len(payloads)
        if calls >= HOT_CALLS or time.process_time() - begin >= HOT_SECONDS:
            hot.add(library)
    before = float("inf")
    for _ in range(WARM_UP):
        figure = slice_of(load, payloads, nanoseconds)
        if abs(figure - before) <= STEADY * figure:
            break
        before = figure


def answer(head: dict[str, Any], content: bytes) -> tuple[dict[str, Any], bytes]:
    """Return head and content of the answer to a message."""
    if head["kind"] == "hello":
        own = getattr(sys, "pypy_version_info", sys.version_info)[:3]
        return {
            "kind": "hello",
            "protocol": 1,
            "language": "PyPy" if HAS_COMPILER else "Python",
            "version": ".".join(map(str, own)),
            "libraries": list(available()),
        }, b""
    schema = head.get("schema", {})
    load = loader(head["library"], schema)
    if head["kind"] == "check":
        return {"kind": "value"}, json.dumps(canonical(load(content))).encode()
    if head["kind"] == "dump":
        return {"kind": "payload"}, dumper(head["library"], schema)(load(content))
    payloads, start = [], 0
    for size in head["sizes"]:
        payloads.append(content[start : start + size])
        start += size
    random.Random(head["seed"]).shuffle(payloads)
    begin = time.perf_counter_ns()
    warm_up(head["library"], load, payloads, head["slice_ns"])
    warmed = time.perf_counter_ns() - begin
    slices = [slice_of(load, payloads, head["slice_ns"]) for _ in range(head["slices"])]
    return {"kind": "times", "warmup_ns": warmed, "slices": slices}, b""


while prefix := sys.stdin.buffer.read(18):
    head = json.loads(sys.stdin.buffer.read(int(prefix[:8], 16)))
    content = sys.stdin.buffer.read(int(prefix[9:17], 16) + 1)[:-1]
    if head["kind"] == "bye":
        break
    try:
        head, content = answer(head, content)
    except Exception as error:  # noqa: BLE001 - the conductor wants every error
        head, content = {"kind": "error", "message": f"{type(error).__name__}: {error}"}, b""
    text = json.dumps(head).encode()
    sys.stdout.buffer.write(b"%08x %08x\n%b%b\n" % (len(text), len(content), text, content))
    sys.stdout.buffer.flush()
