"""What a codec is made of: each thing that can be said of one stands here, and nowhere else.

The files of the formats declare codecs by it, third parties by the same words as arguments of
`bakeoff.Codec`; what follows from the family of conventions, or from what is asked for, is derived.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from .binding import unbound
from .conventions.tokens import NAMES
from .safety.limits import DEFAULT, GREATEST_DEPTH, Limits

if TYPE_CHECKING:
    from .binding import Bound, Schema
    from .conventions.families import Family
    from .production.tap import Tap
    from .safety.policies import Policies
    from .streams.compression import Compression
    from .streams.framing import Framing

__all__ = ["Format", "Frames", "RawCalls", "Spec"]


class RawCalls(NamedTuple):
    """What a competent user of a library writes without bakeoff: no guard, no convention, no common error.

    Attributes:
        encode: ``(record) -> bytes``.
        decode: ``(bytes) -> record``.
        take: Makes of a record of dicts what `encode` takes, before a clock starts; None where that is the
            record itself.
        give: Makes of what `decode` gives a record of dicts, after it has stopped; None where it is one.
    """

    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]
    take: Callable[[Any], Any] | None = None
    give: Callable[[Any], Any] | None = None


class Frames(NamedTuple):
    """How a record becomes several buffers that need not lie in one piece, for transports that send them so.

    Attributes:
        encode: ``(record) -> list of buffers``; the memory of the record's arrays is among them, not copied.
        decode: ``(list of buffers) -> record``, whose arrays are views of them.
    """

    encode: Callable[[Any], list[Any]]
    decode: Callable[[Sequence[Any]], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What all codecs of a wire format share.

    Attributes:
        name: For instance ``"json"``.
        media_type: Its own, whatever conventions are written in it.
        media_type_aliases: Older names that peers still send.
        syntax: What a media type of ours calls it: the name, but where two readers do not read each other.
        content_encoding: Whether payloads are text.
        file_extension: With its dot.
        trusted_only: Decoding can run code that the payload brings along.
        interoperable: Other languages read it.
        empty: A payload of no bytes is a record, as a record without fields is in TOML; else it is refused.
        framing: How records follow one another in a file; None: each after its length.

    Raises:
        ValueError: A content encoding that there is not.
    """

    name: str
    media_type: str = "application/octet-stream"
    media_type_aliases: Sequence[str] = ()
    syntax: str = ""
    content_encoding: Literal["binary", "utf-8"] = "binary"
    file_extension: str = ""
    trusted_only: bool = False
    interoperable: bool = True
    empty: bool = False
    framing: Framing | None = None

    def __post_init__(self) -> None:
        if self.content_encoding not in ("binary", "utf-8"):
            raise ValueError(
                f"format {self.name}: content_encoding is 'binary' or 'utf-8', got {self.content_encoding!r}"
            )
        object.__setattr__(self, "media_type_aliases", tuple(self.media_type_aliases))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Spec:
    """What one codec is made of. Only `encode` and `decode` are needed, or `bind`.

    Attributes:
        name: Stable name, ``NAME[/VARIANT]``; `declare` gives it, and the format.
        encode: Callable ``(object) -> bytes | str``; text is stored as UTF-8.
        decode: Callable ``(bytes) -> object``, or ``(str) -> object`` with ``text=True``.
        family: The conventions for what the format lacks: `lower` and `wire` follow from it.
        encode_options: Keyword arguments for every `encode` call.
        encode_arguments: Further positional arguments for every `encode` call.
        decode_options: Keyword arguments for every `decode` call.
        decode_arguments: Further positional arguments for every `decode` call.
        pooled: `encode` is a factory of encoders that must not be shared between threads.
        text: `decode` takes text.
        lower: Rewrites an object by the conventions, where the family's own way will not do; tried once
            when the library refuses an object.
        walked: A record is walked through for its depth after `decode`: for slow libraries.
        scan: Types the library writes well by itself; an object that holds any other is lowered
            before the library sees it (for libraries that write those wrongly without a word).
        encode_depth: Levels that the library writes safely. Nesting is checked before each record is encoded,
            unless the policy `nesting` leaves that to the library.
        plain_keys: The library writes MessagePack keys that it cannot read, and its hook calls `doubt` where
            it gives what could be one.
        inside: Callable that gives a list of what an object of another kind than dict, list, tuple and set
            holds, where the library writes it by itself; the check of nesting counts it.
        too_deep: Parts of the library's sentences on nesting, where its error is no `RecursionError`.
        check_payload: Callable ``(bytes) -> None`` that raises on input that would crash the library.
        whole: Where the library does not notice data after the value: which finder of `_scan` does.
        walk: As what payloads can be walked through to a field whose bytes `decode` reads by themselves as it
            does within the whole; None: a field is read by a full decode.
        of_tags: Those of `decode_options` that only a payload with tags of CBOR asks for.
        decode_again: Callable ``(bytes) -> object`` for payloads that `decode` refuses, where the options
            that most need not would slow it down.
        subclass: The library's own subclass of int, which comes back as int.
        wrap: Key under which values other than a dict are wrapped in a document.
        bounded: Callable ``(Limits) -> dict`` that gives further keyword arguments for every `decode` call:
            limits that only the library can keep to.
        check_keys: Callable ``(bytes) -> None`` that raises when keys were made to have one hash; payloads of
            less than 16 KiB hold too few of them.
        shared: What every payload contains in which a value may stand in several places, where `_scan` does
            not tell.
        bind: For codecs that need a schema: ``(schema) -> Bound``, whose directions take the places of
            `encode` and `decode`.
        raw: The library's own calls, as its users write them; for codecs that need a schema what makes them
            of it. None where none are defined.
        frames: For those that can give a payload in several pieces.
        library: Distribution that brings it.
        version: Of the library.
        accelerated: Whether compiled code does the work; None where there is none.
        carries: Types that come back as they were, by their names in `bakeoff.codecs.conventions.tokens`.
        forms: How single types are written otherwise than the family writes them: token to form.
        losses: What does not come back, in words.
        takes: What it takes and gives in the place of records of dicts, such as "protobuf messages": filled
            before a clock starts, and read after it stops. A note says so.
        unguarded: It lacks a guard of ours that protects from payloads of strangers.
        notes: What else one should know; a `bakeoff.codecs.conventions.notes.Note` also says which records it
        is about. policies: What it does where its format leaves it open. limits: What a payload may be and
        hold. trusted: Decode what can run code. schema: What is applied after every decode, or bound to.
        compression: What payloads are compressed by. asked: What was asked for in place of the policies,
        value by policy; see `with_policies`. tap: What keeps a sample of the records that pass. origin: Name
        under which the registry makes it again, for pickles.

    Raises:
        ValueError: What is no use to a codec.
    """

    name: str = ""
    format: Format = Format(name="")
    encode: Callable[..., Any] = unbound
    decode: Callable[..., Any] = unbound
    family: Family | None = None
    encode_options: Mapping[str, Any] | None = None
    encode_arguments: Sequence[Any] = ()
    decode_options: Mapping[str, Any] | None = None
    decode_arguments: Sequence[Any] = ()
    pooled: bool = False
    text: bool = False
    lower: Callable[[Any], Any] | None = None
    walked: bool = False
    scan: frozenset[type] | None = None
    encode_depth: int = 0
    plain_keys: bool = False
    inside: Callable[[Any], list[Any]] | None = None
    too_deep: Sequence[str] = ()
    check_payload: Callable[[bytes], None] | None = None
    whole: Literal["msgpack", "cbor", "pickle", "marshal", "plist", "bson", "nul"] | None = None
    walk: Literal["msgpack", "cbor", "bson", "json"] | None = None
    of_tags: Collection[str] = ()
    decode_again: Callable[[bytes], Any] | None = None
    subclass: type[int] | None = None
    wrap: str | None = None
    bounded: Callable[[Limits], Mapping[str, Any]] | None = None
    check_keys: Callable[[bytes], None] | None = None
    shared: bytes | None = None
    bind: Callable[[Any], Bound] | None = None
    raw: RawCalls | Callable[[Schema], RawCalls] | None = None
    frames: Frames | None = None
    library: str = ""
    version: str = ""
    accelerated: bool | None = None
    carries: Collection[str] = frozenset()
    forms: Mapping[str, str] = field(default_factory=dict)
    losses: Sequence[str] = ()
    takes: str = ""
    unguarded: bool = False
    notes: Sequence[str] = ()
    policies: Policies | None = None
    limits: Limits = DEFAULT
    trusted: bool = False
    schema: Schema | None = None
    compression: Compression | None = None
    asked: Mapping[str, str] | None = None
    tap: Tap | None = None
    origin: str | None = None

    def __post_init__(self) -> None:
        for what in ("encode", "decode"):
            if not callable(part := getattr(self, what)):
                raise ValueError(f"codec {self.name}: {what} must be callable, got {type(part).__name__}")
            if part is unbound and self.bind is None:
                raise ValueError(f"codec {self.name}: {what} is needed, or bind")
        if not isinstance(self.limits, Limits):
            raise ValueError(
                f"codec {self.name}: limits are bakeoff.Limits(...), got {type(self.limits).__name__}"
            )
        object.__setattr__(self, "carries", frozenset(self.carries))
        if unknown := {*self.carries, *self.forms}.difference(NAMES):
            listed = ", ".join(sorted(map(repr, unknown)))
            raise ValueError(f"codec {self.name}: no types {listed}; there are {', '.join(NAMES)}")
        for words in ("encode_arguments", "decode_arguments", "too_deep", "losses", "notes"):
            object.__setattr__(self, words, tuple(getattr(self, words)))
        if self.takes and (note := f"takes and gives {self.takes}") not in self.notes:
            object.__setattr__(self, "notes", (note, *self.notes))

    @classmethod
    def of(cls, name: str, format: str, **options: Any) -> Self:
        """Return the spec of a codec from its own options and those of its format side by side.

        Raises:
            TypeError: No such option.
            ValueError: As for `Spec`, or no name.
        """
        for what, value in (("name", name), ("format", format)):
            if not isinstance(value, str) or not value:
                raise ValueError(f"codec {what} must be a non-empty string, got {value!r}")
        shared = {option: options.pop(option) for option in OF_FORMATS & options.keys()}
        return cls(name=name, format=Format(name=format, **shared), **options)

    @property
    def rewrite(self) -> Callable[[Any], Any] | None:
        """What rewrites a whole object so that the library can write it."""
        return self.lower or (None if self.family is None else self.family.lower)

    @property
    def wire(self) -> dict[str, str]:
        """The written form of each type that does not come back by itself: token to form."""
        if self.needs_schema:
            return {}
        return {**(self.family.wire(self.carries) if self.family else {}), **self.forms}

    @property
    def checked_depth(self) -> int:
        """Levels of a record that `encode` checks before the library has it; 0 where nothing is checked."""
        stated = "" if self.policies is None else self.policies.stated("nesting", "dump")
        asked = self.rejects_nesting or self.limits.depth is not None
        if not asked and (not self.encode_depth or stated == "library"):
            return 0
        return min(self.limits.deepest, self.encode_depth or GREATEST_DEPTH)

    @property
    def limits_depth(self) -> bool:
        """Whether `decode` refuses deep payloads unasked; pickle and marshal leave depth to the library."""
        return self.policies is None or self.policies.stated("nesting", "load") != "library"

    @property
    def rejects_nesting(self) -> bool:
        """Whether the policy `nesting` was asked for."""
        return (self.asked or {}).get("nesting") == "reject"

    @property
    def needs_schema(self) -> bool:
        """Whether it cannot be used without one."""
        return self.bind is not None

    @property
    def content_encoding(self) -> Literal["binary", "utf-8"]:
        """As of the format; what is compressed is no text."""
        return self.format.content_encoding if self.compression is None else "binary"

    @property
    def encoding(self) -> str | None:
        """The encoding of payloads that are text."""
        return "utf-8" if self.content_encoding == "utf-8" else None

    @property
    def framing(self) -> Framing:
        """As of the format; compressed, a payload no longer shows where it ends."""
        from .streams.framing import LENGTHS

        return (self.format.framing if self.compression is None else self.compression.framing) or LENGTHS


OF_FORMATS = {each.name for each in fields(Format)} - {"name"}
