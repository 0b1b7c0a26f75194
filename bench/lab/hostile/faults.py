"""Faults of libraries that our codecs cannot prevent at no cost.

Each was examined by hand: a guard would have to inspect or copy every record. The command `check` shows them
and does not count them. The fuzzer does not report them, and skips objects that would end its processes. The
contract tests do not try them. `docs/reference/hostile.md` has the table of `markdown`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from ....codecs import split_name
from .cases import AttackDirection
from .promises import AttackOutcome


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Attributes:
        codecs: Patterns of base names.
        outcome: The result; "changed" if the decoded object differs from the encoded one.
        what: The input that shows it, for the documentation.
        reason: What the library does.
        cases: Names of the cases that show it; none if only the fuzzer or another test does.
        direction: Direction of these cases.
        always: Whether it happens every time; if it then does not, this table is out of date. Freed memory
            often keeps its content, so use after free does not.
        message: Part of the fuzzer's finding; empty for all findings with that outcome.
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
        "two messages in a row",
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
            "cbor2",
            "marshal",
        ),
        "died",
        "an object that changes while it is encoded, by the code of a `Mapping` or dataclass in it, or by "
        "another thread",
        "holds no reference to the object that it writes, so a hook or a thread can free it",
        ("emptied-list", "emptied-dict", "lost-fields", "threads"),
        always=False,
    ),
    Fault(
        ("orjson", "orjson/numpy"),
        "died",
        "many lists, each nested more than 210 deep",
        "writes beyond its buffer; no codec decodes such lists from untrusted payloads, and the policy "
        "nesting='reject' refuses to encode them, at a third of the time of a dump",
        ("many-deep-lists",),
        always=False,
    ),
    Fault(
        ("orjson", "orjson/numpy"),
        "died",
        "dataclasses and lists that alternate, or tuples, some thousand levels deep",
        "does not count the levels of dataclasses before 3.12, nor those of tuples from 3.12 on, which the "
        "policy nesting='reject' refuses to encode",
        ("cycles", "deep-tuples"),
        always=False,
    ),
    Fault(
        ("orjson", "orjson/numpy"),
        "died",
        "a datetime whose `tzinfo.utcoffset` raises",
        "uses the result of `utcoffset` without checking for an exception",
        ("raising-zones",),
        always=False,
    ),
    Fault(
        ("orjson", "orjson/numpy"),
        "died",
        "a UUID without its `int`",
        "uses the result of `UUID.int` without checking for an exception",
        ("half-made-uuid",),
    ),
    Fault(
        ("orjson", "orjson/numpy"),
        "died",
        "too little memory, as under `RLIMIT_AS`",
        "does not check whether it got the memory; `ormsgpack` and `cbor2` hang",
    ),
    Fault(
        ("marshal",),
        "hung",
        "frozensets nested some 30 deep; some 30,000 deep end the process",
        "sorts nested sets, which doubles the time for each level",
        ("deep-frozensets", "deep-keys"),
    ),
    Fault(
        ("pickle*", "cloudpickle", "dill", "marshal"),
        "hung",
        "a payload that is trusted",
        "runs the code in the payload, however long it takes",
        direction="decode",
    ),
    Fault(
        ("pickle*", "cloudpickle", "dill", "marshal"),
        "out of memory",
        "a payload that is trusted",
        "allocates the memory that the payload claims",
        direction="decode",
    ),
    Fault(
        ("ujson", "bson", "cbor2"),
        "swallowed",
        "an interruption during an attribute lookup",
        "looks up attributes and classes in a way that drops exceptions",
        ("interrupted-lookups",),
    ),
    Fault(
        ("cbor2",),
        "swallowed",
        "an interruption while a set is iterated",
        "panics if a set cannot be iterated, and drops the cause",
        ("interrupted-sets",),
        always=False,
    ),
    Fault(
        ("pydantic-json", "pydantic-json/model"),
        "swallowed",
        "an interruption during any method",
        "replaces every exception from a method of a mapping or object with its own",
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
        "writes a number that Python does not read",
        message="more than 4,300 digits",
    ),
    Fault(
        ("msgspec-json",),
        "unreadable",
        "an integer of more than 4,300 digits",
        "writes a number that it does not read",
        message="Integer value out of range",
    ),
    Fault(
        ("pydantic-core",),
        "unreadable",
        "an integer of more than 4,300 digits",
        "writes a number that it does not read",
        ("numbers",),
        message="number out of range",
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
        "writes only `{` instead of refusing",
        message="Expected object or value",
    ),
    Fault(
        ("plist/binary",),
        "changed",
        "0.0 and -0.0 in one record",
        "writes equal values only once",
        message="0.0` came back as",
    ),
    Fault(
        ("cbor2*",),
        "changed",
        "maps within keys and sets",
        "decodes them as its own `frozendict`, which is encoded as a dict",
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
    """Return the names of the encoding cases that may crash or hang the codec's process."""
    found = (fault for fault in faults_of(codec, "encode") if fault.outcome in ("died", "hung"))
    return frozenset(case for fault in found for case in fault.cases)


def markdown() -> str:
    """Return the table of the documentation."""
    rows = ["| codec | operation | input | result | cause: the library |", "|---|---|---|---|---|"]
    for fault in FAULTS:
        names = ", ".join(f"`{pattern}`" for pattern in fault.codecs)
        rows.append(f"| {names} | {fault.direction} | {fault.what} | {fault.outcome} | {fault.reason} |")
    return "\n".join(rows) + "\n"
