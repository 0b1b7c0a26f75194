"""`bakeoff.run`: the benchmark from Python, in worker processes like those of the command."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .errors import RunError, UsageError
from .escape import lines_visible

if TYPE_CHECKING:
    from ._result import Result
    from .bench.run.objects import Objects
    from .bench.run.options import Options
    from .codecs.core.codec import Codec
    from .datasets import Corpus


def run(
    source: str | os.PathLike[str] | Corpus | Iterable[Any],
    /,
    codecs: str | Codec | Mapping[str, Any] | Sequence[str | Codec | Mapping[str, Any]] | None = None,
    *,
    quick: bool = False,
    budget: float | None = None,
    precision: float | None = None,
    records: int | None = None,
    sample: int | None = None,
    seed: int | None = None,
    ops: Sequence[str] = (),
    memory: bool | None = None,
    schema: str | None = None,
    infer: bool = False,
    raw: bool = False,
    compress: Sequence[str] = (),
    readers: Sequence[str] = (),
    gc: Literal["on", "off", "both"] | None = None,
    isolate: bool = False,
    all: bool = False,  # noqa: A002 - as the command's option
    trust_files: bool = False,
    progress: bool = True,
) -> Result:
    """Benchmark codecs on records, in worker processes, as ``bakeoff run`` does.

    Workers get records and codecs as pickles. Classes and functions have to be importable, so they
    cannot be defined in the notebook or script that calls this; write them to a module.

    Ctrl-C, or a notebook's stop button, finishes the process at work and returns what was measured.

    Args:
        source: An iterable of records; a file; the name of a built-in corpus; or a `Corpus`.
        codecs: Names, with ``*`` and ``!exclusion``; `Codec` objects; mappings of a name to
            ``(dumps, loads)`` or another source of `bakeoff.codec`. The default set if left out.
        quick: Take about ten seconds: fewer records, wider intervals, no memory. A remark says what published
            results lead one to expect, and another one whether that held.
        budget: Seconds, including reading and checking; 70 by default, 9 with `quick`.
        precision: Half-width of the ratios' intervals to reach; 0.02 by default.
        records: Maximum number of records; for a built-in corpus, the number to generate.
        sample: Number of records to check and measure; 1,000 by default.
        seed: Seed for generated records and for the choice of the sample.
        ops: Operations to measure instead of the default.
        memory: Measure peak memory and growth; on by default, except with `quick`.
        schema: Schema of the records, as ``--schema`` takes it.
        infer: Infer a schema, convert the records to its types, and add ``+schema`` codecs.
        raw: Measure the libraries' own calls, too.
        compress: Compressors such as "zstd:3"; each codec is also measured with each of them.
        readers: Languages whose libraries read the payloads, too: "go", "node".
            `bakeoff readers` builds their workers.
        gc: Garbage collector while timing; on by default.
        isolate: One codec per process.
        all: Measure every codec and ignore the budget.
        trust_files: Read pickle files.
        progress: Show progress and remarks on stderr or in the notebook.

    Raises:
        UsageError: There is no such corpus, file, codec or operation; an argument has another type or range;
            or two arguments contradict each other.
            Messages name options as the command has them.
        RunError: Records cannot be read, or something cannot be sent to workers.
        KeyboardInterrupt: It was interrupted before anything was measured.
    """
    from .bench.orphans import PREFIX, held_folder

    _check(
        quick=quick,
        budget=budget,
        precision=precision,
        records=records,
        sample=sample,
        seed=seed,
        ops=ops,
        memory=memory,
        schema=schema,
        infer=infer,
        raw=raw,
        compress=compress,
        readers=readers,
        gc=gc,
        isolate=isolate,
        all=all,
        trust_files=trust_files,
        progress=progress,
    )
    with held_folder(PREFIX) as folder, _registered(codecs) as patterns:
        corpus = _corpus(source, folder, records)
        options = _options(
            corpus or os.fspath(source),  # type: ignore[arg-type] # a source that is not a name has become a corpus
            patterns,
            quick=quick,
            ops=",".join(ops) or None,
            memory=memory,
            raw=raw,
            compress=",".join(compress) or None,
            readers=",".join(readers) or None,
            budget=budget,
            precision=precision,
            records=None if records is None else str(records),
            sample=sample,
            seed=seed,
            schema=schema,
            infer=infer or None,
            gc=gc,
            isolate=isolate or None,
            no_time_limit=all or None,
            trust_files=trust_files or None,
        )
        objects = _objects(corpus, options)
        return _measured(options, objects, folder, progress=progress, expecting=quick and progress)


def _check(**arguments: Any) -> None:
    """Refuse arguments of `run` that have another type or range.

    Raises:
        UsageError: It names the first one.
    """
    from .bench.results.plain import typed
    from .bench.run.arguments import EXPECTED, Arguments

    for name, value in arguments.items():
        try:
            typed(Arguments, {name: value})
        except TypeError as error:
            raise UsageError(f"{error}; expected {EXPECTED.get(name, 'True or False')}") from error


def _measured(options: Options, objects: Objects, folder: Path, *, progress: bool, expecting: bool) -> Result:
    from ._progress import shown
    from ._result import Result
    from .bench.run.session import Session
    from .reports.decide.expectation import Expectations

    output = folder / "bakeoff.json"
    call = f"bakeoff.run({options.corpora[0]!r}, {list(options.codecs)!r})"
    expected = Expectations(_remark)
    checked = expected.before if expecting else None
    with shown(wanted=progress) as show:
        session = Session(options, output, command=call, show=show, objects=objects, checked=checked)
        data = session.run()
    expected.after(data)
    if progress:
        for note in session.notes:
            _remark(note)
    return Result(data)


def _remark(text: str) -> None:
    sys.stderr.write(f"{lines_visible(text)}\n")


def _options(source: str | Corpus, codecs: Sequence[str], **asked: Any) -> Options:
    from .bench.run.request import Request

    if isinstance(source, str):
        options = Request.of((source,), codecs=codecs, **asked).options()
        options.validate(codecs)
        return options
    request = Request.of((source.source,), codecs=codecs, **asked)
    options = request.options(brings_schema=source.brings_schema)
    replace(options, corpora=()).validate()
    return options


def _objects(corpus: Corpus | None, options: Options) -> Objects:
    from .bench.run.objects import Objects, pickled
    from .codecs.core.codec import Codec
    from .codecs.registry import only_here
    from .imports import search_path

    return Objects(
        corpus="" if corpus is None else pickled(corpus, f"corpus {corpus.name}"),
        codecs={
            name: pickled(Codec.from_spec(spec), f"codec {name}")
            for name, spec in only_here(options.codecs).items()
        },
        path=search_path(),
    )


def _corpus(source: Any, folder: Path, records: int | None) -> Corpus | None:
    """Return a source as a corpus; None for a name.

    Raises:
        UsageError: It contains no records.
        RunError: Records cannot be sent to workers.
    """
    from .bench.run.objects import kept
    from .codecs.conventions.arrays import kind_of
    from .datasets import Corpus

    if isinstance(source, str | os.PathLike):
        return None
    if isinstance(source, Corpus):
        if records is not None:
            raise UsageError("a Corpus has its number of records: bakeoff.corpus(..., records=N)")
        return source
    if isinstance(source, Mapping | bytes) or kind_of(type(source)) or not isinstance(source, Iterable):
        raise UsageError(
            f"expected a list of records, got {type(source).__name__}; give [record] for a single one, and "
            "the rows of a data frame as a list of dicts"
        )
    made = iter(source)
    if not (first := list(islice(made, 1))):
        raise UsageError("there are no records; give at least one")
    return kept(islice(chain(first, made), records), folder / "records")


@contextmanager
def _registered(codecs: Any) -> Iterator[list[str]]:
    """Register codec objects by name, and return the patterns that select all codecs.

    Raises:
        UsageError: One of them is not a codec.
    """
    from .codecs.core.codec import Codec
    from .codecs.registry import registering

    patterns: list[str] = []
    objects: dict[str, Codec] = {}
    given = [codecs] if isinstance(codecs, str | Codec | Mapping) else [] if codecs is None else codecs
    if not isinstance(given, Iterable):
        raise UsageError(f"codecs is {codecs!r:.40}; expected names, such as ['orjson', 'msgpack']")
    if codecs is not None and not codecs:
        raise UsageError("codecs is empty; name one, or leave the argument out for the default set")
    for each in given:
        if isinstance(each, str):
            patterns.append(each)
            continue
        for made in _made(each):
            if objects.setdefault(made.name, made) is not made:
                raise UsageError(f"two codecs are named {made.name!r}; name them: {{'NAME': codec}}")
            patterns.append(made.name)
    own = [made for made in objects.values() if not _is_known(made)]
    for made in own:
        if set(made.name) & set("+|"):
            raise UsageError(
                f"{made.name}: give the codec without schema and compressor, and ask for these with "
                "schema=... and compress=[...]"
            )
    with registering(made.spec for made in own):
        yield patterns


def _made(source: Any) -> Iterator[Codec]:
    from .codecs.core.codec import Codec
    from .codecs.custom import spec_of_calls

    if isinstance(source, Codec):
        yield source
    elif isinstance(source, Mapping):
        for name, calls in source.items():
            yield Codec.from_spec(spec_of_calls(calls, name))
    else:
        raise UsageError(
            f"{source!r:.60} is not a codec; pass a name, a bakeoff.Codec, or {{'NAME': (dumps, loads)}}"
        )


def _is_known(made: Codec) -> bool:
    """Whether the registry has the same codec under its name."""
    from .codecs import CodecError, codec

    try:
        return codec(made.name) == made
    except (CodecError, RunError):
        return False
