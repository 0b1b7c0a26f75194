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
from ..jobs import failed
from ..libraries import CHANGES, FORMATS, FUNCTIONS, LIBRARIES, OWNERS, PROTOCOL, named
from .parts import Kept

Call = Callable[..., Any]

OFFERED: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    form: {
        library.offered_as or library.name: library.offers
        for library in LIBRARIES
        if library.format == form and library.offers is not None
    }
    for form in FORMATS
}
"""Libraries by format: the functions that encode and decode."""


class Other(NamedTuple):
    """What could take the place of a watched function.

    Attributes:
        form: The format that it writes.
        library: Its name in `OFFERED`.
    """

    form: str
    library: str


OWN: Final = Other("", "")
"""The watched function itself."""
NOT_INSTALLED: Final = "not installed"
"""Why a library cannot be tried."""
_CHANGES: Final = tuple(Other(form, library) for form, libraries in CHANGES for library in libraries)
"""Libraries of other formats for what is predicted with a change of the format."""
_USUAL: Final = ("None", "False")
_KINDS: Final = ("SafeLoader", "FullLoader", "SafeDumper", "Dumper")
"""Loaders and dumpers of yaml that only differ from libyaml's in speed, for plain data."""


FILES: Final = frozenset(name for name, function in FUNCTIONS.items() if function.file)
"""Functions that write to a file or read one, which takes part of their time."""


def others(function: str, options: Mapping[str, str]) -> Mapping[Other, str]:
    """Return the functions that could replace one; installed or not."""
    known, owner = FUNCTIONS[function], OWNERS[function]
    position = 0 if known.encodes else 1
    found = {
        Other(owner.format, library): names[position]
        for library, names in OFFERED[owner.format].items()
        if known.apart or library != owner.name
    }
    if owner.format == "pickle" and (function == "pickle.load" or _is_newest(function, options)):
        found.clear()
    if FORMATS[owner.format].changes:
        found |= {other: OFFERED[other.form][other.library][position] for other in _CHANGES}
    return found


def _is_newest(function: str, options: Mapping[str, str]) -> bool:
    """Whether a call writes the newest protocol of pickle already."""
    said = named(function, options).get("protocol", str(pickle.DEFAULT_PROTOCOL))
    return FUNCTIONS[function].encodes and said in ("-1", str(pickle.HIGHEST_PROTOCOL))


def obstacle(options: Mapping[str, str], function: str) -> str:
    """Return which option of a call keeps others from replacing it, in words; empty if there is none."""
    harmless = FORMATS[OWNERS[function].format].harmless
    for name, said in named(function, options).items():
        if name in ("Loader", "Dumper") and said not in _KINDS:
            is_fast = said.startswith("C") and said[1:] in _KINDS
            return f"{said} is libyaml's already" if is_fast else f"it is called with {name}={said}"
        if name not in harmless and said not in _USUAL:
            return f"it is called with {f'argument {int(name) + 1}' if name.isdigit() else f'{name}='}"
    return ""


def original(function: str, options: Mapping[str, str]) -> Call:
    """Return the watched function, as it was called. One that writes to a file returns what it has written.

    Raises:
        ImportError: Its library is not installed here.
        ValueError: An option is not a plain value.
    """
    form, encodes = OWNERS[function].format, FUNCTIONS[function].encodes
    values = _values(function, options)
    if form == "yaml":
        return _yaml(function, options, "")
    owner, _, method = function.rpartition(".")
    if owner.endswith(("JSONEncoder", "JSONDecoder")):
        found: Call = getattr(_resolve(owner)(**values), method)
        return found
    resolved = _resolve(FUNCTIONS[function].one or function)
    if function == "msgpack.Packer.pack":
        packed: Call = _resolve("msgpack.Packer")().pack
        return packed
    if FUNCTIONS[function].file and encodes:
        return partial(_to_file, io.StringIO if form == "json" else io.BytesIO, resolved, values)
    return partial(resolved, **values) if values else resolved


def absence(other: Other, error: ImportError) -> str:
    """Return why a library cannot be imported, in words."""
    package, *_ = OFFERED[other.form][other.library][0].split(".")
    return NOT_INSTALLED if error.name == package else failed(error).reason


def _values(function: str, options: Mapping[str, str]) -> dict[str, Any]:
    found = named(function, options)
    return {key: ast.literal_eval(said) for key, said in found.items() if key not in ("Loader", "Dumper")}


def _to_file(kind: Callable[[], Any], resolved: Call, values: Mapping[str, Any], record: Any) -> Any:
    file = kind()
    resolved(record, file, **values)
    return file.getvalue()


def _yaml(function: str, options: Mapping[str, str], prefix: str) -> Call:
    """Return a function of yaml with a loader or dumper: with the prefix "C", that of libyaml."""
    if not FUNCTIONS[function].encodes:
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
    form, encodes = OWNERS[function].format, FUNCTIONS[function].encodes
    if other.library == "libyaml":
        return _yaml(function, options, "C")
    found = _resolve(others(function, options)[other])
    if other.library == PROTOCOL and encodes:
        return partial(found, protocol=pickle.HIGHEST_PROTOCOL)
    if other.form != form or not encodes:
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
    form, encodes = OWNERS[function].format, FUNCTIONS[function].encodes
    if encodes or (other.form == form and other.library != PROTOCOL):
        return subject
    record = decoded(function, subject)
    if other.library == PROTOCOL:
        return pickle.dumps(record, pickle.HIGHEST_PROTOCOL)
    return _resolve(OFFERED[other.form][other.library][0])(record)


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
    form, encodes = OWNERS[function].format, FUNCTIONS[function].encodes
    try:
        expected, found = (call(subject) for call, subject in zip(calls, subjects, strict=True))
        if encodes:
            several = function.endswith("_all")
            expected, found = _read(form, expected, several), _read(other.form, found, several)
    except Exception as error:  # noqa: BLE001 - a library may raise anything
        return failed(error).reason
    difference = first_difference(expected, found)
    return "" if difference is None else str(difference)


def _read(form: str, payload: Any, several: bool) -> Any:
    return (
        list(_resolve("yaml.safe_load_all")(payload))
        if several
        else _resolve(FORMATS[form].plain[1])(payload)
    )


def encoded(function: str, record: Any) -> Any:
    """Return a payload that a function that decodes would read a record from.

    Raises:
        Exception: It cannot be encoded.
    """
    return _resolve(FORMATS[OWNERS[function].format].plain[0])(record)


def decoded(function: str, payload: bytes | str) -> Any:
    """Return the record of a payload that a watched function was given.

    Raises:
        Exception: It cannot be decoded.
    """
    return _resolve(FORMATS[OWNERS[function].format].plain[1])(payload)


def is_plain(function: str, kept: Kept) -> bool:
    """Return whether a kept payload holds plain data only, without running code that it names."""
    if (
        OWNERS[function].format != "pickle"
        or FUNCTIONS[function].encodes
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
