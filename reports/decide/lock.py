"""Write and verify ``bakeoff.lock``: a choice with its evidence, or a manual decision.

`bakeoff.codecs.production.lock` reads the file.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...codecs import MissingLibrary, codec, describe, missing, split_name
from ...codecs.installed import release_of, version
from ...codecs.naming import bare_name, split_release
from ...codecs.production.lock import PYTHON, Dictionary, Lock, compressor, faults
from ...errors import UsageError
from ..model.candidates import dictionary_of, limits_needed
from ..model.names import plain_name

if TYPE_CHECKING:
    from ...bench.results import CellResult, ResultData
    from ...schemas import Schema
    from .pick import PickedCodec


def lock_of(choice: PickedCodec, files: Sequence[Path], results: Sequence[ResultData]) -> Lock:
    """Make a lock from a choice.

    Args:
        choice: The result of `pick`.
        files: The result files that it is based on.
        results: Their contents; today's date replaces an unknown start.

    Raises:
        UsageError: The codec is the user's own, which a lock cannot name.
    """
    facts = choice.winner.facts
    if facts.source:
        raise UsageError(
            f"{facts.name} is a codec of your own, from {facts.source}: a lock names codecs that every "
            "service can install; publish it through the entry-point group bakeoff.codecs, or name another "
            "with --choose"
        )
    dictionary = dictionary_of(choice.winner.cells.values())
    measured = plain_name(facts.name)
    (name, release), schema = split_release(bare_name(measured)), split_name(measured)[1]
    known = [_date(result.started) or _today() for result in results]
    requirements = choice.requirements
    terms: dict[str, Any] = {
        "reads": requirements.cost.reads,
        "corpora": {c.name: c.sha256 for c in choice.corpora},
        "trusted": requirements.trusted,
    }
    if requirements.cost.readers:
        terms["readers"] = requirements.cost.readers
    if math.isfinite(requirements.cost.bandwidth):
        terms["bandwidth"] = requirements.cost.bandwidth
    if math.isfinite(requirements.weights.bandwidth):
        terms["crossings"] = requirements.cost.crossings
    if requirements.prices is not None:
        terms |= {
            "rate": requirements.rate,
            "core_year": requirements.prices.core_year,
            "gigabyte": requirements.prices.gigabyte,
        }
    if requirements.needs:
        terms["needs"] = list(requirements.needs)
    return Lock(
        codec=name,
        requires=_compressor(name, results) | {facts.library: _allowed(facts.version, release)},
        format=facts.format,
        schema=schema,
        definition=definition_of(choice.winner.cells.values()),
        dictionaries=() if dictionary is None else (Dictionary.of(dictionary),),
        options=limits_needed(
            cell for result in results for cell in result.cells if cell.cell.codec == facts.name
        ),
        why=choice.sentence,
        terms=terms,
        evidence=tuple(
            {"file": path.name, "sha256": sha256(path), "date": date}
            for path, date in zip(files, known, strict=True)
        ),
        date=max(known, default=_today()),
    )


def definition_of(cells: Iterable[CellResult]) -> str:
    """Return the definition of the schema that a codec's payloads were written with, if there is only one."""
    found = {cell.check.definition if cell.check else "" for cell in cells}
    return found.pop() if len(found) == 1 else ""


def decided(name: str, by: str, *, trusted: bool = False, schema: Schema | None = None) -> Lock:
    """Make a lock from a manual decision, without a measurement.

    Args:
        name: The codec, with "+schema" if it is used with one.
        by: Who decided.
        trusted: Whether all payloads are trusted input.
        schema: Schema of the records, for a codec that needs one.

    Raises:
        UnknownCodec: No codec has that name.
        MissingLibrary: It is not installed, so the versions of the decision are unknown.
        UsageError: It runs code from its input and `trusted` is False, or it does not use a schema.
        SchemaError: The codec has no form for one of its types.
    """
    known = describe(name)
    if (reason := missing(name)) is not None:
        raise MissingLibrary(name, reason)
    if known.trusted_only and not trusted:
        raise UsageError(
            f"{name} runs code found in its input; if every payload can be trusted, use --trusted"
        )
    (base, release), with_schema = split_release(bare_name(name)), split_name(name)[1]
    made = codec(base)
    if schema is not None and not made.needs_schema:
        raise UsageError(f"{name} needs no schema; fastest(schema=...) gives it one")
    bound = None if schema is None else made.with_schema(schema).bound
    return Lock(
        codec=base,
        requires=_compressor(base) | {made.library or PYTHON: _allowed(made.version, release)},
        format=made.format,
        schema=with_schema,
        definition="" if bound is None else bound.definition,
        why=f"decided by {by}, not by a measurement",
        terms={"trusted": trusted},
        evidence=({"decided_by": by, "date": _today()},),
        date=_today(),
    )


def _compressor(name: str, results: Sequence[ResultData] = ()) -> dict[str, str]:
    """Return the library of a codec's compressor, with versions compatible with those of the runs or ours."""
    library = compressor(name)
    if library is None:
        return {}
    known = [str(result.environment.get(f"{library.lower()}_version", "")) for result in results]
    if not results:
        known = [version(library) or ""]
    # Without the remark that the environment adds: "3.11.7 (64-bit)".
    return {library: version_range(next(filter(None, known), "").partition(" ")[0])}


def _allowed(version: str, release: str) -> str:
    """Return the versions that a lock allows: only this one, if the codec's name asks for a release."""
    return f"=={version}" if release else version_range(version)


def version_range(version: str) -> str:
    """Return the versions that count as equal to the measured one: up to the next breaking release.

    A version that is not a release is pinned exactly. An unknown one allows any version.
    """
    if not version:
        return ""
    release = release_of(version)
    if release is None:
        return f"==={version}"
    major, minor = (*release[0], 0, 0)[:2]
    upper = f"{major + 1}" if major else f"0.{minor + 1}"
    return f">={version.partition('+')[0]},<{upper}"


def check(lock: Lock, folder: Path, max_age: dt.timedelta | None = None) -> list[str]:
    """Return the problems of a lock on this machine today; none if it holds.

    Args:
        lock: The lock.
        folder: Folder of its evidence. Missing evidence is not a problem.
        max_age: Maximum age of the evidence.
    """
    found = faults(lock)
    problems = found.missing + found.unfit
    for entry in lock.evidence:
        # Only a name, not a path, so that an untrusted lock cannot refer to other folders.
        path = folder / Path(str(entry.get("file", ""))).name
        if path.is_file() and entry.get("sha256") != sha256(path):
            problems.append(f"{path.name} is not the file that the choice was made from (sha256 differs)")
    if max_age is not None:
        problems += _age_problems(lock, max_age)
    return problems


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


def _today() -> str:
    return dt.datetime.now(dt.UTC).date().isoformat()


def _date(text: str) -> str | None:
    try:
        return dt.datetime.fromisoformat(text).date().isoformat()
    except ValueError:
        return None
