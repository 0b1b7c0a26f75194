"""The languages of readers, and what is timed in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...errors import RunError
from ..foreign import builds
from ..foreign.port import WorkerError, WorkerLibrary
from ..jobs import Digest
from ..messages.reads import ReaderCommand
from ..results import Cell, ReadFacts, typed


@dataclass(frozen=True, slots=True)
class Language:
    """A language whose worker can be started.

    Attributes:
        name: Its short name, as in ``--readers``.
        title: Its name.
        libraries: What the worker reads with.
        start: How it is started.
    """

    name: str
    title: str
    version: str
    libraries: tuple[WorkerLibrary, ...]
    start: ReaderCommand

    @classmethod
    def of(cls, name: str) -> Self:
        """Return a language.

        Raises:
            UsageError: There is none of this name, or its worker is not built.
            RunError: Its worker does not start.
        """
        command, folder = builds.command(name)
        try:
            found = builds.greeting(command, folder)
        except WorkerError as error:
            raise RunError(f"the worker for {name} does not work: {error}") from error
        return cls(name, *found, ReaderCommand(command, str(folder)))

    def facts(self, library: WorkerLibrary, found: Mapping[str, Any] | None = None) -> ReadFacts:
        """Return what a library read, as a worker of ours noted it."""
        if found is not None:
            return typed(ReadFacts, dict(found))
        return ReadFacts(self.title, library.name, library.version, 0)


@dataclass(frozen=True, slots=True)
class TimedLibrary:
    """A cell of a reader in another language.

    Attributes:
        payloads: Digest of the payloads of the codec's check.
        twin: The cell of another codec that writes the same payloads, and whose figures are used; None if
            there is none.
        rough: Seconds to read a payload, roughly.
        warmup: Seconds of the warm-up in the check.
        start: Seconds until its worker had started in the check.
        exact: It reads all payloads exactly.
    """

    language: Language
    library: WorkerLibrary
    payloads: Digest
    twin: Cell | None
    rough: float
    warmup: float
    start: float
    exact: bool
