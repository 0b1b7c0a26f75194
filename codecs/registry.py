"""The registry of codecs: declared by the format files, by entry points, or at run time.

Nothing here imports a codec library; a library is loaded when its codec is first asked for.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..errors import UsageError, near
from .conventions.notes import GUARD, Note
from .errors import CodecError, MissingLibrary, UnknownCodec
from .installed import of_modules, same_release, version
from .naming import RAW, check_own_name, split_name, split_release, without_release
from .safety.guards import GUARDS

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from .binding import SchemaProtocol
    from .spec import Format, RawCalls, Spec

ENTRY_POINTS = "bakeoff.codecs"
"""Entry-point group of third-party codecs: name = codec name, value = ``module:factory``."""

SCHEMA_ENTRY_POINTS = "bakeoff.schema_codecs"
"""The same for codecs that need a schema, which must be known before they are imported."""

REPLACE = "BAKEOFF_REPLACE"
"""Environment variable with the names of third-party codecs that may replace ours, separated by commas."""

FORMAT_MODULES = (
    "json", "msgpack", "bson", "yaml", "pickle", "marshal", "cbor", "plist",
    "avro", "protobuf", "thrift", "arrow", "fory",
)  # fmt: skip
"""The modules of `formats`, in the order of the 2011 table, followed by those it lacks.

Add new modules at the end: the position determines color and shape in charts.
A module is loaded when the name of one of its codecs is first looked up; other names load all modules.
"""


@dataclass(frozen=True, slots=True)
class Declaration:
    """Facts about a codec that are known before its library is loaded.

    Attributes:
        library: Distribution that contains it; empty for the standard library.
        module: Module whose presence shows that it is installed.
        extra: Optional dependency of bakeoff that installs it; empty for the core.
        needs_schema: It cannot be used without one.
        entry_point: ``module:factory`` of a third party's codec, which is imported when it is built.
        raw: Returns the value of `Calls.raw`.
        in_default_set: Worth comparing on any records, unless another codec beats it; see `default_set`.
        unguarded: As in `Facts`.
        values: Its purpose, see `specialists`: kinds of classes (`classes.ClassFamily`) whose objects it
            encodes and decodes, or types of arrays and frames (`arrays.kind_of`). Empty: any records.
        only: The types of records that it accepts, if it is limited to these.
        source: Source of the user's own codec, as typed: ``pkg.module:name`` or ``FILE.py:name``.
        also: Other modules that it needs, which are no dependencies of bakeoff.
    """

    name: str
    format: str
    build: Callable[[], Spec] = field(repr=False)
    library: str = ""
    module: str = ""
    extra: str = ""
    trusted_only: bool = False
    needs_schema: bool = False
    entry_point: str = ""
    raw: Callable[[], RawCalls | Callable[[SchemaProtocol], RawCalls] | None] = field(
        repr=False, default=lambda: None
    )
    in_default_set: bool = True
    unguarded: bool = False
    values: tuple[str, ...] = ()
    only: bool = False
    source: str = ""
    also: tuple[str, ...] = ()


_declared: dict[str, Declaration] = {}
_formats: dict[str, Format] = {}
_registered: dict[str, Declaration] = {}
_lock = threading.RLock()


def declare(
    name: str,
    kind: Format,
    *,
    library: str = "",
    module: str = "",
    extra: str = "",
    also: tuple[str, ...] = (),
    needs_schema: bool = False,
    in_default_set: bool = True,
    unguarded: bool = False,
    values: tuple[str, ...] = (),
    only: bool = False,
) -> Callable[[Callable[[], Spec]], Callable[[], Spec]]:
    """Declare the codec that the decorated function describes.

    The function imports the library and returns the codec's spec; `declare` adds name and format, library and
    version, and the cost of its guards.
    """

    def decorate(describe_codec: Callable[[], Spec]) -> Callable[[], Spec]:
        def build() -> Spec:
            spec = describe_codec()
            return spec.changed(
                name=name,
                format=kind,
                origin=name,
                library=library or "Python",
                version=_version(library, module or library),
                unguarded=unguarded,
                notes=(
                    *(Note(guard.note(name), GUARD) for guard in GUARDS.get(name, ())),
                    *spec.facts.notes,
                ),
            )

        _formats.setdefault(kind.name, kind)
        _declared[name] = Declaration(
            name,
            kind.name,
            build,
            library,
            module or library,
            extra,
            kind.trusted_only,
            needs_schema,
            raw=lambda: describe_codec().calls.raw,
            in_default_set=in_default_set and (needs_schema or not values),
            unguarded=unguarded,
            values=values,
            only=only,
            also=also,
        )
        return describe_codec

    return decorate


def _version(library: str, module: str) -> str:
    """Return a library's version; what its modules say if its metadata are not here, or empty."""
    if not library:
        return sys.version.split()[0]
    return version(library) or of_modules(module, library) or ""


@functools.cache
def _load(format_name: str) -> None:
    import_module(f".formats.{format_name}", __package__)
    assert format_name in _formats, f"formats/{format_name}.py declares no codec of this format"


def _own(name: str) -> Declaration | None:
    """Return bakeoff's own codec of a name; load only the formats needed to find it."""
    for format_name in sorted(FORMAT_MODULES, key=lambda each: each not in name):
        if name in _declared:
            break
        _load(format_name)
    return _declared.get(name)


def _all_own() -> dict[str, Declaration]:
    """Return bakeoff's own codecs in the order of their formats, independent of the order of loading."""
    for format_name in FORMAT_MODULES:
        _load(format_name)
    return dict(sorted(_declared.items(), key=lambda item: FORMAT_MODULES.index(item[1].format)))


def formats() -> dict[str, Format]:
    """Return bakeoff's own formats by name; if a format has several forms, that of its first codec."""
    with _lock:
        _all_own()
        return {name: _formats[name] for name in FORMAT_MODULES}


def first_codecs() -> dict[str, str]:
    """Return the first codec of each format that needs no schema, installed or not."""
    first: dict[str, str] = {}
    with _lock:
        for name, known in _all_own().items():
            if not known.needs_schema:
                first.setdefault(known.format, name)
    return first


@functools.cache
def _entry_points() -> dict[str, Declaration]:
    import warnings
    from importlib import metadata

    asked = _asked_to_replace()
    ours = _all_own()
    found: dict[str, Declaration] = {}
    installed = metadata.entry_points()
    for point in (*installed.select(group=ENTRY_POINTS), *installed.select(group=SCHEMA_ENTRY_POINTS)):
        name, owner = point.name, point.dist.name if point.dist else ""
        theirs = f"the codec {name!r} of {owner or point.value}"
        if name in found:
            warnings.warn(
                f"{theirs} is ignored: {found[name].library} has one of that name, too", stacklevel=2
            )
            continue
        if name in ours and name not in asked:
            warnings.warn(
                f"{theirs} is ignored: bakeoff has one of that name (set {REPLACE}={name} to replace it)",
                stacklevel=2,
            )
            continue
        if name in ours:
            warnings.warn(f"{theirs} replaces bakeoff's own, because of {REPLACE}", stacklevel=2)
        found[name] = Declaration(
            name,
            "",
            functools.partial(_from_entry_point, point),
            owner,
            point.module.split(".")[0],
            needs_schema=point.group == SCHEMA_ENTRY_POINTS,
            entry_point=point.value,
        )
    return found


def _asked_to_replace() -> list[str]:
    return [name for part in os.environ.get(REPLACE, "").split(",") if (name := part.strip())]


def is_registered(name: str) -> bool:
    """Return whether a codec is known in this process only: it is in no package."""
    return name in _registered


def rescan() -> None:
    """Search for third-party codecs again, after a change of the path or the installed packages."""
    _entry_points.cache_clear()
    _build.cache_clear()


def _from_entry_point(point: EntryPoint) -> Spec:
    """Build a third-party codec; an error only affects this codec."""
    from .spec import Spec

    try:
        made = point.load()()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, SystemExit) and isinstance(error.code, int) and error.code > 128:
            raise  # A signal has ended the command, and not the module.
        raise CodecError(
            point.name, f"entry point {point.value} failed: {type(error).__name__}: {error}"
        ) from error
    if (spec := Spec.behind(made)) is None:
        raise CodecError(
            point.name, f"entry point {point.value}: expected a Codec, got {type(made).__name__}"
        )
    if spec.name != point.name:
        raise CodecError(point.name, f"entry point {point.value} returned a codec named {spec.name!r}")
    if spec.needs_schema != (point.group == SCHEMA_ENTRY_POINTS):
        needs, group = ("a", SCHEMA_ENTRY_POINTS) if spec.needs_schema else ("no", ENTRY_POINTS)
        raise CodecError(point.name, f"needs {needs} schema: its entry point must be in the group {group}")
    return spec.changed(
        origin=point.name,
        library=spec.facts.library or (point.dist.name if point.dist else ""),
        version=spec.facts.version or (point.dist.version if point.dist else ""),
    )


def _all() -> dict[str, Declaration]:
    with _lock:
        return _all_own() | _entry_points() | _registered


def _known(name: str) -> Declaration | None:
    """Return the codec of a name; other packages are only searched if they may provide or replace it.

    The search takes longer than everything else together.
    """
    with _lock:
        if name in _registered:
            return _registered[name]
        if name not in _asked_to_replace() and (own := _own(name)) is not None:
            return own
        return _all().get(name)


def names(*, needs_schema: bool = False, only_values: bool = False) -> list[str]:
    """Return the names of all known codecs, installed or not.

    Args:
        needs_schema: Include codecs that cannot be used without a schema.
        only_values: Include codecs that only take frames as records.
    """
    return [
        name
        for name, known in _all().items()
        if needs_schema >= known.needs_schema and only_values >= known.only
    ]


def default_set(*, needs_schema: bool = False) -> list[str]:
    """Return the names of the codecs that are worth comparing on any records, installed or not.

    Not included are slow codecs (pure-Python versions of compiled libraries, property
    lists), other options of a library that is already included (`msgpack/tuple`, `msgpack/list-hook`,
    `pickle/2`), codecs for values that most records do not contain (`specialists`), and codecs that another
    of their format beats on every shape of record, if their library is neither part of Python nor widely used
    (`bakeoff.codecs.defaults`).

    Args:
        needs_schema: Include codecs that cannot be used without a schema.
    """
    from .defaults import field, waiting

    worth = [
        known for known in _all().values() if known.in_default_set and needs_schema >= known.needs_schema
    ]
    wait = waiting(worth, field())
    return [known.name for known in worth if known.name not in wait]


def specialists(kinds: Collection[str] | None = None) -> list[str]:
    """Return the names of the codecs for records of a certain class, or for certain values in records.

    Args:
        kinds: Kinds of classes, as in `bakeoff.codecs.conventions.classes.CLASS_FAMILIES`, and types of
            arrays and frames, as `bakeoff.codecs.conventions.arrays.kind_of` names them; None for all
            of these codecs.
    """
    return [
        name
        for name, known in _all().items()
        if known.values and (kinds is None or not set(kinds).isdisjoint(known.values))
    ]


def describe(name: str) -> Declaration:
    """Return the facts about a codec without loading its library; its raw calls have the same.

    Raises:
        UnknownCodec: No codec of that name.
    """
    base = without_release(split_name(name)[0])
    known = _known(base) or _known(base.removesuffix(RAW))
    if known is None:
        raise UnknownCodec(name, near(base.removesuffix(RAW), _all()))
    return known


def missing(name: str) -> str | None:
    """Return why a codec cannot be used here, with the command that helps; None if it can.

    Raises:
        UnknownCodec: No codec of that name.
    """
    declaration = describe(name)
    release = split_release(name)[1]
    if release and not same_release(found := version(declaration.library) or "", release):
        here = f"{found} is installed" if found else "it is not installed"
        return (
            f"{declaration.library} {release} cannot be used here, as {here}; `bakeoff run -c {name}` "
            "measures it in a folder of its own"
        )
    # The package of an entry point is there; what fails in it is said when the codec is built.
    if declaration.module and not declaration.entry_point and not _is_there(declaration.module):
        what = f"bakeoff[{declaration.extra}]" if declaration.extra else declaration.library
        return f"{declaration.library} is not installed; pip install '{what}'"
    for module in declaration.also:
        if not _is_there(module):
            return f"{module} is not installed; pip install {module}"
    return None


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # Its parent package is not installed.
        return False


def available(*, needs_schema: bool = False) -> list[str]:
    """Return the names of the codecs whose library is installed.

    Args:
        needs_schema: Include codecs that cannot be used without a schema.
    """
    return [name for name in names(needs_schema=needs_schema) if missing(name) is None]


def add(spec: Spec, *, replace: bool = False) -> None:
    """Make a codec known under its name in this process; see `bakeoff.codecs.factory.register`.

    Raises:
        CodecError: The name is taken, and `replace` is false.
    """
    with _lock:
        if not replace and spec.name not in _registered and spec.name in _all():
            raise CodecError(
                spec.name,
                "a codec of this name exists; replace it with register(codec, replace=True)",
            )
        _registered[spec.name] = Declaration(
            spec.name,
            spec.format.name,
            lambda: spec,
            spec.facts.library,
            trusted_only=spec.format.trusted_only,
            needs_schema=spec.needs_schema,
        )
        _build.cache_clear()


def give(sources: Mapping[str, str]) -> None:
    """Register the user's own codecs in this process; each is imported at its first use.

    Args:
        sources: ``pkg.module:name`` or ``FILE.py:name`` by the name of the codec.
    """
    with _lock:
        for name, source in sources.items():
            _registered[name] = Declaration(name, "", functools.partial(_found, name, source), source=source)
        _build.cache_clear()


def introduce(name: str, source: str) -> None:
    """Register the user's own codec and import it.

    Raises:
        UsageError: It cannot be imported or is not a codec, or the name is taken.
    """
    shown = f"{name}={source}"
    if (taken := _known(name)) is not None and taken.source != source:
        raise UsageError(f"{shown}: a codec {name!r} already exists; choose another name")
    give({name: source})
    try:
        spec = _build(name)
    except CodecError as error:
        del _registered[name]
        raise UsageError(f"{shown}: {error.reason}") from error
    _registered[name] = replace(
        _registered[name],
        format=spec.format.name,
        library=spec.facts.library,
        trusted_only=spec.format.trusted_only,
        needs_schema=spec.needs_schema,
    )


def given() -> dict[str, str]:
    """Return the sources of the user's own codecs by name, for `give` in other processes."""
    from ..imports import absolute

    return {name: absolute(known.source) for name, known in _registered.items() if known.source}


def unpickle(pickles: Mapping[str, str]) -> None:
    """Make codecs of another process known in this one; each is unpickled at its first use.

    Args:
        pickles: Pickles of codecs in base64, by name; only from our own processes, as they run code.
    """
    with _lock:
        for name, text in pickles.items():
            _registered[name] = Declaration(name, "", functools.partial(_unpickled, name, text))
        _build.cache_clear()


@contextlib.contextmanager
def registering(codecs: Iterable[Spec]) -> Iterator[None]:
    """Make codecs known in this process temporarily.

    Raises:
        UsageError: A name is invalid, or belongs to a codec of bakeoff or of a third party.
    """
    before = dict(_registered)
    try:
        for made in codecs:
            check_own_name(made.name, made.name)
            if made.name not in before and made.name in _all():
                raise UsageError(f"{made.name}: there is a codec of this name already; choose another name")
            add(made)
        yield
    finally:
        with _lock:
            _registered.clear()
            _registered.update(before)
            _build.cache_clear()


def only_here(names: Iterable[str]) -> dict[str, Spec]:
    """Return the codecs that only this process knows, by base name."""
    found = dict.fromkeys(split_name(name)[0] for name in names)
    own = (_registered[name] for name in found if name in _registered and not _registered[name].source)
    return {known.name: known.build() for known in own}


def _unpickled(name: str, text: str) -> Spec:
    import base64
    import pickle

    from .custom import spec_of_calls

    return spec_of_calls(pickle.loads(base64.b64decode(text)), name).changed(origin=name)


def _found(name: str, source: str) -> Spec:
    from .custom import found

    return found(name, source)


def spec_of(name: str) -> Spec:
    """Return the spec of a codec by name, the same object each time.

    Args:
        name: Without a schema or a compressor; the spec is the same with and without a release.

    Raises:
        UnknownCodec: No codec of that name.
        MissingLibrary: Its library is not installed, or in another release than the name says.
        CodecError: The name means a library's own calls, or a third-party codec cannot be imported.
    """
    if (reason := missing(name)) is not None:
        raise MissingLibrary(name, reason)
    bare = without_release(name)
    if _known(bare) is None:
        raise CodecError(name, "raw codecs cannot be imported; measure them with `bakeoff run --raw`")
    return _build(bare)


@functools.cache
def _build(name: str) -> Spec:
    return describe(name).build()
