"""Faults of libraries that no codec of ours can help at no cost: shown, and not counted as broken promises.

Each was looked into by hand; a shell around the library would have to look at or copy every record to
prevent it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....codecs import split_name
from .judge import Outcome

__all__ = ["KNOWN", "Known", "known_of"]


@dataclass(frozen=True, slots=True)
class Known:
    """One fault.

    Attributes:
        codecs: Base names.
        cases: Direction and name.
        outcome: What comes of it.
        reason: What the library does, and why no codec can help.
        always: It comes every time: where it does not, this table is out of date. Memory that was freed often
            still holds what it did.
    """

    codecs: frozenset[str]
    cases: frozenset[str]
    outcome: Outcome
    reason: str
    always: bool = True


KNOWN: tuple[Known, ...] = (
    Known(
        frozenset({"protobuf", "protobuf/object"}),
        frozenset({"decode/twice"}),
        "accepted",
        "bytes after a message are more of its fields",
    ),
    Known(
        frozenset(
            {
                "orjson",
                "orjson/numpy",
                "msgspec-json",
                "ujson",
                "ormsgpack",
                "msgspec-msgpack",
                "bson",
                "rapidjson",
            }
        ),
        frozenset({"encode/emptied-list", "encode/emptied-dict", "encode/lost-fields", "encode/threads"}),
        "died",
        "does not hold what it writes, and a hook or a thread that takes it away frees it",
        always=False,
    ),
    Known(
        frozenset({"orjson", "orjson/numpy"}),
        frozenset({"encode/many-deep-lists"}),
        "died",
        "writes beyond its buffer on many lists nested more than 130 deep, which no codec decodes from a "
        "stranger's payload; the policy nesting='reject' refuses them, at a third of the time of each dump",
        always=False,
    ),
    Known(
        frozenset({"orjson", "orjson/numpy"}),
        frozenset({"encode/raising-zones"}),
        "died",
        "uses what `utcoffset` gave without asking whether it raised, in versions that write times rightly",
        always=False,
    ),
    Known(
        frozenset({"orjson", "orjson/numpy"}),
        frozenset({"encode/half-made-uuid"}),
        "died",
        "uses what `UUID.int` gave without asking whether it raised",
    ),
    Known(
        frozenset({"ujson", "bson", "cbor2"}),
        frozenset({"encode/interrupted-lookups"}),
        "swallowed",
        "asks for attributes and classes in a way that drops whatever is raised",
    ),
    Known(
        frozenset({"cbor2"}),
        frozenset({"encode/interrupted-sets"}),
        "swallowed",
        "panics where a set cannot be iterated, and does not say why",
    ),
    Known(
        frozenset({"pydantic-json", "pydantic-json/model"}),
        frozenset({"encode/interruptions", "encode/interrupted-lookups"}),
        "swallowed",
        "makes an error of its own of whatever a mapping's or an object's methods raise",
        always=False,
    ),
    Known(
        frozenset({"marshal"}),
        frozenset({"encode/deep-frozensets", "encode/deep-keys"}),
        "hung",
        "takes twice the time for each level of sets within sets, to sort them",
    ),
)


def known_of(codec: str, case: str) -> Known | None:
    """Return what is known of a codec in a case, if anything is."""
    base = split_name(codec)[0]
    return next((known for known in KNOWN if base in known.codecs and case in known.cases), None)
