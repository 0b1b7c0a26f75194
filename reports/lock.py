"""``bakeoff.lock``: the codec that people have decided on, with the evidence.

A lock is written only by ``bakeoff pick --write``. `bakeoff.fastest` reads it first, so that two
services never end up with different wire formats because one machine was noisy. It names a codec
and what that needs; it neither grants trust nor names code.

History of the format (``version``):

1. First version.
2. ``codec.requires`` is a table, library = version range, in which the compressor's library stands,
   too; it was the range of ``codec.library``, the codec's own. No ``trusted`` among the options:
   whoever reads payloads says so (`bakeoff.fastest`).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from ..codecs import CodecError, MissingLibrary, codec, describe, join_name, split_name
from ..codecs.compression import library as compressor_library
from ..codecs.limits import LIMITS
from ..errors import RunError, UsageError
from .candidates import limits_needed

if TYPE_CHECKING:
    from ..bench.results import Result
    from .pick import Choice

__all__ = ["NAME", "VARIABLE", "VERSION", "Lock", "check", "located", "sha256", "verify"]

NAME: Final = "bakeoff.lock"
"""The file's usual name."""

VARIABLE: Final = "BAKEOFF_LOCK"
"""Environment variable that names the lock."""

VERSION: Final = 2
"""Version of the lock's format; all older ones are read."""

_OPTIONS: Final = (*LIMITS, "policies")
"""Options of `bakeoff.codec` that a lock may hold: limits, all whole numbers, and a table of policies."""

_LARGEST: Final = 1 << 20
"""Bytes of a lock; there are some hundred in one."""

_PYTHON: Final = "Python"
"""How results name the standard library as a codec's library."""


@dataclass(frozen=True, slots=True)
class Lock:
    """What a lock file says.

    Attributes:
        codec: The codec's name, without "+schema".
        schema: Whether it was measured with an advisory schema, to be given again.
        requires: Libraries behind it and its compressor, each with the version specifier that it has to
            meet; "Python" stands for the standard library.
        options: `Limits` and policies for ``bakeoff.codec(codec, **options)``.
        why: The sentence that it was picked with.
        terms: What it was picked for (reads, bandwidth, needs, ...).
        evidence: The result files: name, sha256 and date of each.
        date: When the newest of the evidence was measured, as an ISO date.
    """

    codec: str
    requires: Mapping[str, str]
    format: str = ""
    schema: bool = False
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
    def of(cls, choice: Choice, files: Sequence[Path], results: Sequence[Result]) -> Self:
        """Make a lock of a choice.

        Args:
            choice: What was picked.
            files: The result files behind it.
            results: What they hold; today's date stands in for an unknown start.
        """
        facts = choice.winner.facts
        name, schema = _without_schema(facts.name)
        today = dt.datetime.now(dt.UTC).date().isoformat()
        known = [_date(result.started) or today for result in results]
        wish = choice.wish
        terms: dict[str, Any] = {
            "reads": wish.cost.reads,
            "corpora": {c.name: c.sha256 for c in choice.corpora},
            "trusted": wish.trusted,
        }
        if math.isfinite(wish.cost.bandwidth):
            terms["bandwidth"] = wish.cost.bandwidth
        if wish.needs:
            terms["needs"] = list(wish.needs)
        return cls(
            codec=name,
            requires=_compressor(name, results) | {facts.library: version_range(facts.version)},
            format=facts.format,
            schema=schema,
            options=limits_needed(
                cell for result in results for cell in result.cells if cell.cell.codec == facts.name
            ),
            why=choice.sentence,
            terms=terms,
            evidence=tuple(
                {"file": path.name, "sha256": sha256(path), "date": date}
                for path, date in zip(files, known, strict=True)
            ),
            date=max(known, default=today),
        )

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a lock file.

        Raises:
            UsageError: There is none.
            RunError: Not TOML, not a lock, of a newer format, or a link that leads nowhere.
        """
        import tomllib

        try:
            with path.open("rb") as file:
                text = file.read(_LARGEST + 1)
            if len(text) > _LARGEST:
                raise RunError(f"{path}: cannot be read as a lock: it has more than {_LARGEST:,} bytes")
            plain = tomllib.loads(text.decode())
        except FileNotFoundError as error:
            if path.is_symlink():
                raise RunError(f"{path}: is a link that leads nowhere") from error
            raise UsageError(f"{path}: no lock; `bakeoff pick RESULTS --write` makes one") from error
        except (OSError, ValueError, RecursionError) as error:
            raise RunError(f"{path}: cannot be read as a lock: {error}") from error
        version = plain.get("version")
        if type(version) is not int or not 1 <= version <= VERSION:
            raise RunError(f"{path}: written in format {version!r}; this bakeoff reads up to {VERSION}")
        try:
            return cls._of_plain(_of_first(plain) if version == 1 else plain)
        except TypeError as error:
            raise RunError(f"{path}: not a lock: {error}") from error

    @classmethod
    def _of_plain(cls, plain: Mapping[str, Any]) -> Self:
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
        plain = {
            "version": VERSION,
            "codec": codec,
            "choice": {"why": self.why, "date": self.date, **self.terms},
            "evidence": [dict(entry) for entry in self.evidence],
        }
        head = "# Written by `bakeoff pick --write`; read by `bakeoff.fastest()`. Commit it.\n"
        return head + tomli_w.dumps(plain)


_T = TypeVar("_T")
_TYPES: Final = {dict: "a table", list: "a list", str: "text", bool: "true or false", int: "a whole number"}
_NEEDED: Final = object()


def _typed(table: Mapping[str, Any], key: str, kind: type[_T], default: Any = _NEEDED) -> _T:
    """Return a value of a table if it is of a type, and exactly of it: true is no number.

    Raises:
        TypeError: It is of another, or missing and there is no default.
    """
    value = table.get(key, default)
    if type(value) is not kind:
        raise TypeError(f"{key} has to be {_TYPES[kind]}")
    return value


def _option(options: Mapping[str, Any], key: str) -> Any:
    if key != "policies":
        return _typed(options, key, int)
    policies = _typed(options, key, dict)
    return {policy: _typed(policies, policy, str) for policy in policies}


def _of_first(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a lock of format 1 into the present one."""
    held = dict(_typed(plain, "codec", dict))
    requires = {_typed(held, "library", str): _typed(held, "requires", str)}
    options = dict(_typed(held, "options", dict, {}))
    _typed(options, "trusted", bool, False)
    options.pop("trusted", None)
    return {**plain, "codec": held | {"requires": requires, "options": options}}


def _compressor(name: str, results: Sequence[Result] = ()) -> dict[str, str]:
    """Return the library of a codec's compressor, with the versions that count as that of the runs."""
    compression = split_name(name)[2]
    if compression is None:
        return {}
    library = compressor_library(compression)
    known = (str(result.environment.get(f"{library.lower()}_version", "")) for result in results)
    return {library: version_range(next(filter(None, known), ""))}


def located(given: Path | None = None) -> Path:
    """Return where the lock is, or would be written: an absolute path.

    As given; else as ``BAKEOFF_LOCK`` says; else the nearest `NAME` from the working folder upwards;
    else in the working folder.
    """
    if given is not None:
        return given.absolute()
    if named := os.environ.get(VARIABLE):
        return Path(named).absolute()
    here = Path.cwd()
    # A link that leads nowhere is a lock that is broken, not one that is not there.
    held = (folder for folder in (here, *here.parents) if os.path.lexists(folder / NAME))
    return next(held, here) / NAME


def version_range(version: str) -> str:
    """Return the versions that count as the measured one: from it up to the next breaking release.

    A version that is not of the usual kind is pinned as it is; an unknown one allows any.
    """
    from packaging.version import InvalidVersion, Version

    if not version:
        return ""
    try:
        parsed = Version(version)
    except InvalidVersion:
        return f"==={version}"
    major, minor = parsed.major, parsed.minor
    upper = f"{major + 1}" if major else f"0.{minor + 1}"
    return f">={parsed.public},<{upper}"


def verify(lock: Lock, path: Path) -> None:
    """Hold a lock against what is installed here.

    Raises:
        MissingLibrary: A library that it names is not installed.
        RunError: One is of a version that it does not allow.
    """
    missing, unfit = _library_problems(lock)
    if missing:
        raise MissingLibrary(lock.codec, f"{'; '.join(missing)} (asked for by {path})")
    if unfit:
        raise RunError(f"{path} no longer holds: {'; '.join(unfit)}")


def check(lock: Lock, folder: Path, max_age: dt.timedelta | None = None) -> list[str]:
    """Return what is wrong with a lock here and today; nothing when it holds.

    Args:
        lock: What was read.
        folder: Where its evidence may lie; evidence that is not there is no fault.
        max_age: How old the evidence may be.
    """
    problems = []
    try:
        describe(lock.codec)
        missing, unfit = _library_problems(lock)
        problems += missing + unfit
    except CodecError as error:
        problems.append(str(error))
    for entry in lock.evidence:
        # A name, no path: a stranger's lock leads nowhere else.
        path = folder / Path(str(entry.get("file", ""))).name
        if path.is_file() and entry.get("sha256") != sha256(path):
            problems.append(f"{path.name} is not the file that the choice was made from (sha256 differs)")
    if max_age is not None:
        problems += _age_problems(lock, max_age)
    return problems


def _library_problems(lock: Lock) -> tuple[list[str], list[str]]:
    """Return a sentence for each library that is missing, and for each of a version that is not allowed."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion

    missing, unfit = [], []
    # Locks of format 1 do not name it.
    for library, allowed in (_compressor(lock.codec) | dict(lock.requires)).items():
        found = _installed(library, lock.codec)
        if found is None:
            missing.append(f"{library} is not installed; pip install '{library}{allowed}'")
            continue
        try:
            fits = SpecifierSet(allowed).contains(found, prereleases=True)
        except InvalidSpecifier:
            unfit.append(f"the lock's version range {allowed!r} is not one")
            continue
        except InvalidVersion:
            fits = False
        if not fits:
            unfit.append(f"{library} {found} is installed, the lock asks for {allowed}")
    return missing, unfit


def _installed(library: str, name: str) -> str | None:
    """Return the version of a library here; None when there is none."""
    import platform
    from importlib import metadata

    if library == _PYTHON:
        return platform.python_version()
    try:
        return metadata.version(library)
    except (metadata.PackageNotFoundError, ValueError):
        pass
    # A third party's codec may name as its library what is no distribution; then it knows the version.
    try:
        made = codec(name)
    except CodecError:
        return None
    return made.version if made.library == library else None


def _age_problems(lock: Lock, max_age: dt.timedelta) -> list[str]:
    measured = _date(lock.date)
    if measured is None:
        return ["the lock does not say when its evidence was measured"]
    age = dt.datetime.now(dt.UTC).date() - dt.date.fromisoformat(measured)
    if age <= max_age:
        return []
    return [f"the evidence is {age.days} days old, more than the {max_age.days} allowed; run it again"]


def sha256(path: Path) -> str:
    """Return the hash of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _date(text: str) -> str | None:
    try:
        return dt.datetime.fromisoformat(text).date().isoformat()
    except ValueError:
        return None


def _without_schema(name: str) -> tuple[str, bool]:
    from .merge import plain_name

    base, schema, compression = split_name(plain_name(name))
    return join_name(base, compression=compression), schema
