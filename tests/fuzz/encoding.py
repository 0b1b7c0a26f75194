"""Random Python objects for all encoding functions of a codec."""

from __future__ import annotations

import io
from random import Random
from typing import Any

import seeds
from findings import Broken
from objects import Objects

from bakeoff.bench.equality.losses import find_losses
from bakeoff.bench.lab.hostile.faults import ending
from bakeoff.codecs import DecodeError, EncodeError, LimitError

DEPTH = 50


class Encoding:
    """A codec: bare, with a low limit of depth, compressed, and into a stream.

    Plain objects must survive a round trip as the codec states; for wild ones, only errors are checked.

    Args:
        name: Name of the codec.
    """

    def __init__(self, name: str) -> None:
        codec = seeds.bare(name)
        if codec.needs_schema:
            codec = codec.with_schema(seeds.schemas()["types"])
        self._codec = codec
        self._low = codec.with_limits(depth=DEPTH)
        self._packed = codec.with_compression("zlib:1")
        self._but = ending(name)

    def case(self, random: Random) -> bytes:
        """Return the seed of the object."""
        return random.randbytes(8)

    def _made(self, case: bytes) -> tuple[float, Any, bool, bool]:
        """Return the encoding function, the object, and whether it is plain and honest."""
        random = Random(int.from_bytes(case))
        way, plain = random.random(), random.random() < 0.5
        objects = Objects(random, self._but, xml=self._codec.name == "plist")
        record = objects.plain() if plain else objects.wild()
        return way, record, plain, objects.honest

    def show(self, case: bytes) -> str:
        """Return the `repr` of the object, if possible."""
        try:
            return repr(self._made(case)[1])
        except Exception as error:  # noqa: BLE001 - an object that resists
            return f"(not shown: {type(error).__name__})"

    def run(self, case: bytes) -> str:
        """Encode, and decode the payload."""
        way, record, plain, honest = self._made(case)
        codec = self._low if way < 0.1 else self._packed if way < 0.15 else self._codec
        streamed = way < 0.2
        file = io.BytesIO()
        try:
            if streamed:
                codec.dump([record], file)
            else:
                payload = codec.encode(record)
        except EncodeError:
            return "refused"
        if not streamed and type(payload) is not bytes:
            raise Broken(f"a payload is a {type(payload).__name__}")
        file.seek(0)
        try:
            back = list(codec.load(file)) if streamed else [codec.decode(payload)]
        except LimitError:
            return "limited"
        except DecodeError as error:
            if codec.needs_schema or not honest:
                return "accepted"  # only objects that match the schema can be read
            raise Broken(f"what was written is not read: {error.reason}") from error
        if plain and not codec.needs_schema:
            if len(back) != 1:
                raise Broken(f"a file of one record is read as {len(back)}")
            wrong = find_losses(record, back[0], codec.preserves, codec.losses).wrong
            if wrong is not None:
                raise Broken(f"comes back otherwise: {wrong}")
        return "accepted"
