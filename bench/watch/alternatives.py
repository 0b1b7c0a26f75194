"""Other libraries that write the same format as a watched function, and whether they could replace it."""

from __future__ import annotations

import ast
import io
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple

from ..lab.fidelity.equality import first_difference

Call = Callable[..., Any]

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
    "yaml": {"libyaml": ("yaml.CSafeDumper", "yaml.CSafeLoader")},
}
"""Libraries by format: the functions that encode and decode."""

_WATCHED: Final = (
    ("yaml", "yaml", "yaml.safe_dump", "yaml.safe_load"),
    ("yaml", "yaml", "yaml.dump", "yaml.load"),
    ("json", "json", "json.encoder.JSONEncoder.encode", "json.decoder.JSONDecoder.decode"),
    ("json", "simplejson", "simplejson.encoder.JSONEncoder.encode", "simplejson.decoder.JSONDecoder.decode"),
    ("json", "ujson", "ujson.encode", "ujson.decode"),
    ("json", "kombu", "kombu.utils.json.dumps", "kombu.utils.json.loads"),
    ("json", "json.dump", "json.dump", ""),
    ("json", "simplejson.dump", "simplejson.dump", ""),
)
"""Further functions with alternatives: format, library, and the functions that encode and decode."""
_READ: Final = {
    "json": "json.loads",
    "msgpack": "msgpack.unpackb",
    "yaml": "yaml.safe_load",
    "cbor2": "cbor2.loads",
    "bson": "bson.decode",
}
"""What reads a payload of a format."""
_HARMLESS: Final = frozenset(
    {
        "separators",
        "ensure_ascii",
        "allow_nan",
        "check_circular",
        "use_bin_type",
        "raw",
        "strict_map_key",
        "fp",
    }
)
"""Options that do not keep a program from using another library."""
_USUAL: Final = ("None", "False", "SafeLoader")
_FILES: Final = ("json.dump", "simplejson.dump")


class Use(NamedTuple):
    """What a watched function is.

    Attributes:
        form: Its format.
        library: Its library, among those of `FORMATS`, or another one.
        dumps: It encodes.
    """

    form: str
    library: str
    dumps: bool


def _uses() -> Mapping[str, Use]:
    found = {
        name: Use(form, library, position == 0)
        for form, libraries in FORMATS.items()
        for library, names in libraries.items()
        for position, name in enumerate(names)
    }
    for form, library, dump, load in _WATCHED:
        found |= {dump: Use(form, library, True)} | ({load: Use(form, library, False)} if load else {})
    return found


USES: Final = _uses()
"""The watched functions that have alternatives, by name."""


def others(function: str) -> Mapping[str, str]:
    """Return the functions that could replace one, by their libraries; installed or not."""
    use = USES[function]
    position = 0 if use.dumps else 1
    return {name: found[position] for name, found in FORMATS[use.form].items() if name != use.library}


def obstacle(options: Mapping[str, str], function: str) -> str:
    """Return the option of a call that other libraries do not have in this form; empty if there is none."""
    for name, said in options.items():
        if name in _HARMLESS or said in _USUAL or (function in _FILES and name == "1"):
            continue
        return f"argument {int(name) + 1}" if name.isdigit() else f"{name}="
    return ""


def original(function: str, options: Mapping[str, str]) -> Call:
    """Return the watched function, as it was called.

    Raises:
        ImportError: Its library is not installed here.
        ValueError: An option is not a plain value.
    """
    named = {
        name: ast.literal_eval(said)
        for name, said in options.items()
        if not name.isdigit() and name not in ("fp", "Loader")
    }
    if function == "yaml.load":
        return _resolve("yaml.safe_load")
    owner, _, method = function.rpartition(".")
    if owner.endswith(("JSONEncoder", "JSONDecoder")):
        found: Call = getattr(_resolve(owner)(**named), method)
        return found
    resolved = _resolve(function)
    if function in _FILES:
        return lambda record: resolved(record, io.StringIO(), **named)
    return partial(resolved, **named) if named else resolved


def replacement(function: str, other: str, *, text: bool) -> Call:
    """Return a library's function as a program would call it in the place of a watched one.

    Args:
        function: The watched function.
        other: Name of the library's function.
        text: The watched function returns text, so that bytes have to be decoded.

    Raises:
        ImportError: The library is not installed.
    """
    found = _resolve(other)
    if other.startswith("yaml."):
        made = _resolve("yaml.dump" if USES[function].dumps else "yaml.load")
        return partial(made, **{"Dumper" if USES[function].dumps else "Loader": found})
    if text and USES[function].dumps and isinstance(found([]), bytes):
        return lambda record: found(record).decode()
    if not text and USES[function].dumps and isinstance(found([]), str):
        return lambda record: found(record).encode()
    return found


def _resolve(name: str) -> Call:
    module, _, attribute = name.rpartition(".")
    found: Call = getattr(import_module(module), attribute)
    return found


def refusal(function: str, mine: Call, other: Call, subject: Any) -> str:
    """Return why another library cannot replace a function for a record or payload; empty if it can."""
    use = USES[function]
    try:
        found = other(subject)
        read = _resolve(_READ[use.form]) if use.dumps else None
        # A function that writes to a file returns nothing.
        expected = mine(subject) if function not in _FILES else _resolve(f"{use.library[:-5]}.dumps")(subject)
        if read is not None:
            expected, found = read(expected), read(found)
    except Exception as error:  # noqa: BLE001 - a library may raise anything
        return f"{type(error).__name__}: {error}"
    difference = first_difference(expected, found)
    return "" if difference is None else str(difference)


def decoded(function: str, payload: bytes | str) -> Any:
    """Return the record of a payload that a watched function was given.

    Raises:
        Exception: It cannot be decoded.
    """
    return _resolve(next(_READ[form] for form in _READ if form in function))(payload)
