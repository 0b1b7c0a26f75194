"""Drawing the sample of a corpus, on this machine, where the files are."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from ...errors import RunError
from ..messages.prepare import Prepare, Prepared
from ..method import Pace
from .objects import NO_OBJECTS, Objects
from .options import Options
from .processes import LocalExecutor
from .schedule import Schedule


class CorpusReader(AbstractContextManager["CorpusReader"]):
    """Reads the corpora of a run on this machine, each once for all machines that measure.

    Leaving the context ends its executor.

    Args:
        options: How to read them.
        objects: Objects that the program passed.
        pace: As in `Session`.

    Attributes:
        executor: Runs the workers; its blobs hold the samples.
    """

    def __init__(self, options: Options, objects: Objects = NO_OBJECTS, pace: Pace | None = None) -> None:
        self.executor = LocalExecutor(codecs=objects.codecs, pace=pace)
        self._options = options
        self._objects = objects
        self._found: dict[tuple[object, ...], Prepared] = {}
        self._lock = threading.Lock()

    def __exit__(self, *error: object) -> None:
        self.executor.close()

    def read(
        self,
        source: str,
        size: int | None,
        watch: Callable[[int], object],
        *,
        after: int | None,
        stop: Callable[[], bool],
    ) -> Prepared:
        """Read a corpus, unless that is done already; see `prepare`."""
        key = (source, size, after)
        with self._lock:
            if key not in self._found:
                self._found[key] = prepare(
                    self.executor,
                    self._options,
                    source,
                    watch,
                    after=after,
                    stop=stop,
                    size=size,
                    objects=self._objects,
                )
            return self._found[key]


def prepare(
    executor: LocalExecutor,
    options: Options,
    source: str,
    watch: Callable[[int], object] = lambda percent: None,
    *,
    after: int | None = None,
    stop: Callable[[], bool] = lambda: False,
    size: int | None = None,
    objects: Objects = NO_OBJECTS,
) -> Prepared:
    """Read a corpus and draw its sample.

    Args:
        executor: Runs the worker.
        options: How to read it.
        source: The corpus, as typed.
        watch: Called regularly with the progress, in percent.
        after: Records after which reading ends, as in the run that is resumed.
        stop: Whether to give up.
        size: Bytes to which each record is scaled; None for records as they are.
        objects: Objects that the program passed.

    Raises:
        KeyboardInterrupt: It was interrupted.
        RunError: It cannot be read.
        UsageError: There is no such corpus.
    """
    job = Prepare(
        source=source,
        records=options.records,
        seed=options.seed,
        how=options.how,
        sample=options.sample,
        bytes=options.sample_bytes,
        infer=options.infer,
        schema=options.schema,
        include=options.include or (),
        batch=options.batch,
        seconds=None if options.no_time_limit or after is not None else Schedule(options).reading,
        after=after,
        size=size,
        codecs=options.codecs,
        twins=options.twins,
        joining=options.joining,
        source_object=objects.corpus,
        path=objects.path,
    )
    schedule = Schedule(options)

    def over() -> bool:
        return stop() or (after is None and schedule.reading_over())

    ended = executor.work(
        job,
        handles=() if objects.corpus else handles(source),
        over=over,
        watch=lambda percent, beats: watch(percent),
    )
    prepared: Prepared | None = ended.answer
    if stop():
        raise KeyboardInterrupt
    if ended.outcome == "unfinished":
        raise RunError(
            f"{source}: not enough time to read the first records; use a longer --budget, or --all"
        )
    if prepared is None:
        raise RunError(f"{source}: reading it failed: {ended.reason}\n{ended.stderr}".rstrip())
    return prepared


def handles(source: str) -> list[int]:
    """Return the numbers of our open files that a source names, such as `<(command)`."""
    if source in ("-", "/dev/stdin"):
        return [0]
    found = re.fullmatch(r"/(?:dev|proc/self)/fd/(\d+)", source)
    return [int(found[1])] if found else []
