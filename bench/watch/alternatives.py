"""Other libraries that could take the place of a watched function, in its format or in another one."""

from __future__ import annotations

import ast
import io
import pickle
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple, NoReturn

from ..equality.equal import first_difference
from .parts import Kept

Call = Callable[..., Any]

PROTOCOL: Final = f"pickle protocol {pickle.HIGHEST_PROTOCOL}"

FORMATS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "json": {
        "orjson": ("orjson.dumps", "orjson.loads"),
        "msgspec": ("msgspec.json.encode", "msgspec.json.decode"),
        "ujson": ("ujson.dumps", "ujson.loads"),
        "rapidjson": ("rapidjson.dumps", "rapidjson.loads"),
        "simplejson": ("simplejson.dumps", "simplejson.loads"),
        "json": ("json.dumps", "json.loads"),
    },
    "msgpack": {
        "ormsgpack": ("ormsgpack.packb", "ormsgpack.unpackb"),
        "msgspec": ("msgspec.msgpack.encode", "msgspec.msgpack.decode"),
        "msgpack": ("msgpack.packb", "msgpack.unpackb"),
    },
    "yaml": {"libyaml": ("yaml.dump", "yaml.load")},
    "pickle": {PROTOCOL: ("pickle.dumps", "pickle.loads")},
}
"""Libraries by format: the functions that encode and decode."""


class Other(NamedTuple):
    """What could take the place of a watched function.

    Attributes:
        form: The format that it writes.
        library: Its name in `FORMATS`.
    """

    form: str
    library: str


OWN: Final = Other("", "")
"""The watched function itself."""
_CHANGES: Final = tuple(
    Other(form, library)
    for form, libraries in {
        "msgpack": ("ormsgpack", "msgspec", "msgpack"),
        "json": ("orjson", "msgspec"),
    }.items()
    for library in libraries
)
"""Libraries of other formats for what is predicted with a change of the format."""
_CHANGED: Final = ("pickle", "marshal", "cbor", "bson")
"""Formats whose programs have little or no choice of libraries."""

_FUNCTIONS: Final = (
    ("json", "json", "json.dumps json.JSONEncoder.encode", "json.loads json.JSONDecoder.decode"),
    # Much slower than `json.dumps`, which is another library in this respect.
    ("json", "json.dump", "json.dump", ""),
    ("json", "simplejson.dump", "simplejson.dump", ""),
    (
        "json",
        "simplejson",
        "simplejson.dumps simplejson.JSONEncoder.encode",
        "simplejson.loads simplejson.JSONDecoder.decode",
    ),
    ("json", "orjson", "orjson.dumps", "orjson.loads"),
    ("json", "msgspec", "msgspec.json.encode", "msgspec.json.decode"),
    ("json", "ujson", "ujson.dumps ujson.encode ujson.dump", "ujson.loads ujson.decode ujson.load"),
    ("json", "rapidjson", "rapidjson.dumps rapidjson.dump", "rapidjson.loads rapidjson.load"),
    ("json", "kombu", "kombu.utils.json.dumps", "kombu.utils.json.loads"),
    ("json", "pydantic_core", "pydantic_core.to_json", "pydantic_core.from_json"),
    (
        "msgpack",
        "msgpack",
        "msgpack.packb msgpack.pack msgpack.Packer.pack",
        "msgpack.unpackb msgpack.unpack",
    ),
    ("msgpack", "ormsgpack", "ormsgpack.packb", "ormsgpack.unpackb"),
    ("msgpack", "msgspec", "msgspec.msgpack.encode", "msgspec.msgpack.decode"),
    (
        "yaml",
        "yaml",
        "yaml.dump yaml.safe_dump yaml.dump_all yaml.safe_dump_all",
        "yaml.load yaml.safe_load yaml.full_load yaml.load_all yaml.safe_load_all yaml.full_load_all",
    ),
    ("pickle", "pickle", "pickle.dumps pickle.dump", "pickle.loads pickle.load"),
    ("marshal", "marshal", "marshal.dumps marshal.dump", "marshal.loads marshal.load"),
    ("cbor", "cbor2", "cbor2.dumps cbor2.dump", "cbor2.loads cbor2.load"),
    ("bson", "bson", "bson.encode", "bson.decode bson.decode_iter bson.decode_file_iter"),
)
"""Watched functions that others could replace: format, library, the functions that encode and decode."""

_UNSEEN: Final = "options that are given to a constructor are not seen"
_ALONE: Final = (
    (
        "json",
        "no other library writes in pieces",
        "json.JSONEncoder.iterencode simplejson.JSONEncoder.iterencode",
    ),
    (
        "json",
        "no other library works with pydantic's models",
        "pydantic.BaseModel.model_dump_json pydantic.BaseModel.model_validate_json "
        "pydantic.TypeAdapter.dump_json pydantic.TypeAdapter.validate_json",
    ),
    ("json", "no other library has MongoDB's Extended JSON", "bson.json_util.dumps bson.json_util.loads"),
    (
        "json",
        _UNSEEN,
        "msgspec.json.Encoder.encode msgspec.json.Encoder.encode_into msgspec.json.Encoder.encode_lines "
        "msgspec.json.Decoder.decode msgspec.json.Decoder.decode_lines",
    ),
    (
        "msgpack",
        _UNSEEN,
        "msgspec.msgpack.Encoder.encode msgspec.msgpack.Encoder.encode_into msgspec.msgpack.Decoder.decode",
    ),
    (
        "msgpack",
        "no other library reads a stream",
        "msgpack.Unpacker.unpack msgpack.Unpacker.__next__ msgpack.Unpacker.feed",
    ),
    ("yaml", "it runs code that the text names", "yaml.unsafe_load yaml.unsafe_load_all"),
    (
        "pickle",
        _UNSEEN,
        "pickle.Pickler.dump pickle.Unpickler.load",
    ),
    (
        "pickle",
        "it is pickle in Python, for classes that extend it",
        "pickle._Pickler.dump pickle._Unpickler.load",
    ),
    ("cbor", _UNSEEN, "cbor2.CBOREncoder.encode cbor2.CBORDecoder.decode"),
    ("bson", "it reads many records at once", "bson.decode_all"),
)
"""Watched functions that nothing could replace: format, why not, and their names."""

_PLAIN: Final[Mapping[str, tuple[str, str]]] = {
    "json": ("json.dumps", "json.loads"),
    "msgpack": ("msgpack.packb", "msgpack.unpackb"),
    "yaml": ("yaml.safe_dump", "yaml.safe_load"),
    "pickle": ("pickle.dumps", f"{__name__}.unpickled"),
    "marshal": ("marshal.dumps", "marshal.loads"),
    "cbor": ("cbor2.dumps", "cbor2.loads"),
    "bson": ("bson.encode", "bson.decode"),
}
"""What writes and reads a payload of a format, in whichever library."""
_LAYOUT: Final = (
    *("default_style", "default_flow_style", "canonical", "indent", "width", "allow_unicode", "line_break"),
    *("encoding", "explicit_start", "explicit_end", "version", "sort_keys"),
)
"""Options of yaml that libyaml has, too."""
_HARMLESS: Final[Mapping[str, frozenset[str]]] = {
    "json": frozenset(
        {"separators", "ensure_ascii", "allow_nan", "check_circular", "cache_strings", "allow_inf_nan"}
    ),
    "msgpack": frozenset({"use_bin_type", "raw", "strict_map_key"}),
    "pickle": frozenset({"protocol", "fix_imports"}),
    "yaml": frozenset({*_LAYOUT, "Loader", "Dumper"}),
}
"""Options that do not keep a program from using another library, by format."""
_FILE: Final = frozenset({"fp", "file", "stream"})
"""Names of the argument that is a file."""
_POSITIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "json.dump": ("fp",),
    "simplejson.dump": ("fp",),
    "ujson.dump": ("fp",),
    "rapidjson.dump": ("fp",),
    "msgpack.pack": ("stream",),
    "cbor2.dump": ("fp",),
    "marshal.dumps": ("version",),
    "marshal.dump": ("file", "version"),
    "pickle.dumps": ("protocol",),
    "pickle.dump": ("file", "protocol"),
    "orjson.dumps": ("default", "option"),
    "ormsgpack.packb": ("default", "option"),
    "bson.encode": ("check_keys", "codec_options"),
    "bson.decode": ("codec_options",),
    "yaml.load": ("Loader",),
    "yaml.load_all": ("Loader",),
    "yaml.dump": ("stream", "Dumper"),
    "yaml.dump_all": ("stream", "Dumper"),
    "yaml.safe_dump": ("stream",),
    "yaml.safe_dump_all": ("stream",),
}
"""Names of arguments after the first one that may be passed by position."""
_DUMPING: Final = ("json", "simplejson", "ujson", "rapidjson", "pickle", "marshal", "cbor2")
_OF_FILES: Final[Mapping[str, str]] = {
    "ujson.load": "ujson.loads",
    "rapidjson.load": "rapidjson.loads",
    "msgpack.unpack": "msgpack.unpackb",
    "pickle.load": "pickle.loads",
    "marshal.load": "marshal.loads",
    "cbor2.load": "cbor2.loads",
    "bson.decode_iter": "bson.decode",
    "bson.decode_file_iter": "bson.decode",
}
"""What reads one payload in the same way, by functions that read files and streams."""
BARE: Final = frozenset({"msgpack.Packer.pack"})
"""Methods that are timed without the options of their object, which are not seen but change the length."""
FILES: Final = frozenset({*_OF_FILES, *(f"{each}.dump" for each in _DUMPING), "msgpack.pack"})
"""Functions that write to a file or read one, which takes part of their time."""
_USUAL: Final = ("None", "False")
_KINDS: Final = ("SafeLoader", "FullLoader", "SafeDumper", "Dumper")
"""Loaders and dumpers of yaml that only differ from libyaml's in speed, for plain data."""


class Use(NamedTuple):
    """What a watched function is.

    Attributes:
        form: Its format.
        library: Its library, among those of `FORMATS`, or another one.
        dumps: It encodes.
        alone: Why nothing could replace it; empty if something could.
    """

    form: str
    library: str
    dumps: bool
    alone: str = ""


def _uses() -> Mapping[str, Use]:
    found: dict[str, Use] = {}
    for form, library, dumps, loads in _FUNCTIONS:
        found |= {name: Use(form, library, True) for name in dumps.split()}
        found |= {name: Use(form, library, False) for name in loads.split()}
    for form, reason, names in _ALONE:
        found |= {name: Use(form, "", "dump" in name or "enc" in name, reason) for name in names.split()}
    return found


USES: Final = _uses()
"""All watched functions, by name."""


def named(function: str, options: Mapping[str, str]) -> Mapping[str, str]:
    """Return the options of a call by name, also those that were passed by position, without the file."""
    names = dict(enumerate(_POSITIONS.get(function, ()), 1))
    found = {names.get(int(key), key) if key.isdigit() else key: said for key, said in options.items()}
    return {key: said for key, said in found.items() if key not in _FILE}


def others(function: str, options: Mapping[str, str]) -> Mapping[Other, str]:
    """Return the functions that could replace one; installed or not."""
    use = USES[function]
    position = 0 if use.dumps else 1
    found = {
        Other(use.form, library): names[position]
        for library, names in FORMATS.get(use.form, {}).items()
        if library != use.library
    }
    if use.form == "pickle" and (function == "pickle.load" or _is_newest(function, options)):
        found.clear()
    if use.form in _CHANGED:
        found |= {other: FORMATS[other.form][other.library][position] for other in _CHANGES}
    return found


def _is_newest(function: str, options: Mapping[str, str]) -> bool:
    """Whether a call writes the newest protocol of pickle already."""
    said = named(function, options).get("protocol", str(pickle.DEFAULT_PROTOCOL))
    return USES[function].dumps and said in ("-1", str(pickle.HIGHEST_PROTOCOL))


def obstacle(options: Mapping[str, str], function: str) -> str:
    """Return the option of a call that keeps others from replacing it; empty if there is none."""
    harmless = _HARMLESS.get(USES[function].form, frozenset())
    for name, said in named(function, options).items():
        if name in ("Loader", "Dumper") and said not in _KINDS:
            is_fast = said.startswith("C") and said[1:] in _KINDS
            return f"{said} is libyaml's already" if is_fast else f"{name}={said}"
        if name not in harmless and said not in _USUAL:
            return f"argument {int(name) + 1}" if name.isdigit() else f"{name}="
    return ""


def original(function: str, options: Mapping[str, str]) -> Call:
    """Return the watched function, as it was called. One that writes to a file returns what it has written.

    Raises:
        ImportError: Its library is not installed here.
        ValueError: An option is not a plain value.
    """
    use = USES[function]
    values = _values(function, options)
    if use.form == "yaml":
        return _yaml(function, options, "")
    owner, _, method = function.rpartition(".")
    if owner.endswith(("JSONEncoder", "JSONDecoder")):
        found: Call = getattr(_resolve(owner)(**values), method)
        return found
    resolved = _resolve(_OF_FILES.get(function, function))
    if function == "msgpack.Packer.pack":
        packed: Call = _resolve("msgpack.Packer")().pack
        return packed
    if function in FILES and use.dumps:
        return partial(_to_file, io.StringIO if use.form == "json" else io.BytesIO, resolved, values)
    return partial(resolved, **values) if values else resolved


def _values(function: str, options: Mapping[str, str]) -> dict[str, Any]:
    found = named(function, options)
    return {key: ast.literal_eval(said) for key, said in found.items() if key not in ("Loader", "Dumper")}


def _to_file(kind: Callable[[], Any], resolved: Call, values: Mapping[str, Any], record: Any) -> Any:
    file = kind()
    resolved(record, file, **values)
    return file.getvalue()


def _yaml(function: str, options: Mapping[str, str], prefix: str) -> Call:
    """Return a function of yaml with a loader or dumper: with the prefix "C", that of libyaml."""
    if not USES[function].dumps:
        return partial(_resolve("yaml.load"), Loader=_resolve(f"yaml.{prefix}SafeLoader"))
    name = "yaml.dump_all" if function.endswith("_all") else "yaml.dump"
    usual = "SafeDumper" if "safe" in function else "Dumper"
    dumper = _resolve(f"yaml.{prefix}{named(function, options).get('Dumper', usual)}")
    return partial(_resolve(name), Dumper=dumper, **_values(function, options))


def replacement(function: str, options: Mapping[str, str], other: Other, *, text: bool) -> Call:
    """Return a library's function as a program would call it in the place of a watched one.

    Args:
        function: The watched function.
        options: Its options, in words.
        other: The library.
        text: The watched function returns text, so that bytes have to be decoded.

    Raises:
        ImportError: The library is not installed.
    """
    use = USES[function]
    if other.library == "libyaml":
        return _yaml(function, options, "C")
    found = _resolve(others(function, options)[other])
    if other.library == PROTOCOL and use.dumps:
        return partial(found, protocol=pickle.HIGHEST_PROTOCOL)
    if other.form != use.form or not use.dumps:
        return found
    if text and isinstance(found([]), bytes):
        return lambda record: found(record).decode()
    if not text and isinstance(found([]), str):
        return lambda record: found(record).encode()
    return found


def prepared(function: str, other: Other, subject: Any) -> Any:
    """Return what another library is given in the place of a record or payload.

    Raises:
        Exception: It cannot be written in the other format.
    """
    use = USES[function]
    if use.dumps or (other.form == use.form and other.library != PROTOCOL):
        return subject
    record = decoded(function, subject)
    if other.library == PROTOCOL:
        return pickle.dumps(record, pickle.HIGHEST_PROTOCOL)
    return _resolve(FORMATS[other.form][other.library][0])(record)


def _resolve(name: str) -> Call:
    module, _, attribute = name.rpartition(".")
    try:
        owner: Any = import_module(module)
    except ModuleNotFoundError:
        if "." not in module:
            raise
        owner = _resolve(module)
    try:
        found: Call = getattr(owner, attribute)
    except AttributeError as error:
        raise ImportError(f"{module} has no {attribute} here") from error
    return found


def refusal(function: str, calls: tuple[Call, Call], other: Other, subjects: tuple[Any, Any]) -> str:
    """Return why another library cannot replace a function for a record or payload; empty if it can.

    Args:
        function: The watched function.
        calls: It, and the other library's.
        other: The library.
        subjects: What each is given.
    """
    use = USES[function]
    try:
        expected, found = (call(subject) for call, subject in zip(calls, subjects, strict=True))
        if use.dumps:
            several = function.endswith("_all")
            expected, found = _read(use.form, expected, several), _read(other.form, found, several)
    except Exception as error:  # noqa: BLE001 - a library may raise anything
        return f"{type(error).__name__}: {error}"
    difference = first_difference(expected, found)
    return "" if difference is None else str(difference)


def _read(form: str, payload: Any, several: bool) -> Any:
    return list(_resolve("yaml.safe_load_all")(payload)) if several else _resolve(_PLAIN[form][1])(payload)


def encoded(function: str, record: Any) -> Any:
    """Return a payload that a function that decodes would read a record from.

    Raises:
        Exception: It cannot be encoded.
    """
    return _resolve(_PLAIN[USES[function].form][0])(record)


def decoded(function: str, payload: bytes | str) -> Any:
    """Return the record of a payload that a watched function was given.

    Raises:
        Exception: It cannot be decoded.
    """
    return _resolve(_PLAIN[USES[function].form][1])(payload)


def is_plain(function: str, kept: Kept) -> bool:
    """Return whether a kept payload holds plain data only, without running code that it names."""
    if (
        USES[function].form != "pickle"
        or USES[function].dumps
        or kept.result
        or not isinstance(kept.value, bytes)
    ):
        return True
    try:
        unpickled(kept.value)
    except Exception:  # noqa: BLE001 - a damaged payload may raise anything
        return False
    return True


class _Unpickler(pickle.Unpickler):
    """Reads plain data, and no class or function of which a payload could run code."""

    def find_class(self, module: str, name: str, /) -> NoReturn:
        raise pickle.UnpicklingError(f"it holds {module}.{name}")


def unpickled(payload: bytes) -> Any:
    """Return the record of a pickle that holds plain data only.

    Raises:
        UnpicklingError: It names a class or a function.
    """
    return _Unpickler(io.BytesIO(payload)).load()
