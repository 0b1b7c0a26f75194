"""The libraries whose calls are watched: each declared once, with its functions, arguments and format.

The hook in the watched program, the names in samples, and the libraries that could take a function's place
are made from these declarations.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Keeps = Literal["record", "payload", "result", "items", "chunks", "input"]

PROTOCOL: Final = f"pickle protocol {pickle.HIGHEST_PROTOCOL}"


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method that programs call to write or read payloads.

    Attributes:
        name: Its name for programs, ``json.JSONEncoder.encode``.
        keeps: The part of a call to keep. A generator has "items" if it decodes, and "chunks", which are not
            kept, if it encodes. The "input" of a stream is not kept, either.
        positions: Names of the arguments after the first one that may be passed by position.
        home: Module that defines its class, if that is not the one in its name.
        alone: Why no other library could take its place; empty if one could.
        apart: It is so much slower than the library's other functions that these could take its place.
        file: It writes to a file or reads one, which takes part of its time.
        one: Function that reads one payload in the same way, for one that reads files or streams.
        bare: It is timed without the options of its object, which are not seen but change the length.
    """

    name: str
    keeps: Keeps
    positions: tuple[str, ...] = ()
    home: str = ""
    alone: str = ""
    apart: bool = False
    file: bool = False
    one: str = ""
    bare: bool = False

    @property
    def encodes(self) -> bool:
        """Whether it writes payloads."""
        return self.keeps in ("record", "chunks")

    @property
    def located(self) -> tuple[str, str]:
        """The module that defines it, and its path there."""
        parts = self.name.split(".")
        classes = [n for n, part in enumerate(parts) if part.lstrip("_")[:1].isupper()]
        cut = classes[0] if classes else len(parts) - 1
        return self.home or ".".join(parts[:cut]), ".".join(parts[cut:])


@dataclass(frozen=True, slots=True)
class Library:
    """The functions of a library for one format.

    Attributes:
        name: Its import name; with `format` it is unique.
        format: A key of `FORMATS`.
        functions: Those that are watched.
        offers: The functions that encode and decode, as programs call them that change to this library; None
            if it is not recommended.
        offered_as: Name of what `offers` is, if not the library.
        files: Names of its folders and compiled files in samples of a process, if not its name alone; None if
            its code does other work, too, so that a sample of it says nothing.
    """

    name: str
    format: str
    functions: tuple[Function, ...]
    offers: tuple[str, str] | None = None
    offered_as: str = ""
    files: tuple[str, ...] | None = ()


@dataclass(frozen=True, slots=True)
class WatchedFormat:
    """A format.

    Attributes:
        title: Its name for people.
        plain: What writes and reads a payload of it, in whichever library.
        harmless: Options that do not keep a program from using another library.
        changes: Its programs have little or no choice of libraries, so that other formats are tried for them.
    """

    title: str
    plain: tuple[str, str]
    harmless: frozenset[str] = field(default_factory=frozenset)
    changes: bool = False


_YAML_LAYOUT: Final = (
    *("default_style", "default_flow_style", "canonical", "indent", "width", "allow_unicode", "line_break"),
    *("encoding", "explicit_start", "explicit_end", "version", "sort_keys"),
)
"""Options of yaml that libyaml has, too."""

FORMATS: Final[Mapping[str, WatchedFormat]] = {
    "json": WatchedFormat(
        "JSON",
        ("json.dumps", "json.loads"),
        frozenset(
            {"separators", "ensure_ascii", "allow_nan", "check_circular", "cache_strings", "allow_inf_nan"}
        ),
    ),
    "msgpack": WatchedFormat(
        "MessagePack",
        ("msgpack.packb", "msgpack.unpackb"),
        frozenset({"use_bin_type", "raw", "strict_map_key"}),
    ),
    "yaml": WatchedFormat(
        "YAML", ("yaml.safe_dump", "yaml.safe_load"), frozenset({*_YAML_LAYOUT, "Loader", "Dumper"})
    ),
    "cbor": WatchedFormat("CBOR", ("cbor2.dumps", "cbor2.loads"), changes=True),
    "bson": WatchedFormat("BSON", ("bson.encode", "bson.decode"), changes=True),
    "pickle": WatchedFormat(
        "pickle",
        ("pickle.dumps", "bakeoff.bench.watch.alternatives.unpickled"),
        frozenset({"protocol", "fix_imports"}),
        changes=True,
    ),
    "marshal": WatchedFormat("marshal", ("marshal.dumps", "marshal.loads"), changes=True),
}
"""The formats, by their names in results."""


def format_title(form: str) -> str:
    """Return a format's name for people; the name itself for one that is not known here."""
    return FORMATS[form].title if form in FORMATS else form


CHANGES: Final = (
    ("msgpack", ("ormsgpack", "msgspec", "msgpack")),
    ("json", ("orjson", "msgspec")),
)
"""What is tried for formats whose programs have little choice: other formats, and their libraries."""

_UNSEEN: Final = "options that are given to a constructor are not seen"
_PIECES: Final = "no other library writes in pieces"
_MODELS: Final = "no other library works with pydantic's models"
_STREAM: Final = "no other library reads a stream"
_EXTENDED: Final = "no other library has MongoDB's Extended JSON"
_CODE: Final = "it runs code that the text names"
_PYTHON: Final = "it is pickle in Python, for classes that extend it"


def _standard(name: str) -> tuple[Function, ...]:
    """Return the functions of json and simplejson."""
    return (
        Function(f"{name}.dumps", "record"),
        Function(f"{name}.loads", "payload"),
        Function(f"{name}.dump", "record", ("fp",), apart=True, file=True),
        Function(f"{name}.JSONEncoder.encode", "record", home=f"{name}.encoder"),
        Function(f"{name}.JSONEncoder.iterencode", "chunks", home=f"{name}.encoder", alone=_PIECES),
        Function(f"{name}.JSONDecoder.decode", "payload", home=f"{name}.decoder"),
    )


def _msgspec(module: str, *more: Function) -> tuple[Function, ...]:
    return (
        Function(f"{module}.encode", "record"),
        Function(f"{module}.decode", "payload"),
        Function(f"{module}.Encoder.encode", "record", alone=_UNSEEN),
        Function(f"{module}.Encoder.encode_into", "record", alone=_UNSEEN),
        Function(f"{module}.Decoder.decode", "payload", alone=_UNSEEN),
        *more,
    )


def _of_files(name: str, *positions: str) -> tuple[Function, ...]:
    """Return `dump` and `load` of a library."""
    return (
        Function(f"{name}.dump", "record", positions, file=True),
        Function(f"{name}.load", "result", file=True, one=f"{name}.loads"),
    )


LIBRARIES: Final = (
    Library("orjson", "json", (
        Function("orjson.dumps", "record", ("default", "option")),
        Function("orjson.loads", "payload"),
    ), ("orjson.dumps", "orjson.loads")),
    Library("msgspec", "json", _msgspec(
        "msgspec.json",
        Function("msgspec.json.Encoder.encode_lines", "record", alone=_UNSEEN),
        Function("msgspec.json.Decoder.decode_lines", "payload", alone=_UNSEEN),
    ), ("msgspec.json.encode", "msgspec.json.decode")),
    Library("ujson", "json", (
        Function("ujson.dumps", "record"),
        Function("ujson.loads", "payload"),
        Function("ujson.encode", "record"),
        Function("ujson.decode", "payload"),
        *_of_files("ujson", "fp"),
    ), ("ujson.dumps", "ujson.loads")),
    Library("rapidjson", "json", (
        Function("rapidjson.dumps", "record"),
        Function("rapidjson.loads", "payload"),
        *_of_files("rapidjson", "fp"),
        Function("rapidjson.Encoder.__call__", "record", alone=_UNSEEN),
        Function("rapidjson.Decoder.__call__", "payload", alone=_UNSEEN),
    ), ("rapidjson.dumps", "rapidjson.loads")),
    Library("simplejson", "json", _standard("simplejson"), ("simplejson.dumps", "simplejson.loads")),
    Library("json", "json", _standard("json"), ("json.dumps", "json.loads"), files=("json", "_json")),
    Library("kombu", "json", (
        Function("kombu.utils.json.dumps", "record"),
        Function("kombu.utils.json.loads", "payload"),
    ), files=None),
    Library("pydantic_core", "json", (
        Function("pydantic_core.to_json", "record"),
        Function("pydantic_core.from_json", "payload"),
    ), files=None),
    Library("pydantic", "json", (
        Function("pydantic.BaseModel.model_dump_json", "record", home="pydantic.main", alone=_MODELS),
        Function("pydantic.BaseModel.model_validate_json", "payload", home="pydantic.main", alone=_MODELS),
        Function("pydantic.TypeAdapter.dump_json", "record", home="pydantic.type_adapter", alone=_MODELS),
        Function("pydantic.TypeAdapter.validate_json", "payload",
                 home="pydantic.type_adapter", alone=_MODELS),
    ), files=None),
    Library("bson", "json", (
        Function("bson.json_util.dumps", "record", alone=_EXTENDED),
        Function("bson.json_util.loads", "payload", alone=_EXTENDED),
    )),
    Library("ormsgpack", "msgpack", (
        Function("ormsgpack.packb", "record", ("default", "option")),
        Function("ormsgpack.unpackb", "payload"),
    ), ("ormsgpack.packb", "ormsgpack.unpackb")),
    Library("msgspec", "msgpack", _msgspec("msgspec.msgpack"),
            ("msgspec.msgpack.encode", "msgspec.msgpack.decode")),
    Library("msgpack", "msgpack", (
        Function("msgpack.packb", "record"),
        Function("msgpack.unpackb", "payload"),
        Function("msgpack.pack", "record", ("stream",), file=True),
        Function("msgpack.unpack", "result", file=True, one="msgpack.unpackb"),
        Function("msgpack.Packer.pack", "record", bare=True),
        Function("msgpack.Unpacker.unpack", "result", alone=_STREAM),
        Function("msgpack.Unpacker.__next__", "result", alone=_STREAM),
        Function("msgpack.Unpacker.feed", "input", alone=_STREAM),
    ), ("msgpack.packb", "msgpack.unpackb")),
    Library("yaml", "yaml", (
        Function("yaml.load", "payload", ("Loader",)),
        Function("yaml.safe_load", "payload"),
        Function("yaml.full_load", "payload"),
        Function("yaml.unsafe_load", "payload", alone=_CODE),
        Function("yaml.load_all", "items", ("Loader",)),
        Function("yaml.safe_load_all", "items"),
        Function("yaml.full_load_all", "items"),
        Function("yaml.unsafe_load_all", "items", alone=_CODE),
        Function("yaml.dump", "record", ("stream", "Dumper")),
        Function("yaml.safe_dump", "record", ("stream",)),
        Function("yaml.dump_all", "record", ("stream", "Dumper")),
        Function("yaml.safe_dump_all", "record", ("stream",)),
    ), ("yaml.dump", "yaml.load"), "libyaml", ("yaml", "_yaml")),
    Library("pickle", "pickle", (
        Function("pickle.dumps", "record", ("protocol",)),
        Function("pickle.loads", "payload"),
        *_of_files("pickle", "file", "protocol"),
        Function("pickle.Pickler.dump", "record", alone=_UNSEEN),
        Function("pickle.Unpickler.load", "result", alone=_UNSEEN),
        Function("pickle._Pickler.dump", "record", alone=_PYTHON),
        Function("pickle._Unpickler.load", "result", alone=_PYTHON),
    ), ("pickle.dumps", "pickle.loads"), PROTOCOL, ("pickle", "_pickle")),
    Library("marshal", "marshal", (
        Function("marshal.dumps", "record", ("version",)),
        Function("marshal.loads", "result"),
        *_of_files("marshal", "file", "version"),
    )),
    Library("cbor2", "cbor", (
        Function("cbor2.dumps", "record"),
        Function("cbor2.loads", "payload"),
        *_of_files("cbor2", "fp"),
        Function("cbor2.CBOREncoder.encode", "record", alone=_UNSEEN),
        Function("cbor2.CBORDecoder.decode", "result", alone=_UNSEEN),
    ), files=("cbor2", "_cbor2")),
    Library("bson", "bson", (
        Function("bson.encode", "record", ("check_keys", "codec_options")),
        Function("bson.decode", "payload", ("codec_options",)),
        Function("bson.decode_all", "payload", ("codec_options",), alone="it reads many records at once"),
        Function("bson.decode_iter", "items", ("codec_options",), file=True, one="bson.decode"),
        Function("bson.decode_file_iter", "items", ("codec_options",), file=True, one="bson.decode"),
    )),
)  # fmt: skip
"""All libraries; of a format in the order in which they are recommended."""


FUNCTIONS: Final[Mapping[str, Function]] = {
    function.name: function for library in LIBRARIES for function in library.functions
}
"""All watched functions, by name."""
OWNERS: Final[Mapping[str, Library]] = {
    function.name: library for library in LIBRARIES for function in library.functions
}
"""Their libraries."""
_FILE: Final = frozenset({"fp", "file", "stream"})
"""Names of the argument that is a file."""


def named(function: str, options: Mapping[str, str]) -> dict[str, str]:
    """Return the options of a call by name, also those that were passed by position, without the file."""
    # A function that was seen in samples of a process may be none that is watched.
    known = FUNCTIONS.get(function)
    names = dict(enumerate(() if known is None else known.positions, 1))
    found = {names.get(int(key), key) if key.isdigit() else key: said for key, said in options.items()}
    return {key: said for key, said in found.items() if key not in _FILE}


def hooked() -> str:
    """Return what the hook wraps: a line for each function, with its module, path, name and what to keep."""
    return "".join(
        f"{' '.join((*function.located, function.name, function.keeps))}\n"
        for library in LIBRARIES
        for function in library.functions
    )
