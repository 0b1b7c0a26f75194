"""The parts of a codec. Every fact about a codec is defined here once.

The format files declare codecs with them, and third parties pass the same names as arguments of
`bakeoff.Codec`. Everything that follows from the conventions or the settings is derived.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Concatenate, Literal, NamedTuple, ParamSpec, Protocol, TypeVar

from .binding import unbound
from .conventions.tokens import NAMES
from .format import Format, MediaTypes, joined, media_types
from .limits import DEFAULT, GREATEST_DEPTH, Limits
from .safety.policies import Policies

if TYPE_CHECKING:
    from .binding import Bound, SchemaIds, SchemaProtocol
    from .conventions.families import FormatFamily
    from .streams.compression import Compression
    from .streams.framing import Framing

__all__ = [
    "Calls",
    "Facts",
    "Format",
    "Frames",
    "Guards",
    "Options",
    "RawCalls",
    "Settings",
    "Spec",
    "taking",
]

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def taking(
    options: Callable[_Arguments, object],
) -> Callable[[Callable[..., _Result]], Callable[Concatenate[Any, _Arguments], _Result]]:
    """Give a method the arguments of a dataclass, which type checkers see instead of ``**options``."""
    return lambda method: method


class RawCalls(NamedTuple):
    """The calls of a competent user of the library without bakeoff: no guards, conventions or common errors.

    Attributes:
        encode: ``(record) -> bytes``.
        decode: ``(bytes) -> record``.
        take: Converts a dict to the object that `encode` takes, before the clock starts; None if that is the
            dict itself.
        give: Converts an object from `decode` to a dict, after the clock has stopped; None if it is one.
        options: The calls with options that users set for records that these calls do not carry, by the
            options in words, in the order in which they are tried.
    """

    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]
    take: Callable[[Any], Any] | None = None
    give: Callable[[Any], Any] | None = None
    options: Mapping[str, RawCalls] = MappingProxyType({})

    def all_ways(self) -> dict[str, RawCalls]:
        """Return these calls, named "", and those with options."""
        return {"": self, **self.options}


class Frames(NamedTuple):
    """Encoding a record as several separate buffers, for transports that support them.

    Attributes:
        encode: ``(record) -> list of buffers``; includes the memory of the record's arrays, not copied.
        decode: ``(list of buffers) -> record``, whose arrays are views of the buffers.
    """

    encode: Callable[[Any], list[Any]]
    decode: Callable[[Sequence[Any]], Any]


@dataclass(frozen=True, kw_only=True, repr=False)
class Calls:
    """Encoding and decoding: the library's callables with their arguments.

    Only `encode` and `decode` are required, or `bind`.

    Attributes:
        encode: Callable ``(object) -> bytes | str``; text is stored as UTF-8.
        decode: Callable ``(bytes) -> object``, or ``(str) -> object`` with ``text=True``.
        encode_options: Keyword arguments for every `encode` call.
        encode_arguments: Further positional arguments for every `encode` call.
        decode_options: Keyword arguments for every `decode` call.
        decode_arguments: Further positional arguments for every `decode` call.
        bind: For codecs that need a schema: ``(schema) -> Bound``, which replaces
            `encode` and `decode`; if the codec has `ids`, ``(schema, ids) -> Bound``.
        pooled: `encode` is a factory of encoders that must not be shared between threads.
        text: `decode` takes text.
        lower: Rewrites an object by the conventions, if the family's own way does not work; tried once
            after the library refuses an object.
        wrap: Key under which values other than a dict are wrapped in a document.
        encode_again: Callable ``(object) -> bytes | str`` for objects that `encode` refuses, if the necessary
            options would slow down the others. It writes what `encode` accepts alike, or raises a TypeError.
        decode_again: Callable ``(bytes) -> object`` for payloads that `decode` refuses, if the necessary
            options would slow down the others.
        decode_within: Callable ``(bytes) -> object`` for calls that begin within another one of `decode`, if
            that keeps the state of a call in memory that all calls share: in another thread, or in a
            finalizer that the garbage collector calls.
        subclass: The library's own subclass of int, which is decoded as int.
        walk: Kind of walk to a field whose bytes `decode` can read alone, with the same result as
            within the whole payload; None: a field is read by a full decode.
        raw: The library's own calls, as its users write them; for codecs that need a schema, a function of
            the schema that returns them. None if none are defined.
        frames: For codecs that can write a payload in several pieces.
        readers: The codecs whose payloads `decode` reads, if several; `encode` writes those of the first.
    """

    encode: Callable[..., Any] = unbound
    decode: Callable[..., Any] = unbound
    encode_options: Mapping[str, Any] = field(default_factory=dict)
    encode_arguments: Sequence[Any] = ()
    decode_options: Mapping[str, Any] = field(default_factory=dict)
    decode_arguments: Sequence[Any] = ()
    bind: Callable[..., Bound] | None = None
    pooled: bool = False
    text: bool = False
    lower: Callable[[Any], Any] | None = None
    wrap: str | None = None
    encode_again: Callable[[Any], Any] | None = None
    decode_again: Callable[[bytes], Any] | None = None
    decode_within: Callable[[bytes], Any] | None = None
    subclass: type[int] | None = None
    walk: Literal["msgpack", "cbor", "bson", "json"] | None = None
    raw: RawCalls | Callable[[SchemaProtocol], RawCalls] | None = None
    frames: Frames | None = None
    readers: Sequence[Any] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class Guards:
    """Checks of records and payloads that the library does not make.

    Attributes:
        scan: Types that the library writes correctly; an object that contains any other is rewritten before
            the library gets it (for libraries that write others wrongly without an error).
        encode_depth: Levels that the library writes safely. Nesting is checked before each record is encoded,
            unless the policy `nesting` leaves that to the library.
        shallow: Levels that the library writes safely in one piece, if fewer than `encode_depth`.
        split: Callable ``(object) -> object`` that has parts of deeper objects written before the others.
        inside: Callable that returns the content of an object other than dict, list, tuple and set
            as a list, if the library writes that object natively, or None for nothing; the check of nesting
            counts it.
        exact: Callable ``(object) -> object`` that rewrites what the library would write by rules of its own,
            or by methods of a subclass (`conventions.families.exactly`). It is not called for objects that
            have only dicts, lists and values of built-in types.
        plain_keys: The library writes MessagePack keys that it cannot read, and its hook calls `doubt` if
            it returns a possible one.
        too_deep: Parts of the library's error messages on nesting, if the error is not a `RecursionError`.
        check_payload: Callable ``(bytes) -> None`` that raises on input that would crash the library.
        check_keys: Callable ``(bytes) -> None`` that raises if many keys have the same hash; payloads of
            less than 16 KiB hold too few keys.
        whole: If the library does not notice data after the value: the kind of payload, one of
            `_scan.kinds`, whose end is found before decoding.
        of_tags: Names of `decode_options` that only payloads with CBOR tags need.
        bounded: Callable ``(Limits) -> dict`` that returns further keyword arguments for every `decode` call:
            limits that only the library can enforce.
        shared: Bytes that every payload with shared values contains, if `_scan` does not detect these.
        walked: The depth of a record is checked by a walk after `decode`, for slow libraries.
        stops: What keeps the library from running out of stack on a deep payload: "itself", a fixed number of
            levels; "interpreter", the interpreter's recursion limit. Then nesting is checked after decoding,
            which is faster. Empty: nothing that is known, and nesting is checked before.
        level: Most bytes of stack that the library takes for a level of nesting. In a thread with little
            stack, a call that could need more gets a thread with enough.
        unhashed: The library does not initialize the cached hash of its payloads, so that equal ones are
            different keys of a dict; the hash is computed when it is needed.
        short_times: The library omits a zero in the fraction of some `datetime.time`. A payload with a text
            like them is written again, rewritten by the conventions.
    """

    scan: frozenset[type] | None = None
    encode_depth: int = 0
    shallow: int = 0
    split: Callable[[Any], Any] | None = None
    inside: Callable[[Any], list[Any] | None] | None = None
    exact: Callable[[Any], Any] | None = None
    plain_keys: bool = False
    too_deep: Sequence[str] = ()
    check_payload: Callable[[bytes], None] | None = None
    check_keys: Callable[[bytes], None] | None = None
    whole: str | None = None
    of_tags: Collection[str] = ()
    bounded: Callable[[Limits], Mapping[str, Any]] | None = None
    shared: bytes | None = None
    walked: bool = False
    stops: Literal["", "itself", "interpreter"] = ""
    level: int = 1024
    unhashed: bool = False
    short_times: bool = False


@dataclass(frozen=True, kw_only=True, repr=False)
class Facts:
    """Facts about a codec, for tables, fidelity, `pick` and messages.

    Attributes:
        library: Distribution that contains it.
        version: Version of the library.
        accelerated: Whether compiled code does the work; None if there is none.
        family: The conventions for missing types: `lower` and `encodes_as` follow from it.
        preserves: Types that survive a round trip, by their names in `bakeoff.codecs.conventions.tokens`.
        forms: Types that are not written as in the family: token to form.
        losses: Losses of a round trip, in words.
        takes: Objects that it encodes instead of dicts, such as "protobuf messages": created
            before the clock starts, and read after it stops. A note says so.
        unguarded: It lacks one of our guards against untrusted payloads.
        notes: Further remarks; a `bakeoff.codecs.conventions.notes.Note` also names the records
            that it is about.
        policies: Its behavior in the choices that its format leaves open.
    """

    library: str = ""
    version: str = ""
    accelerated: bool | None = None
    family: FormatFamily | None = None
    preserves: Collection[str] = frozenset()
    forms: Mapping[str, str] = field(default_factory=dict)
    losses: Sequence[str] = ()
    takes: str = ""
    unguarded: bool = False
    notes: Sequence[str] = ()
    policies: Policies = field(default_factory=Policies)

    def __post_init__(self) -> None:
        notes = tuple(self.notes)
        if self.takes and (note := f"takes and gives {self.takes}") not in notes:
            notes = (note, *notes)
        object.__setattr__(self, "preserves", frozenset(self.preserves))
        object.__setattr__(self, "losses", tuple(self.losses))
        object.__setattr__(self, "notes", notes)


class RecordSampler(Protocol):
    """Keeps a sample of a codec's records; `bakeoff.codecs.core.sampler.Sampler` implements it."""

    def gap(self) -> int: ...
    def keep(self, record: Any, plain: Callable[[Any], Any] | None, /) -> None: ...


@dataclass(frozen=True, kw_only=True, repr=False)
class Settings:
    """The user's settings, changed by `Codec.with_limits` and similar methods and kept in pickles.

    Attributes:
        limits: Limits of payloads.
        trusted: Whether payloads that can run code are decoded.
        schema: The schema that is applied after every decode, or that the codec is bound to.
        ids: The schemas' ids in a registry, if payloads begin with one; None otherwise.
        compression: The compressor of payloads.
        asked: Requested values by policy, see `with_policies`.
        sampler: Keeps a sample of the records.
    """

    limits: Limits = DEFAULT
    trusted: bool = False
    schema: SchemaProtocol | None = None
    ids: SchemaIds | None = None
    compression: Compression | None = None
    asked: Mapping[str, str] = field(default_factory=dict)
    sampler: RecordSampler | None = None


_NO_FORMAT = Format(name="")


@dataclass(frozen=True, kw_only=True, repr=False)
class Named:
    """Facts that the registry adds to a declaration.

    Attributes:
        name: Stable name, ``NAME[/VARIANT]``.
        format: The properties that it shares with other codecs of its wire format.
        origin: Name by which the registry rebuilds it, for pickles.
        codec_class: Another package's subclass of `Codec`; None for `Codec` itself.
    """

    name: str = ""
    format: Format = _NO_FORMAT
    origin: str | None = None
    codec_class: type[Any] | None = None


if TYPE_CHECKING:

    @dataclass(frozen=True, kw_only=True)
    class Options(Calls, Guards, Facts, Settings, Named):
        """All options: the keyword arguments of `Spec.of`."""

else:
    Options = None  # for type checkers only, as the class would add a millisecond to each start


@dataclass(frozen=True, kw_only=True, repr=False)
class Spec(Named):
    """All parts of one codec.

    Raises:
        ValueError: A part is invalid.
    """

    calls: Calls = Calls()
    guards: Guards = Guards()
    facts: Facts = Facts()
    settings: Settings = Settings()

    def __post_init__(self) -> None:
        for what in ("encode", "decode"):
            if not callable(part := getattr(self.calls, what)):
                raise ValueError(f"codec {self.name}: {what} must be callable, got {type(part).__name__}")
            if part is unbound and not self.needs_schema:
                raise ValueError(f"codec {self.name}: {what} is needed, or bind")
        if not isinstance(limits := self.settings.limits, Limits):
            raise ValueError(
                f"codec {self.name}: limits are bakeoff.Limits(...), got {type(limits).__name__}"
            )
        if unknown := {*self.facts.preserves, *self.facts.forms}.difference(NAMES):
            listed = ", ".join(sorted(map(repr, unknown)))
            raise ValueError(f"codec {self.name}: no types {listed}; there are {', '.join(NAMES)}")

    @classmethod
    @taking(Options)
    def of(cls, **options: Any) -> Spec:
        """Return the spec of a codec from its options, each of which belongs to one of the parts.

        Raises:
            TypeError: No such option.
            ValueError: As for `Spec`.
        """
        return cls(**_grouped(options, _EMPTY))

    @classmethod
    def behind(cls, made: object) -> Spec | None:
        """Return the spec of a codec, including its class; None for any other object."""
        spec = getattr(made, "spec", None)
        return spec.changed(codec_class=type(made)) if isinstance(spec, cls) else None

    @taking(Options)
    def changed(self, **options: Any) -> Spec:
        """Return this spec with other options; see `of`."""
        return replace(self, **_grouped(options, {part: getattr(self, part) for part in _EMPTY}))

    @property
    def rewrite(self) -> Callable[[Any], Any] | None:
        """Function that rewrites a whole object so that the library can write it."""
        return self.calls.lower or (None if self.facts.family is None else self.facts.family.lower)

    @property
    def encodes_as(self) -> dict[str, str]:
        """The written form of each type that is not preserved without a schema: token to form."""
        if self.needs_schema:
            return {}
        facts = self.facts
        return {**(facts.family.encodes_as(facts.preserves) if facts.family else {}), **facts.forms}

    @property
    def checked_depth(self) -> int:
        """Levels of a record that `encode` checks before the library gets it; 0 without a check."""
        asked = self.rejects_nesting or self.settings.limits.depth is not None
        safe = self.guards.encode_depth
        if not asked and (not safe or self.facts.policies.stated("nesting", "dump") == "library"):
            return 0
        return min(self.settings.limits.deepest, safe or GREATEST_DEPTH)

    @property
    def limits_depth(self) -> bool:
        """Whether `decode` refuses deep payloads by default; for pickle and marshal, the library may."""
        return self.facts.policies.stated("nesting", "load") != "library"

    @property
    def rejects_nesting(self) -> bool:
        """Whether the policy `nesting` was set."""
        return self.settings.asked.get("nesting") == "reject"

    @property
    def needs_schema(self) -> bool:
        """Whether it cannot be used without one."""
        return self.calls.bind is not None

    @property
    def content_encoding(self) -> Literal["binary", "utf-8"]:
        """The format's content encoding; compressed payloads are not text."""
        return self.format.content_encoding if self.settings.compression is None else "binary"

    @property
    def encoding(self) -> str | None:
        """The encoding of payloads that are text."""
        return "utf-8" if self.content_encoding == "utf-8" else None

    @property
    def framing(self) -> Framing:
        """The format's framing; a compressed payload does not mark its end."""
        from .streams.framing import LENGTHS

        compression = self.settings.compression
        return (self.format.framing if compression is None else compression.framing) or LENGTHS

    @cached_property
    def media(self) -> MediaTypes:
        """Media types of payloads; cached, as each message is sent with them."""
        if self.calls.readers and self.settings.compression is None:
            return joined([each.spec.media for each in self.calls.readers])
        conventions = self.facts.family is not None and bool(self.encodes_as)
        return media_types(self.format, self.settings.compression, conventions=conventions)


_EMPTY: Mapping[str, Any] = {"calls": Calls(), "guards": Guards(), "facts": Facts(), "settings": Settings()}
_OWN = {option.name for option in fields(Named)}
_PARTS = {option.name: part for part, record in _EMPTY.items() for option in fields(record)}
"""The part to which each option belongs."""


def _grouped(options: Mapping[str, Any], records: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a `Spec`: its own options, and its parts with their options changed."""
    own, changes = {}, dict[str, dict[str, Any]]()
    for option, value in options.items():
        if option in _PARTS:
            changes.setdefault(_PARTS[option], {})[option] = value
        elif option in _OWN:
            own[option] = value
        else:
            raise TypeError(f"a codec has no option {option!r}; there are {', '.join(_PARTS)}")
    return own | {part: replace(records[part], **changed) for part, changed in changes.items()}
