"""One producer, this process, and several consumers, separate processes that decode every record.

Open loop: each record is due at a fixed time, whether the one before it has left or not, and its latency
counts from then. A producer that waits for a slow transport and starts the clock when it sends would hide the
latency that users see (coordinated omission, Gil Tene).

Each message starts with the number of its window and the time when it was due. A window ends with a mark that
is repeated until every consumer has answered it on a separate channel. As messages keep their order, a record
that a consumer has not received by then is lost. The first mark makes sure that all consumers are connected:
a subscriber of ZeroMQ or of a broker misses messages that are sent before the transport knows of it.

No two records of a pipeline are due at the same time, so this time identifies a record. One that arrives
after the end of its window is lost. One that arrives again is delivered once: a producer that misses an
acknowledgment may send it twice.
"""

from __future__ import annotations

import ctypes
import gc
import math
import os
import signal
import struct
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from typing import Any, Self

from ....codecs import CodecError
from ....escape import without_secrets
from ...capabilities import here as this_system
from ...orphans import die_with
from .base import MissingTransport, Publisher, Route, TransportError, TransportKind

_HEAD = struct.Struct("<qq")
_MARK = -1
"""The due time of a mark."""
_SECOND = 1_000_000_000
_AGAIN = 0.02
"""Seconds after which a mark that not all consumers have answered is repeated."""
_PATIENCE = 20.0
"""Seconds for consumers to start, and to reach the end of a window."""
_LONGEST = 2
"""A window may take this multiple of its length to send; a slower transport does not sustain the rate."""
_PR_SET_TIMERSLACK = 29


@dataclass(frozen=True, slots=True)
class Clocked:
    """One direction of a codec.

    Attributes:
        call: Encodes or decodes.
        take: Returns the processor nanoseconds and the number of the calls since its last call.
    """

    call: Callable[[Any], Any]
    take: Callable[[], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class RateWindow:
    """The outcome of sending records at one rate.

    Attributes:
        rate: Records per second that were due.
        due: Number of records that were due.
        sent: Number of records that were sent; fewer if the transport blocked the producer too long.
        consumers: Number of consumers.
        latencies: Nanoseconds from when a record was due until a consumer had decoded it for the first time,
            of all deliveries, sorted.
        again: Records that a consumer decoded although it already had, over all consumers.
        arrived: Deliveries in the second half of the window, of records of either half.
        seconds: Length of the window.
        producing: Processor nanoseconds of the producer, and how many of them were spent encoding.
        reading: The same for all consumers, and decoding.
        calls: Calls of the codec.
    """

    rate: float
    due: int
    sent: int
    consumers: int
    latencies: Sequence[int]
    again: int
    arrived: int
    seconds: float
    producing: tuple[int, int]
    reading: tuple[int, int]
    calls: tuple[int, int]

    @property
    def lost(self) -> float:
        """The share of sent records that was not delivered."""
        return 1 - len(self.latencies) / (self.sent * self.consumers)

    @property
    def repeated(self) -> float:
        """The share of sent records that was delivered again."""
        return self.again / (self.sent * self.consumers)

    @property
    def delivered(self) -> float:
        """Records per second that a consumer received in the second half of the window, on average."""
        return min(self.rate, 2 * self.arrived / self.consumers / self.seconds)

    def latency(self, share: float) -> float:
        """Return the latency in seconds at a quantile of the due deliveries; infinity if too few arrived."""
        at = math.ceil(share * self.due * self.consumers) - 1
        return self.latencies[at] / _SECOND if at < len(self.latencies) else math.inf


class Pipeline:
    """A transport with all its consumers connected.

    Args:
        kind: Kind of the transport.
        encode: The codec's encoder.
        decode: The codec's decoder; each consumer has a copy.
        records: The records to send, repeated.
        beat: Called regularly.

    Attributes:
        processes: The consumers, as processes of `multiprocessing`.

    Raises:
        MissingTransport: It is not available.
        TransportError: A consumer or its connection failed.
    """

    def __init__(
        self,
        kind: TransportKind,
        route: Route,
        encode: Clocked,
        decode: Clocked,
        records: Sequence[Any],
        beat: Callable[[], object],
    ) -> None:
        self._kind, self._route = kind, route
        self._encode, self._decode = encode, decode
        self._records, self._beat = records, beat
        self._at = self._window = 0
        self.processes: list[Any] = []
        self._said: list[connection.Connection] = []
        self._publisher: Publisher | None = None

    def __enter__(self) -> Self:
        if not this_system().fork:
            raise MissingTransport("pipelines fork their consumers, and this system has no fork")
        transport = self._kind.open(self._route)
        context = get_context("fork")
        # Consumers need not collect objects that already exist.
        gc.collect()
        gc.freeze()
        try:
            for number in range(self._route.consumers):
                here, there = context.Pipe(duplex=False)
                arguments = os.getpid(), transport, number, self._decode, there, self._route.url
                process = context.Process(target=_read, args=arguments, daemon=True)
                process.start()
                there.close()
                self.processes.append(process)
                self._said.append(here)
            # A sleep would end later than requested.
            if this_system().death_signal:  # the same call of the system
                ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1)
            with self._watching():
                self._publisher = transport.publisher()
                self._finish()
        except BaseException:
            self._end()
            raise
        finally:
            gc.unfreeze()
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def _end(self) -> None:
        for process in self.processes:
            process.kill()
        for process, said in zip(self.processes, self._said, strict=True):
            process.join()
            said.close()
        if self._publisher is not None:
            with suppress(Exception):  # its broker may be gone
                self._publisher.close()

    @property
    def settings(self) -> dict[str, str]:
        """The transport's settings that change what figures mean."""
        return dict(self._kind.settings(self._route))

    @property
    def _way(self) -> Publisher:
        assert self._publisher is not None, "not entered"
        return self._publisher

    def window(self, rate: float, seconds: float) -> RateWindow:
        """Send records at a rate for some time, and wait until the consumers have received them.

        Raises:
            TransportError: A consumer or its connection failed.
        """
        self._window += 1
        due = max(1, round(rate * seconds))
        self._encode.take()
        self._beat()
        with self._watching():
            before = time.process_time_ns()
            begun = time.monotonic_ns() + _SECOND // 1000
            sent = self._send(begun, _SECOND / rate, due)
            producing = time.process_time_ns() - before
            answers = self._finish()
        encoding, calls = self._encode.take()
        latencies = array("q")
        again = arrived = 0
        half, end = begun + seconds * _SECOND / 2, begun + seconds * _SECOND
        for answer in answers:
            came = [
                (due, time)
                for due, time in zip(array("q", answer.dues), array("q", answer.times), strict=True)
                if due >= begun
            ]
            first = dict(reversed(came))
            latencies.extend(time - due for due, time in first.items())
            again += len(came) - len(first)
            arrived += sum(half <= time < end for time in first.values())
        return RateWindow(
            rate,
            due,
            sent,
            len(answers),
            sorted(latencies),
            again,
            arrived,
            seconds,
            (producing, encoding),
            (sum(answer.worked for answer in answers), sum(answer.decoding for answer in answers)),
            (calls, sum(answer.calls for answer in answers)),
        )

    def _send(self, begun: int, interval: float, count: int) -> int:
        """Send `count` records in time; return how many were sent."""
        send, wait, encode, pack = self._way.send, self._way.wait, self._encode.call, _HEAD.pack
        records, number, now = self._records, self._window, time.monotonic_ns
        size, at, last = len(records), self._at, begun + int(_LONGEST * count * interval)
        for done in range(count):
            due = begun + int(done * interval)
            ahead = due - now()
            if ahead > 0:
                wait(ahead / _SECOND)
            elif due - ahead > last:
                count = done
                break
            send(pack(number, due) + encode(records[at]))
            at = at + 1 if at + 1 < size else 0
        self._at = at
        return count

    def _finish(self) -> list[_Answer]:
        """End a window; return the consumers' answers."""
        found: dict[int, _Answer] = {}
        mark, until = _HEAD.pack(self._window, _MARK), time.monotonic() + _PATIENCE
        self._way.send(mark)
        while waiting := [n for n in range(len(self._said)) if n not in found]:
            self._way.wait(0)
            ready = connection.wait([self._said[number] for number in waiting], _AGAIN)
            if not ready:
                self._way.send(mark)
            for number in waiting:
                if self._said[number] in ready and (answer := self._hear(number)).window == self._window:
                    found[number] = answer
            self._beat()
            if time.monotonic() > until:
                raise TransportError(
                    f"{len(waiting)} of {self._route.consumers} consumers did not receive all records within "
                    f"{_PATIENCE:g} s"
                )
        return list(found.values())

    def _hear(self, number: int) -> _Answer:
        """Return the answer of a consumer.

        Raises:
            TransportError: It has failed or died.
        """
        who = f"consumer {number + 1} of {self._route.consumers}"
        try:
            said: _Answer | str = self._said[number].recv()
        except (EOFError, OSError):
            process = self.processes[number]
            process.join()
            code = process.exitcode
            how = f"of {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
            raise TransportError(f"{who} died {how}") from None
        if isinstance(said, str):
            raise TransportError(f"{who}: {said}")
        return said

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """Turn errors of the transport into `TransportError`, with the consumer's reason if it gave one."""
        try:
            yield
        except (TransportError, MissingTransport):
            raise
        except Exception as error:
            if isinstance(error, CodecError):
                raise
            ready = connection.wait(self._said, _AGAIN)
            for number, said in enumerate(self._said):
                if said in ready:
                    self._hear(number)
            raise TransportError(_lost(error, self._route.url)) from None


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answer of a consumer about a window.

    Attributes:
        window: Number of the window.
        dues: When its records were due, in nanoseconds as `array` of 8 bytes each.
        times: When it had decoded them, in the same form.
        worked: Processor nanoseconds since the end of the previous window.
        decoding: How many of these were spent in the codec.
        calls: Calls of the codec.
    """

    window: int
    dues: bytes
    times: bytes
    worked: int
    decoding: int
    calls: int


def _lost(error: BaseException, url: str) -> str:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return (
        said if isinstance(error, CodecError) else without_secrets(f"the connection is broken: {said}", url)
    )


def _read(
    parent: int, transport: Any, number: int, decode: Clocked, said: connection.Connection, url: str
) -> None:
    """Run a consumer: decode messages and answer marks."""
    die_with(parent)
    head, unpack, call, now = _HEAD.size, _HEAD.unpack_from, decode.call, time.monotonic_ns
    dues, times = array("q"), array("q")
    before, last = time.process_time_ns(), -1

    def take(message: bytes) -> None:
        window, due = unpack(message)
        if due != _MARK:
            call(message[head:])
            times.append(now())
            dues.append(due)
        elif window > last:
            answer(window)

    def answer(window: int) -> None:
        nonlocal before, last
        worked = time.process_time_ns() - before
        spent, calls = decode.take()
        said.send(_Answer(window, dues.tobytes(), times.tobytes(), worked, spent, calls))
        del dues[:], times[:]
        last, before = window, time.process_time_ns()

    try:
        transport.listen(number, take)
    except BaseException as error:  # noqa: BLE001 - the producer reports it
        said.send(_lost(error, url))
