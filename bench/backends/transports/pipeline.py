"""One producer, this process, and several readers, each a process of its own that decodes every record.

Open loop: each record is due at a time of its own, whether the one before it has left or not, and its latency
counts from then. A producer that waits for a slow transport, and clocked from when it sends, would hide just
what users wait for (coordinated omission, Gil Tene).

Before a record stand which window it belongs to and when it was due. A window ends with a mark that is sent
until every reader has answered it beside the transport; as messages keep their order, what a reader has not
got by then is lost. The first mark finds out that all readers are there: a subscriber of ZeroMQ or of a
broker misses what is sent before the transport knows of it.
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
from ...orphans import die_with
from .base import MissingTransport, Publisher, Route, TransportError, TransportKind

__all__ = ["Clocked", "Pipeline", "RateWindow"]

_HEAD = struct.Struct("<qq")
_MARK = -1
"""When a mark is due."""
_SECOND = 1_000_000_000
_AGAIN = 0.02
"""Seconds after which a mark that not all have answered is sent once more."""
_PATIENCE = 20.0
"""Seconds that readers may take to begin, and to get to the end of a window."""
_LONGEST = 2
"""Times its length that a window may take to be sent; a transport that is slower does not hold the rate."""
_PR_SET_TIMERSLACK = 29


@dataclass(frozen=True, slots=True)
class Clocked:
    """One direction of a codec.

    Attributes:
        call: Encodes or decodes.
        take: Returns the nanoseconds of the processor that calls took since it was last asked, and their
            number.
    """

    call: Callable[[Any], Any]
    take: Callable[[], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class RateWindow:
    """What came of sending records at a rate.

    Attributes:
        rate: Records a second that were due.
        due: Records that were.
        sent: Records that were sent; fewer where the transport made the producer wait too long.
        readers: How many there are.
        latencies: Nanoseconds from when a record was due until a reader had decoded it, of all deliveries,
            in rising order.
        arrived: Deliveries in the second half of the window, of records of whatever half.
        seconds: Of the window.
        producing: Nanoseconds of the processor that the producer took, and how many of them encoding.
        reading: The same of all readers and of decoding.
        calls: Of the codec.
    """

    rate: float
    due: int
    sent: int
    readers: int
    latencies: Sequence[int]
    arrived: int
    seconds: float
    producing: tuple[int, int]
    reading: tuple[int, int]
    calls: tuple[int, int]

    @property
    def lost(self) -> float:
        """The share of deliveries of what was sent that never came."""
        return 1 - len(self.latencies) / (self.sent * self.readers)

    @property
    def delivered(self) -> float:
        """Records a second that a reader got, the mean over readers, in the second half of the window."""
        return min(self.rate, 2 * self.arrived / self.readers / self.seconds)

    def latency(self, share: float) -> float:
        """Return the seconds within which so large a share of what was due was there; infinity where not."""
        at = math.ceil(share * self.due * self.readers) - 1
        return self.latencies[at] / _SECOND if at < len(self.latencies) else math.inf


class Pipeline:
    """A transport with all its readers at the other end.

    Args:
        kind: Of the transport.
        route: Where it goes.
        encode: Of the codec.
        decode: Likewise; of each reader by itself.
        records: That are sent, again and again.
        beat: Called now and then.

    Attributes:
        processes: The readers, as `multiprocessing` has made them.

    Raises:
        MissingTransport: It cannot be had.
        TransportError: A reader, or the way to it, is gone.
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
        transport = self._kind.open(self._route)
        context = get_context("fork")
        # What is here already is none of the readers' garbage.
        gc.collect()
        gc.freeze()
        try:
            for number in range(self._route.readers):
                here, there = context.Pipe(duplex=False)
                arguments = os.getpid(), transport, number, self._decode, there, self._route.url
                process = context.Process(target=_read, args=arguments, daemon=True)
                process.start()
                there.close()
                self.processes.append(process)
                self._said.append(here)
            # It would wake up later than it was asked to.
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
    def _way(self) -> Publisher:
        assert self._publisher is not None, "not entered"
        return self._publisher

    def window(self, rate: float, seconds: float) -> RateWindow:
        """Send records at a rate for some time, and wait until all readers have all that they will get.

        Raises:
            TransportError: A reader, or the way to it, is gone.
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
        arrived = 0
        half, end = begun + seconds * _SECOND / 2, begun + seconds * _SECOND
        for answer in answers:
            dues, times = array("q", answer.dues), array("q", answer.times)
            latencies.extend(time - due for due, time in zip(dues, times, strict=True))
            arrived += sum(half <= time < end for time in times)
        return RateWindow(
            rate,
            due,
            sent,
            len(answers),
            sorted(latencies),
            arrived,
            seconds,
            (producing, encoding),
            (sum(answer.worked for answer in answers), sum(answer.decoding for answer in answers)),
            (calls, sum(answer.calls for answer in answers)),
        )

    def _send(self, begun: int, interval: float, count: int) -> int:
        """Send so many records; return how many there was time for."""
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
        """End a window; return what the readers say of it."""
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
                    f"{len(waiting)} of {self._route.readers} readers did not receive all records within "
                    f"{_PATIENCE:g} s"
                )
        return list(found.values())

    def _hear(self, number: int) -> _Answer:
        """Return what a reader says.

        Raises:
            TransportError: It has failed or died.
        """
        who = f"reader {number + 1} of {self._route.readers}"
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
        """Make `TransportError` of what goes wrong on the way; where a reader knows why, that is said."""
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
    """What a reader says of a window.

    Attributes:
        window: Its number.
        dues: When what it got was due, nanoseconds as `array` of 8 bytes each.
        times: When it had decoded that, likewise.
        worked: Nanoseconds of the processor since the end of the window before.
        decoding: How many of these in the codec.
        calls: Of it.
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
    """Be a reader: decode what comes, and answer marks."""
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
    except BaseException as error:  # noqa: BLE001 - the producer tells of it
        said.send(_lost(error, url))
