"""YAML 1.1, by PyYAML; always the safe loader. YAML 1.2 by ryaml and ruamel.yaml, for trusted payloads.

The loader of PyYAML in C recurses without a limit and crashes the process on some 25,000 nested brackets,
merge keys multiply (PyYAML issues 895 and 604), and the time of a number in base 60 grows with the square of
its length. All three are limited.
"""

from __future__ import annotations

import codecs
import datetime as dt
import enum
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any

from ..conventions.families import NATIVE_BYTES, WORDS, FormatFamily
from ..conventions.notes import FIGURES, STRANGERS, Note
from ..conventions.rules import RULE_OF, SCALARS
from ..errors import TooMuchError
from ..limits import DEFAULT_DEPTH, Limits
from ..registry import declare
from ..safety._unique import unique
from ..safety._walk import Rules, check_record
from ..safety.keys import FEW_KEYS, refuse_one_hash
from ..safety.policies import Policies
from ..spec import Format, RawCalls, Spec
from ..streams.framing import Documents
from ._hooks import hooked

_family = FormatFamily("YAML", {**NATIVE_BYTES, dt.datetime: None, dt.date: None, set: None}, text_keys=False)

YAML = Format(
    name="yaml",
    media_type="application/yaml",
    media_type_aliases=("application/x-yaml", "text/yaml", "text/x-yaml"),
    content_encoding="utf-8",
    file_extension=".yaml",
    framing=Documents(),
    files=(".yaml", ".yml"),
    suffix=True,
    family=_family,
)
PRESERVES = frozenset(
    {
        "none", "bool", "int", "bigint", "float", "nonfinite", "str", "bytes", "list", "dict", "set",
        "datetime", "datetime_aware", "datetime_offset", "date", "int_keys", "key_order",
    }
)  # fmt: skip
MERGED_PAIRS = 100_000
_AROUND = 4
"""Events around a document's values."""
_SLOW = Limits(items=15_000, size=1 << 19)
DIGITS = 4300
"""Limit for the digits of a number in base 60, the same as Python's in base 10 (`sys.int_info`)."""


def _careful(yaml: Any, loader: Any) -> Any:
    """Return a loader class that limits the time for numbers, keys and merged pairs."""

    class CarefulLoader(loader):  # type: ignore[misc]
        merged = 0

        def construct_yaml_int(self, node: Any) -> Any:
            if len(node.value) > DIGITS and ":" in node.value:
                raise yaml.YAMLError(f"a number in base 60 of more than {DIGITS:,} characters")
            return super().construct_yaml_int(node)

        def flatten_mapping(self, node: Any) -> None:
            before = len(node.value)
            super().flatten_mapping(node)
            self.merged += max(0, len(node.value) - before)
            if self.merged > MERGED_PAIRS:
                raise TooMuchError(f"merge keys that add more than {MERGED_PAIRS:,} pairs")
            if len(node.value) > FEW_KEYS:
                refuse_one_hash(self.construct_object(key, deep=True) for key, _ in node.value)

    CarefulLoader.add_constructor("tag:yaml.org,2002:int", CarefulLoader.construct_yaml_int)
    return CarefulLoader


def _counting(yaml: Any, careful: Any, limits: Limits) -> Any:
    """Return a loader class that also counts nodes, their nesting and aliases."""

    class CountingLoader(careful):  # type: ignore[misc]
        def __init__(self, stream: bytes) -> None:
            asterisks = stream.count(b"*")
            if asterisks > limits.items or (limits.aliases is not None and asterisks > limits.aliases):
                _count_aliases(yaml, careful, stream, limits)
            super().__init__(stream)
            # Called when a node is entered and left; safe loaders do not use them otherwise.
            self.descend_resolver, self.ascend_resolver = _node_counter(limits.items, limits.deepest)

    return CountingLoader


_INDENTING = bytes(0 if byte in b" \t-?:" else 1 for byte in range(256))
"""0 for the characters that may precede a block on its line, 1 for all others."""


def _needs_counting(data: bytes, limits: Limits) -> bool:
    """Whether a document may exceed the limits of values or depth; counting takes 4 % of a load.

    Each nested block starts further to the right, except for a list in a dict. Only blanks and indicators
    precede it on its line. A byte makes at most two values (``{a,b}``).
    """
    if 2 * len(data) > limits.items or b"*" in data:
        return True
    blocks = (limits.deepest - data.count(b"[") - data.count(b"{")) // 2 - 1
    # Of the bytes in a row only every eighth is checked, which takes an eighth of the time.
    seen = max(blocks // 8, 1)
    return blocks < 8 or bytes(seen) in data[::8].translate(_INDENTING)


def _unique(loader: Any) -> Any:
    """Return a loader class that refuses duplicate keys in a mapping, except for merged ones."""

    class UniqueLoader(loader):  # type: ignore[misc]
        def __init__(self, stream: Any) -> None:
            super().__init__(stream)
            self.looked_at: set[int] = set()

        def flatten_mapping(self, node: Any) -> None:
            # Only the first time, before merged keys are among the node's own.
            if id(node) not in self.looked_at:
                self.looked_at.add(id(node))
                own = [key for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
                keys = [self.construct_object(key, deep=True) for key in own]
                if len(keys) > FEW_KEYS:
                    refuse_one_hash(keys)
                # The library itself reports values that cannot be keys.
                unique((key, None) for key in keys if isinstance(key, Hashable))
            super().flatten_mapping(node)

    return UniqueLoader


def _count_aliases(yaml: Any, loader: Any, data: bytes, limits: Limits) -> None:
    """Raise TooMuchError if a document has more aliases or values than the limits.

    Not every asterisk is an alias. Each alias is a value, and a value has at most two events.
    """
    aliases = 0
    for number, event in enumerate(yaml.parse(data, Loader=loader)):
        aliases += isinstance(event, yaml.AliasEvent)
        if limits.aliases is not None and aliases > limits.aliases:
            raise TooMuchError(f"more than {limits.aliases:,} aliases")
        if aliases > limits.items or number > 2 * limits.items + _AROUND:
            raise TooMuchError(f"more than {limits.items:,} values")


def _node_counter(limit: int, deepest: int) -> tuple[Callable[[Any, Any], None], Callable[[], None]]:
    """Return functions to call when a node is entered and left; an attribute would take twice the time."""
    depth = count = 0

    def descend(parent: Any, index: Any) -> None:
        nonlocal depth, count
        depth += 1
        count += 1
        if count > limit:
            raise TooMuchError(f"more than {limit:,} values")
        if depth > deepest + 1:  # a scalar is a node, too
            raise RecursionError(f"nested more than {deepest} deep")

    def ascend() -> None:
        nonlocal depth
        depth -= 1

    return descend, ascend


def _refuse_utf16(data: bytes) -> None:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ValueError("UTF-16 text; expected UTF-8")


_OPTIONS: Mapping[str, Any] = {"encoding": "utf-8", "allow_unicode": True, "sort_keys": False}


def _convention_dumper(yaml: Any, dumper: Any, *, accelerated: bool) -> Any:
    """Return a class that writes types that YAML lacks by the conventions of the family."""

    class ConventionDumper(dumper):  # type: ignore[misc]
        def represent_mapping(self, *arguments: Any, **options: Any) -> Any:
            node = super().represent_mapping(*arguments, **options)
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise TypeError("a container as a key, or as an item of a set, cannot be decoded")
            if len({(key.tag, key.value) for key, _ in node.value}) < len(node.value):
                raise ValueError("two keys of a dict, or items of a set, are written alike")
            return node

    def represent(self: Any, value: Any) -> Any:
        return self.represent_data(_family.leaf(value))

    def represent_moment(self: Any, value: dt.datetime) -> Any:
        if (value.utcoffset() or dt.timedelta()) % dt.timedelta(minutes=1):
            raise ValueError("an offset with seconds, which YAML cannot read")
        return self.represent_datetime(value)

    def represent_text(self: Any, value: str) -> Any:
        return self.represent_scalar("tag:yaml.org,2002:str", value, style='"' if "\x85" in value else None)

    def represent_set(self: Any, value: set[Any]) -> Any:
        # The library writes the items in the order of their hashes, which differs by process.
        return self.represent_mapping("tag:yaml.org,2002:set", dict.fromkeys(RULE_OF[set].write(value)))

    texts = [scalar.type for scalar in SCALARS if scalar.type not in _family.native]
    for kind in (*texts, frozenset, bytearray, memoryview, None):
        ConventionDumper.add_representer(kind, represent)
    ConventionDumper.add_multi_representer(enum.Enum, represent)
    ConventionDumper.add_representer(dt.datetime, represent_moment)
    ConventionDumper.add_representer(set, represent_set)
    if not accelerated:
        # PyYAML's own emitter writes this line break (NEL) where its parser reads a space.
        ConventionDumper.add_representer(str, represent_text)
    return ConventionDumper


def _raw(yaml: Any, dumper: Any, loader: Any) -> RawCalls:
    def calls(dumper: Any) -> RawCalls:
        return RawCalls(
            lambda record: yaml.dump(record, Dumper=dumper, **_OPTIONS),
            lambda data: yaml.load(data, Loader=loader),
        )

    def with_representers(hook: Any) -> RawCalls:
        class HookedDumper(dumper):  # type: ignore[misc]
            pass

        # None: of all types without one.
        HookedDumper.add_representer(None, lambda self, value: self.represent_data(hook(value)))
        return calls(HookedDumper)

    return calls(dumper)._replace(options=hooked("representer", with_representers))


def _yaml(*, accelerated: bool) -> Spec:
    import yaml

    dumper: Any = yaml.CSafeDumper if accelerated else yaml.SafeDumper
    loader: Any = yaml.CSafeLoader if accelerated else yaml.SafeLoader

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        return {"bounded": reading_once if values["duplicate_keys"] == "reject" else reading}

    def decode(data: bytes, *, limits: Limits, plain: Any, careful: Any, counting: Any) -> Any:
        if _needs_counting(data, limits):
            return yaml.load(data, Loader=counting)
        # A short document without aliases has no long numbers, few merges, and few keys with the same hash.
        return yaml.load(data, Loader=careful if len(data) > DIGITS else plain)

    careful = _careful(yaml, loader)

    def reading(limits: Limits) -> Mapping[str, Any]:
        counting = _counting(yaml, careful, limits)
        return {"limits": limits, "plain": loader, "careful": careful, "counting": counting}

    def reading_once(limits: Limits) -> Mapping[str, Any]:
        loaders = reading(limits)
        return {name: each if name == "limits" else _unique(each) for name, each in loaders.items()}

    return Spec.of(
        encode=yaml.dump,
        encode_options={"Dumper": _convention_dumper(yaml, dumper, accelerated=accelerated), **_OPTIONS},
        decode=decode,
        raw=_raw(yaml, dumper, loader),
        limits=Limits(items=60_000) if accelerated else _SLOW,
        bounded=reading,
        shared=b"*",
        check_payload=_refuse_utf16,
        encode_depth=DEFAULT_DEPTH,
        # libyaml of PyYAML 6.0.4 has a limit of 1,000 levels, which it reaches before the loader counts.
        too_deep=("exceeded maximum nesting depth",),
        # The counting loader treats the innermost empty list as a scalar.
        walked=True,
        family=_family,
        accelerated=accelerated,
        preserves=PRESERVES,
        notes=(
            Note("a truncated payload is often still valid YAML", STRANGERS),
            Note(
                "refuses datetimes whose offset has seconds, as it could not read them",
                "type_datetime",
            ),
        ),
        policies=Policies(
            duplicate_keys="last",
            nonfinite="allow",
            surrogates="reject" if accelerated else "allow",
            big_integers="exact",
            trailing="reject",
            extensions="none/reject",
            nesting="reject",
            options={"duplicate_keys": ("last", "reject")},
            enforce=enforce,
        ),
    )


@declare("yaml", YAML, library="PyYAML", module="yaml")
def _libyaml() -> Spec:
    import yaml

    return _yaml(accelerated=yaml.__with_libyaml__)


@declare("yaml/pure", YAML, library="PyYAML", module="yaml", in_default_set=False)
def _pure() -> Spec:
    return _yaml(accelerated=False)


_UNGUARDED_POLICIES = Policies(
    duplicate_keys="reject",
    nonfinite="allow",
    surrogates="reject",
    big_integers="text/reject",
    trailing="reject",
    extensions="none/reject",
    nesting="reject",
)


def _minutes_or_text(value: dt.datetime) -> Any:
    """Native, but ISO 8601 text with seconds in the offset, which ruamel.yaml writes and does not read."""
    offset = value.utcoffset()
    return value.isoformat() if offset and offset % dt.timedelta(minutes=1) else value


_ryaml_family = FormatFamily("YAML (ryaml)", {}, text_keys=False, integers=WORDS)
_ruamel_family = FormatFamily(
    "YAML (ruamel.yaml)", {dt.datetime: _minutes_or_text, dt.date: None}, text_keys=False
)


def _refuse_unreadable(record: dict[Any, Any]) -> None:
    if any(isinstance(key, tuple | frozenset) for key in record):
        raise TypeError("a container as a dict key cannot be decoded")
    if sum(key != key for key in record) > 1:
        raise TypeError("two NaN as dict keys cannot be decoded")


_READABLE_KEYS = Rules(keys=_refuse_unreadable)


def _with_readable_keys(family: FormatFamily) -> Callable[[Any], Any]:
    """Return what rewrites a record, and refuses keys that ryaml and ruamel.yaml write, but do not read."""

    def lower(record: Any) -> Any:
        check_record(written := family.lower(record), _READABLE_KEYS)
        return written

    return lower


_QUADRATIC = "for trusted data only: nested braces take quadratic time"


@declare("ryaml", YAML, library="ryaml", extra="ryaml", unguarded=True)
def _ryaml() -> Spec:
    import ryaml

    library: Any = ryaml
    return Spec.of(
        encode=library.dumps,
        # Deeply nested objects, and those that contain themselves, would crash the process.
        encode_depth=DEFAULT_DEPTH,
        # It writes other types in forms of its own: a memoryview as numbers, a range as its items.
        scan=frozenset({str, int, float, bool, type(None)}),
        lower=_with_readable_keys(_ryaml_family),
        decode=library.loads,
        raw=RawCalls(
            lambda record: library.dumps(record).encode(), lambda data: library.loads(data.decode())
        ),
        text=True,
        limits=Limits(size=4 << 20),
        shared=b"*",
        too_deep=("recursion limit exceeded",),
        walked=True,
        family=_ryaml_family,
        accelerated=True,
        preserves={
            *("none", "bool", "int", "float", "nonfinite", "str", "list", "dict", "int_keys", "key_order"),
        },
        notes=(
            f"{_QUADRATIC}, as do keys that are floats, and aliases multiply",
            Note("writes `yes`, `1:30` and dates without quotes, which PyYAML reads as other types", FIGURES),
            Note("reads dates, times and base64 as text, and tags as dicts", STRANGERS),
        ),
        policies=replace(_UNGUARDED_POLICIES, extensions="none/ignore"),
    )


@declare(
    "ruamel.yaml", YAML, library="ruamel.yaml", extra="ruamel-yaml", unguarded=True, in_default_set=False
)
def _ruamel() -> Spec:
    from io import BytesIO

    import ruamel.yaml

    class ReadableRepresenter(ruamel.yaml.representer.SafeRepresenter):
        """Writes what the library reads: no aliases of scalars, which fail as keys, and NEL in quotes."""

        def ignore_aliases(self, data: Any) -> bool:
            return not isinstance(data, list | dict)

        def represent_str(self, value: str) -> Any:
            quotes = '"' if "\x85" in value else None
            return self.represent_scalar("tag:yaml.org,2002:str", value, style=quotes)

    ReadableRepresenter.add_representer(str, ReadableRepresenter.represent_str)

    # An instance keeps the state of a call, so threads must not share it.
    def encode(record: Any, representer: Any = ruamel.yaml.representer.SafeRepresenter) -> bytes:
        yaml: Any = ruamel.yaml.YAML(typ="safe", pure=True)
        yaml.Representer = representer
        yaml.sort_base_mapping_type_on_output = False
        yaml.dump(record, stream := BytesIO())
        return stream.getvalue()

    def decode(data: bytes) -> Any:
        return ruamel.yaml.YAML(typ="safe", pure=True).load(data)

    return Spec.of(
        encode=encode,
        encode_arguments=(ReadableRepresenter,),
        encode_depth=DEFAULT_DEPTH,
        # It cannot read the bytes that it writes, nor some offsets, and the conventions write others.
        scan=frozenset({str, int, float, bool, type(None), dt.date}),
        lower=_with_readable_keys(_ruamel_family),
        decode=decode,
        raw=RawCalls(encode, decode),
        limits=_SLOW,
        check_payload=_refuse_utf16,
        shared=b"*",
        walked=True,
        family=_ruamel_family,
        accelerated=False,
        preserves={
            *("none", "bool", "int", "bigint", "float", "nonfinite", "str", "list", "dict", "datetime"),
            *("datetime_aware", "datetime_offset", "date", "int_keys", "key_order"),
        },
        losses=("datetimes whose offset has seconds become text",),
        notes=(
            f"{_QUADRATIC}, and so do keys with the same hash",
            Note("YAML 1.2: `yes`, `no`, `on` and `1:30` are text without quotes", STRANGERS),
        ),
        policies=replace(_UNGUARDED_POLICIES, surrogates="allow", big_integers="exact"),
    )
