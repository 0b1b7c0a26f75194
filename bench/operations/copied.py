"""The bytes of data that a load or a dump copies to new memory, instead of referring to existing memory.

In a decoded record, these are its values: arrays, columns and texts count their length, unless they lie
within the payload. A number counts 8 bytes, as Python makes an object of it. Keys and containers do not
count. A dump copies the payload that it returns, or of separate frames the ones that do not lie in the
record's memory.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from ...codecs.conventions.arrays import kind_of
from ...codecs.conventions.classes import fields_of
from .base import Context, Measured, Operation

_RECORDS = 20
"""Number of records to inspect, as a codec copies the same parts of each."""
_WORD = 8

MemorySpan = tuple[int | None, int]
"""Address of data, None if there is none or several, and the number of bytes."""


def copied(record: Any, payload: bytes) -> int:
    """Return the bytes of a record's data that do not lie within a payload."""
    start = _address(payload)
    end = start + len(payload)
    return sum(size for at, size in _places(record) if at is None or not start <= at < end)


def _address(data: bytes) -> int:
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0


def _places(record: Any) -> Iterator[MemorySpan]:
    """Yield the location of a record's data, shared values once."""
    stack, seen = [record], {}
    while stack:
        value = stack.pop()
        kind = type(value)
        if kind is float or kind is int:
            yield None, _WORD
            continue
        if value is None or id(value) in seen:
            continue
        seen[id(value)] = value  # kept alive, as the id of a freed object is reused
        if isinstance(value, dict):
            stack += value.values()
        elif isinstance(value, list | tuple | set | frozenset):
            stack += value
        elif isinstance(value, str):
            yield None, len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))
        elif isinstance(value, bytes | bytearray):
            yield None, len(value)
        elif isinstance(value, memoryview):
            yield (_address(value.obj) if type(value.obj) is bytes else None), value.nbytes
        elif isinstance(value, bool):
            yield None, 1
        elif (name := kind_of(kind)) or str(kind.__module__).startswith("pyarrow"):
            yield from _of_arrays(name, value, stack)
        elif (fields := fields_of(value)) is not None:
            stack += fields.values()
        else:
            yield None, _WORD


def _of_arrays(kind: str, value: Any, stack: list[Any]) -> Iterable[MemorySpan]:
    """Yield the location of the data of an array or a frame; push its objects on the stack."""
    if kind == "numpy.ndarray":
        if value.dtype.hasobject:
            stack += value.ravel().tolist()
            return
        yield value.__array_interface__["data"][0], value.nbytes
    elif kind == "array.array":
        yield value.buffer_info()[0], len(value) * value.itemsize
    elif kind == "pandas.DataFrame":
        for number in range(value.shape[1]):
            yield from _of_column(value.iloc[:, number], stack)
        stack.append(value.index)
    elif kind == "pandas.Series":
        yield from _of_column(value, stack)
        stack.append(value.index)
    elif kind == "pandas.Index":
        if type(value).__name__ != "RangeIndex":
            yield from _of_column(value, stack)
    elif kind == "polars.DataFrame":
        stack += value.get_columns()
    elif kind == "polars.Series":
        yield from _of_polars(value)
    elif kind.startswith("numpy."):
        yield None, value.nbytes
    elif not kind:
        yield from _of_arrow(value)
    else:
        yield None, _WORD


def _of_column(value: Any, stack: list[Any]) -> Iterable[MemorySpan]:
    if type(value.dtype).__module__.startswith("numpy"):
        yield from _of_arrays("numpy.ndarray", value.to_numpy(), stack)
        return
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and hasattr(value.array, "__arrow_array__"):
        held = pyarrow.array(value.array)
        if type(value.array).__name__.startswith("Arrow"):
            yield from _of_arrow(held)
            return
    yield None, value.memory_usage(index=False) if hasattr(value, "index") else value.memory_usage()


def _of_polars(value: Any) -> Iterable[MemorySpan]:
    if value.dtype.is_numeric() and value.null_count() == 0 and value.n_chunks() == 1:
        yield value.to_numpy(allow_copy=False).__array_interface__["data"][0], value.estimated_size()
    else:
        yield None, value.estimated_size()


def _of_arrow(value: Any) -> Iterable[MemorySpan]:
    """Yield the locations of the buffers of an Arrow table, batch or array."""
    for column in getattr(value, "columns", [value]):
        for chunk in getattr(column, "chunks", [column]):
            for buffer in getattr(chunk, "buffers", list)():
                if buffer is not None:
                    yield buffer.address, buffer.size


def _by_frames(context: Context, records: list[Any]) -> int | None:
    """Return the bytes of frames outside the records' memory; None for codecs without frames."""
    spec = getattr(context.parts.codec, "spec", None)
    if spec is None or spec.calls.frames is None or spec.settings.compression is not None:
        return None
    size = 0
    for record in records:
        there = [(at, at + length) for at, length in _places(record) if at is not None]
        for frame in spec.calls.frames.encode(record):
            at = None if isinstance(frame, bytes) else _start(frame)
            if at is None or not any(start <= at < end for start, end in there):
                size += len(frame)
    return size


def _start(frame: Any) -> int | None:
    if (numpy := sys.modules.get("numpy")) is None:
        return None
    place: int = numpy.frombuffer(frame, "u1").__array_interface__["data"][0]
    return place


def _copied(context: Context) -> Measured:
    payloads = context.payloads[:_RECORDS]
    weight = sum(context.sample.weights[: len(payloads)])
    loaded = sum(copied(context.parts.bare.decode(payload), payload) for payload in payloads)
    records = context.parts.taken(context.sample.records(range(len(payloads))))
    extras = {"dump_copied": sum(map(len, payloads)) / weight}
    if (frames := _by_frames(context, records)) is not None:
        extras["frames_copied"] = frames / weight
    return Measured(loaded / weight, extras)


OPERATIONS = (
    Operation(
        name="copied",
        phase="check",
        summary="bytes of data that a load copies out of the payload, and a dump into one or into frames",
        carry_out=_copied,
        unit="byte",
        heading="copied by load",
        columns={"dump_copied": "copied by dump", "frames_copied": "copied by frames"},
    ),
)
