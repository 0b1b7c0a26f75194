"""``bakeoff.lock``, the file that stores the chosen codec: finding, reading and checking it.

``bakeoff pick --write`` writes it (`bakeoff.reports.decide.lock`). `bakeoff.fastest` reads it first, so that
two services never end up with different wire formats because one machine was noisy. It names a codec and its
requirements; it neither grants trust nor names code. A service reads it when it starts, so this module does
not import the benchmark or the reports.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeVar

from ...errors import RunError, UsageError
from ...opening import open_regular
from ..errors import CodecError, MissingLibrary
from ..factory import codec
from ..installed import allows, of_modules, version
from ..limits import DEFAULT, DEFAULT_DEPTH, LIMITS
from ..naming import join_name, split_name

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from ..core.codec import Codec

NAME: Final = "bakeoff.lock"
"""The file's usual name."""

VARIABLE: Final = "BAKEOFF_LOCK"
"""Environment variable that names the lock."""

VERSION: Final = 1
"""Version of the lock's format, which every later bakeoff reads; the next one is 4."""

_UNRELEASED: Final = (2, 3)
"""Versions that only development versions wrote."""

PYTHON: Final = "Python"
"""How results name the standard library as a codec's library."""

REPOSITORIES: Final = (".git", ".hg")
PROJECTS: Final = ("pyproject.toml", "setup.py", "setup.cfg")
"""Files that mark a project's root outside of a repository."""

_OPTIONS: Final = (*LIMITS, "policies")
"""Options of `bakeoff.codec` that a lock may contain: limits, all integers, and a table of policies."""

_LARGEST: Final = 1 << 20
"""Limit for the bytes of a lock, which usually has some hundred, and of a dictionary."""


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A trained dictionary, stored in a file next to the lock.

    Attributes:
        id: Its number, which payloads contain.
        file: Name of the file.
        sha256: Hash of its content.
        content: Content of the file; None if it is missing or cannot be read.
    """

    id: int
    file: str
    sha256: str
    content: bytes | None = field(default=None, repr=False)

    @classmethod
    def of(cls, content: bytes) -> Self:
        """Return a dictionary with its file name, made from its content."""
        from hashlib import sha256

        from ..streams.compression import dictionary_id

        number = dictionary_id(content)
        return cls(number, f"bakeoff-{number}.dict", sha256(content).hexdigest(), content)

    @property
    def fault(self) -> str:
        """The reason why it cannot be used, with a remedy; empty if it can."""
        if self.content is None:
            return f"its dictionary {self.id} is missing: {self.file} must be a regular file next to the lock"
        from hashlib import sha256

        if sha256(self.content).hexdigest() != self.sha256:
            return f"{self.file} is not the dictionary {self.id} of the lock (sha256 differs)"
        return ""


@dataclass(frozen=True, slots=True)
class Lock:
    """The content of a lock file.

    Attributes:
        codec: The codec's name, without "+schema".
        requires: Libraries of the codec and its compressor, each with the required version specifier;
            "Python" stands for the standard library.
        format: The wire format that it writes; empty if unknown.
        schema: Whether it was measured with an advisory schema, which has to be given again.
        definition: For a codec that needs a schema: the schema in the format's own language, with the field
            numbers in payloads; empty if the format has no such language.
        dictionaries: Trained dictionaries of its compressor: the first is for writing, all are for reading.
        options: `Limits` and policies for ``bakeoff.codec(codec, **options)``.
        why: The recommendation.
        terms: The terms of the choice (reads, bandwidth, needs, ...).
        evidence: The result files (name, sha256 and date of each), or the person who decided, and the date.
        date: When the newest of the evidence was measured, as an ISO date.
    """

    codec: str
    requires: Mapping[str, str]
    format: str = ""
    schema: bool = False
    definition: str = ""
    dictionaries: tuple[Dictionary, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    terms: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[Mapping[str, str], ...] = ()
    date: str = ""

    @property
    def named(self) -> str:
        """The codec's name as in result files, with "+schema"."""
        base, _, compression = split_name(self.codec)
        return join_name(base, self.schema, compression)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, owners: Collection[int] | None = None) -> Self:
        """Read a lock file.

        Args:
            path: The file.
            owners: User ids, one of which must own the lock and its dictionaries; None for any.

        Raises:
            UsageError: There is none.
            RunError: Not TOML, not a lock, of a newer format, not a regular file, of another owner, or a link
                that leads nowhere.
        """
        import tomllib

        try:
            text = _content(path, _LARGEST + 1, owners)
            if len(text) > _LARGEST:
                raise RunError(f"{path}: cannot be read as a lock: it has more than {_LARGEST:,} bytes")
            plain = tomllib.loads(text.decode())
        except (FileNotFoundError, NotADirectoryError) as error:
            if os.path.islink(path):  # noqa: PTH114
                raise RunError(f"{path}: is a broken link") from error
            raise UsageError(
                f"{path}: no such lock; write one with `bakeoff pick RESULTS --write`"
            ) from error
        except (OSError, ValueError, RecursionError) as error:
            reason = getattr(error, "strerror", None) or error  # with it, the path is said once
            raise RunError(f"{path}: cannot be read as a lock: {reason}") from error
        number = plain.get("version")
        if type(number) is int and number in _UNRELEASED:
            raise RunError(
                f"{path}: written by a development version of bakeoff (lock format {number}), which this one "
                "does not read; `bakeoff pick RESULTS --write` writes a new one"
            )
        if number is None:
            raise RunError(f"{path}: not a lock; `bakeoff pick RESULTS --write` writes one")
        if type(number) is not int or number != VERSION:
            raise RunError(
                f"{path}: written in format {number!r}; this bakeoff reads format {VERSION}: upgrade it, or "
                "write a new lock with `bakeoff pick RESULTS --write`"
            )
        try:
            return cls._of_plain(plain, os.path.dirname(path), owners)  # noqa: PTH120 - see `located`
        except TypeError as error:
            raise RunError(f"{path}: not a lock: {error}") from error

    @classmethod
    def _of_plain(cls, plain: Mapping[str, Any], folder: str, owners: Collection[int] | None) -> Self:
        held = _typed(plain, "codec", dict)
        choice = _typed(plain, "choice", dict, {})
        options = _typed(held, "options", dict, {})
        for key in options:
            if key not in _OPTIONS:
                raise TypeError(f"no option {key!r}; there are {', '.join(_OPTIONS)}")
        requires = _typed(held, "requires", dict)
        evidence = _typed(plain, "evidence", list, [])
        return cls(
            codec=_typed(held, "name", str),
            requires={name: _typed(requires, name, str) for name in requires},
            format=_typed(held, "format", str, ""),
            schema=_typed(held, "schema", bool, False),
            definition=_typed(held, "definition", str, ""),
            dictionaries=tuple(
                _dictionary(each, folder, owners) for each in _typed(held, "dictionaries", list, [])
            ),
            options={key: _option(options, key) for key in options},
            why=_typed(choice, "why", str, ""),
            terms={key: value for key, value in choice.items() if key not in ("why", "date")},
            evidence=tuple(entry for entry in evidence if isinstance(entry, dict)),
            date=_typed(choice, "date", str, ""),
        )

    def dumps(self) -> str:
        """Return the lock as TOML."""
        import tomli_w

        codec: dict[str, Any] = {
            "name": self.codec,
            "format": self.format,
            "schema": self.schema,
            "options": dict(self.options),
            "requires": dict(self.requires),
        }
        if self.definition:
            codec["definition"] = self.definition
        if self.dictionaries:
            codec["dictionaries"] = [
                {"id": each.id, "file": each.file, "sha256": each.sha256} for each in self.dictionaries
            ]
        plain = {
            "version": VERSION,
            "codec": codec,
            "choice": {"why": self.why, "date": self.date, **self.terms},
            "evidence": [dict(entry) for entry in self.evidence],
        }
        head = "# Written by `bakeoff pick --write`; read by `bakeoff.fastest()`. Commit it.\n"
        return head + tomli_w.dumps(plain, multiline_strings=True)


_T = TypeVar("_T")
_TYPES: Final = {dict: "a table", list: "a list", str: "text", bool: "true or false", int: "a whole number"}
_NEEDED: Final = object()


def _typed(table: Mapping[str, Any], key: str, kind: type[_T], default: Any = _NEEDED) -> _T:
    """Return a value of a table if it has exactly the given type: true is not a number.

    Raises:
        TypeError: It has another type, or is missing without a default.
    """
    value = table.get(key, default)
    if type(value) is not kind:
        raise TypeError(f"{key} must be {_TYPES[kind]}")
    return value


def _option(options: Mapping[str, Any], key: str) -> Any:
    if key != "policies":
        return _typed(options, key, int)
    policies = _typed(options, key, dict)
    return {policy: _typed(policies, policy, str) for policy in policies}


def _content(path: str | os.PathLike[str], most: int, owners: Collection[int] | None) -> bytes:
    """Return the first bytes of a regular file, or of one inside a zip file; never block on a pipe.

    Raises:
        OSError: It cannot be read, is not a regular file, or belongs to another user.
    """
    try:
        opened = open_regular(path)
    except NotADirectoryError:
        if (zipped := _in_zip(os.fspath(path))) is None:
            raise
        return zipped[:most]
    with os.fdopen(opened, "rb") as file:
        owner = os.fstat(file.fileno()).st_uid
        if owners is not None and owner not in owners:
            raise OSError(
                f"it belongs to another user, number {owner}; if you trust it, name it: {VARIABLE}={path}"
            )
        return file.read(most)


def _in_zip(path: str) -> bytes | None:
    """Return the content of a file inside a zip file, such as a program of zipapp; None if there is none."""
    from zipfile import BadZipFile, ZipFile

    archive, inner = os.path.split(path)
    while archive and not os.path.isfile(archive):  # noqa: PTH113
        archive, folder = os.path.split(archive)
        if not folder:
            return None
        inner = f"{folder}/{inner}"
    try:
        with ZipFile(archive) as opened, opened.open(inner) as file:
            return file.read(_LARGEST + 1)
    except (BadZipFile, KeyError, OSError, RuntimeError):  # RuntimeError: it is encrypted
        return None


def _dictionary(entry: object, folder: str, owners: Collection[int] | None) -> Dictionary:
    if type(entry) is not dict:
        raise TypeError("dictionaries must be tables")
    file = _typed(entry, "file", str)
    # A name and not a path, so that an untrusted lock cannot refer to files elsewhere.
    if os.path.basename(file) != file:  # noqa: PTH119
        raise TypeError("the file of a dictionary must be in the lock's folder")
    content: bytes | None
    try:
        content = _content(os.path.join(folder, file), _LARGEST, owners)  # noqa: PTH118
    except (OSError, ValueError):
        content = None  # `Dictionary.fault` reports this when the dictionary is needed
    return Dictionary(_typed(entry, "id", int), file, _typed(entry, "sha256", str), content)


def compressor(name: str) -> str | None:
    """Return the library of a codec's compressor; None without a compressor.

    Raises:
        CodecError: No such compressor.
    """
    compression = split_name(name)[2]
    if compression is None:
        return None
    from ..streams.compression import library

    return library(compression)


class LockLocation(NamedTuple):
    """The path of the lock, or of the lock to write.

    Attributes:
        path: Absolute path; in the working folder if no lock was found.
        named: Whether an argument or the environment names it.
        folders: The folders that were searched, the nearest first; none for a named path.
    """

    path: str
    named: bool
    folders: tuple[str, ...] = ()

    @property
    def is_there(self) -> bool:
        """Whether the path exists, also in a zip file; a dangling link is a broken lock, not a missing."""
        return os.path.lexists(self.path) or (self.named and _in_zip(self.path) is not None)

    @property
    def owners(self) -> Collection[int] | None:
        """Allowed owners: this user and the owner of the folder where the search ends; None for any.

        In a folder that others can write to, the lock could be anyone's.
        """
        if self.named or not hasattr(os, "geteuid"):
            return None
        return {os.geteuid(), os.stat(self.folders[-1]).st_uid}  # noqa: PTH116

    def read(self) -> Lock:
        """Read the lock. A lock found by searching may lower limits but not raise them.

        Raises:
            UsageError: There is none.
            RunError: As `Lock.read`, or it raises a limit.
        """
        lock = Lock.read(self.path, owners=self.owners)
        if not self.named and (higher := raised(lock.options)):
            raise RunError(
                f"{self.path} raises the limit{'s' * (len(higher) > 1)} of {', '.join(higher)}; to allow "
                f"that, name the lock: {VARIABLE}={self.path}, fastest(lock=...) or --lock"
            )
        return lock

    @property
    def missing(self) -> str:
        """Return the message for a missing lock: the folders that were searched, and how to name a lock."""
        if self.named:
            return f"{self.path}: no lock"
        looked = ", ".join(self.folders)
        return f"no {NAME} in {looked} (up to the project's root; set {VARIABLE} to name one)"


def located(given: str | os.PathLike[str] | Traversable | None = None) -> LockLocation:
    """Return the path of the lock; it can be a resource of a package, also inside a zip file.

    An argument comes first, then ``BAKEOFF_LOCK``, then the nearest `NAME` from the working folder upwards to
    the project's root. The root is the nearest folder of a repository (`REPOSITORIES`), else the nearest with
    one of `PROJECTS`. Without a root, only the working folder is searched, as its parents may be anyone's.

    Raises:
        UsageError: The path depends on the working folder, which was deleted.
    """
    # Without pathlib, which takes as long to import as most codecs.
    if named := given or os.environ.get(VARIABLE):
        path = os.fspath(named) if isinstance(named, str | os.PathLike) else str(named)
        return LockLocation(path if os.path.isabs(path) else os.path.join(_here(path), path), True)  # noqa: PTH117, PTH118
    folders = _project(_here(NAME))
    paths = [os.path.join(folder, NAME) for folder in folders]  # noqa: PTH118
    return LockLocation(next(filter(os.path.lexists, paths), paths[0]), False, tuple(folders))


def _here(wanted: str) -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except FileNotFoundError as error:
        raise UsageError(
            f"{wanted}: cannot be searched, as the working folder was deleted; name the lock by its absolute "
            f"path: {VARIABLE}, fastest(lock=...) or --lock"
        ) from error


def _project(folder: str) -> list[str]:
    """Return a folder and its parents up to the project's root; only the folder if there is no root."""
    folders = [folder]
    while (above := os.path.dirname(folders[-1])) != folders[-1]:  # noqa: PTH120
        folders.append(above)
    for marks in (REPOSITORIES, PROJECTS):
        for number, each in enumerate(folders, 1):
            if any(os.path.exists(os.path.join(each, mark)) for mark in marks):  # noqa: PTH110, PTH118
                return folders[:number]
    return folders[:1]


def raised(options: Mapping[str, Any]) -> list[str]:
    """Return the limits in a lock's options that exceed the defaults, with both numbers."""
    usual = {
        "size": DEFAULT.size,
        "decompressed": DEFAULT.size,
        "ratio": DEFAULT.ratio,
        "items": DEFAULT.items,
        "depth": DEFAULT_DEPTH,
    }
    return [
        f"{name} to {options[name]:,} from {most:,}"
        for name, most in usual.items()
        if options.get(name, 0) > most
    ]


class Faults(NamedTuple):
    """The reasons why a lock does not match this installation, a sentence each with a remedy; or the codec.

    Attributes:
        missing: Libraries that are not installed.
        unfit: All other reasons.
        codec: The codec with the lock's options, without trust and schema, if there is no fault.
    """

    missing: list[str]
    unfit: list[str]
    codec: Codec | None = None

    def made(self, lock: Lock, path: str) -> Codec:
        """Return the codec.

        Raises:
            MissingLibrary: A library is not installed.
            RunError: There is another fault.
        """
        sentence = f"{path} does not match this environment: {'; '.join((*self.missing, *self.unfit))}"
        if self.missing:
            raise MissingLibrary(lock.codec, sentence)
        if self.codec is None:
            raise RunError(sentence)
        return self.codec


def faults(lock: Lock) -> Faults:
    """Check a lock against the installation: name, format, options, and the versions of all its libraries."""
    try:
        other = compressor(lock.codec)
    except CodecError as error:
        return Faults([], [str(error)])
    missing, unfit = [], []
    # An edited lock may lack the compressor's library.
    for library, allowed in (({other: ""} if other else {}) | dict(lock.requires)).items():
        found = _installed(library, lock.codec)
        wanted = f"the lock requires {allowed or 'any version'}"
        if found is None:
            missing.append(f"{library} is not installed, {wanted}: pip install '{library}{allowed}'")
            continue
        if not found:
            unfit.append(
                f"{library} does not say its version here, {wanted}: add its metadata, *.dist-info, "
                "to the program"
            )
            continue
        try:
            fits = allows(allowed, found)
        except ValueError:
            unfit.append(f"the lock's version range {allowed!r} of {library} is not one, such as '>=1.2,<2'")
            continue
        if not fits:
            get = f"use a matching {PYTHON}" if library == PYTHON else f"pip install '{library}{allowed}'"
            unfit.append(
                f"{library} {found} is installed, {wanted}: {get}, or choose again with the installed "
                "versions (`bakeoff run`, `bakeoff pick --write`)"
            )
    unfit += filter(None, (each.fault for each in lock.dictionaries))
    if missing or unfit:
        return Faults(missing, unfit)
    try:
        dictionaries = [each.content for each in lock.dictionaries if each.content is not None]
        made = codec(lock.codec, dictionary=dictionaries or None, **lock.options)
    except MissingLibrary as error:
        return Faults([error.reason], [])
    except (ValueError, OverflowError) as error:
        return Faults([], [str(error)])
    if lock.format and made.format != lock.format:
        return Faults([], [f"{lock.codec} writes {made.format} here, the lock requires {lock.format}"])
    return Faults([], [], made)


def _installed(library: str, name: str) -> str | None:
    """Return the installed version of a library; None if it is not installed."""
    if library == PYTHON:
        return sys.version.split()[0]
    if (found := version(library)) is not None:
        return found
    if library == compressor(name):
        return of_modules(library)
    # The library of a third-party codec need not be a distribution; then the codec knows the version.
    try:
        made = codec(name)
    except CodecError:
        return None
    return made.version if made.library == library else None
