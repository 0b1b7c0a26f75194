"""Faults of the libraries that the documentation names, and that are no findings therefore."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["AVOIDED", "KNOWN", "Known", "avoided", "is_known"]


_PIPELINES = "docs/how-to/service.md"


class Known(NamedTuple):
    """A fault that is documented.

    Attributes:
        targets: Beginnings of the names of the targets that show it.
        kind: As in `Finding`.
        said: Part of what a finding says; empty for all.
        documented: File and words that tell users.
    """

    targets: tuple[str, ...]
    kind: str
    said: str
    documented: tuple[str, str]


_TRUSTED = ("decode:pickle", "decode:marshal")
_UNBOUND = (_PIPELINES, "bounds neither their time nor their memory")
_OFFSET = (_PIPELINES, "aware datetimes whose offset from UTC has seconds")
_DIGITS = (_PIPELINES, "integers of more than 4,300 digits")
_KEYS = (_PIPELINES, "dict keys that are dataclasses")
KNOWN: tuple[Known, ...] = (
    Known(_TRUSTED, "slow", "", _UNBOUND),
    Known(_TRUSTED, "large", "", _UNBOUND),
    Known(("encode:cbor2",), "broken", "string-form datetime", _OFFSET),
    Known(("encode:cbor2",), "broken", "more than 4,300 digits", (_PIPELINES, "more than 4,300 digits")),
    Known(("encode:ujson",), "broken", "Expected object or value", (_PIPELINES, "`ujson` writes `{`")),
    Known(
        ("encode:plist/binary",), "broken", "0.0` came back as", (_PIPELINES, "0.0 and -0.0 of one record")
    ),
    Known(("decode:cbor2",), "broken", "`frozendict` came back as", (_PIPELINES, "its own `frozendict`")),
    Known(("encode:msgspec-json",), "broken", "Integer value out of range", _DIGITS),
    Known(("encode:msgpack/tuple",), "broken", "unhashable type: 'dict'", _KEYS),
    Known(("encode:msgspec-msgpack",), "broken", "map keys must be hashable", _KEYS),
)


class Avoided(NamedTuple):
    """A fault that would end every child, so that such objects are not made.

    Attributes:
        codecs: Who shows it.
        what: Name of the object in `objects.Objects`.
        documented: File and words that tell users.
    """

    codecs: tuple[str, ...]
    what: str
    documented: tuple[str, str]


AVOIDED: tuple[Avoided, ...] = (
    Avoided(("orjson",), "raising zone", (_PIPELINES, "encoding a datetime whose `tzinfo.utcoffset` raises")),
    Avoided(
        ("orjson", "bson", "msgspec-json", "msgspec-msgpack", "ujson", "ormsgpack", "rapidjson"),
        "changing container",
        (_PIPELINES, "encoding an object that is changed meanwhile"),
    ),
    Avoided(
        ("orjson",), "dataclass in a cycle", (_PIPELINES, "before 3.12 dataclasses and lists nested in turn")
    ),
    Avoided(("marshal",), "nested frozensets", (_PIPELINES, "encoding some 30,000 nested frozensets")),
)


def is_known(target: str, kind: str, said: str) -> bool:
    """Whether a fault is documented."""
    return any(
        target.startswith(known.targets) and kind == known.kind and known.said in said for known in KNOWN
    )


def avoided(codec: str) -> frozenset[str]:
    """Return the names of the objects that a codec is not given."""
    return frozenset(
        known.what for known in AVOIDED if any(codec.split("/")[0] == name for name in known.codecs)
    )
