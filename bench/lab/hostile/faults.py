"""Faults of libraries that no codec of ours can prevent at no cost.

Each was looked into by hand; a guard would have to look at or copy every record. The command `check` shows
them and does not count them, the fuzzer does not report them and leaves out the objects that would end its
processes, the contract tests do not try them, and `docs/reference/hostile.md` has the table of `markdown`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from ....codecs import split_name
from .cases import AttackDirection
from .promises import AttackOutcome

__all__ = ["FAULTS", "Fault", "ending", "fault_of", "faults_of", "markdown"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Attributes:
        codecs: Patterns of base names.
        outcome: What comes of it; "changed" where what is read differs from what was written.
        what: What shows it, in the words of the documentation.
        reason: What the library does, and why no codec can prevent it.
        cases: Names of the cases that show it; none where only the fuzzer or a test elsewhere does.
        direction: Of these cases.
        always: It comes every time: where it does not, this table is out of date. Memory that was freed often
            still holds what it did.
        message: Part of what the fuzzer finds; empty for all of that outcome.
    """

    codecs: tuple[str, ...]
    outcome: AttackOutcome | Literal["changed"]
    what: str
    reason: str
    cases: tuple[str, ...] = ()
    direction: AttackDirection = "encode"
    always: bool = True
    message: str = ""


FAULTS: tuple[Fault, ...] = (
    Fault(
        ("protobuf", "protobuf/object"),
        "accepted",
        "one message after another",
        "bytes after a message are more of its fields",
        ("twice",),
        "decode",
    ),
    Fault(
        (
            "orjson",
            "orjson/numpy",
            "msgspec-json",
            "ujson",
            "ormsgpack",
            "msgspec-msgpack",
            "bson",
            "rapidjson",
        ),
        "died",
        "an object that changes meanwhile: by a `Mapping` or dataclass in it whose own code does so, or by "
        "another thread",
        "does not hold what it writes, and a hook or a thread that takes it away frees it",
        ("emptied-list", "emptied-dict", "lost-fields", "threads"),
        always=False,
    ),
    Fault(
        ("orjson", "orjson/numpy"),
        "died",
        "many lists, each nested more than 130 deep",
        "writes beyond its buffer on many lists nested more than 130 deep, which no codec decodes from a "
        "stranger's payload; the policy nesting='reject' refuses them, at a third of the time of each dump",
        ("many-deep-lists",),
        always=False,
    ),
    Fault(
        ("orjson", "orjson/numpy"),
        "died",
        "dataclasses and lists nested in turn, some thousand deep",
        "recurses without counting the levels of dataclasses, before 3.12",
        ("cycles",),
        always=False,
    ),
    Fault(
        ("orjson", "orjson/numpy"),
        "died",
        "a datetime whose `tzinfo.utcoffset` raises",
        "uses what `utcoffset` gave without asking whether it raised, in versions that write times rightly",
        ("raising-zones",),
        always=False,
    ),
    Fault(
        ("orjson", "orjson/numpy"),
        "died",
        "a UUID without its number",
        "uses what `UUID.int` gave without asking whether it raised",
        ("half-made-uuid",),
    ),
    Fault(
        ("orjson", "orjson/numpy"),
        "died",
        "too little memory, as under `RLIMIT_AS`",
        "does not ask whether it got the memory; `ormsgpack` and `cbor2` hang",
    ),
    Fault(
        ("marshal",),
        "hung",
        "frozensets nested some 30 deep; some 30,000 deep end the process",
        "takes twice the time for each level of sets within sets, to sort them",
        ("deep-frozensets", "deep-keys"),
    ),
    Fault(
        ("pickle*", "marshal"),
        "hung",
        "a payload that you call trusted",
        "runs what the payload says, as long as it says",
        direction="decode",
    ),
    Fault(
        ("pickle*", "marshal"),
        "out of memory",
        "a payload that you call trusted",
        "takes the memory that the payload claims",
        direction="decode",
    ),
    Fault(
        ("ujson", "bson", "cbor2"),
        "swallowed",
        "an interruption out of an attribute lookup",
        "asks for attributes and classes in a way that drops whatever is raised",
        ("interrupted-lookups",),
    ),
    Fault(
        ("cbor2",),
        "swallowed",
        "an interruption out of a set's iteration",
        "panics where a set cannot be iterated, and does not say why",
        ("interrupted-sets",),
    ),
    Fault(
        ("pydantic-json", "pydantic-json/model"),
        "swallowed",
        "an interruption out of any method",
        "makes an error of its own of whatever a mapping's or an object's methods raise",
        ("interruptions", "interrupted-lookups"),
        always=False,
    ),
    Fault(
        ("cbor2*",),
        "unreadable",
        "an aware datetime whose offset from UTC has seconds",
        "writes an offset that its own decoder refuses",
        message="string-form datetime",
    ),
    Fault(
        ("cbor2*",),
        "unreadable",
        "a decimal of more than 4,300 digits",
        "writes what Python does not read",
        message="more than 4,300 digits",
    ),
    Fault(
        ("msgspec-json",),
        "unreadable",
        "an integer of more than 4,300 digits",
        "writes what it does not read",
        message="Integer value out of range",
    ),
    Fault(
        ("msgpack/tuple",),
        "unreadable",
        "a dict key that is a dataclass",
        "writes a map as the key, which Python cannot hash",
        message="unhashable type: 'dict'",
    ),
    Fault(
        ("msgspec-msgpack",),
        "unreadable",
        "a dict key that is a dataclass",
        "writes a map as the key, which Python cannot hash",
        message="map keys must be hashable",
    ),
    Fault(
        ("ujson",),
        "unreadable",
        "a dict with integers of more than 4,300 digits as keys",
        "writes `{` and nothing more where it should refuse",
        message="Expected object or value",
    ),
    Fault(
        ("plist/binary",),
        "changed",
        "0.0 and -0.0 in one record",
        "writes equal values once",
        message="0.0` came back as",
    ),
    Fault(
        ("cbor2*",),
        "changed",
        "maps within keys and sets",
        "gives them as its own `frozendict`, which come back as dicts",
        direction="decode",
        message="`frozendict` came back as",
    ),
)


def faults_of(codec: str, direction: AttackDirection) -> Iterator[Fault]:
    """Yield the faults of a codec in one direction."""
    base = split_name(codec)[0]
    for fault in FAULTS:
        if fault.direction == direction and any(fnmatchcase(base, pattern) for pattern in fault.codecs):
            yield fault


def fault_of(codec: str, direction: AttackDirection, case: str) -> Fault | None:
    """Return the fault that a codec has in a case, if it has one."""
    return next((fault for fault in faults_of(codec, direction) if case in fault.cases), None)


def ending(codec: str) -> frozenset[str]:
    """Return the names of the cases of encoding that may end the codec's process, or never end."""
    found = (fault for fault in faults_of(codec, "encode") if fault.outcome in ("died", "hung"))
    return frozenset(case for fault in found for case in fault.cases)


def markdown() -> str:
    """Return the table of the documentation."""
    rows = ["| codec | to | what | comes of it | the library |", "|---|---|---|---|---|"]
    for fault in FAULTS:
        names = ", ".join(f"`{pattern}`" for pattern in fault.codecs)
        rows.append(f"| {names} | {fault.direction} | {fault.what} | {fault.outcome} | {fault.reason} |")
    return "\n".join(rows) + "\n"
