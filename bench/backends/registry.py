"""Registries of the kinds of stores and transports, built in or from other packages.

The library of a kind is imported only when the kind is used.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ...errors import UsageError, hint, near
from ...published import published

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class _Kind(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def schemes(self) -> tuple[str, ...]: ...


K = TypeVar("K", bound=_Kind)


def shown_name(text: str) -> str:
    """Return the part of a text that can be a name: the rest may be a mistyped URL with a password."""
    found = re.match(r"[\w.+-]*", text)
    assert found is not None
    # Of "password=..." or "user@..." even that part may be secret.
    return found[0] if text[found.end() :][:1] in ("", ":") else ""


@dataclass(frozen=True, eq=False)
class BackendRegistry(Generic[K]):
    """The kinds of backends that can follow the @ in an operation's name.

    Attributes:
        what: Word for one backend, for messages.
        kind_type: The type of a declaration.
        package: The package of the built-in kinds. Each module declares one in a variable called `row`.
        row: Name of that variable.
        modules: Name of a kind to its module.
        entry_points: Entry-point group for other packages: name = the kind's, value = ``module:attribute``.
        error: Raised if the kind of another package cannot be loaded.
    """

    what: str
    kind_type: type[K]
    package: str
    row: str
    modules: Mapping[str, str]
    entry_points: str
    error: type[Exception]

    @functools.cache  # noqa: B019 - there are two instances, which live as long as the process
    def kind(self, name: str) -> K:
        """Return a kind by its name.

        Raises:
            UsageError: There is no kind with this name.
            Exception: An `error`: the kind is from another package and cannot be loaded.
        """
        if (module := self.modules.get(name)) is not None:
            declared: Sequence[K] = getattr(import_module(f".{module}", self.package), self.row)
            return next(found for found in declared if found.name == name)
        points = self._published()
        if name in points:
            return self._loaded(points[name])
        known = self.kinds()
        shown = shown_name(name)
        meant = hint(near(shown, known), "there are " + ", ".join(known))
        if shown != name:
            meant = f"the rest may hold a password and is not shown; URLs begin with SCHEME://, and {meant}"
        raise UsageError(f"no {self.what} {shown!r}; {meant}")

    def kinds(self) -> list[str]:
        """Return the names of all kinds, the built-in ones first."""
        return [*self.modules, *self._published()]

    def by_url(self, url: str) -> K:
        """Return the kind that handles a URL.

        Raises:
            UsageError: No kind does. The message omits the URL, which may hold a password.
        """
        scheme = url.partition("://")[0]
        known = []
        for name in self.kinds():
            found = self.kind(name)
            if scheme in found.schemes:
                return found
            known += [f"{each}://" for each in found.schemes]
        raise UsageError(
            f"no {self.what} has URLs that begin with {shown_name(scheme)}://; "
            f"there are {', '.join(known) or 'none'}"
        )

    @functools.cache  # noqa: B019 - as above; a scan of all installed packages takes 20 ms
    def _published(self) -> dict[str, EntryPoint]:
        return published(self.entry_points, self.what, self.modules)

    def _loaded(self, point: EntryPoint) -> K:
        try:
            found = point.load()
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise self.error(
                f"{self.what} {point.name!r} of {point.value} cannot be loaded: {why}"
            ) from error
        if not isinstance(found, self.kind_type) or found.name != point.name:
            raise self.error(f"{point.value}: is not the {self.what} {point.name!r}")
        return found
