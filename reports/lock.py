"""``bakeoff.lock``: the codec that people have decided on, with the evidence.

A lock is written only by ``bakeoff pick --write``. `bakeoff.fastest` reads it first, so that two
services never end up with different wire formats because one machine was noisy.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from ..codecs import join_name, split_name
from ..errors import RunError, UsageError
from .merge import plain_name

if TYPE_CHECKING:
    from .pick import Choice

__all__ = ["NAME", "VERSION", "Lock", "check", "parse_age", "sha256"]

NAME: Final = "bakeoff.lock"
"""The file's usual name."""

VERSION: Final = 1
"""Version of the lock's format."""

_PYTHON: Final = "Python"
"""How results name the standard library as a codec's library."""


@dataclass(frozen=True, slots=True)
class Lock:
    """What a lock file says.

    Attributes:
        codec: The codec's name, without "+schema".
        schema: Whether it was measured with an advisory schema, to be given again.
        options: Options for ``bakeoff.codec(codec, **options)``.
        library: Distribution behind it; "Python" for the standard library.
        requires: Version specifier that the library has to meet.
        why: The sentence that it was picked with.
        terms: What it was picked for (reads, bandwidth, needs, ...).
        evidence: The result files: name, sha256 and date of each.
        date: When the newest of the evidence was measured, as an ISO date.
    """

    codec: str
    library: str
    requires: str
    format: str = ""
    schema: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    terms: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[Mapping[str, str], ...] = ()
    date: str = ""

    @classmethod
    def of(cls, choice: Choice, files: Sequence[Path], dates: Sequence[str]) -> Self:
        """Make a lock of a choice.

        Args:
            choice: What was picked.
            files: The result files behind it.
            dates: When each was started, ISO; today's date stands in for an unknown one.
        """
        facts = choice.winner.facts
        name, schema = _without_schema(facts.name)
        today = dt.datetime.now(dt.UTC).date().isoformat()
        known = [_date(text) or today for text in dates]
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
            library=facts.library,
            requires=version_range(facts.version),
            format=facts.format,
            schema=schema,
            options={"trusted": True} if facts.trusted_only else {},
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
            RunError: Not TOML, not a lock, or of a newer format.
        """
        import tomllib

        try:
            plain = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise UsageError(f"{path}: no lock; `bakeoff pick RESULTS --write` makes one") from error
        except (OSError, ValueError) as error:
            raise RunError(f"{path}: cannot be read as a lock: {error}") from error
        if (version := plain.get("version")) != VERSION:
            raise RunError(f"{path}: written in format {version!r}; this bakeoff reads {VERSION}")
        return cls._of_plain(path, plain)

    @classmethod
    def _of_plain(cls, path: Path, plain: Mapping[str, Any]) -> Self:
        codec, choice = plain.get("codec"), plain.get("choice", {})
        if not isinstance(codec, dict) or not isinstance(choice, dict):
            raise RunError(f"{path}: not a lock: no [codec] table")
        texts = {key: codec.get(key) for key in ("name", "library", "requires")}
        if bad := [key for key, value in texts.items() if not isinstance(value, str)]:
            raise RunError(f"{path}: not a lock: [codec] needs {', '.join(bad)} as text")
        options = codec.get("options", {})
        evidence = plain.get("evidence", [])
        if not isinstance(options, dict) or not isinstance(evidence, list):
            raise RunError(f"{path}: not a lock: options are a table and evidence a list of tables")
        return cls(
            codec=codec["name"],
            library=codec["library"],
            requires=codec["requires"],
            format=str(codec.get("format", "")),
            schema=bool(codec.get("schema", False)),
            options=options,
            why=str(choice.get("why", "")),
            terms={key: value for key, value in choice.items() if key not in ("why", "date")},
            evidence=tuple(entry for entry in evidence if isinstance(entry, dict)),
            date=str(choice.get("date", "")),
        )

    def dumps(self) -> str:
        """Return the lock as TOML."""
        import tomli_w

        codec: dict[str, Any] = {
            "name": self.codec,
            "format": self.format,
            "library": self.library,
            "requires": self.requires,
            "schema": self.schema,
            "options": dict(self.options),
        }
        plain = {
            "version": VERSION,
            "codec": codec,
            "choice": {"why": self.why, "date": self.date, **self.terms},
            "evidence": [dict(entry) for entry in self.evidence],
        }
        head = "# Written by `bakeoff pick --write`; read by `bakeoff.fastest()`. Commit it.\n"
        return head + tomli_w.dumps(plain)


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


def check(lock: Lock, folder: Path, max_age: dt.timedelta | None = None) -> list[str]:
    """Return what is wrong with a lock here and today; nothing when it holds.

    Args:
        lock: What was read.
        folder: Where its evidence may lie; evidence that is not there is no fault.
        max_age: How old the evidence may be.
    """
    problems = [*_library_problems(lock)]
    for entry in lock.evidence:
        path = folder / str(entry.get("file", ""))
        if path.is_file() and entry.get("sha256") != sha256(path):
            problems.append(f"{path.name} is not the file that the choice was made from (sha256 differs)")
    if max_age is not None:
        problems += _age_problems(lock, max_age)
    return problems


def _library_problems(lock: Lock) -> list[str]:
    import platform
    from importlib import metadata

    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        specifier = SpecifierSet(lock.requires)
    except InvalidSpecifier:
        return [f"the lock's version range {lock.requires!r} is not one"]
    try:
        found = platform.python_version() if lock.library == _PYTHON else metadata.version(lock.library)
    except (metadata.PackageNotFoundError, ValueError):
        return [f"{lock.library} is not installed; pip install '{lock.library}{lock.requires}'"]
    if not specifier.contains(found, prereleases=True):
        return [f"{lock.library} {found} is installed, the lock asks for {lock.requires}"]
    return []


def _age_problems(lock: Lock, max_age: dt.timedelta) -> list[str]:
    measured = _date(lock.date)
    if measured is None:
        return ["the lock does not say when its evidence was measured"]
    age = dt.datetime.now(dt.UTC).date() - dt.date.fromisoformat(measured)
    if age <= max_age:
        return []
    return [f"the evidence is {age.days} days old, more than the {max_age.days} allowed; run it again"]


def parse_age(text: str) -> dt.timedelta:
    """Read an age: "90d", "12w", "1y", or plain days.

    Raises:
        UsageError: Not an age.
    """
    found = re.fullmatch(r"\s*(\d{1,5})\s*(d|days?|w|weeks?|y|years?)?\s*", text)
    if found is None:
        raise UsageError(f"age {text!r}: expected days, weeks or years, such as 90d, 12w or 1y")
    days = {"d": 1, "w": 7, "y": 365}[(found[2] or "d")[0]]
    return dt.timedelta(days=int(found[1]) * days)


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
    base, schema, compression = split_name(plain_name(name))
    return join_name(base, compression=compression), schema
