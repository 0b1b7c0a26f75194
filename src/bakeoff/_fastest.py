"""`bakeoff.fastest`: from a decision, or at least a measurement, to the codec object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .errors import RunError, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from .bench.results import ResultData
    from .codecs.core.codec import Codec
    from .codecs.production.lock import LockLocation
    from .schemas import Schema


def fastest(
    *,
    lock: str | Path | Traversable | None = None,
    results: str | Path | None = None,
    calibrate: bool = False,
    corpus: str = "messages",
    schema: Schema | None = None,
    reads: float = 1.0,
    bandwidth: str | float | None = None,
    crossings: Literal["once", "per-read"] = "once",
    needs: Collection[str] = (),
    trusted: bool = False,
    formats: Collection[str] = (),
    interop: bool = False,
) -> Codec:
    """Return the codec to use.

    The lock file comes first: it stores a decision by ``bakeoff pick --write``, so
    that two services never end up with different wire formats because one machine was noisy. It is
    only valid if the libraries that it names are installed in the versions that it allows. Without
    a lock, a result file decides, if you pass one. Only on request, a calibration of some ten
    seconds decides, whose answer may differ from machine to machine.

    Args:
        lock: Lock file; else the one that the environment variable ``BAKEOFF_LOCK`` names; else the
            nearest ``bakeoff.lock`` from the working folder upwards to the project's root: the nearest
            folder with ``.git`` or ``.hg``, or without one that with ``pyproject.toml``, ``setup.py`` or
            ``setup.cfg``; without either only in the working folder. A lock that is found by this search must
            belong to this user or to the owner of the project's root, and may lower limits but not raise
            them. It can be a resource of a package, ``importlib.resources.files(...) / "bakeoff.lock"``, also
            inside a zip file.
        results: Result file of ``bakeoff run``, for when there is no lock.
        calibrate: Measure now, for when there is neither.
        corpus: Records to measure: a built-in corpus or a file.
        schema: Advisory schema of the codec; needed if the choice was made with one. A calibration
            includes the cost of the fix-up, and the types that it restores. A codec that needs a schema
            gets it from the lock or the result file, if the definition is stored there.
        reads: Reads for each write, and the other terms of ``bakeoff pick``; not used with a lock.
        bandwidth: Such as "1Gbit"; a number is in bytes per second.
        crossings: Whether a payload crosses the network "once" or "per-read".
        needs: Types that must be preserved, such as ("datetime", "bytes").
        trusted: All payloads are trusted; pickle and marshal need it, with a lock as well.
        formats: Allowed wire formats.
        interop: Require that other languages read the records exactly, as the readers of the run did. If it
            tried none, require a format that they can read.

    Raises:
        UsageError: There is no lock, no result file, and no calibration was asked for; ``BAKEOFF_LOCK``
            does not name a file; or the locked codec needs a schema or trust that was not given.
        RunError: The lock or the result file cannot be read, the lock does not match or raises a limit
            without being named, or no codec fits.
        MissingLibrary: A library of the chosen codec, or of its compressor, is not installed.
    """
    from .codecs.production.lock import located

    place = located(lock)
    # A missing lock that the environment names is an error, because using another codec would be worse.
    if place.is_there or (lock is None and place.named):
        return _locked(place, schema, trusted=trusted)

    from pathlib import Path

    from .codecs import codec
    from .reports.decide.eligible import Requirements, names_in
    from .reports.decide.lock import definition_of
    from .reports.decide.pick import pick
    from .reports.model.candidates import dictionary_of, limits_needed
    from .reports.model.cost import CostModel
    from .reports.model.files import load

    requirements = Requirements(
        cost=CostModel.of(reads, bandwidth, crossings),
        needs=names_in("needs", needs),
        trusted=trusted,
        formats=names_in("formats", formats),
        interop=interop,
    )
    if results is not None:
        result = load(Path(results))
    elif calibrate:
        result = _measured(corpus, requirements.formats, trusted=trusted, with_schema=schema is not None)
    else:
        raise UsageError(
            f"{place.missing}; choose a codec with `bakeoff run` and `bakeoff pick --write`, or use "
            "fastest(results=...) or fastest(calibrate=True)"
        )
    winner = pick([result], requirements).winner
    name = winner.name
    if "+schema" in name and schema is None:
        raise UsageError(f"{name} was measured with a schema; pass it: fastest(schema=...)")
    cells = winner.cells.values()
    with_schema = schema if "+schema" in name else None
    made = codec(name, trusted=trusted, schema=with_schema, dictionary=dictionary_of(cells))
    made = _with_schema(made, schema, definition_of(cells), "the result file")
    return made.with_limits(**limits_needed(cells))


def _locked(place: LockLocation, schema: Schema | None, *, trusted: bool) -> Codec:
    """Return the codec of a lock, if the lock matches this installation."""
    from .codecs.production.lock import faults

    held, path = place.read(), place.path
    if held.schema and schema is None:
        raise UsageError(f"{path}: {held.codec} was chosen with a schema; pass it: fastest(schema=...)")
    made = faults(held).made(held, path)
    if made.trusted_only and not trusted:
        raise UsageError(
            f"{path}: {held.codec} runs code found in its input; if every payload can be "
            "trusted, call fastest(trusted=True)"
        )
    if trusted:
        made = made.with_trust()
    return _with_schema(made, schema, held.definition, path)


def _with_schema(made: Codec, schema: Schema | None, definition: str, where: str) -> Codec:
    """Bind a codec to its schema: the user's, else, if it needs one, the schema of the definition.

    Raises:
        UsageError: There is neither.
        RunError: The schema differs from the definition, for instance in field numbers.
    """
    if not made.needs_schema:
        return made if schema is None else made.with_schema(schema)
    if schema is None:
        from .schemas import Schema
        from .schemas.wire.languages import LANGUAGES, UNREAD

        if not definition or made.format not in LANGUAGES.keys() - UNREAD:
            raise UsageError(f"{where}: {made.name} needs a schema; pass it: fastest(schema=...)")
        schema = Schema.of_definition(definition.encode(), made.format, where)
    bound = made.with_schema(schema)
    if definition and bound.bound is not None and bound.bound.definition != definition:
        raise RunError(
            f"{where}: the schema differs from the one that {made.name} was chosen with, so payloads would "
            "be misread. `bakeoff schema export --keep` keeps names and numbers; `bakeoff pick --write` "
            "decides again"
        )
    return bound


def _measured(corpus: str, formats: tuple[str, ...], *, trusted: bool, with_schema: bool) -> ResultData:
    """Measure all suitable codecs, or all with the corpus' schema or one inferred from its records."""
    from .bench.orphans import PREFIX, held_folder
    from .bench.run.options import Options
    from .bench.run.session import Session
    from .codecs import available, describe, join_name
    from .datasets import names

    fitting = [
        name
        for name in available()
        if (trusted or not (describe(name).trusted_only or describe(name).unguarded))
        and (not formats or describe(name).format in formats)
    ]
    if not fitting:
        raise RunError(f"no codec that is installed writes {' or '.join(formats)}")
    options = Options(
        corpora=(corpus,),
        codecs=tuple(join_name(name, schema=with_schema) for name in fitting),
        operations=("dump", "load", "fix", "size") if with_schema else ("dump", "load", "size"),
        infer=with_schema and corpus not in names(),
    )
    with held_folder(PREFIX) as folder:
        return Session(options.quick(), folder / "bakeoff.json").run()
